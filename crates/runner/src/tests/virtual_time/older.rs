//! Older trees of other engines: they say where to look ahead, and change no tree.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Log, Place, job, ms};
use crate::control::ControlReceiver;
use crate::feed::event::RunEvent;
use crate::job::{Job, Keeping, Schedule, TreePlan};
use crate::older::older_analysis;
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::grow;
use crate::tests::made_up::{answer, profile, scramble};
use deepanalyze_core::chess::{DrawValue, Score, epd_of};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_engine::{Engines, FakeEngines, FakeSearch};
use deepanalyze_store::{AnalysisId, NodeRow, Store};
use deepanalyze_view::{load, node_row};

/// An engine of this name with nearly equal answers: its scores are up to `noise` centipawns
/// higher.
fn another(name: &str, limit: Limit, noise: u64) -> FakeEngines {
    let other = Profile { engine: name.to_owned(), limit, ..profile() };
    let mut begun = 0;
    FakeEngines::new(1, other, move |start| {
        begun += 1;
        let said = answer(&start.search);
        let more = i32::try_from(scramble(begun) % noise).unwrap();
        let score = match said.score {
            Score::Cp(cp) => Score::Cp(cp + 30 + more),
            mate => mate,
        };
        FakeSearch::ending(Ok(Answer { score, ..said })).taking(ms(1))
    })
}

