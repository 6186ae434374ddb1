//! Closing searches: when they are made, their length, and their lasting results.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::batches::{batch, grow_all};
use super::{Place, job, ms};
use crate::closing::{ClosingLimit, ClosingPlan};
use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, control};
use crate::feed::event::RunEvent;
use crate::job::{Job, Schedule};
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::JobOutcome;
use crate::queue::{Queue, QueueOutcome, grow, grow_queue};
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::{Game, PositionKey, Score};
use deepanalyze_core::directives::Directive;
use deepanalyze_core::search::{Answer, Limit};
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, Reason};
use deepanalyze_store::{AnalysisId, ClosingRow, Store, StoreError};

/// The long searches begun, and their planned lengths.
pub(super) type Long = Rc<RefCell<Vec<FakeStart>>>;

/// An engine's answer to a long search after `nodes` nodes.
pub(super) fn said(start: &FakeStart, nodes: u64) -> Answer {
    Answer { nodes, depth: 20, score: Score::Cp(77), ..answer(&start.search) }
}

/// Engines whose searches take 200 ms, and whose long ones end by `end`.
pub(super) fn engines(
    count: usize,
    mut end: impl FnMut(&FakeStart) -> FakeSearch + 'static,
) -> (FakeEngines, Long) {
    let long = Long::default();
    let log = Rc::clone(&long);
    let engines = FakeEngines::new(count, profile(), move |start| {
        if start.long.is_none() {
            let depth = match start.limit {
                Limit::Depth(depth) => depth,
                Limit::Nodes(_) => 0,
            };
            let answer = Answer { depth, ..answer(&start.search) };
            return FakeSearch::ending(Ok(answer)).taking(ms(200));
        }
        log.borrow_mut().push(start.clone());
        end(start)
    });
    (engines, long)
}

/// A search with a result after a second, and its end in time.
pub(super) fn obeys(start: &FakeStart) -> FakeSearch {
    let takes = start.left.unwrap_or(ms(3000));
    let iterations = vec![(ms(1000), said(start, 500))];
    FakeSearch { iterations, ..FakeSearch::ending(Ok(said(start, 900))).taking(takes) }
}

/// Never ends by itself.
fn endless(start: &FakeStart) -> FakeSearch {
    FakeSearch { iterations: obeys(start).iterations, ..obeys(start) }
        .taking(Duration::from_hours(9))
}

pub(super) fn staged(closing: ClosingPlan, time: Option<Duration>) -> Job {
    let limits = RunLimits { time, ..RunLimits::default() };
    Job { schedule: Schedule::REFINED, limits, closing, ..job() }
}

/// The outcome of a run, and its events of closing searches.
pub(super) fn run(
    place: &mut Place,
    job: &Job,
    engines: &mut FakeEngines,
) -> (RunOutcome, Vec<Told>) {
    run_with(place, job, engines, &ControlReceiver::never())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Closed,
    Warning(String),
}

fn run_with(
    place: &mut Place,
    job: &Job,
    engines: &mut FakeEngines,
    control: &ControlReceiver,
) -> (RunOutcome, Vec<Told>) {
    let mut told = Vec::new();
    let mut hear = |event| match event {
        RunEvent::Closed(_) => told.push(Told::Closed),
        RunEvent::Warning(why) => told.push(Told::Warning(why)),
        _ => {}
    };
    let outcome = grow(job, &mut place.store, engines, control, &mut hear).unwrap();
    (outcome, told)
}

/// The stored closing searches of a run's tree, the newest last.
pub(super) fn kept(store: &Store, outcome: &RunOutcome) -> Vec<ClosingRow> {
    let mut rows = store.closings_of(outcome.analysis.unwrap()).unwrap();
    rows.sort_by_key(|row| row.id.0);
    rows
}

