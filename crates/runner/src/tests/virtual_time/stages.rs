//! Stages: analyses with deeper and deeper searches, of one root and of several.

use std::cell::RefCell;
use std::rc::Rc;

use super::batches::{batch as queue, grow_all};
use super::{Place, job, ms};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::job::{Job, Schedule};
use crate::outcome::{Exhausted, RunEnd, RunError, RunOutcome};
use crate::queue::{Queue, QueueOutcome, grow};
use crate::tests::made_up::{answer, profile, scramble};
use deepanalyze_core::chess::{Game, PositionKey, Score};
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_engine::{FakeEngines, FakeSearch, FakeStart};
use deepanalyze_store::Store;

/// The searches begun.
pub(super) type Begun = Rc<RefCell<Vec<FakeStart>>>;

fn depth_of(start: &FakeStart) -> u32 {
    match start.limit {
        Limit::Depth(depth) => depth,
        Limit::Nodes(_) => 0,
    }
}

/// Engines that search at most `deepest` plies, and take up to ten milliseconds.
pub(super) fn engines(deepest: u32, score: fn(Score, u32) -> Score) -> (FakeEngines, Begun) {
    let begun = Begun::default();
    let log = Rc::clone(&begun);
    let engines = FakeEngines::new(8, profile(), move |start| {
        let takes =
            ms([1, 2, 3, 4, 5, 6, 7, 400][(scramble(log.borrow().len() as u64) % 8) as usize]);
        log.borrow_mut().push(start.clone());
        let depth = depth_of(start).min(deepest);
        let said = answer(&start.search);
        let score = score(said.score, depth);
        FakeSearch::ending(Ok(Answer { depth, score, ..said })).taking(takes)
    });
    (engines, begun)
}

/// A little better with each ply, here and there.
pub(super) fn other(score: Score, depth: u32) -> Score {
    match score {
        Score::Cp(cp) => Score::Cp(cp + i32::try_from(scramble(depth.into()) % 7).unwrap()),
        mate => mate,
    }
}

fn staged(limits: RunLimits) -> Job {
    Job { schedule: Schedule::REFINED, limits, ..job() }
}

fn run(place: &mut Place, job: &Job, engines: &mut FakeEngines) -> Result<RunOutcome, RunError> {
    grow(job, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {})
}

/// The engine depths of the starting position's stages, with settled depths, the last one grown
/// first.
fn kept(store: &Store) -> Vec<(Limit, Option<u32>)> {
    let rows = store.analyses_of(&Game::from_start("startpos").unwrap()).unwrap();
    let mut kept: Vec<_> = rows.iter().map(|row| (row.profile.limit, row.settled_depth)).collect();
    kept.sort_by_key(|(limit, _)| match limit {
        Limit::Depth(depth) => *depth,
        Limit::Nodes(_) => 0,
    });
    kept
}

#[test]
fn stages_follow_until_a_limit_and_resume_there() {
    let (mut place, (mut one, begun)) = (Place::new(), engines(99, other));
    let limit = |time| RunLimits { time: Some(time), ..RunLimits::default() };
    let first = run(&mut place, &staged(limit(ms(4000))), &mut one).unwrap();
    assert_eq!((first.ending, first.exhausted), (RunEnd::Limit, None));
    let stages = kept(&place.store);
    let last = stages.len() - 1;
    assert!(last > 0, "{stages:?}");
    let settled = |(stage, kept): (usize, &(Limit, Option<u32>))| {
        assert_eq!(kept.0, Limit::Depth(10 + 2 * u32::try_from(stage).unwrap()));
        assert!(kept.1 == Some(2) || stage == last, "{stages:?}");
    };
    stages.iter().enumerate().for_each(settled);
    assert_eq!(first.searches, begun.borrow().len() as u64);

    let (mut other_engines, later) = engines(99, other);
    run(&mut place, &staged(limit(ms(4000))), &mut other_engines).unwrap();
    let least = later.borrow().iter().map(depth_of).min();
    assert!(least.map(Limit::Depth) >= Some(stages[last].0), "a search was made again");
}

#[test]
fn run_compares_with_the_earlier_runs_last_verdict() {
    let (mut place, (mut engines, _)) = (Place::new(), engines(99, other));
    let (mut last, mut was_unbelieved) = (None, false);
    // Runs that begin with a stage that does not count yet, and end when it does.
    let mut taken_over = 0;
    for run_number in 0..400 {
        let limits = RunLimits { searches: Some(40), ..RunLimits::default() };
        let outcome = run(&mut place, &staged(limits), &mut engines).unwrap();
        assert_eq!(outcome.before, last, "run {run_number}");
        taken_over += usize::from(was_unbelieved && outcome.deeper.is_none());
        was_unbelieved = outcome.deeper.is_some();
        last = outcome.best().cloned().map(Box::new);
        if taken_over == 2 {
            return;
        }
    }
    panic!("no stage has taken over: {:?}", kept(&place.store));
}

