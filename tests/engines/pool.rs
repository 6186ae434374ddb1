//! The pool over well-behaved scripted engines: its input, its answers, its end.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeSet;

use crate::support::pool::{LONG, START, ask, close, collect, search, settings, unique_name};
use crate::support::wait_until;
use deepanalyze_core::chess::{Score, Value, legal_uci};
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::{Pool, Reason};
use shakmaty::Position as _;

#[test]
fn alternatives_come_by_score_until_all_are_listed() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &["--seed", "3"])).unwrap();
    let mut listed = search(START, &[]);
    let mut scores = Vec::new();
    for _ in 0..20 {
        let outcome = ask(&mut pool, listed.clone());
        let answer = outcome.answer();
        assert!(!listed.excluded.contains(&answer.best));
        assert_eq!(answer.pv.first(), Some(&answer.best));
        assert_eq!((answer.depth, answer.seldepth), (8, 10));
        scores.push(Value::from(answer.score));
        listed.excluded.push(answer.best);
    }
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let all: BTreeSet<String> = listed.excluded.iter().map(ToString::to_string).collect();
    assert_eq!(all.len(), 20);
    let outcome = ask(&mut pool, listed);
    assert!(outcome.error().contains("nothing for engine"));
    close(pool, &name);
}

#[test]
fn a_finished_position_never_reaches_an_engine() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    for fen in [
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
        "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
        "7k/5K2/6B1/8/8/8/8/8 b - - 0 1",
    ] {
        let outcome = ask(&mut pool, search(fen, &[]));
        let reason = outcome.result.unwrap_err().reason;
        assert!(matches!(reason, Reason::NothingToSearch(_)), "{reason:?}");
    }
    assert_eq!(pool.running(), 1);
    close(pool, &name);
}

#[test]
fn commands_follow_uci_with_searchmoves_last() {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = ["--transcript", transcript.to_str().unwrap()];
    let mut options = settings(&name, &flags);
    options.options = vec![("hash".to_owned(), "64".to_owned())];
    let mut pool = Pool::start(&options).unwrap();
    ask(&mut pool, search("8/5P1k/8/8/8/8/8/K7 w - - 31 77", &[]));
    let others = ["a1a2", "a1b1", "a1b2", "f7f8q", "f7f8b"];
    ask(&mut pool, search("8/5P1k/8/8/8/8/8/K7 w - - 31 77", &others));
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    let expected = "> uci\n\
        > setoption name Threads value 1\n> setoption name OwnBook value false\n\
        > setoption name Ponder value false\n> setoption name UCI_ShowWDL value true\n\
        > setoption name Hash value 64\n> isready\n\
        > ucinewgame\n> isready\n> position fen 8/5P1k/8/8/8/8/8/K7 w - - 0 1\n> go depth 8\n\
        > ucinewgame\n> isready\n> position fen 8/5P1k/8/8/8/8/8/K7 w - - 0 1\n\
        > go depth 8 searchmoves f7f8r f7f8n\n> quit\n";
    assert_eq!(sent, expected);
}

#[test]
fn kept_hash_omits_ucinewgame_and_asks_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let flags = ["--transcript", transcript.to_str().unwrap()];
    let mut options = settings(&name, &flags);
    options.keep_hash = true;
    options.limit = Limit::Nodes(5000);
    let mut pool = Pool::start(&options).unwrap();
    let outcome = ask(&mut pool, search(START, &[]));
    assert_eq!(outcome.answer().nodes, 5000);
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    assert!(!sent.contains("ucinewgame"), "{sent}");
    assert!(sent.contains("> go nodes 5000\n"), "{sent}");
}

