//! The worth of several engines and the look-ahead: whole runs in virtual time, whose searches all
//! take about a millisecond, so that it shows without a clock, and the same in every run of the
//! test.

use std::time::Duration;

use deepanalyze_core::chess::Game;
use deepanalyze_store::Store;

use crate::control::ControlReceiver;
use crate::job::Job;
use crate::job::Schedule;
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::grow;
use crate::tests::made_up::{engines, profile, scramble};

/// A run to a depth by `count` engines, and their total busy time.
fn simulate(count: usize, depth: u32, look_ahead: bool) -> (RunOutcome, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("simulation.db")).unwrap();
    let mut begun = 0;
    let mut engines = engines(count, move |_| {
        begun += 1;
        Duration::from_micros(900 + scramble(begun) % 200)
    });
    let game = Game::from_start("startpos").unwrap();
    let schedule = Schedule::Once(profile().limit);
    let job = Job { look_ahead, ..Job::new(game, 8, schedule, depth) };
    let outcome =
        grow(&job, &mut store, &mut engines, &ControlReceiver::never(), &mut |_| {}).unwrap();
    assert_eq!(outcome.ending, RunEnd::Settled);
    (outcome, engines.busy())
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn look_ahead_keeps_eight_and_sixteen_engines_useful() {
    let (one, _) = simulate(1, 4, false);
    let (plain, _) = simulate(16, 4, false);
    assert_eq!(plain.searches, one.searches, "a search that nobody asked for");
    assert!(one.elapsed < 4 * plain.elapsed, "these engines would be busy anyway");
    for (engines, tenths, least) in [(8, 66, 92), (16, 105, 86)] {
        let (run, busy) = simulate(engines, 4, true);
        assert_eq!(run.admitted, one.admitted, "another tree");
        let (unused, used) = (run.searches - run.admitted, run.ahead.used);
        let speed = 10 * one.elapsed.as_micros() / run.elapsed.as_micros();
        let busy = 100 * busy.as_micros() / (run.elapsed.as_micros() * engines as u128);
        println!("{engines} {speed} {} {busy} {}", 100 * unused / run.searches, run.searches);
        assert!(speed >= tenths, "{engines}: {:?} to {:?}", one.elapsed, run.elapsed);
        assert!(busy >= least, "{engines} are busy for {busy} % of the time");
        assert!(3 * unused < run.searches, "{engines}: {unused} of {} unused", run.searches);
        assert_eq!(run.ahead.searched - used, unused, "{engines}: wrongly counted");
    }
}

#[test]
fn a_run_in_virtual_time_is_the_same_every_time() {
    let run = || {
        let (run, busy) = simulate(16, 3, true);
        (run.elapsed, run.searches, run.ahead, busy)
    };
    assert_eq!(run(), run());
}
