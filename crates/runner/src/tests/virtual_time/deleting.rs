//! Analyses deleted, and grown again from the remaining answers.

use shakmaty::Chess;

use super::{Log, Place, job, ms};
use crate::control::ControlReceiver;
use crate::job::Job;
use crate::outcome::RunOutcome;
use crate::queue::grow;
use deepanalyze_core::chess::{Game, PositionKey, parse_uci};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_store::{AnalysisId, StoreError};

/// The tables of rows derived from an analysis.
const DERIVED: [&str; 5] = ["node", "settled", "verdict", "course", "grown_directive"];

/// Grows the trees of two roots under directives: the one to delete, and one that shares answers
/// with it.
fn grown(place: &mut Place, log: &Log) -> [RunOutcome; 2] {
    ["", "e4"].map(|line| {
        let mut set = Directives::default();
        set.put(PositionKey::of(&Chess::default()), Directive::Exclude(parse_uci("a2a3").unwrap()));
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        let job = Job { game, directives: Some(set), ..job() };
        let mut engines = log.engines(2, ms(10));
        grow(&job, &mut place.store, &mut engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
    })
}

/// The rows of an analysis in each derived table.
fn rows_of(place: &Place, analysis: AnalysisId) -> [u64; 5] {
    let db = rusqlite::Connection::open(place.file()).unwrap();
    DERIVED.map(|table| {
        let sql = format!("SELECT count(*) FROM {table} WHERE analysis = ?1");
        db.query_row(&sql, [analysis.0], |row| row.get(0)).unwrap()
    })
}

#[test]
fn deleted_analysis_regrows_from_its_answers() {
    let (mut place, log) = (Place::new(), Log::default());
    let [first, other] = grown(&mut place, &log);
    let (gone, stays) = (first.analysis.unwrap(), other.analysis.unwrap());
    let (before, others) = (rows_of(&place, gone), rows_of(&place, stays));
    assert!(before.iter().all(|count| *count > 0), "{before:?}");

    assert_eq!(place.store.delete_analyses(&[gone]).unwrap(), 1);
    assert_eq!((rows_of(&place, gone), rows_of(&place, stays)), ([0; 5], others));
    assert_eq!(place.store.analysis(gone).unwrap(), None);
    assert_eq!(place.store.delete_analyses(&[gone]).unwrap(), 0, "there is none any more");

    let again = Log::default();
    let [first_again, other_again] = grown(&mut place, &again);
    assert!(again.begun().is_empty(), "the memo has every answer");
    assert_eq!(rows_of(&place, first_again.analysis.unwrap()), before);
    assert_eq!(first_again.admitted, first.admitted);
    assert_eq!(other_again.analysis, other.analysis);
}

#[test]
fn where_one_of_them_grows_none_is_deleted() {
    let mut place = Place::new();
    let ids = grown(&mut place, &Log::default()).map(|outcome| outcome.analysis.unwrap());
    let rows = |place: &Place| ids.map(|id| rows_of(place, id));
    let before = rows(&place);
    let lock = place.connect().lock(ids[1]).unwrap();
    let refused = place.store.delete_analyses(&ids);
    assert!(matches!(refused, Err(StoreError::Growing { .. })), "{refused:?}");
    assert_eq!(rows(&place), before);
    drop(lock);
    assert_eq!(place.store.delete_analyses(&ids).unwrap(), 2);
    assert_eq!(rows(&place), [[0; 5]; 2]);
}