#[test]
fn second_half_is_a_closing_search_that_ends_in_time() {
    let (mut place, (mut one, long)) = (Place::new(), engines(2, obeys));
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, told) = run(&mut place, &job, &mut one);
    assert_eq!((outcome.ending, told), (RunEnd::Limit, vec![Told::Closed]));
    assert_eq!(one.elapsed(), ms(60_000));
    let long = long.borrow();
    assert!(long.iter().all(|start| (ms(30_000)..ms(31_000)).contains(&start.at)), "{long:?}");
    assert_eq!(long.len(), 2, "engines that have one thread share the moves out");
    let rows = kept(&place.store, &outcome);
    let shares = &rows.last().unwrap().shares;
    assert!(shares.iter().all(|share| share.is_done && share.answer.nodes == 900), "{rows:?}");
    assert_eq!(outcome.closing.unwrap().nodes, 1800);
}

#[test]
fn threads_of_most_engines_go_to_the_first() {
    let (mut place, (mut one, long)) = (Place::new(), engines(4, obeys));
    one.lend_threads(4);
    let dealt = |long: &Long| -> Vec<(usize, usize)> {
        let long = long.borrow();
        let threads = |start: &FakeStart| start.long.as_ref().map_or(0, |long| long.threads);
        long.iter().map(|start| (threads(start), start.search.allowed().len())).collect()
    };
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, _) = run(&mut place, &job, &mut one);
    assert_eq!(dealt(&long), [(3, 20), (1, 19)]);
    let (mut alone, pair) = engines(2, obeys);
    alone.lend_threads(2);
    run(&mut Place::new(), &job, &mut alone);
    assert_eq!(dealt(&pair), [(2, 20)], "of two engines none splits the moves");
    let closing = outcome.closing.unwrap();
    assert_eq!((closing.asked.engines, closing.is_done, closing.nodes), (4, true, 1800));
    // To a limit an engine has one thread: its answer is always the same.
    long.borrow_mut().clear();
    let closing = ClosingPlan::Asked(ClosingLimit::Search(Limit::Nodes(900)));
    let (outcome, _) = run(&mut place, &Job { closing, ..super::job() }, &mut one);
    assert_eq!(dealt(&long), [(1, 20), (1, 7), (1, 7), (1, 6)]);
    assert_eq!(outcome.closing.unwrap().asked.engines, 4);
}

#[test]
fn endless_engine_is_stopped_named_and_its_find_kept() {
    let (mut place, (mut one, _)) = (Place::new(), engines(1, endless));
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, told) = run(&mut place, &job, &mut one);
    assert!(one.elapsed() <= ms(60_500), "{:?}", one.elapsed());
    assert!(
        matches!(&told[..], [Told::Warning(why), Told::Closed] if why.contains("Made up")),
        "{told:?}"
    );
    let rows = kept(&place.store, &outcome);
    let [share] = &rows.last().unwrap().shares[..] else { panic!("{rows:?}") };
    assert_eq!((share.answer.nodes, share.is_done), (500, true));
    assert_eq!(one.running(), 0, "its search is abandoned");
}

#[test]
fn unlimited_run_closes_each_stage_for_equal_time() {
    let (mut place, (mut one, long)) = (Place::new(), engines(1, obeys));
    let (steer, control) = control();
    one.at(ms(200_000), move || steer.end());
    let (outcome, told) =
        run_with(&mut place, &staged(ClosingPlan::Alternating, None), &mut one, &control);
    assert_eq!(outcome.ending, RunEnd::Interrupted);
    let long = long.borrow();
    assert!(long.len() > 1 && told.len() >= long.len() - 1, "{told:?}");
    let mut before = Duration::ZERO;
    for start in long.iter() {
        let (grown, closes) = (start.at - before, start.left.unwrap());
        assert_eq!(grown, closes, "{long:?}");
        before = start.at + closes;
    }
    assert_eq!(kept(&place.store, &outcome).len(), long.len());
}

#[test]
fn interrupt_ends_a_closing_search_and_keeps_its_find() {
    let (mut place, (mut one, _)) = (Place::new(), engines(1, endless));
    let (steer, control) = control();
    one.at(ms(45_000), move || steer.end());
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, _) = run_with(&mut place, &job, &mut one, &control);
    assert_eq!((outcome.ending, one.elapsed()), (RunEnd::Interrupted, ms(45_000)));
    assert_eq!(kept(&place.store, &outcome).last().unwrap().shares[0].answer.nodes, 500);
}

