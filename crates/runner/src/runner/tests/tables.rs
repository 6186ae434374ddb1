//! Roots with and without tablebases on one agenda.

use super::*;
use deepanalyze_core::chess::{FiftyMoves, TableFiles, Tables};
use deepanalyze_store::{AnalysisKey, TreeSettings};

/// Captures and promotions lead to three men.
const FOUR_MEN: &str = "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1";

fn three_men() -> TableUse {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
    let files = TableFiles::find(&[folder.into()]).unwrap();
    TableUse::new(Arc::new(files), FiftyMoves::Fide)
}

/// A root whose tree uses an agenda's tables.
fn by_tables(agenda: &Runner, distance: u32) -> Job {
    let tree = agenda.tree(distance.into(), DrawValue::default(), None).unwrap();
    Job { tree, ..root(FOUR_MEN) }
}

/// An analysis of a root in the database with some tables.
fn analysis(place: &Place, tables: Option<Tables>) -> AnalysisId {
    let mut store = place.store();
    let (profile, game) = (store.profile_id(&profile()).unwrap(), game(FOUR_MEN));
    let key = AnalysisKey { game: &game, profile, settings: &TreeSettings { tables, ..8.into() } };
    let id = store.open_analysis(key).unwrap();
    store.aim(id, 2).unwrap();
    id
}

#[test]
fn done_root_grows_again_when_tables_have_come() {
    let (mut place, folder) = (Place::new(), tempfile::tempdir().unwrap());
    let all = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
    let copy = |name: &str| {
        std::fs::copy(format!("{all}/{name}"), folder.path().join(name)).unwrap();
    };
    let find = || {
        let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        TableUse::new(Arc::new(files), FiftyMoves::Fide)
    };
    copy("KQvK.rtbw");
    place.tables = Some(find());
    let agenda = place.agenda(2, 10 * MS);
    let new = by_tables(&agenda, 400);
    let added = added(&agenda, &new).unwrap().id;
    agenda.grow(added).unwrap();
    wait_until(&agenda, all_done);
    agenda.end();
    let round = |place: &Place| place.store().analysis(added).unwrap().unwrap().fact_round;
    assert_eq!(round(&place), 0);
    copy("KPvK.rtbw");
    let tables = find();
    let mut looked_up = 0;
    let mut say = |count| looked_up = count;
    tables.look_again(&mut place.store(), &ControlReceiver::never(), &mut say).unwrap();
    assert!(looked_up > 0);
    place.tables = Some(tables);
    let agenda = place.agenda(2, 10 * MS);
    wait_until(&agenda, |entries| all_done(entries) && round(&place) == 1);
    agenda.end();
    let found = deepanalyze_view::verify(&place.store(), None, &mut |_| {}).unwrap();
    assert_eq!(found.flaws, Vec::<String>::new());
}

#[test]
fn roots_keep_their_tables() {
    let (mut place, used) = (Place::new(), three_men());
    let iccf = Tables { men: 3, fifty: FiftyMoves::Iccf };
    let more = Tables { men: 5, ..used.tables };
    let [without, with] = [None, Some(iccf)].map(|tables| analysis(&place, tables));
    let too_many = analysis(&place, Some(more));
    place.tables = Some(used);
    let agenda = place.agenda(2, 10 * MS);
    let new = added(&agenda, &by_tables(&agenda, 8)).unwrap();
    assert!(new.is_new && ![without, with, too_many].contains(&new.id));
    agenda.grow(new.id).unwrap();
    agenda.grow(without).unwrap();
    agenda.grow(with).unwrap();
    let refused = agenda.grow(too_many).unwrap_err().to_string();
    let words = "it needs 5-piece tablebases, which are not here";
    assert_eq!(refused, words);
    wait_until(&agenda, |entries| entries.len() == 3 && all_done(entries));
    agenda.end();
    let store = place.store();
    let tables = |id| store.analysis(id).unwrap().unwrap().settings.tables;
    assert_eq!((tables(without), tables(with)), (None, Some(iccf)));
    assert_eq!(tables(new.id), place.tables.as_ref().map(|used| used.tables));
    let found = deepanalyze_view::verify(&store, None, &mut |_| {}).unwrap();
    assert_eq!(found.flaws, Vec::<String>::new());
}
