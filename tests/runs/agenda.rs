//! Several roots side by side on processes of an engine, in real time.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "helpers of tests")]

use crate::support::pool::{settings, unique_name};
use crate::support::{LONG, left_behind};
use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::Pool;
use deepanalyze_runner::{Amendment, EntryState, Job, RootEntry, Runner, RunnerSettings, Schedule};
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::verify;

fn root(line: &str, depth: u32) -> Job {
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line(line).unwrap();
    Job::new(game, 10, Schedule::Once(Limit::Depth(8)), depth)
}

/// Waits until a root on the agenda looks like this.
fn wait_until(agenda: &Runner, id: AnalysisId, is_so: impl Fn(&RootEntry) -> bool) {
    let changes = agenda.subscribe();
    while !agenda.entry(id).is_some_and(|entry| is_so(&entry)) {
        assert!(changes.recv_timeout(LONG).is_ok(), "{:?}", agenda.entries());
    }
}

#[test]
fn parallel_roots_leave_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.db");
    let name = unique_name();
    let settings = settings(&name, &["--seed", "3"]).with_engines(2);
    let defaults = RunnerSettings { depth: 2, look_ahead: true, tables: None, games: None };
    let start = || {
        let pool = Pool::start(&settings).unwrap();
        Runner::start(&path, Box::new(pool), defaults.clone()).unwrap()
    };
    let agenda = start();
    // One comes to its end, the other never does.
    let [short, long] = [root("e4", 2), root("d4", 60)]
        .map(|new| agenda.add(&new, &Amendment::default()).unwrap().id);
    for id in [short, long] {
        agenda.grow(id).unwrap();
    }
    wait_until(&agenda, short, |entry| matches!(entry.state, EntryState::Done(_)));
    agenda.pause(long).unwrap();
    agenda.grow(long).unwrap();
    wait_until(&agenda, long, |entry| entry.runs == 2 && entry.snapshot.is_some());
    agenda.end();
    assert!(left_behind(&name).is_empty(), "an engine is left");
    drop(agenda);

    let agenda = start();
    wait_until(&agenda, long, |entry| entry.snapshot.is_some());
    assert_eq!(agenda.entry(short).unwrap().runs, 0);
    agenda.remove(long).unwrap();
    drop(agenda);
    assert!(left_behind(&name).is_empty(), "an engine is left");
    let store = Store::open_to_read(&path).unwrap();
    let findings = verify(&store, None, &mut |_| ()).unwrap();
    assert!(findings.flaws.is_empty(), "{:?}", findings.flaws);
    assert_eq!(store.analyses().unwrap().len(), 1);
}
