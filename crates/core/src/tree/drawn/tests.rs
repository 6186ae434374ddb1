use std::sync::Arc;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use super::*;
use crate::chess::{DrawValue, FiftyMoves, Game, PositionKey, Tables};
use crate::tree::{Growth, Lists, Selection, TableFacts, Wish, grown_of};

/// A draw worth this many centipawns for White.
fn worth(white: i64) -> Selection {
    Selection { draw: DrawValue::new(white).unwrap(), ..20.into() }
}

fn start(fen: &str) -> Game {
    Game::from_start(fen).unwrap()
}

/// The best move, the cause of its draw, the move that avoids it, and the cost.
type Told = (String, DrawnBy, Option<String>, Option<u32>);

fn told_behind(growth: &Growth, line: &str) -> Option<Told> {
    let moves: Vec<UciMove> = line.split_whitespace().map(|uci| uci.parse().unwrap()).collect();
    let found = drawn_best(growth.graph(), growth.values(), &growth.walk(&moves))?;
    let avoiding = found.avoiding.as_ref().map(|avoiding| avoiding.uci.to_string());
    Some((found.best.uci.to_string(), found.by, avoiding, found.cost()))
}

fn told(growth: &Growth) -> Option<Told> {
    told_behind(growth, "")
}

fn right(best: &str, by: DrawnBy, avoiding: &str, cost: u32) -> Option<Told> {
    Some((best.to_owned(), by, Some(avoiding.to_owned()), Some(cost)))
}

/// The knights go to and fro; f4 is another game.
const KNIGHTS: &Lists<'_> = &[
    ("", &[("g1f3", 40), ("f2f4", -32)]),
    ("Nf3", &[("g8f6", 0)]),
    ("Nf3 Nf6", &[("f3g1", 5)]),
    ("Nf3 Nf6 Ng1", &[("f6g8", 0)]),
];

#[test]
fn repetition_is_best_while_others_are_below_a_draw() {
    let start = start("startpos");
    let again = DrawnBy::Repetition(Some(0));
    for (draw, cost) in [(0, 32), (15, 47), (-31, 1)] {
        let growth = grown_of(&start, worth(draw), KNIGHTS);
        assert_eq!(told(&growth), right("g1f3", again, "f2f4", cost), "{draw}");
    }
    assert_eq!(told(&grown_of(&start, worth(-33), KNIGHTS)), None, "White plays f4");
}

#[test]
fn repetition_is_of_the_line_or_of_a_position_before() {
    let lists: &Lists<'_> = &[
        ("", &[("e2e4", 0), ("d2d4", -10)]),
        ("e4", &[("g8f6", 0)]),
        ("e4 Nf6", &[("g1f3", 0), ("e4e5", -7)]),
        ("e4 Nf6 Nf3", &[("f6g8", 0)]),
        ("e4 Nf6 Nf3 Ng8", &[("f3g1", 0)]),
    ];
    let growth = grown_of(&start("startpos"), worth(0), lists);
    assert_eq!(told(&growth), right("e2e4", DrawnBy::Repetition(Some(1)), "d2d4", 10));
    let behind = told_behind(&growth, "e2e4 g8f6");
    assert_eq!(behind, right("g1f3", DrawnBy::Repetition(None), "e4e5", 7), "on the path");
    let mut played = start("startpos");
    played.play_line("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6").unwrap();
    let lists: &Lists<'_> = &[("", &[("f3g1", 0), ("e2e4", -20)]), ("Ng1", &[("f6g8", 0)])];
    let growth = grown_of(&played, worth(0), lists);
    assert_eq!(told(&growth), right("f3g1", DrawnBy::Repetition(None), "e2e4", 20), "the game");
}

#[test]
fn the_rules_say_what_kind_of_draw_it_is() {
    let stalemate: &Lists<'_> = &[("", &[("g5g6", 900), ("f7f1", -90)])];
    let growth = grown_of(&start("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"), worth(-40), stalemate);
    assert_eq!(told(&growth), right("g5g6", DrawnBy::Stalemate, "f7f1", 50));
    let capture: &Lists<'_> = &[("", &[("e5d5", 900), ("e5f5", -20)])];
    let growth = grown_of(&start("8/8/8/3pK3/8/8/8/7k w - - 0 1"), worth(0), capture);
    assert_eq!(told(&growth), right("e5d5", DrawnBy::Material, "e5f5", 20));
}

