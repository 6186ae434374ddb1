//! Long searches: their commands, their reports, their ends.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::time::{Duration, Instant};

use crossbeam_channel::never;
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_engine::{Engines, Event, LongEnd, LongSearch, Pool, Wakeup};

use crate::support::pool::{START, ask, close, search, settings, unique_name};

/// All events of a search until its end: its iterations, and its answer.
fn hear(pool: &mut Pool, ticket: u64) -> (Vec<Answer>, Answer) {
    let mut iterations = Vec::new();
    loop {
        match Engines::wait(pool, &never(), None) {
            Wakeup::Event(Event::Iteration { ticket: of, answer }) if of == ticket => {
                iterations.push(answer);
            }
            Wakeup::Event(Event::Answered { ticket: of, answer, .. }) if of == ticket => {
                return (iterations, answer);
            }
            Wakeup::Event(Event::Failed { error, .. }) => panic!("{error}"),
            _ => {}
        }
    }
}

fn long(end: LongEnd) -> LongSearch {
    let others = ["e2e4", "d2d4"];
    LongSearch { search: search(START, &others), end, threads: 1 }
}

/// The input of an engine with a hash set by the user, for such a search and the next.
fn sent(long: LongSearch) -> String {
    let dir = tempfile::tempdir().unwrap();
    let transcript = dir.path().join("sent");
    let name = unique_name();
    let mut options = settings(&name, &["--transcript", transcript.to_str().unwrap()]);
    options.options = vec![("Hash".to_owned(), "64".to_owned())];
    options.sources[0].engines = 4;
    let mut pool = Pool::start(&options).unwrap();
    assert_eq!(pool.threads(), 4);
    pool.submit_long(1, long);
    let (iterations, answer) = hear(&mut pool, 1);
    assert_eq!(iterations.last().map(|last| last.best), Some(answer.best));
    ask(&mut pool, search(START, &[]));
    close(pool, &name);
    let sent = std::fs::read_to_string(&transcript).unwrap();
    // After the start.
    let begin = sent.find("> isready\n").unwrap();
    sent[begin..].to_owned()
}

#[test]
fn a_long_search_begins_and_ends_with_an_empty_hash() {
    let sent = sent(long(LongEnd::At(Limit::Nodes(70_000))));
    let lines: Vec<&str> = sent.lines().filter(|line| *line != "> isready").collect();
    assert_eq!(lines[0], "> ucinewgame");
    assert!(lines[2].starts_with("> go nodes 70000 searchmoves ") && !lines[2].contains("e2e4"));
    assert_eq!(lines[3], "> ucinewgame", "the next search begins with an empty one");
}

#[test]
fn threads_of_others_are_given_back() {
    let whole = LongSearch { threads: 3, ..long(LongEnd::At(Limit::Nodes(70_000))) };
    let sent = sent(whole);
    let lines: Vec<&str> = sent.lines().filter(|line| *line != "> isready").collect();
    assert_eq!(lines[..2], ["> setoption name Threads value 3", "> ucinewgame"]);
    let back = lines.iter().rposition(|line| line.contains("Threads")).unwrap();
    assert_eq!(lines[back..][..2], ["> setoption name Threads value 1", "> ucinewgame"]);
    assert!(lines[back - 1].starts_with("> go nodes 70000 "), "{sent}");
}

#[test]
fn a_time_is_the_engine_s_own_to_keep() {
    let sent = sent(long(LongEnd::Until(Instant::now() + Duration::from_secs(2))));
    let time = sent.lines().find_map(|line| line.strip_prefix("> go movetime ")).unwrap();
    let left: u64 = time.split(' ').next().unwrap().parse().unwrap();
    assert!((1..2000).contains(&left), "{sent}");
}

#[test]
fn abandoned_search_has_reported_its_iterations() {
    let name = unique_name();
    let mut pool = Pool::start(&settings(&name, &[])).unwrap();
    pool.submit_long(1, long(LongEnd::Until(Instant::now() + Duration::from_secs(3600))));
    let heard = loop {
        if let Wakeup::Event(Event::Iteration { answer, .. }) =
            Engines::wait(&mut pool, &never(), None)
        {
            break answer;
        }
    };
    assert!(heard.depth > 0 && heard.nodes > 0, "{heard:?}");
    Engines::abandon(&mut pool, 1);
    // The engine is free for another.
    assert!(ask(&mut pool, search(START, &[])).result.is_ok());
    close(pool, &name);
}
