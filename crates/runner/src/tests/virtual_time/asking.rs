//! The position behind one move, searched with growing limits until the time is over.

use std::time::Duration;

use deepanalyze_core::search::Limit;
use deepanalyze_engine::{Engines, FakeEngines, FakeSearch};
use deepanalyze_view::MoveSearch;
use shakmaty::Chess;

use super::{Place, answer, ms, profile};
use crate::control::{ControlReceiver, control};
use crate::one_move::{PositionAsked, PositionEnd, search_position};

/// An engine for which each ply doubles the time: depth 1 takes 100 ms.
fn doubling() -> FakeEngines {
    FakeEngines::new(1, profile(), |start| {
        let Limit::Depth(depth) = start.limit else { panic!("{:?}", start.limit) };
        FakeSearch::ending(Ok(answer(&start.search))).taking(ms(100) * 2_u32.pow(depth - 1))
    })
}

fn ask(
    place: &mut Place,
    engines: &mut FakeEngines,
    control: &ControlReceiver,
    time: Duration,
) -> (u32, PositionEnd) {
    let (position, first) = (Chess::default(), Limit::Depth(1));
    let asked = PositionAsked { position, first, until: engines.now() + time };
    search_position(&mut place.store, engines, control, &asked).unwrap()
}

fn kept_depth(place: &Place) -> Option<Limit> {
    let kept = MoveSearch::kept(&place.store, &profile(), &Chess::default()).unwrap();
    kept.map(|kept| kept.source.limit)
}

#[test]
fn searches_go_deeper_while_time_lasts() {
    let (mut place, mut engines) = (Place::new(), doubling());
    let began = engines.now();
    let (stored, end) = ask(&mut place, &mut engines, &ControlReceiver::never(), ms(1000));
    assert!(matches!(end, PositionEnd::Time));
    assert_eq!((stored, kept_depth(&place)), (3, Some(Limit::Depth(3))));
    assert_eq!(engines.now() - began, ms(700), "depth 4 would end after 1500 ms");
}

#[test]
fn a_search_that_is_cut_off_stores_nothing() {
    let (mut place, mut engines) = (Place::new(), doubling());
    let began = engines.now();
    let (stored, end) = ask(&mut place, &mut engines, &ControlReceiver::never(), ms(60));
    assert!(matches!(end, PositionEnd::Time));
    assert_eq!((stored, kept_depth(&place)), (0, None));
    assert_eq!(engines.now() - began, ms(60));
}

#[test]
fn a_request_to_end_ends_it() {
    let (mut place, mut engines) = (Place::new(), doubling());
    let (sender, receiver) = control();
    sender.end();
    let (stored, end) = ask(&mut place, &mut engines, &receiver, ms(1000));
    assert!(matches!(end, PositionEnd::Interrupted));
    assert_eq!(stored, 0);
}
