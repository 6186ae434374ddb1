//! A second engine's look at the root behind a closing search.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::closing::{Long, Told, engines, kept, obeys, run, said, staged};
use super::{Place, job, ms};
use crate::closing::{ClosingLimit, ClosingPlan};
use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::job::Job;
use crate::outcome::RunEnd;
use crate::recheck::{RecheckPlan, RecheckRoot, RootRecheck, recheck};
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::{Score, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Profile};
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, LongEnd, Reason};
use deepanalyze_store::ClosingRow;
use deepanalyze_view::{Verdict, load};
use shakmaty::uci::UciMove;

/// Puts a second engine beside the others, whose looks end by `end`; with those that it begins.
fn beside(
    first: &mut FakeEngines,
    mut end: impl FnMut(&FakeStart) -> FakeSearch + 'static,
) -> Long {
    let long = Long::default();
    let begun = Rc::clone(&long);
    let profile = Profile { engine: "Second".to_owned(), ..profile() };
    first.put_beside(profile, move |start| {
        begun.borrow_mut().push(start.clone());
        end(start)
    });
    long
}

/// Prefers the last legal move that is not excluded, with this score, and takes all of its time.
fn contrary(start: &FakeStart) -> FakeSearch {
    let moves = legal_uci(&start.search.position);
    let last = moves.into_iter().rfind(|uci| !start.search.excluded.contains(uci)).unwrap();
    let answer = Answer { best: last, pv: vec![last], score: Score::Cp(-5), ..said(start, 70) };
    FakeSearch::ending(Ok(answer)).taking(start.left.unwrap_or(ms(500)))
}

/// Prefers the closing search's move.
fn like_minded(start: &FakeStart) -> FakeSearch {
    FakeSearch::ending(Ok(said(start, 70))).taking(start.left.unwrap_or(ms(500)))
}

/// The looks of the newest closing search: the move, and whether it was the only one.
fn looks(rows: &[ClosingRow]) -> Vec<(UciMove, bool)> {
    let looks = &rows.last().unwrap().looks;
    let mut looks: Vec<_> =
        looks.iter().map(|look| (look.answer.best, look.only.is_some())).collect();
    looks.sort_by_key(|(_, is_only)| *is_only);
    looks
}

fn verdict(place: &Place, job: &Job) -> Verdict {
    let rows = place.store.analyses_of(&job.game).unwrap();
    load(&place.store, rows.last().unwrap().id).unwrap().verdict().unwrap()
}

fn halves() -> Job {
    staged(ClosingPlan::SecondHalf, Some(ms(24_000)))
}

#[test]
fn look_is_taken_from_the_closing_searchs_time() {
    let (mut place, (mut all, closing)) = (Place::new(), engines(2, obeys));
    let begun = beside(&mut all, like_minded);
    let (outcome, told) = run(&mut place, &halves(), &mut all);
    assert_eq!(told, [Told::Closed]);
    // Of 12 seconds a sixth for a look at all moves, and half as much for one alone, which is not needed.
    let ends = closing.borrow().iter().map(|start| start.at + start.left.unwrap()).max();
    assert_eq!(ends, Some(ms(21_000)));
    let begun = begun.borrow();
    assert_eq!((begun.len(), begun[0].left), (1, Some(ms(2_000))));
    assert!(begun[0].search.excluded.is_empty());
    assert_eq!(all.elapsed(), ms(23_000));
    let rows = kept(&place.store, &outcome);
    let told = verdict(&place, &halves());
    assert_eq!(looks(&rows), [(told.best(), false)]);
    let second = told.second.unwrap();
    assert!(second.agree && second.engine == "Second", "{second:?}");
}

