//! In which order a pass is searched.

use std::collections::HashSet;

use super::{Log, Place, ms, plan};
use crate::control::ControlReceiver;
use crate::grow::{Plan, RunOutcome};
use crate::made_up::Deaf;
use crate::pass::PassOrder;
use crate::stages::grow;
use deepanalyze_core::chess::epd_of;

/// What a run came to, and its searches one by one.
fn run(order: PassOrder, engines: usize) -> (RunOutcome, Vec<String>) {
    let (mut place, log) = (Place::new(), Log::default());
    let plan = Plan { order, look_ahead: engines > 1, ..plan() };
    let mut engines = log.engines(engines, ms(10));
    let never = ControlReceiver::never();
    let outcome = grow(&plan, &mut place.store, &mut engines, &never, &mut Deaf).unwrap();
    let name = |(_, search): &super::Begun| {
        format!("{} {}", epd_of(&search.position), search.excluded.len())
    };
    (outcome, log.begun().iter().map(name).collect())
}

#[test]
fn the_order_within_passes_changes_which_searches_come_first_and_nothing_else() {
    let (visit, as_visited) = run(PassOrder::Visit, 1);
    let (setback, by_setback) = run(PassOrder::Setback, 1);
    assert_ne!(as_visited, by_setback);
    let all = |searches: &[String]| searches.iter().cloned().collect::<HashSet<String>>();
    assert_eq!(all(&as_visited), all(&by_setback));
    let (several, _) = run(PassOrder::Setback, 4);
    for other in [&setback, &several] {
        assert_eq!((&visit.best, visit.second.as_ref()), (&other.best, other.second.as_ref()));
        let tree = |of: &RunOutcome| (of.admitted, of.positions, of.settled_depth);
        assert_eq!(tree(&visit), tree(other));
    }
}