#[test]
fn tree_gets_the_rest_if_engines_fail_at_closing() {
    let fails = |_: &FakeStart| {
        let reason = Reason::NothingToSearch("it is made up".to_owned());
        let (engine, command) = ("Made up".to_owned(), None);
        FakeSearch::ending(Err(EngineError { engine, command, reason }))
    };
    let (mut place, (mut one, _)) = (Place::new(), engines(2, fails));
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, told) = run(&mut place, &job, &mut one);
    assert!(
        matches!(&told[..], [Told::Warning(why)] if why.contains("using the remaining time for the tree")),
        "{told:?}"
    );
    assert!((ms(60_000)..ms(61_500)).contains(&one.elapsed()), "{:?}", one.elapsed());
    assert_eq!((outcome.ending, outcome.closing), (RunEnd::Limit, None));
}

#[test]
fn one_that_is_asked_for_is_made_once() {
    let (mut place, (mut one, long)) = (Place::new(), engines(3, obeys));
    let closing = ClosingPlan::Asked(ClosingLimit::Search(Limit::Nodes(900)));
    let job = Job { closing, ..job() };
    let (first, _) = run(&mut place, &job, &mut one);
    let shares: Vec<usize> =
        long.borrow().iter().map(|start| start.search.allowed().len()).collect();
    assert_eq!(shares, [20, 10, 10], "one has all moves, two share them out");
    // The tree follows the find, which makes it another one, and is closed once more.
    assert_ne!(first.closing.map(|first| first.asked.passes), None);
    let (second, _) = run(&mut place, &job, &mut one);
    assert_eq!(long.borrow().len(), 6);
    let (third, told) = run(&mut place, &job, &mut one);
    assert_eq!((long.borrow().len(), told), (6, vec![Told::Closed]));
    assert_eq!(second.closing, third.closing);
    assert_eq!(third.closing.unwrap().nodes, 2700);
}

/// Includes 1. e4 e5 at the starting position.
fn include(store: &mut Store) {
    let game = Game::from_start("startpos").unwrap();
    let changed = store.change_directives(&game, |set| {
        let e4 = Directive::Include("e2e4".parse().unwrap());
        set.put(PositionKey::of(game.root()), e4);
        Ok::<_, StoreError>(())
    });
    changed.unwrap();
}

#[test]
fn a_repertoire_has_all_of_the_time() {
    for closing in [ClosingPlan::SecondHalf, ClosingPlan::Alternating] {
        let (mut place, (mut one, long)) = (Place::new(), engines(1, obeys));
        include(&mut place.store);
        let job = staged(closing, Some(ms(60_000)));
        let (outcome, told) = run(&mut place, &job, &mut one);
        assert_eq!((outcome.ending, told, long.borrow().len()), (RunEnd::Limit, vec![], 0));
        assert!((ms(59_000)..ms(61_500)).contains(&one.elapsed()), "{:?}", one.elapsed());
    }
    let (mut place, (mut one, long)) = (Place::new(), engines(1, obeys));
    include(&mut place.store);
    let asked = ClosingPlan::Asked(ClosingLimit::Time(ms(9000)));
    let (_, told) = run(&mut place, &staged(asked, Some(ms(20_000))), &mut one);
    assert_eq!((told, long.borrow().len()), (vec![Told::Closed], 1), "it was asked for");
}

#[test]
fn an_opponents_root_has_all_of_the_time() {
    let mut tree = Breadth::from(8);
    tree.black = "0".parse().unwrap();
    let (mut place, (mut one, long)) = (Place::new(), engines(1, obeys));
    let job = Job { tree: tree.into(), ..staged(ClosingPlan::SecondHalf, Some(ms(60_000))) };
    let (_, told) = run(&mut place, &job, &mut one);
    assert_eq!((told, long.borrow().len()), (vec![], 0));
}

