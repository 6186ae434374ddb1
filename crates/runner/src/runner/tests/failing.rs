//! Requests while the database fails, the run ends, or everything does.

use super::*;
use deepanalyze_core::chess::{PositionKey, parse_uci};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_store::StoreError;

/// Makes the database refuse such statements, until told otherwise.
fn refuse(place: &Place, statements: &str) {
    let db = rusqlite::Connection::open(place.file()).unwrap();
    let refuse = "BEGIN SELECT raise(ABORT, 'refused'); END";
    db.execute_batch(&format!("CREATE TRIGGER refused BEFORE {statements} {refuse}")).unwrap();
}

fn refuse_no_more(place: &Place) {
    let db = rusqlite::Connection::open(place.file()).unwrap();
    db.execute_batch("DROP TRIGGER refused").unwrap();
}

fn grows_again(agenda: &Runner) {
    wait_until(agenda, |entries| {
        entries[0].runs == 2
            && entries[0].state == EntryState::Growing
            && entries[0].snapshot.is_some()
    });
}

#[test]
fn a_root_that_cannot_be_deleted_grows_on() {
    let place = Place::new();
    let id = place.plan(&[(TWO_ROOKS, 1, 30)])[0];
    let agenda = place.agenda(2, 10 * MS);
    refuse(&place, "DELETE ON analysis");
    assert!(agenda.remove(id).is_err());
    grows_again(&agenda);
    refuse_no_more(&place);
    agenda.remove(id).unwrap();
    assert!(agenda.entries().is_empty());
}

#[test]
fn root_that_cannot_be_changed_grows_on() {
    let place = Place::new();
    let id = place.plan(&[(TWO_ROOKS, 1, 30)])[0];
    let agenda = place.agenda(2, 10 * MS);
    refuse(&place, "UPDATE ON agenda");
    let staged = || Job { schedule: Schedule::REFINED, ..root(TWO_ROOKS) };
    assert!(added(&agenda, &staged()).is_err());
    grows_again(&agenda);
    assert_eq!((agenda.entries()[0].id, agenda.entries()[0].depth), (id, 30));
    refuse_no_more(&place);
    let staged = added(&agenda, &staged()).unwrap();
    let entry = agenda.entry(staged.id).unwrap();
    assert_eq!((entry.stages, entry.depth), (true, 30));
}

#[test]
fn what_cannot_be_kept_is_not_changed() {
    let place = Place::new();
    let id = place.plan(&[(TWO_ROOKS, 2, 30)])[0];
    let agenda = place.agenda(2, 10 * MS);
    refuse(&place, "UPDATE ON agenda");
    assert!(agenda.pause(id).is_err());
    assert!(agenda.amend(id, &Amendment { weight: Some(7), ..Amendment::default() }).is_err());
    let entry = agenda.entry(id).unwrap();
    assert_eq!((entry.state, entry.weight), (EntryState::Growing, 2));
}

#[test]
fn no_run_begins_once_everything_ends() {
    let place = Place::new();
    let agenda = place.agenda(2, 10 * MS);
    let id = added(&agenda, &root(TWO_ROOKS)).unwrap().id;
    let mut state = agenda.shared().state();
    agenda.shared().crew.set_ending();
    state.standing(id).unwrap().wish.growing = true;
    agenda.shared().begin_wanted(&mut state, id).unwrap();
    drop(state);
    assert_eq!(agenda.entries()[0].runs, 0);
}

#[test]
fn directive_given_while_a_run_ends_is_followed() {
    let place = Place::new();
    let job = lone_job(TWO_ROOKS, 2);
    let mut engines = crate::tests::made_up::engines(3, |_| 10 * MS);
    let never = ControlReceiver::never();
    let outcome = grow(&job, &mut place.store(), &mut engines, &never, &mut |_| {}).unwrap();
    let agenda = place.agenda(2, 10 * MS);
    let id = added(&agenda, &root(TWO_ROOKS)).unwrap().id;
    agenda.shared().concluded(id, 2, &Ok(outcome.clone()));
    assert!(all_done(&agenda.entries()), "nobody has said anything");

    let direct = |set: &mut Directives| {
        let said = Directive::Exclude(parse_uci("a1b1").unwrap());
        set.put(PositionKey::of(game(TWO_ROOKS).root()), said);
        Ok::<(), StoreError>(())
    };
    place.store().change_directives(&game(TWO_ROOKS), direct).unwrap();
    agenda.shared().concluded(id, 2, &Ok(outcome));
    assert_eq!(states(&agenda), [EntryState::Paused]);
    agenda.grow(id).unwrap();
    wait_until(&agenda, all_done);
    assert_eq!(agenda.entries()[0].runs, 1);
    assert_eq!(place.store().grown_with(id).unwrap().len(), 1);
}
