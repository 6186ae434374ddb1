//! Runs that end where the best move is likely enough to stay.

use super::batches::{batch as queue, grow_all};
use super::stages::{engines, other};
use super::{Place, job};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::job::Schedule;
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::JobOutcome;
use crate::queue::{Queue, grow};
use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisRow, Store};
use deepanalyze_view::{Percent, Stages, Trust, VerdictsSoFar, load};

/// A verdict of a settled depth: the engine depth, the depth, and the chance that its best move stays.
type Told = (u32, u32, Percent);

fn staged(until_stable: Option<Percent>, limits: RunLimits) -> Job {
    Job { schedule: Schedule::REFINED, until_stable, limits, depth: 4, ..job() }
}

fn run(place: &mut Place, job: &Job) -> RunOutcome {
    let (mut engines, _) = engines(99, other);
    grow(job, &mut place.store, &mut engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
}

fn start() -> Game {
    Game::from_start("startpos").unwrap()
}

/// The stages of the starting position, the shallowest engine depth first.
fn rows(store: &Store) -> Vec<AnalysisRow> {
    let row = store.analyses_of(&start()).unwrap().pop().unwrap();
    Stages::of(store, row).unwrap().rows().to_vec()
}

/// The current chance of a kept stage.
fn stays(store: &Store, row: &AnalysisRow) -> Option<Percent> {
    let stages = Stages::of(store, row.clone()).unwrap();
    let directives = store.grown_with(row.id).unwrap();
    let so_far = VerdictsSoFar::of(store, &stages, row, &directives).unwrap()?;
    so_far.with(&store.verdicts(row.id).unwrap()).stays().map(|stays| stays.chance)
}

/// The chances at all depths settled by a run, as they come.
fn told(place: &mut Place, job: &Job) -> Vec<Told> {
    let (mut engines, _) = engines(99, other);
    let (store, mut told) = (place.connect(), Vec::new());
    let mut look = |event| {
        let RunEvent::Settled { settled, .. } = event else { return };
        let row = rows(&store).pop().unwrap();
        let Limit::Depth(engine_depth) = row.profile.limit else { panic!("a stage") };
        let chance = stays(&store, &row);
        told.extend(chance.map(|chance| (engine_depth, settled.depth, chance)));
    };
    grow(job, &mut place.store, &mut engines, &ControlReceiver::never(), &mut look).unwrap();
    told
}

fn searches(count: u64) -> RunLimits {
    RunLimits { searches: Some(count), ..RunLimits::default() }
}

#[test]
fn run_ends_at_the_first_depth_stable_enough() {
    let all = told(&mut Place::new(), &staged(None, searches(900)));
    // Each record of the chance: the depth at which a run until it must end.
    let mut records: Vec<Told> = Vec::new();
    for one in all {
        if records.last().is_none_or(|last| last.2 < one.2) {
            records.push(one);
        }
    }
    assert!(records.len() > 1, "{records:?}");
    for (engine_depth, depth, chance) in records {
        let mut place = Place::new();
        let outcome = run(&mut place, &staged(Some(chance), searches(900)));
        assert_eq!(outcome.ending, RunEnd::Stable);
        assert_eq!(outcome.stays.map(|stays| stays.chance), Some(chance));
        let last = rows(&place.store).pop().unwrap();
        let reached = (last.profile.limit, last.settled_depth);
        assert_eq!(reached, (Limit::Depth(engine_depth), Some(depth)));
        let kept = load(&place.store, last.id).unwrap();
        assert_eq!(kept.stays.map(|stays| stays.chance), Some(chance), "what `show` tells");
        let again = run(&mut place, &staged(Some(chance), searches(900)));
        assert_eq!((again.ending, again.searches), (RunEnd::Stable, 0), "it was stable before");
    }
}

#[test]
fn a_run_that_is_to_be_more_certain_goes_on() {
    let mut place = Place::new();
    let one = run(&mut place, &staged(Percent::new(1), RunLimits::default()));
    assert_eq!((one.ending, one.settled_depth), (RunEnd::Stable, Some(0)));
    let all = run(&mut place, &staged(Percent::new(Percent::MOST), searches(30)));
    assert_eq!((all.ending, all.searches), (RunEnd::Limit, 30));
}

#[test]
fn regrown_tree_does_not_end_by_earlier_verdicts() {
    let mut place = Place::new();
    let once = run(&mut place, &staged(None, searches(400)));
    let best = once.lines[0].moves[0];
    let row = rows(&place.store).remove(0);
    let exclude = |set: &mut Directives| {
        set.put(deepanalyze_core::chess::PositionKey::of(start().root()), Directive::Exclude(best));
        Ok::<(), deepanalyze_store::StoreError>(())
    };
    place.store.change_directives(&start(), exclude).unwrap();
    let before = load(&place.store, row.id).unwrap();
    assert_eq!(before.stays, None, "it is about another tree");
    assert_eq!(Trust::of(&place.store, &before).unwrap().stays, None);
    let again = run(&mut place, &staged(Percent::new(1), RunLimits::default()));
    assert_eq!(again.ending, RunEnd::Stable);
    assert_ne!(again.stays.unwrap().best, best);
    assert_eq!(again.settled_depth, Some(0), "it ended at the first depth of the new tree");
    let kept = load(&place.store, row.id).unwrap();
    assert!(!kept.is_pending() && kept.row.regrown == 1);
}

/// A root of a queue to grow in stages until it is stable.
fn of_queue(job: Job, until_stable: Option<Percent>) -> Job {
    Job { schedule: Schedule::REFINED, depth: 4, until_stable, ..job }
}

#[test]
fn each_root_of_a_batch_is_grown_until_it_is_stable() {
    let batch = |until_stable| {
        let job =
            |job| Job { limits: searches(300), look_ahead: false, ..of_queue(job, until_stable) };
        Queue { jobs: queue(&["e4", "d4", "c4"]).jobs.into_iter().map(job).collect(), ..queue(&[]) }
    };
    let mut place = Place::new();
    let mut grown = |percent| {
        let (mut engines, _) = engines(99, other);
        let never = ControlReceiver::never();
        let batch = batch(Percent::new(percent));
        grow_all(&batch, &mut place, &mut engines, &never).unwrap()
    };
    let end = grown(1);
    let is_stable = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(run) => run.ending == RunEnd::Stable && run.settled_depth == Some(0),
        _ => false,
    };
    assert!(end.outcomes.iter().all(is_stable), "{end:?}");
    assert_eq!(end.ending, RunEnd::Settled);
    assert_eq!(grown(1).searches, 0, "they are stable");
    assert_eq!(grown(Percent::MOST).searches, 900);
}

