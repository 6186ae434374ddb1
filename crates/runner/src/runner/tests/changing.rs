//! Adding roots to the agenda, moving and removing them.

use super::*;
use deepanalyze_core::chess::{PositionKey, parse_uci};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisKey, RootOrigin, StoreError};

fn ids(agenda: &Runner) -> Vec<AnalysisId> {
    agenda.entries().into_iter().map(|entry| entry.id).collect()
}

#[test]
fn a_root_that_is_added_twice_is_one() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let first = added(&agenda, &root(TWO_ROOKS)).unwrap();
    let again = agenda.add(&root(TWO_ROOKS), &amended(Some(9), Some(5))).unwrap();
    assert_eq!((first.is_new, again.is_new, first.id), (true, false, again.id));
    let entry = agenda.entry(first.id).unwrap();
    assert_eq!((entry.weight, entry.depth, entry.state), (9, 5, EntryState::Paused));
    assert_eq!(ids(&agenda).len(), 1);
    let kept = place.store().agenda().unwrap();
    assert_eq!((kept.len(), kept[0].weight, kept[0].growing), (1, 9, false));
    added(&agenda, &root(TWO_ROOKS)).unwrap();
    let entry = agenda.entry(first.id).unwrap();
    assert_eq!((entry.weight, entry.depth), (9, 5), "nobody has said anything of them");
}

#[test]
fn stored_root_takes_the_depth_given() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let mut store = place.store();
    let ids = [TWO_ROOKS, ONE_ROOK].map(|fen| {
        let profile = store.profile_id(&profile()).unwrap();
        let key = AnalysisKey { game: &game(fen), profile, settings: &8.into() };
        let id = store.open_analysis(key).unwrap();
        store.aim(id, 10).unwrap();
        id
    });
    let said = [(TWO_ROOKS, amended(Some(3), Some(14))), (ONE_ROOK, Amendment::default())];
    let added = said.map(|(fen, said)| agenda.add(&root(fen), &said).unwrap());
    assert_eq!(added.map(|added| (added.id, added.is_new)), ids.map(|id| (id, false)));
    let entries = agenda.entries();
    let said: Vec<_> = entries.iter().map(|entry| (entry.depth, entry.weight)).collect();
    assert_eq!(said, [(14, 3), (10, 1)]);
    assert_eq!(ids.map(|id| store.analysis(id).unwrap().unwrap().target_depth), [14, 10]);
}

#[test]
fn root_with_stages_begins_with_the_first() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let once = |depth| Schedule::Once(Limit::Depth(depth));
    let add = |schedule| added(&agenda, &Job { schedule, ..root(TWO_ROOKS) }).unwrap();
    let deep = add(once(18));
    agenda.set_depth(deep.id, 7).unwrap();
    let staged = add(Schedule::REFINED);
    assert!(staged.id != deep.id && !staged.is_new);
    let entry = &agenda.entries()[0];
    assert_eq!((entry.id, entry.stages, ids(&agenda).len()), (staged.id, true, 1));
    assert_eq!(entry.depth, 7, "nobody has said another");
    assert_eq!(add(once(18)).id, staged.id, "it is a stage of that root");
    assert!(agenda.entries()[0].stages);
    assert_eq!(agenda.root_of(deep.id).unwrap(), staged.id);
    let kept: Vec<_> = place.store().agenda().unwrap();
    assert_eq!(kept.iter().map(|row| row.analysis).collect::<Vec<_>>(), [staged.id]);
}

