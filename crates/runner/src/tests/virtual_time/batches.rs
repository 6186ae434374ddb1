//! Engines that fail, at one root of several, or at a guess.

use std::collections::HashSet;

use shakmaty::Chess;

use super::{Log, Place, is_stored, lost, ms};
use crate::control::limits::RunLimits;
use crate::control::{Control, ControlReceiver, RunTarget, control};
use crate::job::{Job, Schedule};
use crate::outcome::{RunEnd, RunError};
use crate::queue::{JobOutcome, Queue, QueueOutcome, grow_queue};
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::Search;
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, Reason};
use deepanalyze_store::{RootOrigin, Store};
use deepanalyze_view::verify;

/// An engine that has given a search up.
pub(super) fn gave_up() -> EngineError {
    let reason =
        Reason::Exited { during: "go".to_owned(), how: "signal 9".to_owned(), said: Vec::new() };
    let last = EngineError { engine: "Made up".to_owned(), command: None, reason };
    let fen = "some position".to_owned();
    let reason = Reason::GaveUp { fen, attempts: 3, last: Box::new(last.clone()) };
    EngineError { reason, ..last }
}

/// `count` engines that fail at some searches, and answer the others after ten milliseconds.
fn failing_at(count: usize, fails: impl Fn(&Search) -> bool + 'static) -> FakeEngines {
    FakeEngines::new(count, profile(), move |FakeStart { search, .. }| {
        let end = if fails(search) { Err(gave_up()) } else { Ok(answer(search)) };
        FakeSearch::ending(end).taking(ms(10))
    })
}

fn root(moves: &str) -> Job {
    let mut game = Game::from_position(Chess::default());
    game.play_line(moves).unwrap();
    let (label, origin) = (moves.to_owned(), RootOrigin::WRITTEN_GAME);
    Job { label, origin, ..Job::new(game, 8, Schedule::Once(profile().limit), 2) }
}

pub(super) fn batch(roots: &[&str]) -> Queue {
    let jobs = roots.iter().map(|moves| root(moves)).collect();
    Queue { jobs, limits: RunLimits::default() }
}

/// Grows all in turns; closing searches have equal parts of their time.
pub(super) fn grow_all(
    batch: &Queue,
    place: &mut Place,
    engines: &mut FakeEngines,
    control: &ControlReceiver,
) -> Result<QueueOutcome, RunError> {
    let equal = |_: &Store, roots: &[_]| Ok(vec![1.0; roots.len()]);
    grow_queue(batch, &equal, &mut place.store, engines, control, &mut |_| {})
}

fn grow(
    batch: &Queue,
    engines: &mut FakeEngines,
    control: &ControlReceiver,
) -> Result<QueueOutcome, RunError> {
    grow_all(batch, &mut Place::new(), engines, control)
}

/// Grows all in a given place.
pub(super) fn grow_in(
    place: &mut Place,
    batch: &Queue,
    engines: &mut FakeEngines,
) -> Result<QueueOutcome, RunError> {
    grow_all(batch, place, engines, &ControlReceiver::never())
}

/// The settled depths of the roots that were grown to their end.
fn settled(end: &QueueOutcome) -> Vec<Option<u32>> {
    let depth = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(run) if run.ending == RunEnd::Settled => run.settled_depth,
        _ => None,
    };
    end.outcomes.iter().map(depth).collect()
}

#[test]
fn a_batch_goes_on_after_a_root_that_engines_fail_at() {
    let batch = batch(&["e4", "d4", "c4"]);
    let bad = PositionKey::of(batch.jobs[1].game.root());
    let mut engines = failing_at(3, move |search| PositionKey::of(&search.position) == bad);
    let end = grow(&batch, &mut engines, &ControlReceiver::never()).unwrap();
    assert_eq!(settled(&end), [Some(2), None, Some(2)]);
    assert!(matches!(end.outcomes[1], JobOutcome::Failed(RunError::Engine(_))));
    assert_eq!(end.ending, RunEnd::Settled);
}

#[test]
fn a_batch_ends_where_engines_fail_at_every_root() {
    let batch = batch(&["e4", "d4", "c4", "b4", "a4"]);
    let end = grow(&batch, &mut failing_at(3, |_| true), &ControlReceiver::never());
    assert!(matches!(end, Err(RunError::Engine(_))), "{end:?}");
}

#[test]
fn searches_left_by_an_earlier_root_serve_the_batch() {
    let mut batch = batch(&["e4", "d4"]);
    batch.jobs.iter_mut().for_each(|job| job.limits.searches = Some(20));
    let (mut place, log) = (Place::new(), Log::default());
    let mut engines = log.engines(3, ms(10));
    let never = ControlReceiver::never();
    let end = grow_all(&batch, &mut place, &mut engines, &never).unwrap();
    assert_eq!((lost(&mut place.store, &log), engines.running()), (0, 0));
    assert_eq!(end.searches, log.begun().len() as u64);
}

/// Verdicts and sizes of the trees that a batch without limits makes of three roots.
fn three_grown(place: &mut Place) -> Vec<String> {
    let whole = batch(&["e4", "d4", "c4"]);
    let end = grow_in(place, &whole, &mut failing_at(1, |_| false)).unwrap();
    assert_eq!(settled(&end), [Some(2); 3]);
    let verified = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!((verified.flaws, verified.trees), (Vec::new(), 3));
    let told = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(run) => format!("{:?} {} {}", run.lines, run.positions, run.admitted),
        other => panic!("{other:?}"),
    };
    end.outcomes.iter().map(told).collect()
}