#[test]
fn tables_say_what_they_know() {
    let game = start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1");
    let lists: &Lists<'_> = &[("", &[("e2e4", 30), ("d3d4", -5)])];
    let behind = |uci: &str| {
        let mut game = game.clone();
        game.play_line(uci).unwrap();
        PositionKey::of(game.root())
    };
    for (wdl, right) in [
        (Wdl::Draw, right("e2e4", DrawnBy::Tables(Wdl::Draw), "d3d4", 15)),
        (Wdl::BlessedLoss, right("e2e4", DrawnBy::Tables(Wdl::BlessedLoss), "d3d4", 15)),
        (Wdl::Loss, None),
    ] {
        let mut facts = TableFacts::new(Tables { men: 3, fifty: FiftyMoves::Fide }, 1);
        facts.learn(behind("e4"), Some(wdl));
        let growth = grown_of(&game, Selection { facts, ..worth(10) }, lists);
        assert_eq!(told(&growth), right, "{wdl:?}");
    }
}

#[test]
fn the_users_draw_is_one_and_the_users_number_is_none() {
    let mut e4 = start("startpos");
    e4.play_line("e4").unwrap();
    let lists: &Lists<'_> = &[("", &[("e2e4", 30), ("d2d4", 4)])];
    let growth = |given| {
        let wish = Wish { value: Some(given), ..Wish::default() };
        let wishes = Arc::new([(PositionKey::of(e4.root()), wish)].into());
        grown_of(&Game::from_position(Chess::default()), Selection { wishes, ..worth(10) }, lists)
    };
    assert_eq!(told(&growth(GivenValue::Draw)), right("e2e4", DrawnBy::Given, "d2d4", 6));
    assert_eq!(told(&growth(GivenValue::Centipawns(10))), None);
}

#[test]
fn a_score_that_is_as_much_as_a_draw_is_none() {
    let lists: &Lists<'_> = &[("", &[("e2e4", -12), ("d2d4", -30)])];
    assert_eq!(told(&grown_of(&start("startpos"), worth(-12), lists)), None);
}

#[test]
fn only_losses_and_draws_have_no_cost_to_tell() {
    let lists: &Lists<'_> = &[("", &[("g5g6", 900)])];
    let growth = grown_of(&start("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"), worth(0), lists);
    let only = told(&growth).unwrap();
    assert_eq!((only.2, only.3), (None, None));
    let found = DrawnBest {
        avoiding: Some(RootMove {
            alpha: Value::MATED,
            ..drawn_best(growth.graph(), growth.values(), &[growth.root()]).unwrap().best
        }),
        ..drawn_best(growth.graph(), growth.values(), &[growth.root()]).unwrap()
    };
    assert_eq!(found.cost(), None, "it is mated");
}

#[test]
fn engines_leave_out_only_draws_below_the_best_move() {
    let shunned = |draw| {
        let growth = grown_of(&start("startpos"), worth(draw), KNIGHTS);
        let moves: Vec<String> = shunned_draws(growth.graph(), growth.values(), growth.root())
            .iter()
            .map(ToString::to_string)
            .collect();
        let shares = growth.root_shares(1, 1);
        for uci in &moves {
            let left_out =
                |uci: &str| shares.iter().all(|s| s.moves.iter().all(|m| m.to_string() != uci));
            assert!(left_out(uci), "{uci}");
        }
        assert_eq!(shares[0].moves.len(), 20 - moves.len());
        moves
    };
    assert_eq!(shunned(-33), ["g1f3"], "f4 is better");
    assert!(shunned(-31).is_empty(), "the draw is the best there is");
    assert!(shunned(0).is_empty() && shunned(15).is_empty());
    // Nf3 loses more than a draw that is worth nothing does; an engine may look at it.
    let lists: &Lists<'_> = &[("", &[("g1f3", 0), ("f2f4", 10)])];
    let growth = grown_of(&start("startpos"), worth(0), lists);
    assert!(shunned_draws(growth.graph(), growth.values(), growth.root()).is_empty());
}
