//! Failing runs: kept answers and reported errors.

use std::error::Error;

use shakmaty::Chess;

use super::batches::gave_up;
use super::{Log, Place, job, lost, ms};
use crate::control::ControlReceiver;
use crate::job::Job;
use crate::outcome::{RunError, RunOutcome};
use crate::queue::grow;
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::search::Search;
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_store::{NewAnswer, StoreError};

/// Grows without guesses, so that every search is needed.
fn grown(place: &mut Place, engines: &mut FakeEngines) -> Result<RunOutcome, RunError> {
    let job = Job { look_ahead: false, ..job() };
    grow(&job, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {})
}

/// An error and all its causes.
fn chain(error: &dyn Error) -> String {
    let causes = error.source().map(|cause| format!(": {}", chain(cause)));
    format!("{error}{}", causes.unwrap_or_default())
}

#[test]
fn failing_engine_is_named_even_if_writes_fail() {
    let mut place = Place::new();
    let (log, file) = (Log::default(), place.file());
    let written = log.clone();
    // Of the first two searches, begun together, one fails; the other's answer is not taken.
    let mut engines = FakeEngines::new(2, profile(), move |start| {
        let before = written.begun();
        written.0.borrow_mut().push((start.at, start.search.clone()));
        let fails = before.last().is_some_and(|last| last.0 == start.at);
        if fails {
            let sql = format!(
                "CREATE TRIGGER full BEFORE INSERT ON answer WHEN \
                 (SELECT count(*) FROM answer) >= {} \
                 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
                before.len() - 1
            );
            rusqlite::Connection::open(&file).unwrap().execute_batch(&sql).unwrap();
        }
        let end = if fails { Err(gave_up()) } else { Ok(answer(&start.search)) };
        FakeSearch::ending(end).taking(ms(10))
    });
    let error = grown(&mut place, &mut engines).unwrap_err();
    let (told, engine) = (chain(&error), gave_up().to_string());
    assert!(told.contains(&engine) && told.contains("the disk is full"), "{told}");
    assert_eq!(lost(&mut place.store, &log), 2);
}

/// A place whose memo has a damaged answer of a position.
fn damaged_at(position: &Chess) -> Place {
    let mut place = Place::new();
    let reply = answer(&Search { position: position.clone(), excluded: Vec::new() });
    let id = place.store.profile_id(&profile()).unwrap();
    let (position, excluded) = (position.clone(), Vec::new());
    let row = NewAnswer { position, excluded, answer: reply, worker: None };
    assert!(place.store.keep(id, &[row]).unwrap());
    // No such move is legal anywhere in this tree.
    let damage = "UPDATE answer SET move = 'a1a8'";
    rusqlite::Connection::open(place.file()).unwrap().execute_batch(damage).unwrap();
    place
}

#[test]
fn answers_before_a_damaged_one_are_kept() {
    let whole = Log::default();
    grown(&mut Place::new(), &mut whole.engines(1, ms(10))).unwrap();
    let first_ranks = whole.begun().into_iter().filter(|(_, s)| s.excluded.is_empty());
    let positions: Vec<Chess> = first_ranks.map(|(_, search)| search.position).collect();
    assert!(positions.len() > 5, "{}", positions.len());
    for position in positions.into_iter().take(6) {
        let (mut place, log) = (damaged_at(&position), Log::default());
        let error = grown(&mut place, &mut log.engines(1, ms(10))).unwrap_err();
        assert!(matches!(error, RunError::Store(StoreError::Damaged { .. })), "{error}");
        assert_eq!(lost(&mut place.store, &log), 0, "{error}");
    }
}
