//! Ends of runs, and kept answers.

use std::time::Duration;

use super::batches::gave_up;
use super::{Log, Place, is_stored, job, lost, ms};
use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, control};
use crate::job::Job;
use crate::outcome::{RunEnd, RunError};
use crate::queue::grow;
use crate::tests::made_up::profile;
use deepanalyze_core::chess::Game;
use deepanalyze_engine::{FakeEngines, FakeSearch};

const NEVER: Duration = Duration::from_hours(1);

/// A limit of time.
fn time(time: Duration) -> RunLimits {
    RunLimits { time: Some(time), ..RunLimits::default() }
}

#[test]
fn time_limit_keeps_searches_ending_within_a_second() {
    let (mut place, log) = (Place::new(), Log::default());
    let mut engines = log.engines(3, ms(10));
    let run = place.grow((6, time(ms(105))), &mut engines, &ControlReceiver::never()).unwrap();
    assert_eq!(run.ending, RunEnd::Limit);
    assert_eq!((log.last_begun(), run.elapsed), (ms(100), ms(110)));
    assert_eq!((lost(&mut place.store, &log), engines.running()), (0, 0));
}

#[test]
fn time_limit_ends_a_run_within_a_second() {
    let (mut place, log) = (Place::new(), Log::default());
    let mut engines = log.engines(3, NEVER);
    let run = place.grow((6, time(ms(105))), &mut engines, &ControlReceiver::never()).unwrap();
    assert_eq!((run.ending, run.elapsed, run.searches), (RunEnd::Limit, ms(1105), 0));
}

#[test]
fn a_run_without_an_answer_leaves_no_analysis() {
    let mut place = Place::new();
    let mut mute = Log::default().engines(3, NEVER);
    let run = place.grow((6, time(ms(105))), &mut mute, &ControlReceiver::never()).unwrap();
    assert_eq!((run.ending, run.analysis), (RunEnd::Limit, None));
    assert_eq!(place.store.analyses().unwrap(), []);

    let mut engines = Log::default().engines(3, ms(10));
    let run = place.grow((6, time(ms(105))), &mut engines, &ControlReceiver::never()).unwrap();
    let row = place.store.analysis(run.analysis.unwrap()).unwrap().unwrap();
    assert!(row.searches > 0 && row.searches == run.admitted, "{row:?}");

    // One that resumes from answers and gets no more keeps them.
    let mut mute = Log::default().engines(3, NEVER);
    let again = place.grow((7, time(ms(105))), &mut mute, &ControlReceiver::never()).unwrap();
    assert_eq!((again.searches, again.analysis), (0, run.analysis));
    let left = place.store.analyses().unwrap();
    assert!(matches!(&left[..], [left] if left.searches >= row.searches), "{left:?}");
}

#[test]
fn engine_failing_at_the_root_leaves_no_analysis() {
    let mut place = Place::new();
    let mut engines = FakeEngines::new(1, profile(), |_| FakeSearch::ending(Err(gave_up())));
    let failed = place.grow((6, RunLimits::default()), &mut engines, &ControlReceiver::never());
    assert!(matches!(failed, Err(RunError::Engine(_))), "{failed:?}");
    assert_eq!(place.store.analyses().unwrap(), []);
}

#[test]
fn a_run_on_a_finished_root_leaves_its_analysis() {
    let mut place = Place::new();
    let game = Game::from_start("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    let job = Job { game, ..job() };
    let mut engines = Log::default().engines(1, ms(10));
    let never = ControlReceiver::never();
    let run = grow(&job, &mut place.store, &mut engines, &never, &mut |_| {}).unwrap();
    assert_eq!((run.ending, run.searches), (RunEnd::Settled, 0));
    assert!(place.store.analysis(run.analysis.unwrap()).unwrap().is_some());
}

#[test]
fn ending_run_keeps_searches_done_within_a_second() {
    let (mut place, log) = (Place::new(), Log::default());
    let (steer, control) = control();
    let mut engines = log.engines(3, ms(400));
    engines.at(ms(2500), move || steer.end());
    let run = place.grow((6, RunLimits::default()), &mut engines, &control).unwrap();
    assert_eq!((run.ending, run.elapsed), (RunEnd::Interrupted, ms(2800)));
    assert_eq!((log.last_begun(), lost(&mut place.store, &log)), (ms(2400), 0));
}

#[test]
fn run_told_to_end_twice_waits_for_no_search() {
    let (mut place, log) = (Place::new(), Log::default());
    let (steer, control) = control();
    let mut engines = log.engines(3, ms(400));
    for time in [2500, 2600] {
        let steer = steer.clone();
        engines.at(ms(time), move || steer.end());
    }
    let run = place.grow((6, RunLimits::default()), &mut engines, &control).unwrap();
    assert_eq!((run.ending, run.elapsed), (RunEnd::Interrupted, ms(2600)));
    assert_eq!(lost(&mut place.store, &log), engines.running());
}

#[test]
fn run_told_to_end_at_its_limit_was_interrupted() {
    let (mut place, log) = (Place::new(), Log::default());
    let (steer, control) = control();
    let mut engines = log.engines(3, NEVER);
    engines.at(ms(300), move || steer.end());
    let run = place.grow((6, time(ms(105))), &mut engines, &control).unwrap();
    assert_eq!((run.ending, run.elapsed), (RunEnd::Interrupted, ms(300)));
}

#[test]
fn answer_waits_at_most_the_grouping_time() {
    let (mut place, log) = (Place::new(), Log::default());
    let mut engines = log.engines(4, ms(7));
    for time in 1..100 {
        let (log, mut other) = (log.clone(), place.connect());
        engines.at(ms(time), move || {
            let due = log.begun().into_iter().filter(|begun| begun.0 + ms(7 + 4) < ms(time));
            due.for_each(|(_, search)| assert!(is_stored(&mut other, &search), "at {time} ms"));
        });
    }
    let run = place.grow((6, time(ms(100))), &mut engines, &ControlReceiver::never()).unwrap();
    assert!(run.searches > 30, "{}", run.searches);
}
