//! Lists of several moves in one search, by scripted engines.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]
#![allow(clippy::panic, reason = "helpers of tests")]

use std::time::Instant;

use crate::support::pool::{LONG, START, ask, close, search, settings, unique_name};
use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_engine::{Event, Pool};

/// Two legal moves.
const FEW: &str = "8/8/8/8/8/2k4p/8/K7 w - - 0 1";

/// What comes of a list: its answers, or the error, and how many attempts failed.
fn list(pool: &mut Pool, fen: &str, moves: usize) -> (Result<Vec<Answer>, String>, usize) {
    pool.submit_list(77, parse_fen(fen).unwrap(), moves, Limit::Nodes(9_000));
    let (until, mut faults) = (Instant::now() + LONG, 0);
    loop {
        match pool.events().recv_deadline(until).unwrap() {
            Event::Listed { ticket: 77, answer, behind } => {
                return (Ok(std::iter::once(answer).chain(behind).collect()), faults);
            }
            Event::Failed { ticket: 77, error } => return (Err(error.to_string()), faults),
            Event::Fault { .. } => faults += 1,
            Event::Started { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

fn told(answers: &[Answer]) -> Vec<String> {
    answers.iter().map(|answer| format!("{} {}", answer.best, answer.score)).collect()
}

/// The moves by one search each, all before them left out.
fn one_by_one(pool: &mut Pool, fen: &str, moves: usize) -> Vec<String> {
    let mut left = search(fen, &[]);
    let mut answers = Vec::new();
    for _ in 0..moves {
        let answer = ask(pool, left.clone()).answer().clone();
        left.excluded.push(answer.best);
        answers.push(answer);
    }
    told(&answers)
}

#[test]
fn a_list_has_as_many_moves_as_are_wanted_or_all_and_changes_nothing_for_other_searches() {
    let (name, dir) = (unique_name(), tempfile::tempdir().unwrap());
    let transcript = dir.path().join("sent");
    let flags = ["--transcript", transcript.to_str().unwrap()];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    let right = one_by_one(&mut pool, START, 5);
    let (listed, faults) = list(&mut pool, START, 5);
    let listed = listed.unwrap();
    assert_eq!((told(&listed), faults), (right, 0));
    let nodes: Vec<u64> = listed.iter().map(|answer| answer.nodes).collect();
    assert_eq!(nodes, [9_000, 0, 0, 0, 0]);
    assert!(listed.iter().all(|answer| answer.pv.first() == Some(&answer.best)));
    let few = one_by_one(&mut pool, FEW, 1);
    let all = list(&mut pool, FEW, 8).0.unwrap();
    assert_eq!((all.len(), &told(&all)[0]), (2, &few[0]));
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    let told = |line: &&str| line.contains("MultiPV") || line.contains("go ");
    let told: Vec<&str> = sent.lines().filter(told).collect();
    assert_eq!(
        told[5..8],
        ["> setoption name MultiPV value 5", "> go nodes 9000", "> setoption name MultiPV value 1"]
    );
    let lists = sent.split("> go nodes").next().unwrap();
    assert!(
        lists
            .ends_with("> position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n")
    );
    assert!(lists.contains("value 5\n> ucinewgame\n"), "on a cleared hash: {lists}");
}

#[test]
fn an_engine_that_cannot_list_so_many_says_so() {
    for (flags, words) in [
        (["--max-multipv", "0"], "cannot list 3 moves: it offers no MultiPV"),
        (["--max-multipv", "2"], "cannot list 3 moves: its MultiPV ends at 2"),
    ] {
        let name = unique_name();
        let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
        let (listed, faults) = list(&mut pool, START, 3);
        assert!(listed.as_ref().is_err_and(|error| error.contains(words)), "{listed:?}");
        assert_eq!(faults, 0, "no attempt helps");
        assert_eq!(one_by_one(&mut pool, START, 2).len(), 2, "other searches go on");
        close(pool, &name);
    }
}

#[test]
fn a_list_whose_engine_dies_or_lies_is_searched_again() {
    let sound = unique_name();
    let mut pool = Pool::start(&settings(&sound, &[])).unwrap();
    let right = told(&list(&mut pool, START, 4).0.unwrap());
    close(pool, &sound);
    for fault in ["die:go=1,start=1", "bounds:go=1,start=1", "none:go=1,start=1"] {
        let (name, dir) = (unique_name(), tempfile::tempdir().unwrap());
        let starts = dir.path().join("starts");
        let flags = ["--starts", starts.to_str().unwrap(), "--fault", fault];
        let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
        let (listed, faults) = list(&mut pool, START, 4);
        assert_eq!((told(&listed.unwrap()), faults), (right.clone(), 1), "{fault}");
        close(pool, &name);
    }
}