#[test]
fn moves_included_in_the_first_half_keep_the_second() {
    let (mut place, (mut one, long)) = (Place::new(), engines(1, obeys));
    let mut other = place.connect();
    one.at(ms(10_000), move || include(&mut other));
    let job = staged(ClosingPlan::SecondHalf, Some(ms(60_000)));
    let (outcome, told) = run(&mut place, &job, &mut one);
    assert_eq!((outcome.ending, told, long.borrow().len()), (RunEnd::Limit, vec![], 0));
    assert!((ms(59_000)..ms(61_500)).contains(&one.elapsed()), "{:?}", one.elapsed());
}

/// Roots grown in stages and closed, each within such limits.
fn many(roots: &[&str], closing: ClosingPlan, each: RunLimits) -> Queue {
    let job = |job| Job { schedule: Schedule::REFINED, closing, limits: each, ..job };
    Queue { jobs: batch(roots).jobs.into_iter().map(job).collect(), ..batch(&[]) }
}

fn of_time(time: Duration) -> RunLimits {
    RunLimits { time: Some(time), ..RunLimits::default() }
}

/// The outcome of a queue with such weights, and the roots of its closing searches as they began,
/// each with its time.
fn run_many(
    place: &mut Place,
    queue: &Queue,
    weights: &[f64],
) -> (QueueOutcome, Vec<(usize, Duration)>, Duration) {
    let (mut engines, long) = engines(1, obeys);
    let weights = |_: &Store, analyses: &[Option<AnalysisId>]| {
        assert!(analyses.iter().all(Option::is_some), "all have had a turn");
        Ok(weights.to_vec())
    };
    let never = ControlReceiver::never();
    let end =
        grow_queue(queue, &weights, &mut place.store, &mut engines, &never, &mut |_| {}).unwrap();
    let root = |start: &FakeStart| {
        let key = PositionKey::of(&start.search.position);
        queue.jobs.iter().position(|job| PositionKey::of(job.game.root()) == key).unwrap()
    };
    let closed = long.borrow().iter().map(|start| (root(start), start.left.unwrap())).collect();
    (end, closed, engines.elapsed())
}

