//! Whole lists of moves among what real engines printed.

use super::*;

/// `go nodes 60000` with `MultiPV 4`: the last iteration is cut short at the second move.
const CUT: &str = include_str!("../../../../../tests/transcripts/stockfish-15.1-multipv.txt");

const BEGINNING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn listed<'a>(
    search: &Search,
    lines: usize,
    printed: impl Iterator<Item = &'a str>,
) -> Result<Vec<Answer>, NoAnswer> {
    let mut choice = PrintedLines::listing(search, lines);
    for line in printed {
        match read_line(line) {
            EngineLine::Info(info) => choice.add(info),
            EngineLine::BestMove { best, said } => {
                let said = choice.said(best, &said, Duration::from_millis(7))?;
                return Ok(std::iter::once(said.answer).chain(said.behind.unwrap()).collect());
            }
            _ => {}
        }
    }
    panic!("no bestmove")
}

/// Moves, scores, depths.
fn told(list: Result<Vec<Answer>, NoAnswer>) -> String {
    match list {
        Ok(answers) => answers.iter().map(short).collect::<Vec<_>>().join(", "),
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn an_iteration_that_is_cut_short_gives_its_moves_and_the_one_before_the_others() {
    // The second place has a bound only: what was exact there before stands.
    let list = listed(&search(KIWIPETE, &[]), 4, after_go(CUT, 0)).unwrap();
    assert!(list.iter().all(|answer| answer.pv.first() == Some(&answer.best)));
    let took: Vec<_> = list.iter().map(|answer| (answer.nodes, answer.time.as_millis())).collect();
    assert_eq!(took, [(60_023, 7), (0, 0), (0, 0), (0, 0)], "one search, paid once");
    assert_eq!(told(Ok(list)), "h5f3 -4.15 11, e5g6 -3.88 10, h5g5 -4.46 10, h5h8 -4.66 10");
}

#[test]
fn lists_of_other_engines_are_their_last_lines_whatever_bestmove_says() {
    let search = search(KIWIPETE, &[]);
    for (transcript, expected) in [
        (GLAURUNG, "h5f3 -3.17 6, e5g6 -3.33 6, h5g5 -4.37 6"),
        (ETHEREAL, "h5f3 -3.08 6, h5g5 -3.82 6, e5g6 -5.08 6"),
        (TOGA, "h5f3 -2.85 6, h5g5 -3.19 6, e5g6 -3.30 6"),
        (FAIRY, "h5f3 -3.12 6, h5g5 -4.43 6, e5g6 -5.07 6"),
    ] {
        assert_eq!(told(listed(&search, 3, after_go(transcript, 5))), expected);
    }
}

#[test]
fn a_list_has_different_moves_and_scores_that_are_no_bounds() {
    let right = [
        "info depth 5 multipv 1 score cp 40 pv e2e4",
        "info depth 5 multipv 2 score cp 30 pv d2d4",
    ];
    let of = |more: &[&str]| {
        let lines = right.iter().chain(more).chain(&["bestmove e2e4"]).copied();
        told(listed(&search(BEGINNING, &[]), 2, lines))
    };
    let unchanged = "e2e4 +0.40 5, d2d4 +0.30 5";
    for more in [
        // The second place is not searched yet, and would be listed twice.
        &["info depth 6 multipv 1 score cp 44 pv d2d4"][..],
        &["info depth 6 multipv 1 score cp 44 upperbound pv c2c4"],
        &["info depth 6 multipv 2 score cp 44 wdl 1 2 3 lowerbound pv c2c4"],
        &[
            "info depth 6 multipv 0 score cp 44 pv c2c4",
            "info depth 6 multipv 3 score cp 44 pv c2c4",
        ],
        &["info depth 6 multipv 18446744073709551616 score cp 44 pv c2c4"],
        &["info depth 6 multipv 2 score cp 44", "info depth 6 multipv 2 score cp 44 pv"],
        &["info depth 6 multipv 2 score cp 44 pv e2e5", "info depth 6 multipv 2 score cp pv c2c4"],
        &["info string depth 6 multipv 2 score cp 44 pv c2c4"],
    ] {
        assert_eq!(of(more), unchanged, "{more:?}");
    }
    let newer = [
        "info depth 6 multipv 1 score cp 44 pv d2d4",
        "info depth 6 multipv 2 score mate -3 pv e2e4",
    ];
    assert_eq!(of(&newer), "d2d4 +0.44 6, e2e4 #-3 6");
    assert_eq!(of(&["info depth 6 multipv 2 score cp 31 pv c2c4"]), "e2e4 +0.40 5, c2c4 +0.31 6");
}

#[test]
fn a_list_that_never_was_whole_is_no_answer() {
    let start = search(BEGINNING, &[]);
    let none = "Lie(\"no complete list of 2 lines\")";
    for lines in [
        &["bestmove e2e4"][..],
        &["info depth 5 multipv 1 score cp 40 pv e2e4", "bestmove e2e4"],
        &["info depth 5 score cp 40 pv e2e4", "info depth 6 score cp 40 pv d2d4", "bestmove d2d4"],
    ] {
        assert_eq!(told(listed(&start, 2, lines.iter().copied())), none);
    }
    let said = ["info depth 5 multipv 1 score cp 40 pv e2e4", "bestmove (none)"];
    assert_eq!(told(listed(&start, 2, said.into_iter())), "Lie(\"no move ((none))\")");
}

#[test]
fn a_list_of_one_move_is_an_answer_as_any() {
    let mut lines = vec!["info depth 9 score cp 31 nodes 5 pv g1f3 d7d5"];
    lines.extend(["info depth 10 score cp 35 lowerbound nodes 9 pv e2e4", "bestmove e2e4"]);
    let list = listed(&search(BEGINNING, &[]), 1, lines.into_iter());
    assert_eq!(told(list), "e2e4 +0.31 9");
}