#[test]
fn engine_that_differs_scores_the_verdicts_move_too() {
    let (mut place, (mut all, _)) = (Place::new(), engines(2, obeys));
    let begun = beside(&mut all, contrary);
    let (outcome, _) = run(&mut place, &halves(), &mut all);
    let told = verdict(&place, &halves());
    let second = told.second.clone().unwrap();
    assert!(!second.agree && second.score_of_verdict == Some(Score::Cp(-5)), "{second:?}");
    let rows = kept(&place.store, &outcome);
    assert_eq!(looks(&rows), [(second.named.uci, false), (told.best(), true)]);
    let times: Vec<_> = begun.borrow().iter().map(|start| start.left).collect();
    assert_eq!(times, [Some(ms(2_000)), Some(ms(1_000))]);
    assert_eq!(all.elapsed(), ms(24_000));
    // The next tree follows its move.
    let more = Job { limits: Default::default(), closing: ClosingPlan::None, ..job() };
    let more = Job { schedule: halves().schedule, depth: 1, ..more };
    run(&mut place, &more, &mut engines(2, obeys).0);
    let rows = place.store.analyses_of(&more.game).unwrap();
    assert!(rows.iter().any(|row| row.found.contains(&second.named.uci)), "{rows:?}");
}

#[test]
fn to_a_limit_a_quarter_of_the_nodes_decides() {
    let (mut place, (mut all, _)) = (Place::new(), engines(2, obeys));
    let begun = beside(&mut all, contrary);
    let limit = ClosingLimit::Search(Limit::Nodes(900));
    let asked = Job { closing: ClosingPlan::Asked(limit), ..job() };
    let (outcome, _) = run(&mut place, &asked, &mut all);
    assert_eq!(outcome.closing.unwrap().nodes, 1800);
    let ends: Vec<_> = begun.borrow().iter().map(|start| start.long.clone().unwrap()).collect();
    let ends: Vec<_> = ends.iter().map(|long| (long.end, long.threads)).collect();
    let nodes = |nodes| (LongEnd::At(Limit::Nodes(nodes)), 1);
    assert_eq!(ends, [nodes(450), nodes(225)]);
    // The answers that were made up have fewer nodes, and are asked for again.
    run(&mut place, &asked, &mut all);
    assert_eq!(begun.borrow().len(), 4);
    let diligent = |start: &FakeStart| {
        let made = contrary(start);
        let answer = made.end.clone().map(|answer| Answer { nodes: 450, ..answer });
        FakeSearch { end: answer, ..made }
    };
    for searches in [2, 0] {
        let begun = beside(&mut all, diligent);
        run(&mut place, &asked, &mut all);
        assert_eq!(begun.borrow().len(), searches, "an answer to the limit is there once");
    }
}

#[test]
fn set_time_leaves_the_closing_search_half() {
    for (set, closing, own) in [(400, 23_400, 400), (60_000, 18_000, 4_000)] {
        let (mut place, (mut all, long)) = (Place::new(), engines(2, obeys));
        let begun = beside(&mut all, like_minded);
        let job = Job { second_time: Some(ms(set)), ..halves() };
        run(&mut place, &job, &mut all);
        let ends = long.borrow().iter().map(|start| start.at + start.left.unwrap()).max();
        assert_eq!(ends.map(|at| at.as_millis()), Some(closing), "{set}");
        assert_eq!(begun.borrow()[0].left.map(|left| left.as_millis()), Some(own), "{set}");
    }
}

/// Runs with a second engine whose looks end like this: it is named, and changes nothing.
fn is_left_out(end: impl FnMut(&FakeStart) -> FakeSearch + 'static) {
    let (mut place, (mut all, _)) = (Place::new(), engines(2, obeys));
    beside(&mut all, end);
    let (outcome, told) = run(&mut place, &halves(), &mut all);
    let warns = |told: &Told| matches!(told, Told::Warning(why) if why.contains("\"Second\""));
    assert!(told.iter().any(warns) && told.contains(&Told::Closed), "{told:?}");
    assert!(all.elapsed() <= ms(24_000));
    assert!(looks(&kept(&place.store, &outcome)).is_empty());
    assert!(verdict(&place, &halves()).second.is_none());
}

#[test]
fn verdict_stands_without_a_second_engine_that_fails() {
    is_left_out(|_| {
        FakeSearch::ending(Err(EngineError::new("Second", Reason::Stopped))).taking(ms(10))
    });
    is_left_out(|start| contrary(start).taking(Duration::from_hours(9)));
}

