//! The trust window over a walk.

use std::cell::Cell;

use shakmaty::uci::UciMove;

use super::*;
use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::stability;
use deepanalyze_view::{
    Closing, ClosingAsked, ClosingMove, NamedMove, Percent, Stays, StaysUntil, Trust,
};

/// The trust of a tree, with a chance.
fn trust(tree: &Tree, chance: Option<u8>) -> Trust {
    let growth = &tree.growth;
    let best = Explorer::new(Arc::new(copy(tree)), PointOfView::White).here().moves[0].uci;
    let stays = chance.map(|chance| Stays {
        best,
        chance: Percent::new(chance).unwrap(),
        until: StaysUntil::NextStage,
    });
    let stability = stability(growth.graph(), growth.values(), growth.root());
    Trust { stability, stays, drawn: None }
}

fn copy(tree: &Tree) -> Tree {
    let none = Directives::default;
    Tree::new(tree.row.clone(), tree.game.clone(), Arc::clone(&tree.growth), none(), none())
}

/// The text between the bars; the board may show beside it.
fn told(explorer: &Explorer, look: Look) -> String {
    let screen = screen(explorer, look, 80, 24);
    let rows = screen.lines().map(|line| line.chars().skip(3).take(76).collect::<String>());
    let rows = rows.skip_while(|row| !row.contains("how far to trust")).skip(1);
    let rows: Vec<String> = rows.take_while(|row| !row.contains("Esc leaves this")).collect();
    rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn trust_key_shows_the_root_from_anywhere() {
    let mut explorer = at_root(KNIGHTS);
    explorer.play_line("Nf3 Nf6").unwrap();
    assert_eq!(press(&mut explorer, "c"), Effect::None);
    explorer.look_at_trust(|tree| Ok(trust(tree, Some(84))));
    let right = "holds even if every score is off by less than 0.08; 1. Nf3 can be best if these 2 are all off by that much \
        (1. e4 e5 -0.20 → -0.12, 1. Nf3 Nf6 2. d4 d5 -0.04 → -0.12) \
        chance open: 84 % that 1. e4 stays the best move when the engine searches two plies deeper";
    assert_eq!(told(&explorer, RICH), right);
    let plain = told(&explorer, PLAIN);
    assert!(plain.contains("-0.20 -> -0.12"), "signs that any terminal has: {plain}");
    press(&mut explorer, "p");
    assert!(told(&explorer, RICH).contains("1. e4 e5 +0.20 → +0.12"), "scores for White");
    for leave in ["c", "q", "\u{1b}", "\n"] {
        press(&mut explorer, leave);
        assert_eq!(&explorer.mode, &Mode::Browse, "{leave:?}");
        press(&mut explorer, "c");
    }
}

#[test]
fn the_closing_search_is_told_with_it() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "c");
    explorer.look_at_trust(|tree| Ok(trust(tree, None)));
    assert!(!told(&explorer, RICH).contains("closing"));
    let (tree_limit, limit) = (Limit::Depth(12), Some(Limit::Nodes(31_000_000)));
    let chosen = |cp, line: &[&str]| {
        let line: Vec<UciMove> = line.iter().map(|uci| uci.parse().unwrap()).collect();
        let named = NamedMove::of(explorer.tree().game.root(), line[0]);
        ClosingMove { named, score: Score::Cp(cp), wdl: None, depth: 24, line }
    };
    let closing = Closing {
        asked: ClosingAsked { tree_limit, passes: 57, limit, engines: 2 },
        best: chosen(31, &["g1f3", "d7d5", "d2d4"]),
        others: vec![chosen(28, &["e2e4", "e7e5"])],
        nodes: 62_000_000,
        is_done: true,
        second: None,
    };
    // That tree, read again when the search has ended.
    let closed = Tree { closing: Some(closing), ..copy(explorer.tree()) };
    explorer.take(Arc::new(closed));
    explorer.look_at_trust(|tree| Ok(trust(tree, None)));
    let right = "closing 1. Nf3 +0.31 1... d5 2. d4 (31,000,000 nodes on each of 2 engines, after pass 57 with engine depth 12); next 1. e4 +0.28";
    assert!(told(&explorer, RICH).ends_with(right), "{}", told(&explorer, RICH));
    // The star stands at the verdict's move, with the root's score.
    press(&mut explorer, "c");
    let screen = screen(&explorer, PLAIN, 80, 24);
    let starred = screen.lines().find(|row| row.contains('*')).unwrap();
    assert!(starred.contains("1. Nf3"), "{screen}");
    assert!(screen.contains("value +0.31"), "{screen}");
}

#[test]
fn trust_is_looked_up_once_per_tree_when_shown() {
    let (mut explorer, times) = (at_root(KNIGHTS), Cell::new(0));
    let look = |explorer: &mut Explorer| {
        explorer.look_at_trust(|tree| {
            times.set(times.get() + 1);
            Ok(trust(tree, None))
        });
        times.get()
    };
    assert_eq!(look(&mut explorer), 0);
    press(&mut explorer, "c");
    assert_eq!((look(&mut explorer), look(&mut explorer)), (1, 1));
    assert!(!told(&explorer, RICH).contains("chance"), "there is none");
    explorer.take(tree_of("", &[("", &[("e2e4", 25)])]));
    assert_eq!((look(&mut explorer), look(&mut explorer)), (2, 2));
    assert_eq!(told(&explorer, RICH), "nothing is known of that yet", "a single move");
}

#[test]
fn where_it_cannot_be_looked_up_the_walk_goes_on() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "c");
    explorer.look_at_trust(|_| Err("the disk is gone".to_owned()));
    assert_eq!((&explorer.mode, explorer.trust.as_ref()), (&Mode::Browse, None));
    assert!(screen(&explorer, PLAIN, 80, 24).contains("the disk is gone"));
}

#[test]
fn no_size_of_the_screen_is_too_small_for_it() {
    let mut explorer = at_root(KNIGHTS);
    press(&mut explorer, "c");
    explorer.look_at_trust(|tree| Ok(trust(tree, Some(5))));
    for (width, height) in SIZES.iter().flat_map(|w| HEIGHTS.iter().map(move |h| (*w, *h))) {
        drawn(&explorer, RICH, width, height);
    }
}