#[test]
fn root_after_a_move_copies_directives_of_the_game() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let first = root("startpos");
    added(&agenda, &first).unwrap();
    let mut after = first.game.clone();
    after.play_line("e4 e5").unwrap();
    let said = Directive::Exclude(parse_uci("b1a3").unwrap());
    let direct = |set: &mut Directives| {
        set.put(PositionKey::of(after.root()), said.clone());
        Ok::<(), StoreError>(())
    };
    place.store().change_directives(&first.game, direct).unwrap();
    let mut aside = first.game.clone();
    aside.play_line("e4 c5").unwrap();
    for origin in [RootOrigin::Study, RootOrigin::WRITTEN_GAME] {
        let study = Job { game: aside.clone(), origin, ..first.clone() };
        assert_eq!(
            added(&agenda, &study).unwrap().copied,
            None,
            "the first position is of every game"
        );
        assert!(place.store().directives(&aside).unwrap().is_empty());
        place.store().delete_analyses(&ids(&agenda)[1..]).unwrap();
    }
    let origin = RootOrigin::Game { since: 0 };
    let next = added(&agenda, &Job { game: after.clone(), origin, ..first }).unwrap();
    assert_eq!((next.is_new, next.copied), (true, Some((1, 2))));
    assert_eq!(place.store().directives(&after).unwrap().len(), 1);
}

#[test]
fn a_root_is_moved_and_stays_where_it_was_put() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let [one, two, three] =
        [TWO_ROOKS, ONE_ROOK, NO_ROOKS].map(|fen| added(&agenda, &root(fen)).unwrap().id);
    let move_before =
        |id, before| agenda.amend(id, &Amendment { before: Some(before), ..Amendment::default() });
    move_before(three, Some(one)).unwrap();
    assert_eq!(ids(&agenda), [three, one, two]);
    move_before(one, None).unwrap();
    assert_eq!(ids(&agenda), [three, two, one]);
    move_before(two, Some(two)).unwrap();
    let unknown = move_before(two, Some(AnalysisId(99)));
    assert!(matches!(unknown, Err(RunnerError::Unknown(AnalysisId(99)))));
    agenda.end();
    assert_eq!(ids(&place.agenda(1, MS)), [three, two, one]);
}

#[test]
fn what_cannot_be_analysed_here_is_refused() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let mated = root("7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    let words = |error: RunnerError| error.to_string();
    assert_eq!(
        added(&agenda, &mated).map_err(words),
        Err("the game is over: checkmate".to_owned())
    );
    for weight in [0, 101] {
        let refused = agenda.add(&root(TWO_ROOKS), &amended(Some(weight), None));
        assert!(matches!(refused, Err(RunnerError::Weight(_))));
    }
    let mut store = place.store();
    let other = Profile { engine: "Another".to_owned(), ..profile() };
    let profile = store.profile_id(&other).unwrap();
    let game = game(TWO_ROOKS);
    let key = deepanalyze_store::AnalysisKey { game: &game, profile, settings: &8.into() };
    let foreign = store.open_analysis(key).unwrap();
    let refused = agenda.grow(foreign).map_err(words).unwrap_err();
    assert_eq!(refused, "it was analysed with Another; the engine here is Made up");
    assert!(matches!(agenda.pause(AnalysisId(99)), Err(RunnerError::Unknown(_))));
    assert!(agenda.entries().is_empty());
}

#[test]
fn a_removed_root_leaves_its_answers_and_the_others() {
    let place = Place::new();
    let planned = place.plan(&[(TWO_ROOKS, 1, 30), (ONE_ROOK, 1, 3)]);
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, |entries| matches!(entries[1].state, EntryState::Done(_)));
    agenda.remove(planned[0]).unwrap();
    assert_eq!(ids(&agenda), [planned[1]]);
    agenda.end();
    let mut store = place.store();
    assert_eq!(store.analysis(planned[0]).unwrap(), None);
    assert_eq!(store.agenda().unwrap().len(), 1);
    let profile = store.profile_id(&profile()).unwrap();
    let answer = store.answer(profile, game(TWO_ROOKS).root(), 0).unwrap();
    assert!(answer.is_some(), "its answers are gone");
    assert_eq!(tree(&place, ONE_ROOK), lone_tree(ONE_ROOK, 3));
}

