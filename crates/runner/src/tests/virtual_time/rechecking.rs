//! Rechecks: their questions, the same however asked, and that none is lost.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::batches::{batch, grow_all};
use super::{Place, job, ms};
use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, control};
use crate::feed::event::RunEvent;
use crate::job::{Job, Schedule};
use crate::outcome::{RunEnd, RunError, RunOutcome};
use crate::queue::{JobOutcome, Queue, grow};
use crate::recheck::{RecheckOutcome, RecheckPlan, RecheckRoot, RootRecheck, recheck};
use crate::tests::made_up::{answer, engines, profile, scramble};
use deepanalyze_core::chess::{Game, Score, epd_of};
use deepanalyze_core::search::{Answer, Limit, Profile, Search, WorkerId};
use deepanalyze_core::tree::RecheckState;
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, Reason};
use deepanalyze_store::RecheckRow;
use deepanalyze_view::{Rechecked, verify};
use shakmaty::uci::UciMove;

/// Another engine than that which grows the trees here.
fn other() -> Profile {
    let (engine, options) = ("Other".to_owned(), BTreeMap::new());
    Profile { engine, options, limit: Limit::Depth(1), kept_hash: None }
}

/// The only move searched, with the made-up engine's score of it, off by as much as `most`.
fn off_by(search: &Search, most: i32) -> Answer {
    let right = answer(search);
    let text = format!("{} {}", epd_of(&search.position), right.best);
    let seed = text.bytes().fold(7, |seed, byte| scramble(seed ^ u64::from(byte)));
    let error = i32::try_from(seed % 1000).unwrap() % (2 * most + 1) - most;
    let Score::Cp(cp) = right.score else { panic!() };
    Answer { score: Score::Cp(cp + error), nodes: 10, ..right }
}

/// The searches: positions and the moves of each that were not left out.
type Asked = Rc<RefCell<Vec<(String, Vec<UciMove>)>>>;

/// `count` engines with scores off by up to `most`, each search longer than the one before.
fn others(count: usize, most: i32) -> (FakeEngines, Asked) {
    let asked = Asked::default();
    let log = Rc::clone(&asked);
    let engines = FakeEngines::new(count, other(), move |FakeStart { search, .. }| {
        let mut log = log.borrow_mut();
        log.push((epd_of(&search.position), search.allowed()));
        let takes = ms(50 + u64::try_from(log.len() * 37 % 100).unwrap());
        FakeSearch::ending(Ok(off_by(search, most))).taking(takes)
    });
    (engines, asked)
}

/// The grown trees of these openings.
fn grown(moves: &[&str]) -> (Place, Vec<RecheckRoot>) {
    let mut place = Place::new();
    let roots = moves.iter().map(|moves| {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let job = Job { game, depth: 3, ..job() };
        let never = ControlReceiver::never();
        let mut grower = engines(2, |_| ms(10));
        let outcome = grow(&job, &mut place.store, &mut grower, &never, &mut |_| {}).unwrap();
        let row = place.store.analysis(outcome.analysis.unwrap()).unwrap().unwrap();
        RecheckRoot { row, name: (*moves).to_owned(), limit: Limit::Depth(1) }
    });
    let roots = roots.collect();
    (place, roots)
}

fn planned(analyses: Vec<RecheckRoot>, limits: RunLimits) -> RecheckPlan {
    RecheckPlan { analyses, within: None, limits }
}

