//! Roots added to the agenda by another program.

use super::*;
use crate::runner::enqueue;

#[test]
fn root_added_by_another_program_grows() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let added = enqueue(&mut place.store(), &profile(), &root(ONE_ROOK)).unwrap().unwrap();
    assert!(added.is_new && agenda.entries().is_empty());
    agenda.take_up().unwrap();
    agenda.take_up().unwrap();
    wait_until(&agenda, all_done);
    let entries = agenda.entries();
    assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [added.id]);
    assert_eq!(tree(&place, ONE_ROOK), lone_tree(ONE_ROOK, 2));
    agenda.end();
    agenda.take_up().unwrap();
    assert_eq!(agenda.entries().len(), 1);
}

#[test]
fn position_analysed_on_the_agenda_is_not_added() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let mut store = place.store();
    let added = enqueue(&mut store, &profile(), &root(ONE_ROOK)).unwrap().unwrap();
    assert_eq!(enqueue(&mut store, &profile(), &root(ONE_ROOK)).unwrap(), None, "it is there");
    agenda.take_up().unwrap();
    wait_until(&agenda, all_done);
    let start = game(ONE_ROOK);
    let mut reached = 0;
    for m in shakmaty::Position::legal_moves(start.root()) {
        let mut game = start.clone();
        game.play(m);
        let is_known = store.has_node(added.id, game.root()).unwrap();
        let put = enqueue(&mut store, &profile(), &Job { game, ..root(ONE_ROOK) }).unwrap();
        assert_eq!(put.is_none(), is_known, "{m}");
        reached += usize::from(is_known);
    }
    assert!(reached > 0);
    assert!(enqueue(&mut store, &profile(), &root(NO_ROOKS)).unwrap().is_some());
    let over = enqueue(&mut store, &profile(), &root("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    assert!(matches!(over, Err(RunnerError::Over(_))));
}
