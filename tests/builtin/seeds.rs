//! Measurements of the two seeds, with the plain search (`Speculation` off).

#![allow(clippy::unwrap_used)]

use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::score::MATE;
use deepanalyze_builtin::search::{self, Memory, SearchResult, Silent, Task};
use deepanalyze_builtin::time::{Limits, Signals};
use shakmaty::fen::Fen;

fn plain() -> Options {
    Options { speculation: false, ..Options::default() }
}

fn search_board(board: &Board, depth: u32, options: &Options) -> SearchResult {
    let task = Task {
        board: board.clone(),
        earlier: Vec::new(),
        limits: Limits { depth: Some(depth), ..Limits::default() },
    };
    let mut memory = Memory::new(16);
    search::think(&mut memory, options, &task, &Signals::default(), &mut Silent)
}

fn board(fen: &str) -> Board {
    // One of the paper's positions has a pawn on its first rank: skip validation.
    Board::from_setup(fen.parse::<Fen>().unwrap().as_setup())
}

fn search(fen: &str, depth: u32, options: &Options) -> SearchResult {
    search_board(&board(fen), depth, options)
}

/// The least depth, up to `most`, that proves the mate, each depth searched from nothing.
fn least_depth(
    fen: &str,
    moves: i32,
    budgets: (i32, i32, usize),
    most: u32,
) -> Option<(u32, String)> {
    let options = Options {
        quiescence: false,
        selective_depth: budgets.0,
        forced_depth: budgets.1,
        candidate_limit: budgets.2,
        ..plain()
    };
    (1..=most).find_map(|depth| {
        let answer = search(fen, depth, &options);
        (answer.score == MATE - 2 * moves + 1).then(|| (depth, answer.best.to_string()))
    })
}

#[test]
fn a_smothered_mate_is_proved_at_fischerles_depths() {
    let fen = "5r1k/6pp/8/6N1/8/1Q6/6PP/6K1 w - - 0 1";
    for (budgets, depth) in [
        ((0, 0, 3), 7),
        ((1, 0, 3), 6),
        ((2, 0, 3), 5),
        ((4, 0, 3), 4),
        ((0, 1, 3), 6),
        ((0, 2, 3), 5),
        ((0, 10, 3), 5),
        ((4, 10, 3), 4),
        ((4, 10, 1), 5),
        ((4, 10, 2), 4),
    ] {
        let found = least_depth(fen, 4, budgets, 7);
        assert_eq!(found, Some((depth, "g5f7".to_owned())), "{budgets:?}");
    }
}

#[test]
fn a_mate_in_five_is_proved_at_fischerles_depths() {
    let fen = "rn3r2/pbppq1p1/1p2pN1k/4N3/3P4/3B4/PPP2PPP/R3K2R w KQ - 1 13";
    for (budgets, depth) in [
        ((4, 10, 3), Some(5)),
        ((4, 0, 3), Some(5)),
        ((0, 10, 3), Some(6)),
        ((0, 3, 3), Some(6)),
        ((0, 2, 3), None),
        ((0, 0, 3), None),
    ] {
        let found = least_depth(fen, 5, budgets, 6);
        let expected = depth.map(|depth| (depth, "e5g4".to_owned()));
        assert_eq!(found, expected, "{budgets:?}");
    }
}

#[test]
fn quiescence_paper_positions_solved_at_depth() {
    for (fen, depth, moves) in [
        ("4rkr1/1p1Rn1pp/p3p2B/4Qp2/8/8/PPq2PPP/3R2K1 w - - 0 1", 2, None),
        ("k7/3N4/BK6/8/8/8/8/8 w - - 0 1", 3, None),
        ("RK2QBNR/P3PPPP/b7/q7/8/4Pp2/p1p2p1p/rn1k3r b - - 0 1", 3, None),
        ("rnb1kbnr/pppppppp/8/4q3/5P2/8/PPPPP1PP/RNBQKBNR w KQkq - 0 1", 2, Some(vec!["f4e5"])),
        (
            "rn2kbnr/pppppppp/8/4q3/8/8/PPPP1PPP/RNBQKB1R w KQkq - 0 1",
            2,
            Some(vec!["f1e2", "d1e2"]),
        ),
        ("2b1kbnr/prpppppp/q7/8/8/8/PPPP1PPP/RNBQKBNR w KQk - 0 1", 4, Some(vec!["f1a6"])),
        ("1nbqkbnr/pppppppp/3r4/8/8/8/PPP1PPPP/RNBQKBNR b KQk - 0 1", 4, Some(vec!["d6d1"])),
        ("k3r3/8/7b/8/8/4Q3/PP3P2/KP6 b - - 0 1", 5, Some(vec!["h6e3"])),
        ("rn1q1rk1/pp6/5p2/2bpP2b/2p2PbP/2p2NP1/2P2PR1/2BQKB1R w K - 0 1", 5, Some(vec!["f1e2"])),
        ("3q4/pk4pp/2p5/2Q2p2/2P1b3/1P4BP/2PrR1PK/8 w - - 0 1", 4, Some(vec!["c5b4"])),
        ("7k/2p3p1/3pPp1p/p1p4P/Pr2r3/1PR1R1P1/5PK1/8 w - - 0 1", 5, Some(vec!["e6e7"])),
    ] {
        // The last two need quiescence: without it the horizon hides the gain of quiet moves.
        let horizon = ["c5b4", "e6e7"];
        let needed = moves.as_ref().is_some_and(|moves| horizon.contains(&moves[0]));
        for quiescence in [true, false] {
            if needed && !quiescence {
                continue;
            }
            let options = Options { quiescence, ..plain() };
            let answer = search(fen, depth, &options);
            let best = answer.best.to_string();
            match &moves {
                Some(moves) => assert!(
                    moves.contains(&best.as_str()),
                    "{fen} quiescence {quiescence}: {best} {}",
                    answer.score
                ),
                None => {
                    let board = board(fen).play(answer.best);
                    let mate = board.is_check() && board.legal_moves().is_empty();
                    assert!(mate, "{fen} quiescence {quiescence}: {best}");
                }
            }
        }
    }
}

#[test]
fn a_guarded_pawn_is_taken_without_quiescence_only() {
    let fen = "b3k3/1n5p/6p1/8/8/8/7P/1Q4K1 w - - 0 1";
    assert_ne!(search(fen, 1, &plain()).best.to_string(), "b1b7");
    let off = Options { quiescence: false, ..plain() };
    assert_eq!(search(fen, 1, &off).best.to_string(), "b1b7");
}

#[test]
fn both_sides_played_it_is_mate_after_three_plies() {
    for fen in [
        "KR2Q2R/NPPn2BP/n5P1/3N1P2/q7/3p2p1/ppp1p2p/r1bk3r b - - 0 1",
        "1B6/3K3p/5p2/pp2pr2/N2k3q/1Q5p/2R2b2/5N2 w - - 0 1",
    ] {
        for quiescence in [true, false] {
            let options = Options { quiescence, ..plain() };
            let mut board = board(fen);
            for _ in 0..3 {
                board = board.play(search_board(&board, 3, &options).best);
            }
            assert!(board.is_check() && board.legal_moves().is_empty(), "{fen}");
        }
    }
}
