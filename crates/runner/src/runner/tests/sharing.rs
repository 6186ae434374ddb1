//! Sharing of engines.

use std::sync::OnceLock;

use super::*;

#[test]
fn engine_time_follows_weights_under_full_load() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 30), (ONE_ROOK, 3, 30)]);
    let cell: Arc<OnceLock<Runner>> = Arc::default();
    let there = Arc::clone(&cell);
    let pause_all = Box::new(move || {
        let agenda = there.wait();
        ids.iter().for_each(|id| agenda.pause(*id).unwrap());
    });
    let agenda = place.agenda_with(2, taking(10 * MS), vec![(3000 * MS, pause_all)]);
    cell.set(agenda.clone()).unwrap();
    wait_until(&agenda, |entries| entries.iter().all(|one| one.state == EntryState::Paused));
    agenda.end();
    let [one, other] = [2, 1].map(|rooks| place.log.times_of(rooks).len());
    assert_eq!(one + other, place.log.begun().len());
    assert!(one + other >= 590, "an engine was idle: {one} and {other}");
    assert!((130..170).contains(&one), "{one} of {}", one + other);
}

#[test]
fn an_engine_that_one_root_leaves_idle_serves_another() {
    let place = Place::new();
    place.plan(&[(TWO_ROOKS, 1, 1), (ONE_ROOK, 1, 3)]);
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, all_done);
    agenda.end();
    let first = place.log.times_of(2);
    let times = place.log.times_of(1);
    // The tree's last moves come one after the other.
    let after: Vec<_> = times.iter().filter(|time| **time > *first.last().unwrap()).collect();
    let moments = after.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert!(moments * 3 < after.len() * 2, "{moments} moments of {}", after.len());
}

#[test]
fn trees_growing_side_by_side_are_those_of_lone_runs() {
    let place = Place::new();
    let roots = [(TWO_ROOKS, 1, 2), (ONE_ROOK, 5, 3), (NO_ROOKS, 2, 2)];
    place.plan(&roots);
    let agenda = place.agenda(3, 10 * MS);
    wait_until(&agenda, all_done);
    agenda.end();
    for (fen, _, depth) in roots {
        let (right, found) = (lone_tree(fen, depth), tree(&place, fen));
        assert!(right.0.len() > 3 && found == right, "{fen}\n{right:?}\n{found:?}");
    }
}

#[test]
fn engine_states_name_the_root_they_work_for() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 4), (ONE_ROOK, 1, 4)]);
    let cell: Arc<OnceLock<Runner>> = Arc::default();
    let (there, seen) = (Arc::clone(&cell), Arc::new(Mutex::new(Vec::new())));
    let sees = Arc::clone(&seen);
    let look = Box::new(move || {
        let states = there.wait().engines();
        let engines = states.engines.into_iter();
        *sees.lock().unwrap() = engines
            .map(|engine| (engine.number, engine.searching.map(|searching| searching.run.0)))
            .collect();
    });
    let agenda = place.agenda_with(2, taking(10 * MS), vec![(25 * MS, look)]);
    cell.set(agenda.clone()).unwrap();
    wait_until(&agenda, |_| agenda.engines().searches > 8);
    agenda.end();
    let mut seen = seen.lock().unwrap().clone();
    assert_eq!(seen.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2]);
    seen.sort_by_key(|(_, run)| *run);
    assert_eq!(
        seen.iter().map(|(_, run)| *run).collect::<Vec<_>>(),
        [Some(ids[0].0), Some(ids[1].0)]
    );
    let states = agenda.engines();
    assert_eq!(states.searches, place.log.begun().len() as u64);
    assert!(states.engines.iter().all(|engine| engine.searching.is_none()));
}