fn run(place: &mut Place, job: &Job, engines: &mut FakeEngines) -> RunOutcome {
    grow(job, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
}

/// Grows an older tree; returns its analysis.
fn grow_older(place: &mut Place, job: &Job, mut engines: FakeEngines) -> AnalysisId {
    let schedule = Schedule::Once(engines.profile().limit);
    let job = Job { look_ahead: false, schedule, ..job.clone() };
    run(place, &job, &mut engines).analysis.unwrap()
}

/// Sixteen engines whose searches take about ten milliseconds.
fn sixteen() -> FakeEngines {
    let mut begun = 0;
    FakeEngines::new(16, profile(), move |start| {
        begun += 1;
        let takes = Duration::from_micros(9_000 + scramble(begun) % 2_000);
        FakeSearch::ending(Ok(answer(&start.search))).taking(takes)
    })
}

/// The rows of a tree, by their positions.
fn tree(store: &Store, outcome: &RunOutcome) -> BTreeMap<String, NodeRow> {
    let growth = load(store, outcome.analysis.unwrap()).unwrap().tree.growth;
    let row = |node| (epd_of(&growth.position(node)), node_row(&growth, node));
    growth.graph().analysed().map(row).collect()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn another_engines_tree_makes_the_same_tree_sooner() {
    let job = Job { depth: 4, ..job() };
    let mut alone = Place::new();
    let without = run(&mut alone, &job, &mut sixteen());
    let right = tree(&alone.store, &without);
    for (noise, percent) in [(1, 93), (8, 97)] {
        let mut place = Place::new();
        grow_older(&mut place, &job, another("Older", Limit::Depth(3), noise));
        let with = run(&mut place, &job, &mut sixteen());
        let took = 100 * with.elapsed.as_micros() / without.elapsed.as_micros();
        println!("noise {noise}: {took} % of the time, {} and {}", with.searches, without.searches);
        assert_eq!(tree(&place.store, &with), right, "noise {noise}: another tree");
        assert!(took <= percent, "noise {noise}: {:?} to {:?}", with.elapsed, without.elapsed);
    }
}

#[test]
fn an_older_tree_that_is_quite_wrong_changes_nothing() {
    let job = Job { depth: 3, ..job() };
    let (mut alone, mut place) = (Place::new(), Place::new());
    let without = run(&mut alone, &job, &mut sixteen());
    let wide = Job { tree: 60.into(), depth: 1, ..job.clone() };
    grow_older(&mut place, &wide, another("Older", Limit::Depth(3), 400));
    let with = run(&mut place, &job, &mut sixteen());
    assert_eq!(tree(&place.store, &with), tree(&alone.store, &without));
    let alone = Keeping::AnswersAlone { only: Vec::new() };
    let kept_nowhere = run(&mut place, &Job { keeping: alone, ..job }, &mut sixteen());
    assert_eq!((kept_nowhere.lines, kept_nowhere.admitted), (without.lines, without.admitted));
}

/// The older analysis beside a job's.
fn older(place: &Place, job: &Job) -> Option<AnalysisId> {
    let made = (&job.tree, job.schedule);
    let found = older_analysis(&place.store, &job.game, made, &profile()).unwrap();
    found.map(|row| row.id)
}

#[test]
fn most_similar_then_largest_older_analysis_counts() {
    let (mut place, job) = (Place::new(), job());
    assert_eq!(older(&place, &job), None);
    run(&mut place, &job, &mut sixteen());
    assert_eq!(older(&place, &job), None, "its own");
    let draw = DrawValue::new(30).unwrap();
    let drawish = Job { tree: TreePlan { draw, ..8.into() }, depth: 1, ..job.clone() };
    grow_older(&mut place, &drawish, another("Drawish", Limit::Depth(1), 1));
    assert_eq!(older(&place, &job), None, "its scores cannot be compared");
    let wide = Job { tree: 30.into(), ..job.clone() };
    let wide_one = grow_older(&mut place, &wide, another("Wide", Limit::Depth(1), 1));
    assert_eq!(older(&place, &job), Some(wide_one), "better than nothing");
    let one = Job { depth: 1, ..job.clone() };
    let small = grow_older(&mut place, &one, another("Small", Limit::Depth(1), 1));
    assert_eq!(older(&place, &job), Some(small), "of the same distance");
    let large = grow_older(&mut place, &job, another("Large", Limit::Nodes(9), 1));
    grow_older(&mut place, &one, another("Small, too", Limit::Depth(1), 1));
    assert_eq!(older(&place, &job), Some(large));
    let elsewhere = Job { game: deepanalyze_core::chess::Game::from_start(OTHER).unwrap(), ..job };
    assert_eq!(older(&place, &elsewhere), None, "another root");
}

/// The starting position without a pawn.
const OTHER: &str = "rnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn own_stages_are_not_older_analyses() {
    let (mut place, once) = (Place::new(), Job { depth: 1, ..job() });
    let staged = Job { schedule: Schedule::REFINED, ..once.clone() };
    let own = profile().engine;
    let stage = grow_older(&mut place, &once, another(&own, Limit::Depth(12), 1));
    assert_eq!(older(&place, &staged), None, "a stage of its own");
    assert_eq!(older(&place, &once), Some(stage), "a run without stages has none");
    let deep = Job { depth: 2, ..once.clone() };
    grow_older(&mut place, &deep, another("Older", Limit::Depth(10), 1));
    let speaks = grow_older(&mut place, &deep, another("Older", Limit::Depth(12), 1));
    grow_older(&mut place, &Job { depth: 0, ..once }, another("Older", Limit::Depth(14), 1));
    assert_eq!(older(&place, &staged), Some(speaks));
}

/// Grows a tree beside an unreadable older one, with `count` engines; returns the warnings, and how
/// many searches had begun before each.
fn warnings(count: usize, look_ahead: bool) -> Vec<(String, usize)> {
    let mut place = Place::new();
    let analysis = grow_older(&mut place, &job(), another("Older", Limit::Depth(3), 1));
    let db = rusqlite::Connection::open(place.file()).unwrap();
    db.execute("UPDATE analysis SET positions = 9999 WHERE id = ?1", [analysis.0]).unwrap();
    let (log, mut told) = (Log::default(), Vec::new());
    let mut engines = log.engines(count, ms(10));
    let mut tell = |event| {
        if let RunEvent::Warning(why) = event {
            told.push((why, log.begun().len()));
        }
    };
    let job = Job { look_ahead, ..job() };
    let never = ControlReceiver::never();
    let outcome = grow(&job, &mut place.store, &mut engines, &never, &mut tell).unwrap();
    assert_eq!(outcome.ending, RunEnd::Settled);
    told
}

#[test]
fn unreadable_older_tree_warns_and_ends_nothing() {
    let told = warnings(2, true);
    let [(why, begun)] = &told[..] else { panic!("{told:?}") };
    assert!(why.contains("the tree of analysis 1 cannot be read: "), "{why}");
    assert!(*begun > 0, "it was read before the first search had begun");
    assert_eq!(warnings(1, true), [], "one engine has no time to look ahead");
    assert_eq!(warnings(2, false), []);
}
