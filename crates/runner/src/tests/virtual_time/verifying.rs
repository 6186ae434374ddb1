//! A database checked while a run writes to it.

use rusqlite::Connection;

use super::{Log, Place, job, ms};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::job::Job;
use crate::queue::grow;
use deepanalyze_engine::FakeEngines;
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::{VerifyFindings, verify};

/// A new tree, and its engines.
fn begun() -> (Place, FakeEngines) {
    let (mut place, mut engines) = (Place::new(), Log::default().engines(2, ms(10)));
    grow_on(&mut place.store, &mut engines);
    (place, engines)
}

/// A few more searches, and their passes.
fn grow_on(store: &mut Store, engines: &mut FakeEngines) {
    let limits = RunLimits { searches: Some(25), ..RunLimits::default() };
    let job = Job { depth: 9, limits, ..job() };
    grow(&job, store, engines, &ControlReceiver::never(), &mut |_| {}).unwrap();
}

fn passes(store: &Store) -> u64 {
    store.analysis(AnalysisId(1)).unwrap().unwrap().passes
}

/// Checks `place`, and grows it on before every part.
fn checked_while_growing(
    (mut place, mut engines): (Place, FakeEngines),
    mut between: impl FnMut(&str, &Store),
) -> VerifyFindings {
    let reader = Store::open_to_read(&place.file()).unwrap();
    let found = verify(&reader, None, &mut |what| {
        grow_on(&mut place.store, &mut engines);
        between(what, &place.store);
    });
    found.unwrap()
}

#[test]
fn tree_growing_during_a_check_is_well() {
    let (place, engines) = begun();
    let log = Connection::open(place.file()).unwrap();
    log.busy_timeout(ms(0)).unwrap();
    let mut of_the_tree = Vec::new();
    let found = checked_while_growing((place, engines), |what, store| {
        let is_held: bool =
            log.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
        assert!(!is_held, "the log cannot be begun anew before {what} is checked");
        if what == "the tree of analysis 1" {
            of_the_tree.push(passes(store));
        }
    });
    assert_eq!((found.flaws, found.trees), (Vec::new(), 1));
    let [before, after] = of_the_tree[..] else { panic!("{of_the_tree:?}") };
    assert!(before < after, "it grew between its rows and its answers: {before}, {after}");
}

#[test]
fn damage_is_found_while_a_run_writes() {
    let changes = [
        ("UPDATE answer SET cp = cp + 7 WHERE position = 1 AND rank = 1", "the row was changed"),
        ("UPDATE answer SET child = 1 WHERE position = 1", "it leads to"),
        ("DELETE FROM course WHERE pass = 1", "the course of its best move differs"),
    ];
    for (change, finds) in changes {
        let (place, engines) = begun();
        let changed = Connection::open(place.file()).unwrap().execute(change, []).unwrap();
        assert!(changed > 0, "{change}");
        let found = checked_while_growing((place, engines), |_, _| {});
        assert!(found.flaws.iter().any(|flaw| flaw.contains(finds)), "{finds}: {:?}", found.flaws);
    }
}

#[test]
fn what_engines_have_spent_is_the_sum_of_all_parts() {
    let (place, _) = begun();
    let sql = "SELECT total(time_ms) FROM node JOIN search ON search.position = node.position
        AND search.rank < node.admitted WHERE node.analysis = 1";
    let all = Connection::open(place.file()).unwrap();
    let all: f64 = all.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(all > 0.0);
    for positions in [1, 2, 3, 1000] {
        let sum = place.store.engine_time_by_parts(AnalysisId(1), positions).unwrap();
        assert_eq!(sum as f64, all, "by {positions}");
    }
}
