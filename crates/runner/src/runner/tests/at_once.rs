//! Work done at once on a root's tree, in place of growing.

use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::RecheckState;

use super::*;
use crate::runner::RecheckAsked;

/// A root that has a tree and is far from done.
fn begun(place: &Place) -> (Runner, AnalysisId) {
    let [id] = place.plan(&[(TWO_ROOKS, 1, FAR)])[..] else { panic!() };
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, |entries| {
        entries[0].snapshot.as_ref().is_some_and(|seen| seen.progress.depth > 1)
    });
    (agenda, id)
}

#[test]
fn immediate_closing_leaves_the_root_as_before() {
    for grows in [false, true] {
        let place = Place::new();
        let (agenda, id) = begun(&place);
        if !grows {
            agenda.pause(id).unwrap();
        }
        agenda.close(id, 60_000 * MS).unwrap();
        wait_until(&agenda, |entries| entries[0].runs >= 2 + u64::from(grows));
        let expected = if grows { EntryState::Growing } else { EntryState::Paused };
        wait_until(&agenda, |entries| *state(entries) == expected);
        let store = place.store();
        assert_eq!(store.closings_of(id).unwrap().len(), 1);
        assert_eq!(store.agenda().unwrap()[0].growing, grows);
        agenda.end();
    }
}

#[test]
fn pause_cancels_a_closing_search_not_begun() {
    let place = Place::new();
    let (agenda, id) = begun(&place);
    agenda.close(id, 60_000 * MS).unwrap();
    agenda.pause(id).unwrap();
    wait_until(&agenda, |entries| *state(entries) == EntryState::Paused);
    agenda.set_depth(id, 1).unwrap();
    agenda.grow(id).unwrap();
    wait_until(&agenda, all_done);
    assert!(place.store().closings_of(id).unwrap().is_empty());
    assert_eq!(agenda.entries()[0].runs, 2, "and none for it");
}

/// A recheck by searches of this depth.
fn deeper(analysis: AnalysisId, depth: u32) -> RecheckAsked {
    RecheckAsked { analysis, limit: Limit::Depth(depth), time: 60_000 * MS }
}

#[test]
fn immediate_recheck_leaves_the_root_as_before() {
    for grows in [false, true] {
        let place = Place::new();
        let (agenda, id) = begun(&place);
        if !grows {
            agenda.pause(id).unwrap();
        }
        agenda.recheck(deeper(id, 3)).unwrap();
        wait_until(&agenda, |entries| entries[0].runs >= 2 + u64::from(grows));
        let expected = if grows { EntryState::Growing } else { EntryState::Paused };
        wait_until(&agenda, |entries| *state(entries) == expected);
        let (store, engine) = (place.store(), profile());
        let [row] = &store.rechecks_of(id).unwrap()[..] else { panic!("{grows}") };
        assert_eq!(row.profile, Profile { limit: Limit::Depth(3), ..engine });
        assert!(row.asked > 0 && row.state != RecheckState::Open, "{row:?}");
        assert_eq!(store.agenda().unwrap()[0].growing, grows);
        agenda.end();
    }
}

#[test]
fn what_a_tree_is_made_of_is_not_asked_again() {
    let place = Place::new();
    let (agenda, id) = begun(&place);
    assert!(matches!(agenda.recheck(deeper(id, 1)), Err(RunnerError::OwnSearches)));
    let unknown = AnalysisId(99);
    assert!(
        matches!(agenda.recheck(deeper(unknown, 3)), Err(RunnerError::Unknown(id)) if id == unknown)
    );
}
