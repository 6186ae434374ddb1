//! Runs that are paused, fail, end, and go on.

use std::sync::OnceLock;

use super::*;

/// A timed act on an agenda.
type Act = (Duration, Box<dyn FnOnce(&Runner) + Send>);

/// An agenda of the roots, after some timed acts.
fn acted(place: &Place, actions: Vec<Act>, takes: Duration) -> Runner {
    let cell: Arc<OnceLock<Runner>> = Arc::default();
    let action = |(time, act): Act| -> Action {
        let there = Arc::clone(&cell);
        (time, Box::new(move || act(there.wait())))
    };
    let agenda =
        place.agenda_with(2, taking(takes), actions.into_iter().map(action).collect::<Vec<_>>());
    cell.set(agenda.clone()).unwrap();
    agenda
}

#[test]
fn paused_root_starts_no_search_and_resumes_its_tree() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 3), (ONE_ROOK, 1, 9)]);
    let (first, second) = (ids[0], ids[1]);
    let agenda = acted(
        &place,
        vec![
            (105 * MS, Box::new(move |agenda: &Runner| agenda.pause(first).unwrap())),
            (1105 * MS, Box::new(move |agenda: &Runner| agenda.grow(first).unwrap())),
            (1505 * MS, Box::new(move |agenda: &Runner| agenda.pause(second).unwrap())),
        ],
        10 * MS,
    );
    wait_until(&agenda, |entries| {
        matches!(entries[0].state, EntryState::Done(_)) && entries[1].state == EntryState::Paused
    });
    assert_eq!(agenda.entries()[0].runs, 2);
    agenda.end();
    let times = place.log.times_of(2);
    assert!(
        times.iter().any(|time| *time < 105 * MS) && times.iter().any(|time| *time > 1105 * MS)
    );
    assert!(!times.iter().any(|time| (105 * MS..1105 * MS).contains(time)), "{times:?}");
    let others =
        place.log.times_of(1).into_iter().filter(|time| (105 * MS..1105 * MS).contains(time));
    assert!(others.count() >= 190, "an engine was idle");
    assert_eq!(tree(&place, TWO_ROOKS), lone_tree(TWO_ROOKS, 3));
}

#[test]
fn running_searches_of_a_paused_root_are_kept() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 2)]);
    let id = ids[0];
    let pause = Box::new(move |agenda: &Runner| agenda.pause(id).unwrap());
    let agenda = acted(&place, vec![(15_000 * MS, pause)], 10_000 * MS);
    let changes = agenda.subscribe();
    while agenda.engines().searches < place.log.begun().len() as u64
        || agenda.engines().searches < 2
    {
        assert!(changes.recv_timeout(Duration::from_secs(300)).is_ok());
    }
    agenda.end();
    let mut store = place.store();
    let profile = store.profile_id(&profile()).unwrap();
    let begun = place.log.begun();
    assert!(begun.iter().any(|start| start.at > MS), "nothing was under way");
    for FakeStart { search, .. } in begun {
        let kept = store.answer(profile, &search.position, search.excluded.len()).unwrap();
        assert!(kept.is_some(), "{search:?} is lost");
    }
}

#[test]
fn next_start_resumes_only_the_growing_roots() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 2, 3), (ONE_ROOK, 1, 1), (NO_ROOKS, 1, 3)]);
    let paused = ids[2];
    let agenda = place.agenda(2, 10 * MS);
    agenda.pause(paused).unwrap();
    wait_until(&agenda, |entries| {
        let searches =
            |entry: &RootEntry| entry.snapshot.as_ref().map_or(0, |s| s.progress.searches);
        matches!(entries[1].state, EntryState::Done(_)) && searches(&entries[0]) > 5
    });
    agenda.end();
    assert!(matches!(agenda.grow(paused), Err(RunnerError::Ending)));
    drop(agenda);

    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, |entries| matches!(entries[0].state, EntryState::Done(_)));
    let entries = agenda.entries();
    assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), ids);
    assert_eq!(entries[1].state, EntryState::Done("depth 1 is complete".to_owned()));
    assert_eq!((entries[1].runs, entries[2].runs), (0, 0));
    assert_eq!((entries[0].weight, &entries[2].state), (2, &EntryState::Paused));
    agenda.end();
    assert_eq!(tree(&place, TWO_ROOKS), lone_tree(TWO_ROOKS, 3));
}

#[test]
fn a_root_that_fails_leaves_the_others_alone() {
    let place = Place::new();
    place.plan(&[(TWO_ROOKS, 1, 3), (ONE_ROOK, 1, 3)]);
    let script = |start: &FakeStart| {
        use shakmaty::Position;
        let rooks = start.search.position.board().rooks().count();
        let fails = rooks == 2 && start.at > 50 * MS;
        if fails { gave_up(start) } else { said(start) }.taking(10 * MS)
    };
    let agenda = place.agenda_with(2, script, Vec::new());
    wait_until(&agenda, |entries| matches!(entries[1].state, EntryState::Done(_)));
    let failed = agenda.entries()[0].state.clone();
    assert!(matches!(&failed, EntryState::Failed(why) if why.contains("Made up")), "{failed:?}");
    agenda.end();
    assert_eq!(tree(&place, ONE_ROOK), lone_tree(ONE_ROOK, 3));
}

#[test]
fn engines_that_are_gone_fail_all_that_grow() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 3), (ONE_ROOK, 1, 3)]);
    let script = |start: &FakeStart| {
        assert!(start.at < 50 * MS, "a fault of the engines' thread");
        said(start).taking(10 * MS)
    };
    let agenda = place.agenda_with(2, script, Vec::new());
    let is_failed = |entry: &RootEntry| matches!(&entry.state, EntryState::Failed(why) if why.contains("a bug in deepanalyze"));
    wait_until(&agenda, |entries| entries.iter().all(is_failed));
    agenda.grow(ids[0]).unwrap();
    wait_until(&agenda, |entries| entries[0].runs == 2 && entries.iter().all(is_failed));
    agenda.end();
}

#[test]
fn a_root_that_another_process_grows_is_waited_for() {
    let place = Place::new();
    let ids = place.plan(&[(TWO_ROOKS, 1, 2)]);
    let lock = place.store().lock(ids[0]).unwrap();
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, |entries| {
        entries[0].runs > 1 && matches!(entries[0].state, EntryState::Elsewhere(_))
    });
    drop(lock);
    wait_until(&agenda, all_done);
    agenda.end();
    assert_eq!(tree(&place, TWO_ROOKS), lone_tree(TWO_ROOKS, 2));
}
