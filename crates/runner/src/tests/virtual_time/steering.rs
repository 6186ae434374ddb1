//! Runs that are paused, go on, and get another target.

use std::time::Duration;

use super::{Log, Place, job, lost, ms};
use crate::control::limits::RunLimits;
use crate::control::{Control, ControlReceiver, RunTarget, control};
use crate::job::Job;
use crate::outcome::RunEnd;
use crate::queue::grow;
use deepanalyze_engine::FakeEngines;

/// Plans an act of a handle, at a time in milliseconds.
fn at(engines: &mut FakeEngines, time: u64, steer: &Control, act: fn(&Control)) {
    let steer = steer.clone();
    engines.at(ms(time), move || act(&steer));
}

#[test]
fn paused_run_starts_no_search_and_resumes_unchanged() {
    let (never, target) = (ControlReceiver::never(), (3, RunLimits::default()));
    let mut engine = Log::default().engines(1, ms(10));
    let undisturbed = Place::new().grow(target, &mut engine, &never).unwrap();
    let (mut place, log) = (Place::new(), Log::default());
    let (steer, control) = control();
    let mut engine = log.engines(1, ms(10));
    at(&mut engine, 45, &steer, Control::pause);
    at(&mut engine, 645, &steer, Control::go_on);
    let (seen, mut other) = (log.clone(), place.connect());
    engine.at(ms(600), move || {
        assert_eq!(lost(&mut other, &seen), 0, "not kept while the run rests");
    });
    let run = place.grow(target, &mut engine, &control).unwrap();
    assert!(log.begun().iter().all(|begun| !(ms(45)..ms(645)).contains(&begun.0)));
    assert_eq!((run.ending, run.admitted), (RunEnd::Settled, undisturbed.admitted));
    assert_eq!(run.elapsed, undisturbed.elapsed + ms(595), "the search under way took 5 ms more");
}

#[test]
fn paused_run_ends_by_its_time_or_on_request() {
    let run = |limit: Option<Duration>, end: Option<u64>| {
        let (mut place, log) = (Place::new(), Log::default());
        let (steer, control) = control();
        let mut engines = log.engines(3, ms(10));
        at(&mut engines, 45, &steer, Control::pause);
        if let Some(end) = end {
            at(&mut engines, end, &steer, Control::end);
        }
        let limits = RunLimits { time: limit, ..RunLimits::default() };
        let run = place.grow((6, limits), &mut engines, &control).unwrap();
        assert_eq!(lost(&mut place.store, &log), 0);
        (run.ending, run.elapsed)
    };
    assert_eq!(run(Some(ms(900)), None), (RunEnd::Limit, ms(900)));
    assert_eq!(run(None, Some(777)), (RunEnd::Interrupted, ms(777)));
    assert_eq!(run(Some(ms(900)), Some(777)), (RunEnd::Interrupted, ms(777)));
}

#[test]
fn a_run_that_the_memo_alone_serves_rests_too() {
    let (mut place, log) = (Place::new(), Log::default());
    let never = ControlReceiver::never();
    place.grow((3, RunLimits::default()), &mut log.engines(3, ms(10)), &never).unwrap();
    let (steer, control) = control();
    steer.pause();
    let mut engines = log.engines(3, ms(10));
    at(&mut engines, 5000, &steer, Control::go_on);
    // A tree of its own, of answers in the memo.
    let job = Job { tree: 7.into(), depth: 0, ..job() };
    let run = grow(&job, &mut place.store, &mut engines, &control, &mut |_| {}).unwrap();
    assert_eq!((run.ending, run.elapsed, run.searches), (RunEnd::Settled, ms(5000), 0));
}

#[test]
fn redirected_run_obeys_its_new_depth_and_limits() {
    let redirected = |limits: RunLimits, depth: u32| {
        let mut place = Place::new();
        let (steer, control) = control();
        let mut engines = Log::default().engines(3, ms(10));
        let target = RunTarget { depth, limits };
        engines.at(ms(15), move || steer.redirect(target));
        let run = place.grow((2, RunLimits::default()), &mut engines, &control).unwrap();
        let rows = place.store.analyses().unwrap();
        assert_eq!(rows[0].target_depth, depth);
        run
    };
    let run = redirected(RunLimits::default(), 4);
    assert_eq!((run.ending, run.settled_depth), (RunEnd::Settled, Some(4)));
    let run = redirected(RunLimits::default(), 1);
    assert_eq!((run.ending, run.settled_depth), (RunEnd::Settled, Some(1)));
    let ten = RunLimits { searches: Some(10), ..RunLimits::default() };
    let run = redirected(ten, 4);
    assert_eq!((run.ending, run.searches), (RunEnd::Limit, 10));
    let soon = RunLimits { time: Some(ms(95)), ..RunLimits::default() };
    let run = redirected(soon, 9);
    assert_eq!((run.ending, run.elapsed), (RunEnd::Limit, ms(100)));
}
