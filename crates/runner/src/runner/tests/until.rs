//! Until when roots grow, and their order.

use super::*;
use deepanalyze_store::{GrowsUntil, now};

#[test]
fn root_pauses_at_its_time_and_resumes_without_limit() {
    let place = Place::new();
    let [id] = place.plan(&[(TWO_ROOKS, 1, FAR)])[..] else { panic!() };
    let hour = 3_600_000;
    let mut store = place.store();
    let mut row = store.agenda().unwrap().remove(0);
    row.until.pause_at = Some(now() + hour);
    store.put_on_agenda(&row).unwrap();
    let agenda = place.agenda(2, 60_000 * MS);
    wait_until(&agenda, |entries| *state(entries) == EntryState::Paused);
    // A database request waits until that is kept.
    agenda.root_of(id).unwrap();
    let kept = place.store().agenda().unwrap().remove(0);
    assert_eq!((kept.growing, kept.until), (false, GrowsUntil::default()));
    let times = place.log.times_of(2);
    let last = times.last().unwrap();
    assert!(*last < 3_600_000 * MS && *last >= 3_400_000 * MS, "{last:?}");
    agenda.set_depth(id, 1).unwrap();
    agenda.grow(id).unwrap();
    wait_until(&agenda, all_done);
}

#[test]
fn time_set_while_growing_survives_another_depth() {
    let place = Place::new();
    let [id] = place.plan(&[(TWO_ROOKS, 1, FAR)])[..] else { panic!() };
    let agenda = place.agenda(2, 60_000 * MS);
    let pause_at = Some(now() + 3_600_000);
    agenda.grow_until(id, GrowsUntil { pause_at, stable: None }).unwrap();
    agenda.set_depth(id, FAR + 1).unwrap();
    wait_until(&agenda, |entries| *state(entries) == EntryState::Paused);
    assert_eq!(agenda.entries()[0].runs, 1, "it is the same run");
    assert_eq!(agenda.entries()[0].until, GrowsUntil::default());
}

#[test]
fn pause_due_while_away_is_kept() {
    let place = Place::new();
    place.plan(&[(TWO_ROOKS, 1, FAR)]);
    let mut store = place.store();
    let mut row = store.agenda().unwrap().remove(0);
    row.until.pause_at = Some(1);
    store.put_on_agenda(&row).unwrap();
    let agenda = place.agenda(2, 10 * MS);
    assert_eq!(states(&agenda), [EntryState::Paused]);
    assert!(place.log.begun().is_empty());
    assert!(!place.store().agenda().unwrap()[0].growing);
}

#[test]
fn stable_root_is_done_until_stability_is_no_goal() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let id = added(&agenda, &Job { schedule: Schedule::REFINED, ..root(TWO_ROOKS) }).unwrap().id;
    let stable = |stable| GrowsUntil { pause_at: None, stable };
    agenda.grow_until(id, stable(Some(1))).unwrap();
    agenda.grow(id).unwrap();
    wait_until(&agenda, all_done);
    let words = state(&agenda.entries()).message().unwrap().to_owned();
    assert!(words.starts_with("the best move is likely to stay: "), "{words}");
    agenda.grow_until(id, stable(None)).unwrap();
    wait_until(&agenda, |entries| state(entries).message().is_some_and(|other| *other != *words));
}

#[test]
fn few_roots_of_a_turn_grow_at_once_and_all_end() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let pawns = ["PPPPPPP1", "PPPPPP1P", "PPPPP1PP", "PPPP1PPP", "PPP1PPPP", "PP1PPPPP"];
    let ids = pawns.map(|pawns| {
        let fen = format!("4k3/pppppppp/8/8/8/8/{pawns}/4K3 w - - 0 1");
        let id = added(&agenda, &root(&fen)).unwrap().id;
        agenda.take_turns(id, Some(7)).unwrap();
        id
    });
    ids.iter().for_each(|id| agenda.grow(*id).unwrap());
    let has_run = |entry: &RootEntry| entry.runs > 0 && entry.state == EntryState::Growing;
    wait_until(&agenda, |entries| {
        let running = entries.iter().filter(|entry| has_run(entry)).count();
        assert!(running <= 4, "{running} at once");
        all_done(entries)
    });
    assert!(agenda.entries().iter().all(|entry| entry.runs == 1));
}
