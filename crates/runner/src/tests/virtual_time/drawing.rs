//! Trees with another value of a draw: another analysis, which the memo answers as far as it can.

use super::playing::rows;
use super::{Log, Place, job, ms};
use crate::control::ControlReceiver;
use crate::job::{Job, TreePlan};
use crate::memo_only::grow_with_draw;
use crate::queue::grow;
use deepanalyze_core::chess::{DrawValue, Game, PositionKey};
use deepanalyze_store::{AnalysisId, NodeRow};
use deepanalyze_view::{load, verify};

/// Kings and a pawn: much repeats.
fn ending(draw: i64) -> Job {
    let game = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
    let tree = TreePlan { draw: DrawValue::new(draw).unwrap(), ..40.into() };
    Job { game, tree, depth: 4, look_ahead: false, ..job() }
}

fn run(place: &mut Place, log: &Log, job: &Job) -> AnalysisId {
    let mut engines = log.engines(3, ms(10));
    let never = ControlReceiver::never();
    grow(job, &mut place.store, &mut engines, &never, &mut |_| {}).unwrap().analysis.unwrap()
}

fn rows_of(place: &Place, id: AnalysisId) -> Vec<(PositionKey, NodeRow)> {
    rows(&load(&place.store, id).unwrap())
}

#[test]
fn memo_then_engines_grow_the_same_tree() {
    let (mut place, log) = (Place::new(), Log::default());
    let first = run(&mut place, &log, &ending(0));
    let searched = log.begun().len();
    let row = place.store.analysis(first).unwrap().unwrap();
    let draw = DrawValue::new(-30).unwrap();
    let other = grow_with_draw(&mut place.store, &row, draw).unwrap().unwrap();
    let kept = place.store.analysis(other).unwrap().unwrap();
    assert_eq!((kept.settings.draw, kept.settings.breadth), (draw, row.settings.breadth.clone()));
    assert!(kept.searches > 1 && log.begun().len() == searched, "no engine was asked");
    assert!(verify(&place.store, None, &mut |_| {}).unwrap().flaws.is_empty());
    // Again, it is the same one.
    assert_eq!(grow_with_draw(&mut place.store, &row, draw).unwrap(), Some(other));
    let mut fresh = Place::new();
    let (job, asked) = (ending(-30), Log::default());
    let whole = run(&mut fresh, &asked, &job);
    assert_eq!(run(&mut place, &log, &job), other);
    assert_eq!(rows_of(&place, other), rows_of(&fresh, whole));
    assert_ne!(rows_of(&place, other), rows_of(&place, first), "a draw matters here");
    let more = log.begun().len() - searched;
    assert!(more < asked.begun().len(), "{more} of {} searches", asked.begun().len());
}

#[test]
fn empty_memo_makes_no_other_tree() {
    let (mut place, log) = (Place::new(), Log::default());
    let id = run(&mut place, &log, &ending(0));
    let row = place.store.analysis(id).unwrap().unwrap();
    let mut empty = Place::new();
    assert_eq!(grow_with_draw(&mut empty.store, &row, DrawValue::new(5).unwrap()).unwrap(), None);
    assert!(empty.store.analyses().unwrap().is_empty());
}
