//! Runs that end where the best move is likely enough to stay.

use super::stages::{engines, other};
use super::{Place, plan};
use crate::analysis::{Percent, Stages, VerdictsSoFar, load};
use crate::chess::Game;
use crate::directives::{Directive, Directives};
use crate::run::batch::{Batch, Root, RootOutcome, grow_batch};
use crate::run::control::ControlReceiver;
use crate::run::control::limits::RunLimits;
use crate::run::grow::{End, Plan, RunOutcome};
use crate::run::made_up::Deaf;
use crate::run::schedule::Schedule;
use crate::run::stages::grow;
use crate::store::{AnalysisRow, Store};

/// A verdict of a settled depth: the engine depth, the depth, and the chance that its best move stays.
type Told = (u32, u32, Percent);

fn staged(until_stable: Option<Percent>, limits: RunLimits) -> Plan {
    Plan { schedule: Schedule::REFINED, until_stable, limits, depth: 4, ..plan() }
}

fn run(place: &mut Place, plan: &Plan) -> RunOutcome {
    let (mut engines, _) = engines(99, other);
    grow(plan, &mut place.store, &mut engines, &ControlReceiver::never(), &mut Deaf).unwrap()
}

fn start() -> Game {
    Game::from_start("startpos").unwrap()
}

/// The stages of the starting position, the shallowest engine depth first.
fn rows(store: &Store) -> Vec<AnalysisRow> {
    let row = store.analyses_of(&start()).unwrap().pop().unwrap();
    Stages::of(store, row).unwrap().rows().to_vec()
}

/// The chances at all depths that were settled, as they came.
fn told(store: &Store) -> Vec<Told> {
    let mut told = Vec::new();
    for (index, row) in rows(store).iter().enumerate() {
        let stages = Stages::of(store, row.clone()).unwrap();
        let verdicts = store.verdicts(row.id).unwrap();
        let mut so_far = VerdictsSoFar::of(store, &stages, row, &[]).unwrap().unwrap();
        for verdict in verdicts {
            so_far.settle(verdict.settled.depth, &verdict.moves);
            let engine_depth = 10 + 2 * u32::try_from(index).unwrap();
            told.extend(so_far.stays().map(|s| (engine_depth, verdict.settled.depth, s.chance)));
        }
    }
    told
}

fn searches(count: u64) -> RunLimits {
    RunLimits { searches: Some(count), ..RunLimits::default() }
}

#[test]
fn a_run_ends_at_the_first_depth_whose_verdict_is_stable_enough() {
    let mut place = Place::new();
    assert_eq!(run(&mut place, &staged(None, searches(900))).ending, End::Limit);
    let all = told(&place.store);
    // Each record of the chance: the depth at which a run until so much must end.
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
        assert_eq!(outcome.ending, End::Stable);
        assert_eq!(outcome.stays.map(|stays| stays.chance), Some(chance));
        let last = rows(&place.store).pop().unwrap();
        let reached = (last.profile.limit, last.settled_depth);
        assert_eq!(reached, (crate::search::Limit::Depth(engine_depth), Some(depth)));
        let kept = load(&place.store, last.id).unwrap();
        assert_eq!(kept.stays.map(|stays| stays.chance), Some(chance), "what `show` tells");
        let again = run(&mut place, &staged(Some(chance), searches(900)));
        assert_eq!((again.ending, again.searches), (End::Stable, 0), "it was stable before");
    }
}

#[test]
fn a_run_that_is_to_be_more_certain_goes_on() {
    let mut place = Place::new();
    let one = run(&mut place, &staged(Percent::new(1), RunLimits::default()));
    assert_eq!((one.ending, one.settled_depth), (End::Stable, Some(0)));
    let all = run(&mut place, &staged(Percent::new(99), searches(30)));
    assert_eq!((all.ending, all.searches), (End::Limit, 30));
}

#[test]
fn a_tree_that_is_grown_again_does_not_end_by_the_verdicts_of_the_one_before() {
    let mut place = Place::new();
    let once = run(&mut place, &staged(None, searches(400)));
    let best = once.best.unwrap().moves[0];
    let (row, before) = (rows(&place.store).remove(0), told(&place.store));
    let exclude = |set: &mut Directives| {
        set.put(crate::chess::PositionKey::of(start().root()), Directive::Exclude(best));
        Ok::<(), crate::store::StoreError>(())
    };
    place.store.change_directives(&start(), exclude).unwrap();
    assert_eq!(load(&place.store, row.id).unwrap().stays, None, "it is about another tree");
    let least = before.iter().map(|told| told.2).min().unwrap();
    let again = run(&mut place, &staged(Some(least), RunLimits::default()));
    assert_eq!(again.ending, End::Stable);
    assert_ne!(again.stays.unwrap().best, best);
    let kept = load(&place.store, row.id).unwrap();
    assert!(!kept.is_pending() && kept.row.regrown == 1);
}

#[test]
fn each_root_of_a_batch_is_grown_until_it_is_stable() {
    let root = |moves: &str| {
        let mut game = start();
        game.play_line(moves).unwrap();
        Root { name: moves.to_owned(), kept_name: None, game }
    };
    let batch = |until_stable| Batch {
        tables: None,
        roots: ["e4", "d4", "c4"].map(root).into(),
        breadth: 8.into(),
        depth: 4,
        schedule: Schedule::REFINED,
        limits: RunLimits::default(),
        each: searches(300),
        until_stable,
        look_ahead: false,
    };
    let mut place = Place::new();
    let mut grown = |percent| {
        let (mut engines, _) = engines(99, other);
        let never = ControlReceiver::never();
        let batch = batch(Percent::new(percent));
        grow_batch(&batch, &mut place.store, &mut engines, &never, &mut Deaf).unwrap()
    };
    let end = grown(1);
    let is_stable = |outcome: &RootOutcome| match outcome {
        RootOutcome::Grown(run) => run.ending == End::Stable && run.settled_depth == Some(0),
        _ => false,
    };
    assert!(end.outcomes.iter().all(is_stable), "{end:?}");
    assert_eq!(end.ending, End::Settled);
    assert_eq!(grown(1).searches, 0, "they are stable");
    assert_eq!(grown(99).searches, 900);
}