/// The late answer of one root's search is kept, and must not be taken for the next one's.
#[test]
fn search_outliving_its_root_answers_for_no_other() {
    let (mut late, mut in_time, log) = (Place::new(), Place::new(), Log::default());
    let mut hurried = batch(&["e4", "d4", "c4"]);
    hurried.jobs.iter_mut().for_each(|job| job.limits.time = Some(ms(100)));
    // Longer than a root's time and the wait for its last searches; shorter than the batch.
    let end = grow_in(&mut late, &hurried, &mut log.engines(1, ms(1300))).unwrap();
    let first = log.begun().into_iter().next().unwrap().1;
    assert_eq!(PositionKey::of(&first.position), PositionKey::of(hurried.jobs[0].game.root()));
    assert!(is_stored(&mut late.store, &first));
    let second = match &end.outcomes[1] {
        JobOutcome::Grown(run) => (run.ending, run.searches, run.admitted),
        other => panic!("{other:?}"),
    };
    assert_eq!(second, (RunEnd::Limit, 0, 0), "not its own");
    assert_eq!(three_grown(&mut late), three_grown(&mut in_time));
}

/// A batch of three, steered while the first is grown; the last was settled at depth 2 before.
fn steered(act: fn(&Control)) -> QueueOutcome {
    let (mut place, never) = (Place::new(), ControlReceiver::never());
    let mut engines = failing_at(3, |_| false);
    grow_all(&batch(&["c4"]), &mut place, &mut engines, &never).unwrap();
    let (steer, control) = control();
    engines.at(engines.elapsed() + ms(25), move || act(&steer));
    let all = batch(&["e4", "d4", "c4"]);
    grow_all(&all, &mut place, &mut engines, &control).unwrap()
}

#[test]
fn redirected_batch_takes_it_up_with_later_roots() {
    let end = steered(|steer| {
        steer.redirect(RunTarget { depth: 3, limits: RunLimits::default() });
    });
    assert_eq!(settled(&end), [Some(3); 3]);
}

#[test]
fn redirected_batch_does_not_return_to_done_roots() {
    let (mut place, mut all) = (Place::new(), batch(&["e4", "d4", "c4"]));
    let second = PositionKey::of(all.jobs[1].game.root());
    let (steer, control) = control();
    let mut engines = failing_at(3, move |search| {
        if PositionKey::of(&search.position) == second {
            steer.redirect(RunTarget { depth: 3, limits: RunLimits::default() });
        }
        false
    });
    let end = grow_all(&all, &mut place, &mut engines, &control).unwrap();
    assert_eq!(settled(&end), [Some(2), Some(3), Some(3)]);
    // A second batch to the new depth makes up for it, and for no more.
    let never = ControlReceiver::never();
    all.jobs.iter_mut().for_each(|job| job.depth = 3);
    let end = grow_all(&all, &mut place, &mut engines, &never).unwrap();
    assert_eq!(settled(&end), [Some(3), None, None]);
    assert!(
        end.outcomes[1..]
            .iter()
            .all(|outcome| matches!(outcome, JobOutcome::Before(RunEnd::Settled, _)))
    );
}

#[test]
fn a_batch_that_is_told_to_end_begins_no_root() {
    let end = steered(Control::end);
    assert_eq!((settled(&end), end.ending), (vec![None; 3], RunEnd::Interrupted));
    assert!(matches!(end.outcomes[1], JobOutcome::Left));
}

#[test]
fn engine_failing_at_a_guess_does_not_end_the_run() {
    let (log, never) = (Log::default(), ControlReceiver::never());
    let target = (3, RunLimits::default());
    let plain = Place::new().grow(target, &mut log.engines(1, ms(10)), &never).unwrap();
    let needed = log.begun().into_iter().map(|(_, search)| key(&search));
    let needed: HashSet<(PositionKey, usize)> = needed.collect();
    let mut engines = failing_at(8, move |search| !needed.contains(&key(search)));
    let run = Place::new().grow(target, &mut engines, &never).unwrap();
    assert_eq!((run.ending, run.admitted), (RunEnd::Settled, plain.admitted));
    let failed = engines.busy().as_millis() / 10 - u128::from(run.searches);
    assert!(failed > 0, "no guess has failed");
}

fn key(search: &Search) -> (PositionKey, usize) {
    (PositionKey::of(&search.position), search.excluded.len())
}

#[test]
fn batch_directives_replace_those_of_its_roots() {
    let (mut place, mut all) = (Place::new(), batch(&["e4", "d4"]));
    let e5 = |key: &PositionKey| {
        let mut set = Directives::default();
        set.put(*key, Directive::Exclude("e7e5".parse().unwrap()));
        set
    };
    grow_in(&mut place, &all, &mut failing_at(1, |_| false)).unwrap();
    for job in &mut all.jobs {
        job.directives = Some(e5(&PositionKey::of(job.game.root())));
    }
    for is_new in [true, false] {
        let end = grow_in(&mut place, &all, &mut failing_at(1, |_| false)).unwrap();
        for (job, outcome) in all.jobs.iter().zip(&end.outcomes) {
            assert_eq!(matches!(outcome, JobOutcome::Grown(_)), is_new, "{outcome:?}");
            assert_eq!(Some(place.store.directives(&job.game).unwrap()), job.directives);
        }
    }
    assert_eq!(verify(&place.store, None, &mut |_| {}).unwrap().flaws, Vec::<String>::new());
}
