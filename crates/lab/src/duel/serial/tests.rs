//! One engine that makes one search after the other.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use deepanalyze_core::chess::{Score, epd_of};
use deepanalyze_core::search::HashOf;
use deepanalyze_engine::{FakeEngines, FakeSearch, FakeStart};
use deepanalyze_runner::control;

/// A new database, in a folder of its own.
fn place() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tree.db")).unwrap();
    (folder, store)
}

fn profile() -> Profile {
    let (engine, options, limit) = ("Made up".to_owned(), BTreeMap::new(), Limit::Depth(1));
    Profile { engine, options, limit, kept_hash: None }
}

/// The first move that is not excluded.
fn answer(search: &Search) -> Answer {
    let best = search.allowed()[0];
    let (score, time) = (Score::Cp(1), Duration::ZERO);
    Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time, pv: vec![best] }
}

fn gave_up() -> EngineError {
    let reason = Reason::NothingToSearch("it is made up".to_owned());
    EngineError { engine: "Made up".to_owned(), command: None, reason }
}

/// The searches begun by engines, of any process.
type Log = Arc<Mutex<Vec<FakeStart>>>;

/// A searcher; `faulty` is the search at which a process dies, counted from 0.
fn searcher(
    (log, faulty): (&Log, usize),
    control: ControlReceiver,
    plan: impl Fn(&mut FakeEngines) + Send + 'static,
) -> SerialSearcher<FakeEngines> {
    let log = Arc::clone(log);
    let start = move || {
        let log = Arc::clone(&log);
        let mut engine = FakeEngines::new(1, profile(), move |start| {
            let mut log = log.lock().unwrap();
            let dies = log.len() == faulty;
            log.push(start.clone());
            let search =
                FakeSearch::ending(Ok(answer(&start.search))).taking(Duration::from_millis(10));
            FakeSearch { faults: dies.then(gave_up).into_iter().collect(), ..search }
        });
        plan(&mut engine);
        Ok(engine)
    };
    SerialSearcher::of(start, profile(), control, |_| {})
}

/// Asks for the list of the starting position on a kept hash: `ranks` ranks of it.
fn ask(
    searcher: &mut SerialSearcher<FakeEngines>,
    store: &mut Store,
    ranks: usize,
) -> Result<(), DuelError> {
    let contents = HashContents {
        distance: Some(10),
        ..HashContents::new(HashOf::Tree, epd_of(&Chess::default()))
    };
    let mut excluded = Vec::new();
    searcher.begin();
    for _ in 0..ranks {
        let (limit, memory) = (Limit::Depth(1), HashState::Kept(&contents));
        let position = Chess::default();
        let question = Question::new(position, limit, memory);
        let question = Question { excluded: excluded.clone(), ..question };
        excluded.push(searcher.ask(store, question)?.uci);
    }
    Ok(())
}

/// The ranks searched, and whether the hash was kept for each.
fn made(log: &Log) -> Vec<(usize, bool)> {
    let log = log.lock().unwrap();
    log.iter().map(|start| (start.search.excluded.len(), start.keep_hash)).collect()
}

#[test]
fn engine_dying_with_a_kept_hash_repeats_all_searches() {
    let (mut place, log) = (place(), Log::default());
    let mut searcher = searcher((&log, 2), ControlReceiver::never(), |_| {});
    ask(&mut searcher, &mut place.1, 3).unwrap();
    let whole = [(0, false), (1, true), (2, true)];
    assert_eq!(made(&log), [whole, whole].concat());
}

#[test]
fn searcher_first_makes_searches_missing_on_the_hash() {
    let (mut place, log) = (place(), Log::default());
    let never = ControlReceiver::never;
    ask(&mut searcher((&log, usize::MAX), never(), |_| {}), &mut place.1, 2).unwrap();
    log.lock().unwrap().clear();
    ask(&mut searcher((&log, usize::MAX), never(), |_| {}), &mut place.1, 3).unwrap();
    assert_eq!(made(&log), [(0, false), (1, true), (2, true)]);
}

#[test]
fn a_searcher_that_is_told_to_end_leaves_its_search() {
    let (mut place, log) = (place(), Log::default());
    let (steer, control) = control();
    let mut searcher = searcher((&log, usize::MAX), control, move |engine| {
        let steer = steer.clone();
        engine.at(Duration::from_millis(25), move || steer.end());
    });
    let asked = ask(&mut searcher, &mut place.1, 3);
    assert!(matches!(asked, Err(DuelError::Stopped)), "{asked:?}");
    assert_eq!(made(&log).len(), 3);
}

#[test]
fn searcher_reports_another_way_of_asking() {
    let notice = PoolNotice::SearchmovesUnanswered { engine: "Made up".to_owned() };
    let (told, notices) = (Arc::new(Mutex::new(Vec::new())), vec![notice.clone()]);
    let (heard, never) = (Arc::clone(&told), ControlReceiver::never());
    let start = move || {
        let notices = notices.clone();
        Ok(FakeEngines::new(1, profile(), move |start| FakeSearch {
            notices: notices.clone(),
            ..FakeSearch::ending(Ok(answer(&start.search)))
        }))
    };
    let mut searcher = SerialSearcher::of(start, profile(), never, move |event| {
        if let SearcherEvent::Notice(notice) = event {
            heard.lock().unwrap().push(notice);
        }
    });
    ask(&mut searcher, &mut place().1, 1).unwrap();
    assert_eq!(*told.lock().unwrap(), [notice]);
}
