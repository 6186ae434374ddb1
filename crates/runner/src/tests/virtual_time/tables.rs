//! Runs that use tablebases.

use std::sync::{Arc, Mutex};

use super::{Log, Place, job, lost, ms};
use crate::control::{ControlReceiver, control};
use crate::facts::{SlowDisk, TableUse};
use crate::job::{Job, TreePlan};
use crate::queue::grow;
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::{FiftyMoves, Game, GivenValue, PositionKey, TableFiles, Wdl};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_store::{AnalysisId, NewFact, StoreError};
use deepanalyze_view::{StoredTree, load, verify};

/// Four men; captures and promotions lead to three.
const ROOT: &str = "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1";
/// White has taken, which leads to three men.
const TAKEN: &str = "exd5";

fn tables() -> TableUse {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
    let files = TableFiles::find(&[folder.into()]).unwrap();
    TableUse::new(Arc::new(files), FiftyMoves::Fide)
}

fn root() -> Game {
    Game::from_start(ROOT).unwrap()
}

fn with(tables: TableUse) -> Job {
    let tree = TreePlan { tables: Some(tables), ..400.into() };
    Job { game: root(), tree, depth: 3, ..job() }
}

fn finish(place: &mut Place, job: &Job, engines: &mut FakeEngines, control: &ControlReceiver) {
    grow(job, &mut place.store, engines, control, &mut |_| {}).unwrap();
}

/// Grows a tree with tables read at once.
fn grown(place: &mut Place) -> StoredTree {
    let log = Log::default();
    let mut engines = log.engines(2, ms(10));
    finish(place, &with(tables()), &mut engines, &ControlReceiver::never());
    load(&place.store, AnalysisId(1)).unwrap()
}

fn words(tree: &StoredTree) -> Vec<String> {
    let graph = tree.growth.graph();
    let word = |node| {
        let (key, list) = (tree.growth.position(node), graph.list(node).len());
        let (end, idea) = (graph.known(node), tree.growth.values().idea(node));
        format!("{} {list} {end:?} {idea:?}", deepanalyze_core::chess::epd_of(&key))
    };
    let mut words: Vec<String> = graph.nodes().map(word).collect();
    words.sort();
    words
}

#[test]
fn slow_disk_delays_no_engine_and_changes_no_tree() {
    let (mut place, mut quick) = (Place::new(), Place::new());
    let (disk, log) = (SlowDisk::default(), Log::default());
    let while_reading = Arc::new(Mutex::new(0));
    let (seen, reading, written) = (Arc::clone(&while_reading), disk.clone(), log.clone());
    let mut engines = FakeEngines::new(2, profile(), move |start| {
        *seen.lock().unwrap() += usize::from(reading.reading() > 0);
        written.0.borrow_mut().push((start.at, start.search.clone()));
        FakeSearch::ending(Ok(answer(&start.search))).taking(ms(10))
    });
    for second in 1..1000 {
        let disk = disk.clone();
        engines.at(ms(1000 * second), move || disk.give());
    }
    let (_steer, control) = control();
    let job = with(tables().on_slow_disk(disk));
    finish(&mut place, &job, &mut engines, &control);
    assert!(engines.elapsed() > ms(1000), "the disk was waited for: {:?}", engines.elapsed());
    assert!(*while_reading.lock().unwrap() > 0, "an engine is asked meanwhile");
    assert_eq!(lost(&mut place.store, &log), 0);
    let slow = load(&place.store, AnalysisId(1)).unwrap();
    assert_eq!(words(&slow), words(&grown(&mut quick)));
    let found = verify(&place.store, Some(&job.tree.tables.unwrap().files), &mut |_| {}).unwrap();
    assert_eq!((found.flaws, found.trees), (Vec::new(), 1));
}

fn say(place: &mut Place, line: &str, directive: Directive) -> Result<bool, StoreError> {
    let mut game = root();
    game.play_line(line).unwrap();
    let key = PositionKey::of(root().root());
    let said = place.store.change_directives(&root(), |set: &mut Directives| {
        set.add(&key, game.root(), directive).unwrap();
        Ok::<(), StoreError>(())
    });
    said.map(|changed| changed.before != changed.after)
}

