//! One engine that makes one search after the other.

use std::sync::{Arc, Mutex};

use shakmaty::Chess;

use super::batches::gave_up;
use super::{Place, ms};
use crate::control::{ControlReceiver, control};
use crate::error::RunError;
use crate::serial::{SearcherEvent, SerialSearcher};
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{HashContents, HashOf, HashState, Limit, Question};
use deepanalyze_engine::{FakeEngines, FakeSearch, FakeStart, PoolNotice};

/// The searches that engines began, whichever process it was.
type Log = Arc<Mutex<Vec<FakeStart>>>;

/// A searcher; `faulty` says of which search of all a process dies, counted from 0.
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
            let search = FakeSearch::ending(Ok(answer(&start.search))).taking(ms(10));
            FakeSearch { faults: dies.then(gave_up).into_iter().collect(), ..search }
        });
        plan(&mut engine);
        Ok(engine)
    };
    SerialSearcher::of(start, profile(), control, |_| {})
}

/// Asks for the list of the starting position on a kept hash: that many ranks of it.
fn ask(
    searcher: &mut SerialSearcher<FakeEngines>,
    place: &mut Place,
    ranks: usize,
) -> Result<(), RunError> {
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
        excluded.push(searcher.ask(&mut place.store, question)?.uci);
    }
    Ok(())
}

/// The ranks that were searched, and whether the hash was kept for each.
fn made(log: &Log) -> Vec<(usize, bool)> {
    let log = log.lock().unwrap();
    log.iter().map(|start| (start.search.excluded.len(), start.keep_hash)).collect()
}

#[test]
fn an_engine_that_dies_with_a_kept_hash_makes_all_searches_again() {
    let (mut place, log) = (Place::new(), Log::default());
    let mut searcher = searcher((&log, 2), ControlReceiver::never(), |_| {});
    ask(&mut searcher, &mut place, 3).unwrap();
    let whole = [(0, false), (1, true), (2, true)];
    assert_eq!(made(&log), [whole, whole].concat());
}

#[test]
fn a_searcher_makes_what_is_missing_on_the_hash_before_it_goes_on() {
    let (mut place, log) = (Place::new(), Log::default());
    let never = ControlReceiver::never;
    ask(&mut searcher((&log, usize::MAX), never(), |_| {}), &mut place, 2).unwrap();
    log.lock().unwrap().clear();
    ask(&mut searcher((&log, usize::MAX), never(), |_| {}), &mut place, 3).unwrap();
    assert_eq!(made(&log), [(0, false), (1, true), (2, true)]);
}

#[test]
fn a_searcher_that_is_told_to_end_leaves_its_search() {
    let (mut place, log) = (Place::new(), Log::default());
    let (steer, control) = control();
    let mut searcher = searcher((&log, usize::MAX), control, move |engine| {
        let steer = steer.clone();
        engine.at(ms(25), move || steer.end());
    });
    let asked = ask(&mut searcher, &mut place, 3);
    assert!(matches!(asked, Err(RunError::Stopped)), "{asked:?}");
    assert_eq!(made(&log).len(), 3);
}

#[test]
fn a_searcher_tells_that_its_engine_is_asked_in_another_way() {
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
    ask(&mut searcher, &mut Place::new(), 1).unwrap();
    assert_eq!(*told.lock().unwrap(), [notice]);
}
