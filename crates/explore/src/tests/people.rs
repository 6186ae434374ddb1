//! Games of people, and expected scores of moves.

use deepanalyze_core::tree::{CountFacts, MoveCounts, PlayedRules, Selection, Settled};

use super::*;

/// One in ten meets 1. e4 with 1... c5, which has no answer.
fn counted() -> Explorer {
    let game = Game::from_start("startpos").unwrap();
    let mut counts = CountFacts::new(PlayedRules::default());
    let played: [(&str, &[(&str, u64)]); 2] =
        [("", &[("e2e4", 700), ("g1f3", 300)]), ("e4", &[("e7e5", 540), ("c7c5", 60)])];
    for (line, moves) in played {
        let mut there = game.clone();
        there.play_line(line).unwrap();
        let moves = moves.iter().map(|(uci, games)| (parse_uci(uci).unwrap(), *games));
        counts.learn(PositionKey::of(there.root()), MoveCounts::new(moves));
    }
    let mut growth = Growth::new(&game, Selection { counts, ..20.into() });
    fill(&mut growth, &game, KNIGHTS);
    fill(&mut growth, &game, &[("e4 e5", &[("g1f3", 20)])]);
    let settled = |depth| Settled { depth, passes: 1, searches: 1, analysed: 1 };
    growth.restore(4, (0..=2).map(settled).collect());
    Explorer::new(live(game, growth), PointOfView::White)
}

#[test]
fn key_shows_games_shares_and_points_by_side() {
    let mut explorer = counted();
    let idea = "    alpha    idea    eval  move";
    assert!(screen(&explorer, PLAIN, 80, 24).contains(idea));
    press(&mut explorer, "e");
    let text = screen(&explorer, PLAIN, 80, 24);
    println!("{text}");
    assert!(text.contains("    alpha   games  share  points  move"), "{text}");
    assert!(text.contains("   700    70%    51.8  1. e4"), "{text}");
    assert!(text.contains("points in 100 games, for White"), "{text}");
    press(&mut explorer, "e");
    assert!(screen(&explorer, PLAIN, 80, 24).contains("   700    70%    48.2  1. e4"), "Black's");
    let narrow = screen(&explorer, PLAIN, 30, 12);
    assert!(narrow.contains("alpha  points  move"), "{narrow}");
    press(&mut explorer, "e");
    assert!(screen(&explorer, PLAIN, 80, 24).contains(idea));
}

#[test]
fn the_help_fits_twenty_four_rows() {
    let mut explorer = counted();
    press(&mut explorer, "?");
    let help = screen(&explorer, PLAIN, 80, 24);
    assert!(help.contains("what people play") && help.contains("best, candidate, more"), "{help}");
}

#[test]
fn without_games_the_key_says_so() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "e");
    assert!(
        explorer.notice.as_ref().unwrap().text.starts_with("this tree was grown without games")
    );
}

#[test]
fn replies_without_an_answer_are_gone_through() {
    let mut explorer = counted();
    press(&mut explorer, "w");
    let told = explorer.notice.as_ref().map(|notice| notice.text.clone()).unwrap();
    assert_eq!(told, "1/1 one in 10 games leaves the tree with 1... c5 (60 games, 10%)");
    assert_eq!(line(&explorer), "1. e4");
}