#[test]
fn slow_end_of_a_run_delays_only_its_own_root() {
    let place = Place::new();
    let planned = place.plan(&[(TWO_ROOKS, 1, 30), (ONE_ROOK, 1, 30)]);
    let (gate, opened) = crossbeam_channel::bounded::<()>(0);
    let mut script = taking(10 * MS);
    // The engines' thread stands still, and with it the clock by which the run ends.
    let agenda = place.agenda_with(
        2,
        move |start| {
            let _ = opened.recv();
            script(start)
        },
        Vec::new(),
    );
    std::thread::scope(|scope| {
        let removed = scope.spawn(|| agenda.remove(planned[0]));
        while !agenda.shared().state().item(planned[0]).unwrap().is_leaving {
            std::thread::yield_now();
        }
        agenda.pause(planned[1]).unwrap();
        let added = scope.spawn(|| added(&agenda, &root(TWO_ROOKS)));
        assert!(!removed.is_finished(), "its run cannot have ended");
        drop(gate);
        removed.join().unwrap().unwrap();
        assert!(added.join().unwrap().unwrap().is_new);
    });
    agenda.end();
    assert_eq!(states(&agenda), [EntryState::Paused, EntryState::Paused]);
}

#[test]
fn a_root_that_is_done_goes_on_when_more_is_wanted() {
    let place = Place::new();
    let id = place.plan(&[(TWO_ROOKS, 1, 1)])[0];
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, all_done);
    agenda.set_depth(id, 3).unwrap();
    wait_until(&agenda, |entries| entries[0].runs == 2 && all_done(entries));
    assert_eq!(agenda.entries()[0].depth, 3);
    agenda.end();
    assert_eq!(tree(&place, TWO_ROOKS), lone_tree(TWO_ROOKS, 3));
}

#[test]
fn stored_root_joins_the_agenda_to_grow() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let mut store = place.store();
    let profile = store.profile_id(&profile()).unwrap();
    let game = game(TWO_ROOKS);
    let key = deepanalyze_store::AnalysisKey { game: &game, profile, settings: &8.into() };
    let id = store.open_analysis(key).unwrap();
    store.aim(id, 2).unwrap();
    agenda.grow(id).unwrap();
    wait_until(&agenda, |entries| !entries.is_empty() && all_done(entries));
    agenda.end();
    assert_eq!(tree(&place, TWO_ROOKS), lone_tree(TWO_ROOKS, 2));
    assert_eq!(place.store().agenda().unwrap()[0].analysis, id);
}

#[test]
fn a_directive_wakes_all_done_roots_of_its_game() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let wider = Job { tree: 60.into(), ..root(TWO_ROOKS) };
    let both = [root(TWO_ROOKS), wider].map(|new| added(&agenda, &new).unwrap().id);
    both.iter().for_each(|id| agenda.grow(*id).unwrap());
    wait_until(&agenda, all_done);
    let game = game(TWO_ROOKS);
    let key = PositionKey::of(game.root());
    let direct = |change: &dyn Fn(&mut Directives)| {
        let change = |set: &mut Directives| {
            change(set);
            Ok::<(), RunnerError>(())
        };
        let mut changed = agenda.direct(|store| store.change_directives(&game, change)).unwrap();
        changed.affected.sort();
        changed.affected
    };
    let follow = |runs: u64| {
        let again = |entries: &[RootEntry]| entries.iter().all(|entry| entry.runs == runs);
        wait_until(&agenda, |entries| again(entries) && all_done(entries));
        let (store, said) = (place.store(), place.store().directives(&game).unwrap().of_tree());
        both.iter().for_each(|id| assert_eq!(store.grown_with(*id).unwrap(), said));
    };
    let excluded = parse_uci("a2a3").unwrap();
    assert_eq!(direct(&|set| set.put(key, Directive::Note("nothing new".to_owned()))), []);
    follow(1);
    assert_eq!(direct(&|set| set.put(key, Directive::Exclude(excluded))), both);
    follow(2);
    assert_eq!(direct(&|set| _ = set.undo_move(&key, excluded)), both);
    follow(3);
}
