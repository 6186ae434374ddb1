//! Analyses that are deleted, and grown again from the answers that stay.

use shakmaty::Chess;

use super::{Log, Place, ms, plan};
use crate::chess::{Game, PositionKey, parse_uci};
use crate::directives::{Directive, Directives};
use crate::run::control::ControlReceiver;
use crate::run::grow::{Plan, RunOutcome};
use crate::run::made_up::Deaf;
use crate::run::stages::grow;
use crate::store::{AnalysisId, StoreError};

/// The tables whose rows are derived of an analysis.
const DERIVED: [&str; 5] = ["node", "settled", "verdict", "course", "grown_directive"];

/// Grows the trees of two roots under directives: the one that is deleted, and one that has answers with it
/// in common.
fn grown(place: &mut Place, log: &Log) -> [RunOutcome; 2] {
    ["", "e4"].map(|line| {
        let mut set = Directives::default();
        set.put(PositionKey::of(&Chess::default()), Directive::Exclude(parse_uci("a2a3").unwrap()));
        let mut game = Game::from_position(Chess::default());
        game.play_line(line).unwrap();
        let plan = Plan { game, directives: Some(set), ..plan() };
        let mut engines = log.engines(2, ms(10));
        grow(&plan, &mut place.store, &mut engines, &ControlReceiver::never(), &mut Deaf).unwrap()
    })
}

/// How many rows each derived table has of an analysis.
fn rows_of(place: &Place, analysis: AnalysisId) -> [u64; 5] {
    let db = rusqlite::Connection::open(place.file()).unwrap();
    DERIVED.map(|table| {
        let sql = format!("SELECT count(*) FROM {table} WHERE analysis = ?1");
        db.query_row(&sql, [analysis.0], |row| row.get(0)).unwrap()
    })
}

#[test]
fn a_deleted_analysis_leaves_its_answers_and_grows_again_from_them() {
    let (mut place, log) = (Place::new(), Log::default());
    let [first, other] = grown(&mut place, &log);
    let (gone, stays) = (first.analysis.unwrap(), other.analysis.unwrap());
    let (before, others) = (rows_of(&place, gone), rows_of(&place, stays));
    assert!(before.iter().all(|count| *count > 0), "{before:?}");

    assert!(place.store.delete_analysis(gone).unwrap());
    assert_eq!((rows_of(&place, gone), rows_of(&place, stays)), ([0; 5], others));
    assert_eq!(place.store.analysis(gone).unwrap(), None);
    assert!(!place.store.delete_analysis(gone).unwrap(), "there is none any more");

    let again = Log::default();
    let [first_again, other_again] = grown(&mut place, &again);
    assert!(again.begun().is_empty(), "the memo has every answer");
    assert_eq!(rows_of(&place, first_again.analysis.unwrap()), before);
    assert_eq!(first_again.admitted, first.admitted);
    assert_eq!(other_again.analysis, other.analysis);
}

#[test]
fn an_analysis_that_grows_is_not_deleted() {
    let mut place = Place::new();
    let [first, _] = grown(&mut place, &Log::default());
    let id = first.analysis.unwrap();
    let before = rows_of(&place, id);
    let lock = place.connect().lock(id).unwrap();
    let refused = place.store.delete_analysis(id);
    assert!(matches!(refused, Err(StoreError::Growing { .. })), "{refused:?}");
    assert_eq!(rows_of(&place, id), before);
    drop(lock);
    assert!(place.store.delete_analysis(id).unwrap());
}