#[test]
fn batch_root_stable_at_its_target_is_not_grown_on() {
    let job = |job| Job { depth: 0, look_ahead: false, ..of_queue(job, Percent::new(1)) };
    let batch = Queue { jobs: queue(&[""]).jobs.into_iter().map(job).collect(), ..queue(&[]) };
    let mut place = Place::new();
    let mut grown = || {
        let (mut engines, _) = engines(99, other);
        let never = ControlReceiver::never();
        grow_all(&batch, &mut place, &mut engines, &never).unwrap()
    };
    let first = grown();
    assert!(matches!(&first.outcomes[0], JobOutcome::Grown(run) if run.ending == RunEnd::Stable));
    let again = grown();
    assert!(matches!(&again.outcomes[0], JobOutcome::Before(RunEnd::Stable, _)), "{again:?}");
    assert_eq!(again.searches, 0);
    assert_eq!(rows(&place.store).len(), 1, "a deeper stage was begun");
}

#[test]
fn stage_outdone_by_a_deeper_one_has_no_chance() {
    let mut place = Place::new();
    run(&mut place, &Job { depth: 2, ..staged(None, searches(900)) });
    let stages = rows(&place.store);
    let told = stages.iter().map(|row| stays(&place.store, row));
    let speaks = Stages::of(&place.store, stages[0].clone()).unwrap().speaking().unwrap().id;
    for (row, told) in stages.iter().zip(told) {
        assert_eq!(told.is_some(), row.id == speaks, "{:?}", row.profile.limit);
        let kept = load(&place.store, row.id).unwrap();
        let shown = kept.stays;
        assert!(told.is_some() || shown.is_none(), "{shown:?}");
        let live = Trust::of(&place.store, &kept).unwrap();
        assert_eq!((live.stays, live.stability.is_some()), (shown, true), "beside the run");
    }
    assert!(stages[0].id != speaks, "one stage alone");
}

#[test]
fn a_root_with_a_single_move_is_stable_at_once() {
    let root = deepanalyze_core::chess::parse_fen("7k/7p/8/8/8/8/1r6/K7 w - - 0 1").unwrap();
    let limits = searches(100);
    let game = Game::from_position(root);
    let job = Job { game, ..staged(Percent::new(Percent::MOST), limits) };
    let outcome = run(&mut Place::new(), &job);
    assert_eq!((outcome.ending, outcome.settled_depth), (RunEnd::Stable, Some(0)));
    assert_eq!(outcome.stays, None, "there is nothing to tell");
}