#[test]
fn run_ends_when_its_engine_searches_no_deeper() {
    let (mut place, (mut engines, _)) = (Place::new(), engines(13, other));
    let end = run(&mut place, &staged(RunLimits::default()), &mut engines).unwrap();
    assert_eq!((end.ending, end.exhausted), (RunEnd::Settled, Some(Exhausted::EngineDepth(13))));
    let limits: Vec<Limit> = kept(&place.store).into_iter().map(|(limit, _)| limit).collect();
    assert_eq!(limits, [10, 12, 14, 16].map(Limit::Depth));
}

#[test]
fn run_of_only_mates_ends_after_its_first_stage() {
    let (mut place, (mut engines, _)) = (Place::new(), engines(99, |_, _| Score::Mate(4)));
    let end = run(&mut place, &staged(RunLimits::default()), &mut engines).unwrap();
    assert_eq!((end.ending, end.exhausted), (RunEnd::Settled, Some(Exhausted::Decided)));
    assert_eq!(kept(&place.store), [(Limit::Depth(10), Some(2))]);
}

fn batch(roots: &[&str], each: RunLimits, limits: RunLimits) -> Queue {
    let staged =
        |job| Job { depth: 1, schedule: Schedule::REFINED, limits: each, look_ahead: false, ..job };
    Queue { jobs: queue(roots).jobs.into_iter().map(staged).collect(), limits }
}

fn run_batch(place: &mut Place, batch: &Queue, engines: &mut FakeEngines) -> QueueOutcome {
    grow_all(batch, place, engines, &ControlReceiver::never()).unwrap()
}

/// The roots' own first searches, as made: which root at which engine depth.
fn turns(batch: &Queue, begun: &Begun) -> Vec<(usize, u32)> {
    let root = |start: &FakeStart| {
        let key = PositionKey::of(&start.search.position);
        let of = |root: &Job| PositionKey::of(root.game.root()) == key;
        batch.jobs.iter().position(of).filter(|_| start.search.excluded.is_empty())
    };
    let begun = begun.borrow();
    begun.iter().filter_map(|start| Some((root(start)?, depth_of(start)))).collect()
}

#[test]
fn a_batch_looks_at_every_root_before_it_goes_deeper() {
    let all = batch(&["e4", "d4", "c4"], RunLimits::default(), RunLimits::default());
    let (mut place, (mut engines, begun)) = (Place::new(), engines(11, other));
    let end = run_batch(&mut place, &all, &mut engines);
    let rounds = [10, 12, 14].iter().flat_map(|depth| (0..3).map(|root| (root, *depth)));
    assert_eq!(turns(&all, &begun), rounds.collect::<Vec<_>>());
    assert_eq!((end.ending, end.limit), (RunEnd::Settled, Limit::Depth(14)));
    begun.borrow_mut().clear();
    let again = run_batch(&mut place, &all, &mut engines);
    assert_eq!((again.ending, again.limit), (RunEnd::Settled, Limit::Depth(14)));
    assert!(begun.borrow().is_empty(), "a deeper stage was begun that changes nothing");
}

#[test]
fn a_roots_limits_are_for_all_its_stages() {
    let each = RunLimits { searches: Some(150), ..RunLimits::default() };
    let all = batch(&["e4", "d4"], each, RunLimits::default());
    let (mut place, (mut engines, begun)) = (Place::new(), engines(99, other));
    let end = run_batch(&mut place, &all, &mut engines);
    assert_eq!((end.ending, end.searches), (RunEnd::Settled, 300));
    assert!(turns(&all, &begun).len() >= 4, "one stage only: {:?}", turns(&all, &begun));
}

#[test]
fn initial_directives_are_set_once_for_all_stages() {
    use deepanalyze_core::chess::parse_uci;
    use deepanalyze_core::directives::{Directive, Directives};
    let (mut place, game) = (Place::new(), Game::from_start("startpos").unwrap());
    let other_connection = RefCell::new(place.connect());
    let said = game.clone();
    let mut taken_back = false;
    let mut engines = FakeEngines::new(1, profile(), move |start| {
        let depth = depth_of(start).min(12);
        if depth == 12 && !std::mem::replace(&mut taken_back, true) {
            let clear = |set: &mut Directives| {
                *set = Directives::default();
                Ok::<(), deepanalyze_store::StoreError>(())
            };
            other_connection.borrow_mut().change_directives(&said, clear).unwrap();
        }
        FakeSearch::ending(Ok(Answer { depth, ..answer(&start.search) })).taking(ms(1))
    });
    let mut directives = Directives::default();
    let e4 = Directive::Exclude(parse_uci("e2e4").unwrap());
    directives.put(PositionKey::of(game.root()), e4);
    let job = Job { directives: Some(directives), ..staged(RunLimits::default()) };
    run(&mut place, &job, &mut engines).unwrap();
    assert!(place.store.directives(&game).unwrap().is_empty());
}