fn run(place: &mut Place, plan: &RecheckPlan, engines: &mut FakeEngines) -> RecheckOutcome {
    recheck(plan, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
}

fn checked(root: &RootRecheck) -> &Rechecked {
    match root {
        RootRecheck::Checked(checked) => checked,
        other => panic!("{other:?}"),
    }
}

/// The stored row without its time.
fn noted(place: &Place, root: &RecheckRoot) -> RecheckRow {
    let mut rows = place.store.rechecks_of(root.row.id).unwrap();
    assert_eq!(rows.len(), 1);
    RecheckRow { changed_at: 0, ..rows.pop().unwrap() }
}

fn is_proved(place: &Place) {
    let found = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!(found.flaws, Vec::<String>::new());
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn result_depends_on_answers_not_on_engine_count() {
    let mut states = Vec::new();
    for moves in ["", "e4", "d4 d5", "c4"] {
        let mut before: Option<RecheckRow> = None;
        for count in [1, 5] {
            let (mut place, roots) = grown(&[moves]);
            let (mut engines, asked) = others(count, 25);
            let outcome =
                run(&mut place, &planned(roots.clone(), RunLimits::default()), &mut engines);
            assert_eq!(outcome.ending, RunEnd::Settled);
            let row = noted(&place, &roots[0]);
            assert_eq!(checked(&outcome.roots[0]).note.row, row);
            let asked = asked.borrow();
            assert!(asked.iter().all(|(_, allowed)| allowed.len() == 1), "moves alone");
            assert!(u64::try_from(asked.len()).unwrap() >= row.asked && row.asked < row.leaves);
            if count == 1 {
                assert_eq!((asked.len() as u64, 10 * row.asked), (row.asked, row.nodes));
                states.push(row.state);
            }
            if let Some(before) = before.replace(row.clone()) {
                assert_eq!(before, row, "{count} engines after {moves:?}");
            }
            if count > 1 {
                is_proved(&place);
            }
        }
    }
    for state in [RecheckState::Stays, RecheckState::Changed] {
        assert!(states.contains(&state), "{states:?}");
    }
}

#[test]
fn tree_stays_and_a_second_run_asks_nothing() {
    let (mut place, roots) = grown(&["e4"]);
    let (mut first, _) = others(2, 25);
    let plan = planned(roots.clone(), RunLimits::default());
    run(&mut place, &plan, &mut first);
    let row = noted(&place, &roots[0]);
    let (mut second, asked) = others(2, 25);
    let outcome = run(&mut place, &plan, &mut second);
    assert_eq!((outcome.searches, asked.borrow().len()), (0, 0));
    assert_eq!(noted(&place, &roots[0]), row);
    let analysis = place.store.analysis(roots[0].row.id).unwrap().unwrap();
    assert_eq!(analysis, roots[0].row);
}

#[test]
fn interrupted_recheck_resumes_to_the_same_result() {
    let wide = |roots: &[RecheckRoot]| RecheckPlan {
        within: Some(60),
        ..planned(roots.to_vec(), RunLimits::default())
    };
    let (mut whole, roots) = grown(&["d4 d5"]);
    let (mut engines, all) = others(2, 40);
    run(&mut whole, &wide(&roots), &mut engines);
    let right = noted(&whole, &roots[0]);
    assert!(right.asked > 6, "{right:?}");
    let (mut place, roots) = grown(&["d4 d5"]);
    let (mut runs, mut asked) = (0, Vec::new());
    loop {
        runs += 1;
        let (mut engines, log) = others(2, 40);
        let (steer, receiver) = control();
        engines.at(ms(160), move || steer.end());
        let outcome =
            recheck(&wide(&roots), &mut place.store, &mut engines, &receiver, &mut |_| {}).unwrap();
        asked.extend(log.borrow().iter().cloned());
        if outcome.ending == RunEnd::Settled {
            break;
        }
        assert_eq!(outcome.ending, RunEnd::Interrupted);
        assert_eq!(noted(&place, &roots[0]).state, RecheckState::Open);
        is_proved(&place);
    }
    assert!(runs > 2, "{runs}");
    assert_eq!(noted(&place, &roots[0]), right);
    let distinct: std::collections::BTreeSet<_> =
        asked.iter().map(|(epd, uci)| format!("{epd} {}", uci[0])).collect();
    assert_eq!(distinct.len(), asked.len(), "nothing is asked twice");
    assert!(all.borrow().len() <= asked.len() + runs);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn roots_have_equal_parts_and_done_ones_leave_theirs() {
    let (mut place, roots) = grown(&["", "e4", "d4 d5", "c4"]);
    let limits = RunLimits { searches: Some(12), ..RunLimits::default() };
    let (mut engines, _) = others(1, 60);
    let mut begun = Vec::new();
    let mut hear = |event| {
        if let RunEvent::RootBegins { index, .. } = event {
            begun.push(index);
        }
    };
    let plan = planned(roots.clone(), limits);
    let never = ControlReceiver::never();
    let outcome = recheck(&plan, &mut place.store, &mut engines, &never, &mut hear).unwrap();
    assert_eq!(begun[..4], [0, 1, 2, 3]);
    assert!(outcome.searches <= 12);
    assert_eq!(outcome.ending, RunEnd::Limit);
    let asked: Vec<u64> = roots.iter().map(|root| noted(&place, root).asked).collect();
    assert!(asked.iter().all(|asked| *asked > 0), "{asked:?}");
    is_proved(&place);
    // Time is split in the same way.
    let (mut place, roots) = grown(&["", "e4", "d4 d5", "c4"]);
    let limits = RunLimits { time: Some(ms(900)), ..RunLimits::default() };
    let (mut engines, _) = others(1, 60);
    let outcome = run(&mut place, &planned(roots, limits), &mut engines);
    assert_eq!(outcome.ending, RunEnd::Limit);
    assert!(outcome.roots.iter().all(|root| matches!(root, RootRecheck::Checked(_))));
    assert!(engines.elapsed() <= ms(900 + 1000), "{:?}", engines.elapsed());
}

#[test]
fn engine_failing_at_a_leaf_fails_its_root_alone() {
    let (mut place, roots) = grown(&["", "e4"]);
    let begun = Cell::new(0);
    let mut engines = FakeEngines::new(1, other(), move |FakeStart { search, .. }| {
        begun.set(begun.get() + 1);
        let reason = || Reason::GaveUp {
            fen: epd_of(&search.position),
            attempts: 3,
            last: Box::new(EngineError {
                engine: "Other".to_owned(),
                command: None,
                reason: Reason::Stopped,
            }),
        };
        let error = || EngineError { engine: "Other".to_owned(), command: None, reason: reason() };
        let end = if begun.get() == 3 { Err(error()) } else { Ok(off_by(search, 40)) };
        FakeSearch::ending(end).taking(ms(10))
    });
    let outcome = run(&mut place, &planned(roots.clone(), RunLimits::default()), &mut engines);
    assert!(matches!(outcome.roots[0], RootRecheck::Failed(RunError::Engine(_))), "{outcome:?}");
    assert_eq!(noted(&place, &roots[0]).asked, 2);
    assert!(noted(&place, &roots[1]).state != RecheckState::Open);
    is_proved(&place);
}

#[test]
fn answers_of_a_quarantined_worker_are_asked_again() {
    let (mut honest, roots) = grown(&["d4 d5"]);
    let (mut engines, _) = others(2, 40);
    run(&mut honest, &planned(roots.clone(), RunLimits::default()), &mut engines);
    let right = noted(&honest, &roots[0]);
    for found_at in [2, 5] {
        let (mut place, roots) = grown(&["d4 d5"]);
        let mut begun = 0;
        let liar = WorkerId::new("liar");
        let mut engines = FakeEngines::new(2, other(), move |FakeStart { search, .. }| {
            begun += 1;
            let lies = begun < found_at && begun % 2 == 1;
            let said = off_by(search, 40);
            let lie = Answer { score: Score::Cp(-300), ..said.clone() };
            let made = FakeSearch::ending(Ok(if lies { lie } else { said })).taking(ms(10));
            let quarantines = (begun == found_at).then(|| liar.clone());
            FakeSearch { worker: lies.then(|| liar.clone()), quarantines, ..made }
        });
        run(&mut place, &planned(roots.clone(), RunLimits::default()), &mut engines);
        assert_eq!(noted(&place, &roots[0]), right, "found at {found_at}");
        is_proved(&place);
    }
}

#[test]
fn margin_of_a_pair_is_what_other_trees_showed() {
    let (mut place, roots) = grown(&["e4", "d4 d5"]);
    let (mut engines, _) = others(1, 3);
    run(&mut place, &planned(roots.clone(), RunLimits::default()), &mut engines);
    let [first, second] = [0, 1].map(|index| noted(&place, &roots[index]));
    let shown = |row: &RecheckRow| match &row.margin {
        deepanalyze_core::tree::Margin::Shown(errors) => errors.len() as u64,
        other => panic!("{other:?}"),
    };
    assert_eq!((shown(&first), shown(&second)), (0, first.asked));
}

fn grow_until_it_holds(place: &mut Place, limits: RunLimits, schedule: Schedule) -> RunOutcome {
    let job = Job { until_holds: Some(20), depth: 3, limits, schedule, ..job() };
    let mut engines = FakeEngines::new(2, profile(), |FakeStart { search, limit, .. }| {
        let Limit::Depth(depth) = *limit else { panic!() };
        let said = if search.allowed().len() == 1 { off_by(search, 30) } else { answer(search) };
        FakeSearch::ending(Ok(Answer { depth, ..said })).taking(ms(100))
    });
    let never = ControlReceiver::never();
    grow(&job, &mut place.store, &mut engines, &never, &mut |_| {}).unwrap()
}

#[test]
fn run_until_its_move_holds_asks_flipping_leaves() {
    let mut place = Place::new();
    let once = Schedule::Once(Limit::Depth(1));
    let outcome = grow_until_it_holds(&mut place, RunLimits::default(), once);
    assert_eq!(outcome.ending, RunEnd::Settled);
    let checked = outcome.rechecked.unwrap();
    let row = &checked.note.row;
    assert_eq!((row.profile.limit, row.within), (Limit::Depth(3), 20));
    assert!(row.asked > 0 && row.at_least > 20 && row.state != RecheckState::Open);
    let analysis = place.store.analysis(outcome.analysis.unwrap()).unwrap().unwrap();
    assert_eq!((analysis.profile.limit, analysis.settled_depth), (Limit::Depth(1), Some(3)));
    is_proved(&place);
    let again = grow_until_it_holds(&mut place, RunLimits::default(), once);
    assert_eq!((again.searches, again.rechecked.unwrap().note), (0, checked.note));
}

#[test]
fn stages_have_half_of_the_limits_if_a_run_is_to_hold() {
    let mut place = Place::new();
    let limits = RunLimits { searches: Some(60), ..RunLimits::default() };
    let outcome = grow_until_it_holds(&mut place, limits, Schedule::REFINED);
    let row = &outcome.rechecked.as_ref().unwrap().note.row;
    assert!(row.asked > 0, "{row:?}");
    assert!(outcome.searches <= 60);
    let answers = place.store.analyses().unwrap().iter().map(|row| row.searches).sum::<u64>();
    assert!(answers <= 30, "{answers}");
    assert_eq!(row.profile.limit, Limit::Depth(12));
    // The tree had come to the end of its part, and its depth is not settled.
    assert_eq!(outcome.ending, RunEnd::Limit);
    is_proved(&place);
}

#[test]
fn each_of_many_roots_gets_an_equal_part_of_the_rest() {
    let mut place = Place::new();
    let job = |job| Job { until_holds: Some(60), schedule: Schedule::Once(Limit::Depth(1)), ..job };
    let jobs: Vec<Job> = batch(&["e4", "d4"]).jobs.into_iter().map(job).collect();
    let mut engines = FakeEngines::new(2, profile(), |FakeStart { search, limit, .. }| {
        let Limit::Depth(depth) = *limit else { panic!() };
        let said = if search.allowed().len() == 1 { off_by(search, 30) } else { answer(search) };
        FakeSearch::ending(Ok(Answer { depth, ..said })).taking(ms(100))
    });
    let queue = Queue { jobs, limits: RunLimits::default() };
    let never = ControlReceiver::never();
    let end = grow_all(&queue, &mut place, &mut engines, &never).unwrap();
    for outcome in &end.outcomes {
        let JobOutcome::Grown(grown) = outcome else { panic!("{outcome:?}") };
        let row = &grown.rechecked.as_ref().unwrap().note.row;
        assert_eq!((row.profile.limit, row.within), (Limit::Depth(3), 60));
        assert!(row.asked > 0 && row.state != RecheckState::Open, "{row:?}");
    }
    is_proved(&place);
}