#[test]
fn parallel_engines_give_the_same_answers() {
    let positions = opening_positions();
    let mut answers = Vec::new();
    for engines in [1, 8] {
        let dir = tempfile::tempdir().unwrap();
        let gate = dir.path().join("gate");
        let name = unique_name();
        let flags = ["--jitter-ms", "5", "--fault", "held:go=1", "--gate", gate.to_str().unwrap()];
        let mut options = settings(&name, &flags);
        options.sources[0].engines = engines;
        let mut pool = Pool::start(&options).unwrap();
        for (ticket, position) in (0..).zip(&positions) {
            pool.submit(ticket, position.clone());
        }
        // No search ends before all are under way.
        wait_until("a search on every engine", || pool.busy() == engines);
        std::fs::write(&gate, "").unwrap();
        let outcomes = collect(&pool, positions.len());
        assert_eq!(pool.running(), engines);
        assert_eq!((pool.busy(), pool.waiting()), (0, 0));
        let plain = outcomes.values().map(|o| (o.answer().best, o.answer().score));
        answers.push(plain.collect::<Vec<_>>());
        close(pool, &name);
    }
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn one_engine_serves_first_in_first_out() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let positions = opening_positions();
    for (ticket, position) in (0..).zip(&positions) {
        pool.submit(ticket, position.clone());
    }
    let mut order = Vec::new();
    while order.len() < positions.len() {
        let event = pool.events().recv_timeout(LONG).unwrap();
        if let deepanalyze_engine::Event::Answered { ticket, .. } = event {
            order.push(ticket);
        }
    }
    assert!(order.is_sorted(), "{order:?}");
    close(pool, &name);
}

#[test]
fn idle_engines_are_not_started() {
    let name = unique_name();
    let mut options = settings(&name, &[]);
    options.sources[0].engines = 8;
    let mut pool = Pool::start(&options).unwrap();
    for _ in 0..5 {
        ask(&mut pool, search(START, &[]));
    }
    assert!(pool.running() <= 2, "{}", pool.running());
    close(pool, &name);
}

#[test]
fn a_mate_is_a_mate() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    let outcome = ask(&mut pool, search("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", &[]));
    assert_eq!(outcome.answer().score, Score::Mate(1));
    close(pool, &name);
}

#[test]
fn ending_pool_kills_running_searches_at_once() {
    let name = unique_name();
    let mut options = settings(&name, &["--delay-ms", "600000", "--stubborn"]);
    options.sources[0].engines = 4;
    let mut pool = Pool::start(&options).unwrap();
    for (ticket, position) in (0..).zip(opening_positions()) {
        pool.submit(ticket, position);
    }
    wait_until("four searches", || pool.busy() == 4);
    close(pool, &name);
}

#[test]
fn waiting_searches_can_be_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("gate");
    let name = unique_name();
    let flags = ["--fault", "held", "--gate", gate.to_str().unwrap()];
    let mut pool = Pool::start(&settings(&name, &flags)).unwrap();
    for (ticket, position) in (0..).zip(opening_positions()) {
        pool.submit(ticket, position);
    }
    wait_until("the first search", || pool.busy() == 1);
    let mut back = pool.withdraw();
    back.sort_unstable();
    assert_eq!(back, (1..21).collect::<Vec<u64>>());
    assert_eq!(pool.waiting(), 0);
    std::fs::write(&gate, "").unwrap();
    assert!(collect(&pool, 1).contains_key(&0));
    close(pool, &name);
}

/// The starting position and the 20 after one move.
fn opening_positions() -> Vec<Search> {
    let start = search(START, &[]);
    let after = legal_uci(&start.position).into_iter().map(|uci| {
        let mut position = start.position.clone();
        position.play_unchecked(uci.to_move(&position).unwrap());
        Search { position, excluded: Vec::new() }
    });
    std::iter::once(start.clone()).chain(after).collect()
}

#[test]
fn abandoned_search_frees_the_same_process() {
    let name = unique_name();
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let mut pool = Pool::start(&settings(
        &name,
        &["--starts", starts.to_str().unwrap(), "--fault", "slow:go=1", "--delay-ms", "100"],
    ))
    .unwrap();
    pool.submit(1, search(START, &[]));
    wait_until("it searches", || pool.busy() == 1);
    pool.abandon(1);
    pool.submit(2, search(START, &[]));
    let outcomes = collect(&pool, 1);
    assert!(outcomes.get(&2).is_some_and(|outcome| outcome.result.is_ok()), "{outcomes:?}");
    assert_eq!(std::fs::read(&starts).unwrap().len(), 1);
}
