//! Directives given before a run, during it, and after it.

use std::collections::BTreeSet;

use super::{Log, Place, job, lost, ms};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::outcome::{RunEnd, RunOutcome};
use crate::queue::grow;
use deepanalyze_core::chess::{Game, GivenValue, PositionKey};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::Search;
use deepanalyze_core::tree::{Edge, Growth, SeenMove, Selection};
use deepanalyze_store::{AnalysisId, RootOrigin, Store, StoreError};
use deepanalyze_view::{load, load_as_grown, verify};

/// Gives a directive for a line's end.
fn say(store: &mut Store, line: &str, directive: &Directive) {
    let root = Game::from_start("startpos").unwrap();
    let mut game = root.clone();
    game.play_line(line).unwrap();
    let key = PositionKey::of(root.root());
    let said = store.change_directives(&root, |set: &mut Directives| {
        set.add(&key, game.root(), directive.clone()).unwrap();
        Ok::<(), StoreError>(())
    });
    assert!(said.is_ok_and(|said| said.before != said.after));
}

/// Different kinds, all near the root.
fn say_much(store: &mut Store) {
    say(store, "", &Directive::Exclude("e2e4".parse().unwrap()));
    say(store, "", &Directive::Include("g1h3".parse().unwrap()));
    say(store, "Nh3", &Directive::Include("e7e5".parse().unwrap()));
    say(store, "d4", &Directive::Value(GivenValue::Centipawns(-40)));
    say(store, "c4", &Directive::Stop);
    say(store, "c4", &Directive::Note("not for us".to_owned()));
}

const NEVER: (u32, RunLimits) = (3, RunLimits { time: None, searches: None, nodes: None });

fn finish(place: &mut Place, log: &Log) -> RunOutcome {
    place.grow(NEVER, &mut log.engines(3, ms(10)), &ControlReceiver::never()).unwrap()
}

/// The tree's rows in words.
fn tree(place: &Place) -> Vec<String> {
    let kept = load_as_grown(&place.store, AnalysisId(1)).unwrap();
    let graph = kept.growth.graph();
    let row = |node| {
        let (list, idea) = (graph.list(node).len(), kept.growth.values().idea(node));
        let position = deepanalyze_core::chess::epd_of(&kept.growth.position(node));
        format!("{position} ply {} {list} moves {idea:?}", kept.growth.ply(node))
    };
    let mut rows: Vec<String> = graph.analysed().map(row).collect();
    rows.sort();
    rows.push(format!("{:?} {:?}", kept.growth.settled(), kept.directives));
    let verdicts = kept.verdicts.iter().map(|verdict| format!("{:?}", verdict.moves));
    rows.into_iter().chain(verdicts).collect()
}

fn assert_proven(place: &Place) {
    let found = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!((found.flaws, found.trees), (Vec::new(), 1));
}