#[test]
fn recheck_begins_with_the_engines_own_look() {
    let (mut place, (mut all, _)) = (Place::new(), engines(2, obeys));
    let limit = ClosingLimit::Search(Limit::Nodes(900));
    let asked = Job { closing: ClosingPlan::Asked(limit), ..job() };
    let (outcome, _) = run(&mut place, &asked, &mut all);
    let row = place.store.analysis(outcome.analysis.unwrap()).unwrap().unwrap();
    for searches in [1, 0] {
        let begun = Long::default();
        let log = Rc::clone(&begun);
        let other = Profile { engine: "Other".to_owned(), ..profile() };
        let mut others = FakeEngines::new(2, other, move |start| {
            if start.long.is_none() {
                return FakeSearch::ending(Ok(answer(&start.search))).taking(ms(50));
            }
            log.borrow_mut().push(start.clone());
            let made = contrary(start);
            FakeSearch { end: made.end.map(|answer| Answer { nodes: 450, ..answer }), ..made }
        });
        let plan = RecheckPlan {
            analyses: vec![RecheckRoot::of(row.clone(), profile().limit)],
            within: None,
            limits: RunLimits::default(),
        };
        let never = ControlReceiver::never();
        let done = recheck(&plan, &mut place.store, &mut others, &never, &mut |_| ()).unwrap();
        let ends: Vec<_> =
            begun.borrow().iter().map(|start| start.long.clone().unwrap().end).collect();
        assert_eq!(ends, vec![LongEnd::At(Limit::Nodes(450)); searches], "once, for a quarter");
        let RootRecheck::Checked(checked) = &done.roots[0] else { panic!("{done:?}") };
        let own = checked.note.own.as_ref().unwrap();
        assert!(own.engine == "Other" && own.nodes == 450 && !own.agree, "{own:?}");
    }
}

#[test]
fn recheck_of_several_loses_no_answer_to_a_look() {
    let mut place = Place::new();
    let limit = ClosingLimit::Search(Limit::Nodes(900));
    let mut roots = Vec::new();
    for distance in [8, 30] {
        let tree = distance.into();
        let asked = Job { closing: ClosingPlan::Asked(limit), tree, ..job() };
        let (outcome, _) = run(&mut place, &asked, &mut engines(2, obeys).0);
        let row = place.store.analysis(outcome.analysis.unwrap()).unwrap().unwrap();
        roots.push(RecheckRoot::of(row, profile().limit));
    }
    let other = Profile { engine: "Other".to_owned(), ..profile() };
    let answered = Rc::new(Cell::new(0));
    let count = Rc::clone(&answered);
    let mut others = FakeEngines::new(3, other.clone(), move |start| {
        if start.long.is_some() {
            return contrary(start);
        }
        count.set(count.get() + 1);
        FakeSearch::ending(Ok(answer(&start.search))).taking(ms(430))
    });
    let limits = RunLimits { time: Some(ms(7_000)), ..RunLimits::default() };
    let plan = RecheckPlan { analyses: roots, within: Some(300), limits };
    let never = ControlReceiver::never();
    let done = recheck(&plan, &mut place.store, &mut others, &never, &mut |_| ()).unwrap();
    for root in &done.roots {
        let RootRecheck::Checked(checked) = root else { panic!("{done:?}") };
        assert!(checked.note.own.is_some() && checked.note.row.asked > 0, "{checked:?}");
    }
    let id = place.store.find_profile(&Profile { limit: profile().limit, ..other }).unwrap();
    let stored: i64 = {
        let db = rusqlite::Connection::open(place.store.path()).unwrap();
        let sql = "SELECT count(*) FROM move_answer WHERE profile = ?1";
        db.query_row(sql, [id.unwrap().0], |row| row.get(0)).unwrap()
    };
    // Of the searches begun only those under way at the end of the time have no answer.
    assert!(answered.get() - stored <= 3, "{} begun, {stored} stored", answered.get());
}

#[test]
fn interrupted_look_ends_at_once() {
    let (mut place, (mut all, _)) = (Place::new(), engines(2, obeys));
    let (steer, control) = crate::control::control();
    let second = all.put_beside(profile(), contrary);
    second.at(ms(21_500), move || steer.end());
    let mut hear = |_| ();
    let outcome =
        crate::queue::grow(&halves(), &mut place.store, &mut all, &control, &mut hear).unwrap();
    assert!(all.elapsed() < ms(22_000), "{:?}", all.elapsed());
    assert_eq!(outcome.ending, RunEnd::Interrupted);
    assert!(looks(&kept(&place.store, &outcome)).is_empty());
    assert!(verdict(&place, &halves()).second.is_none());
}