#[test]
fn trees_get_half_and_weights_divide_the_other() {
    let roots = ["e4", "d4", "c4"];
    let half = many(&roots, ClosingPlan::SecondHalf, RunLimits::default());
    let queue = Queue { limits: of_time(ms(120_000)), ..half };
    let mut place = Place::new();
    let (end, closed, elapsed) = run_many(&mut place, &queue, &[1.0, 0.0, 3.0]);
    assert_eq!((end.ending, elapsed), (RunEnd::Limit, ms(120_000)));
    let [(first, most), (second, least)] = closed[..] else { panic!("{closed:?}") };
    assert_eq!((first, second), (2, 0), "the heaviest first, and none of weight 0");
    assert!((ms(44_000)..=ms(45_000)).contains(&most), "{most:?}");
    assert!((ms(14_500)..=ms(15_500)).contains(&least), "{least:?}");
    let closing = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(grown) => grown.closing.is_some(),
        other => panic!("{other:?}"),
    };
    assert_eq!(end.outcomes.iter().map(closing).collect::<Vec<_>>(), [true, false, true]);
    let spent = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(grown) => grown.searches,
        other => panic!("{other:?}"),
    };
    let spent: Vec<u64> = end.outcomes.iter().map(spent).collect();
    assert!(spent.iter().all(|searches| (95..=105).contains(searches)), "equal parts: {spent:?}");
    // A later run goes on, and closes unread ones, too.
    let (_, closed, _) = run_many(&mut place, &queue, &[1.0, 1.0, 1.0]);
    assert_eq!(closed.iter().map(|(root, _)| *root).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn each_of_many_gets_a_verdict_in_any_short_time() {
    let slow = |start: &FakeStart| FakeSearch::ending(Ok(answer(&start.search))).taking(ms(5_000));
    let roots = ["e4", "d4", "c4", "b4", "a4", "Nf3"];
    let half = many(&roots, ClosingPlan::SecondHalf, RunLimits::default());
    // A first verdict takes three searches: four have theirs in the first half, the others before
    // closing searches.
    let queue = Queue { limits: of_time(ms(120_000)), ..half };
    let mut engines = FakeEngines::new(1, profile(), slow);
    let never = ControlReceiver::never();
    let end = grow_all(&queue, &mut Place::new(), &mut engines, &never).unwrap();
    let verdict = |outcome: &JobOutcome| match outcome {
        JobOutcome::Grown(grown) => grown.best().is_some(),
        other => panic!("{other:?}"),
    };
    assert!(end.outcomes.iter().all(verdict));
    assert!(engines.elapsed() <= ms(121_500), "{:?}", engines.elapsed());
}

#[test]
fn trees_get_all_the_time_with_nothing_to_close() {
    let queue = many(&["e4", "d4"], ClosingPlan::SecondHalf, RunLimits::default());
    let queue = Queue { limits: of_time(ms(60_000)), ..queue };
    let (end, closed, elapsed) = run_many(&mut Place::new(), &queue, &[0.0, 0.0]);
    assert_eq!((end.ending, closed), (RunEnd::Limit, vec![]));
    assert!((ms(59_000)..ms(61_500)).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn trees_get_the_rest_if_none_exists_at_half_time() {
    let mut place = Place::new();
    let slow = |start: &FakeStart| FakeSearch::ending(Ok(answer(&start.search))).taking(ms(50_000));
    let mut engines = FakeEngines::new(1, profile(), slow);
    let queue = many(&["e4", "d4"], ClosingPlan::SecondHalf, RunLimits::default());
    let queue = Queue { limits: of_time(ms(60_000)), ..queue };
    grow_all(&queue, &mut place, &mut engines, &ControlReceiver::never()).unwrap();
    assert!((ms(59_000)..ms(61_500)).contains(&engines.elapsed()), "{:?}", engines.elapsed());
}

#[test]
fn own_times_have_halves_and_weights_share_the_second() {
    let queue = many(&["e4", "d4"], ClosingPlan::SecondHalf, of_time(ms(40_000)));
    for (weights, parts) in [([1.0, 1.0], [(0, 20), (1, 20)]), ([1.0, 3.0], [(1, 30), (0, 10)])] {
        let (end, closed, elapsed) = run_many(&mut Place::new(), &queue, &weights);
        assert_eq!(end.ending, RunEnd::Settled, "each has had its turn");
        assert!((ms(79_000)..ms(81_500)).contains(&elapsed), "{elapsed:?}");
        assert_eq!(closed.len(), parts.len());
        for ((root, time), (wanted, seconds)) in closed.into_iter().zip(parts) {
            let about = ms(seconds * 1000 - 800)..=ms(seconds * 1000 + 800);
            assert!(root == wanted && about.contains(&time), "{root}: {time:?}");
        }
    }
    let (_, closed, elapsed) = run_many(&mut Place::new(), &queue, &[0.0, 0.0]);
    assert_eq!(closed, []);
    assert!((ms(79_000)..ms(82_500)).contains(&elapsed), "the trees have it: {elapsed:?}");
}

#[test]
fn each_stage_of_many_is_closed_without_a_limit() {
    let queue = many(&["e4", "d4"], ClosingPlan::Alternating, RunLimits::default());
    let once = |job| Job { schedule: Schedule::Once(Limit::Depth(10)), ..job };
    let queue = Queue { jobs: queue.jobs.into_iter().map(once).collect(), ..queue };
    let (end, closed, _) = run_many(&mut Place::new(), &queue, &[]);
    let elapsed: Vec<Duration> = end
        .outcomes
        .iter()
        .map(|outcome| match outcome {
            JobOutcome::Grown(grown) => grown.elapsed / 2,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(closed, [(0, elapsed[0]), (1, elapsed[1])]);
}