/// The searches asked, unordered; each once.
fn asked(log: &Log) -> BTreeSet<String> {
    let words = |search: &Search| format!("{:?}", (&search.position, &search.excluded));
    let begun = log.begun();
    let asked: BTreeSet<String> = begun.iter().map(|(_, search)| words(search)).collect();
    assert_eq!(asked.len(), begun.len(), "something was searched twice");
    asked
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn tree_does_not_depend_on_when_directives_come() {
    let (mut before, log) = (Place::new(), Log::default());
    say_much(&mut before.store);
    finish(&mut before, &log);
    assert_proven(&before);
    let expected = tree(&before);
    for time in [5, 115, 745, 2_000_000] {
        let (mut place, log) = (Place::new(), Log::default());
        let mut engines = log.engines(3, ms(10));
        let mut other = place.connect();
        engines.at(ms(time), move || say_much(&mut other));
        let run = place.grow(NEVER, &mut engines, &ControlReceiver::never()).unwrap();
        assert_eq!(run.ending, RunEnd::Settled);
        if time == 2_000_000 {
            let kept = load(&place.store, AnalysisId(1)).unwrap();
            assert!(!kept.is_pending() && kept.grown_with.is_empty(), "the run ended before");
            say_much(&mut place.store);
            assert!(load(&place.store, AnalysisId(1)).unwrap().is_pending());
            finish(&mut place, &log);
        }
        asked(&log);
        assert_eq!(lost(&mut place.store, &log), 0);
        assert_eq!(tree(&place), expected, "given after {time} ms");
        assert_proven(&place);
    }
}

#[test]
fn directive_in_a_run_s_last_moment_counts() {
    let undirected = finish(&mut Place::new(), &Log::default());
    let (mut place, log) = (Place::new(), Log::default());
    let mut engines = log.engines(3, ms(10));
    let mut other = place.connect();
    engines.at(undirected.elapsed - ms(1), move || say_much(&mut other));
    let run = place.grow(NEVER, &mut engines, &ControlReceiver::never()).unwrap();
    let kept = load(&place.store, AnalysisId(1)).unwrap();
    assert_eq!((run.ending, kept.is_pending(), kept.row.regrown), (RunEnd::Settled, false, 1));
    assert_proven(&place);
}

#[test]
fn run_out_of_searches_leaves_the_earlier_tree() {
    let (mut place, log) = (Place::new(), Log::default());
    finish(&mut place, &log);
    let before = tree(&place);
    say(&mut place.store, "", &Directive::Include("a2a4".parse().unwrap()));
    let none = RunLimits { searches: Some(0), ..RunLimits::default() };
    let engines = &mut log.engines(1, ms(10));
    let run = place.grow((3, none), engines, &ControlReceiver::never()).unwrap();
    assert_eq!(run.ending, RunEnd::Limit);
    assert_eq!(tree(&place), before);
}

#[test]
fn target_is_the_runs_even_below_the_settled_depth() {
    let (mut place, log) = (Place::new(), Log::default());
    finish(&mut place, &log);
    say(&mut place.store, "", &Directive::Exclude("e2e4".parse().unwrap()));
    let never = ControlReceiver::never();
    let limits = RunLimits::default();
    place.grow((1, limits), &mut log.engines(1, ms(10)), &never).unwrap();
    let row = place.store.analysis(AnalysisId(1)).unwrap().unwrap();
    assert_eq!((row.settled_depth, row.target_depth), (Some(1), 1));
}

#[test]
fn tree_under_other_directives_has_the_same_lists() {
    let (mut place, log) = (Place::new(), Log::default());
    finish(&mut place, &log);
    let kept = load(&place.store, AnalysisId(1)).unwrap().tree.growth;
    say_much(&mut place.store);
    let root = Game::from_start("startpos").unwrap();
    let wishes = place.store.directives(&root).unwrap().wishes();
    let under = kept.under(wishes.clone()).unwrap();
    let mut fresh = Growth::new(&root, Selection { wishes, ..kept.breadth().clone().into() });
    for node in kept.graph().nodes() {
        let (position, list) = (kept.position(node), kept.graph().list(node));
        let seen = |edge: &Edge| SeenMove::of(&position, edge.uci.unpack(), edge.eval).unwrap();
        if !list.is_empty() {
            fresh.fill(&PositionKey::of(&position), list.iter().map(seen)).unwrap();
        }
    }
    fresh.restore(0, Vec::new());
    let mut compared = 0;
    for node in fresh.graph().analysed() {
        let other = under.find(&PositionKey::of(&fresh.position(node))).unwrap();
        assert_eq!(fresh.values().idea(node), under.values().idea(other));
        assert_eq!(fresh.ply(node), under.ply(other));
        let moves = |growth: &Growth, node| -> Vec<_> {
            growth.graph().moves(node).iter().map(|edge| edge.uci).collect()
        };
        assert_eq!(moves(&fresh, node), moves(&under, other));
        compared += 1;
    }
    assert_eq!(compared, under.graph().analysed().count());
    assert!(compared > 20, "{compared}");
}

#[test]
fn undone_directives_leave_the_tree_without_searches() {
    let (mut place, log) = (Place::new(), Log::default());
    finish(&mut place, &log);
    let (undirected, searches) = (tree(&place), asked(&log));
    say(&mut place.store, "", &Directive::Exclude("e2e4".parse().unwrap()));
    finish(&mut place, &log);
    assert_ne!(tree(&place), undirected);
    let root = Game::from_start("startpos").unwrap();
    let taken_back = place.store.change_directives(&root, |set| {
        let key = PositionKey::of(root.root());
        Ok::<bool, StoreError>(set.undo_move(&key, "e2e4".parse().unwrap()))
    });
    assert!(taken_back.unwrap().result);
    let again = Log::default();
    let run = finish(&mut place, &again);
    assert_eq!((run.searches, again.begun().len()), (0, 0));
    assert_eq!(tree(&place), undirected);
    assert!(asked(&log).is_superset(&searches));
    assert_proven(&place);
}

#[test]
fn run_killed_while_regrowing_leaves_the_earlier_tree() {
    let (mut place, log) = (Place::new(), Log::default());
    finish(&mut place, &log);
    let before = tree(&place);
    say_much(&mut place.store);
    let (steer, control) = crate::control::control();
    steer.end();
    let run = place.grow(NEVER, &mut log.engines(1, ms(10)), &control).unwrap();
    assert_eq!(run.ending, RunEnd::Interrupted);
    assert_eq!(tree(&place), before);
    assert_proven(&place);
}

#[test]
fn told_run_sees_directives_at_once_and_another_soon() {
    let taken_over = |is_told: bool| {
        let (mut place, log) = (Place::new(), Log::default());
        let (mut engines, mut other) = (log.engines(3, ms(10)), place.connect());
        let (steer, control) = crate::control::control();
        engines.at(ms(115), move || {
            say_much(&mut other);
            if is_told {
                steer.direct();
            }
        });
        let (mut now, mut taken_over) = (ms(0), None);
        let mut hear = |event| match event {
            RunEvent::Progress(progress) => now = progress.elapsed,
            RunEvent::Directed { .. } => taken_over = Some(now),
            _ => {}
        };
        let job = Job { depth: 3, ..job() };
        grow(&job, &mut place.store, &mut engines, &control, &mut hear).unwrap();
        assert_proven(&place);
        taken_over.unwrap()
    };
    assert!(taken_over(true) <= ms(115), "{:?}", taken_over(true));
    assert!((ms(115)..ms(520)).contains(&taken_over(false)), "{:?}", taken_over(false));
}

#[test]
fn a_note_changes_no_tree() {
    let (mut place, log) = (Place::new(), Log::default());
    let mut other = place.connect();
    let mut engines = log.engines(1, ms(10));
    engines.at(ms(300), move || {
        say(&mut other, "e4", &Directive::Note("best by test".to_owned()));
    });
    place.grow(NEVER, &mut engines, &ControlReceiver::never()).unwrap();
    let kept = load(&place.store, AnalysisId(1)).unwrap();
    assert_eq!((kept.is_pending(), kept.directives.len(), kept.row.regrown), (false, 1, 0));
    assert_proven(&place);
}

#[test]
fn longer_game_begins_with_a_copy_of_its_own() {
    let (mut place, log) = (Place::new(), Log::default());
    say_much(&mut place.store);
    say(&mut place.store, "d4 d5", &Directive::Exclude("g1f3".parse().unwrap()));
    let mut game = Game::from_start("startpos").unwrap();
    game.play_line("d4").unwrap();
    let origin = RootOrigin::Game { since: 0 };
    let job = Job { game: game.clone(), origin, depth: 1, ..job() };
    let never = ControlReceiver::never();
    grow(&job, &mut place.store, &mut log.engines(1, ms(10)), &never, &mut |_| {}).unwrap();
    let set = place.store.directives(&game).unwrap();
    assert_eq!(set.at(&PositionKey::of(game.root())), None, "no value at the root itself");
    assert_eq!(set.len(), 6, "all the others");
    let start = Game::from_start("startpos").unwrap();
    say(&mut place.store, "", &Directive::Exclude("a2a3".parse().unwrap()));
    assert_eq!(place.store.directives(&start).unwrap().len(), 8);
    assert_eq!(place.store.directives(&game).unwrap(), set);
    assert_proven(&place);
}