#[test]
fn tables_refuse_value_and_stop_but_nothing_else() {
    let mut place = Place::new();
    grown(&mut place);
    for (directive, unknown) in
        [(Directive::Value(GivenValue::Centipawns(50)), "Kd3"), (Directive::Stop, "Kf3")]
    {
        let refused = say(&mut place, TAKEN, directive.clone()).unwrap_err();
        assert!(refused.to_string().contains("by the tablebases; it cannot be given"));
        assert!(say(&mut place, unknown, directive).unwrap());
    }
    assert!(say(&mut place, TAKEN, Directive::Note("drawn".to_owned())).unwrap());
    let said = place.store.directives(&root()).unwrap();
    let said = said.at(&PositionKey::of(&taken())).unwrap();
    assert!(said.value.is_none() && !said.stop);
}

#[test]
fn value_older_than_the_tables_can_be_restored() {
    let mut place = Place::new();
    assert!(say(&mut place, TAKEN, Directive::Value(GivenValue::Centipawns(50))).unwrap());
    let before = place.store.directives(&root()).unwrap();
    restore(&mut place, Directives::default());
    grown(&mut place);
    assert!(restore(&mut place, before.clone()));
    assert_eq!(place.store.directives(&root()).unwrap(), before);
}

fn restore(place: &mut Place, new: Directives) -> bool {
    let changed = place.store.restore_directives(&root(), |set| {
        *set = new;
        Ok::<(), StoreError>(())
    });
    changed.is_ok_and(|changed| changed.before != changed.after)
}

fn taken() -> shakmaty::Chess {
    let mut game = root();
    game.play_line(TAKEN).unwrap();
    game.root().clone()
}

#[test]
fn tables_override_an_earlier_value_and_stop() {
    let mut quick = Place::new();
    let right = words(&grown(&mut quick));
    for directive in [Directive::Value(GivenValue::Centipawns(50)), Directive::Stop] {
        let mut place = Place::new();
        assert!(say(&mut place, TAKEN, directive).unwrap());
        let tree = grown(&mut place);
        assert_eq!(words(&tree), right);
        let graph = tree.growth.graph();
        let node = tree.growth.find(&PositionKey::of(&taken())).unwrap();
        assert!(graph.known(node).is_some());
        assert!(graph.given(node).is_none() && !graph.is_stopped(node));
        let found = verify(&place.store, None, &mut |_| {}).unwrap();
        assert_eq!(found.flaws, Vec::<String>::new());
    }
}

/// The facts of the tree, those it was grown with from its root, and how often it was grown again.
fn rounds(place: &Place) -> (u64, u64, u64) {
    let row = load(&place.store, AnalysisId(1)).unwrap().tree.row;
    (row.fact_round, row.grown_round, row.regrown)
}

#[test]
fn facts_outside_a_tree_leave_its_results() {
    let (mut place, folder) = (Place::new(), tempfile::tempdir().unwrap());
    let all = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tables");
    let find = |name: &str| {
        std::fs::copy(format!("{all}/{name}"), folder.path().join(name)).unwrap();
        let files = TableFiles::find(&[folder.path().to_owned()]).unwrap();
        TableUse::new(Arc::new(files), FiftyMoves::Fide)
    };
    let log = Log::default();
    let grow = |place: &mut Place, tables: TableUse| {
        let mut engines = log.engines(2, ms(10));
        finish(place, &with(tables), &mut engines, &ControlReceiver::never());
        rounds(place)
    };
    let queens = find("KQvK.rtbw");
    let before = grow(&mut place, queens.clone());
    assert_eq!(before, (0, 0, 0));
    let unrelated = deepanalyze_core::chess::parse_fen("8/8/8/8/8/3k4/8/3KR3 b - -").unwrap();
    let fact = NewFact { position: unrelated.clone(), result: None };
    place.store.keep_facts(&[fact], 3, 0).unwrap();
    place.store.find_facts(&[(PositionKey::of(&unrelated), Wdl::Loss)], 3).unwrap();
    let later = grow(&mut place, queens);
    assert_eq!(later, (1, 0, 0));
    let pawns = find("KPvK.rtbw");
    pawns.look_again(&mut place.store, &ControlReceiver::never(), &mut |_| ()).unwrap();
    let regrown = grow(&mut place, pawns);
    assert_eq!(regrown, (2, 2, 1), "another tree, whatever its passes");
    let found = verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!(found.flaws, Vec::<String>::new());
}
