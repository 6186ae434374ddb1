//! A reader of a growing tree reads its additions.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use crate::support::synthetic::Run;
use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::Growth;
use deepanalyze_report::{PrintOptions, ReportStart, TreeFormat, TreeReport};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store};
use deepanalyze_view::{StoredTree, load, read_on};
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

const ANALYSIS: AnalysisId = AnalysisId(1);

/// An opening, two endings full of circles, and a game that is nearly over.
const ROOTS: [&str; 4] = [
    "startpos",
    "8/5k2/8/8/8/2K5/8/R7 w - - 0 1",
    "8/8/4k3/8/8/3K4/4P3/8 w - - 0 1",
    "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1",
];

struct Place {
    _folder: TempDir,
    db: PathBuf,
    run: Run,
}

impl Place {
    fn new(root: &str, distance: u32, seed: u64) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("tree.db");
        let run = Run::open(&db, root, distance, seed);
        Place { _folder: folder, db, run }
    }

    fn grow(&mut self, passes: usize) {
        (0..passes).for_each(|_| self.run.pass());
    }

    fn store(&self) -> Store {
        Store::open_to_read(&self.db).unwrap()
    }

    fn load(&self) -> StoredTree {
        load(&self.store(), ANALYSIS).unwrap()
    }

    fn sql(&self, sql: &str) {
        sql_in(&self.db, sql);
    }
}

fn sql_in(db: &Path, sql: &str) {
    Connection::open(db).unwrap().execute_batch(sql).unwrap();
}

fn json(tree: &StoredTree) -> String {
    let start = ReportStart::behind(tree, "").unwrap();
    let report = TreeReport::new(tree, start, PrintOptions::of(TreeFormat::Json));
    let mut out = Vec::new();
    report.write(80, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The tree with its additions, printed as the whole tree is.
fn json_of(mut loaded: StoredTree, (row, growth): (AnalysisRow, Growth)) -> String {
    (loaded.tree.row, loaded.tree.growth) = (row, growth.into());
    json(&loaded)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_tree_read_on_in_steps_is_the_tree_read_anew(
        root in prop::sample::select(&ROOTS[..]),
        distance in prop::sample::select(&[0, 40, 120][..]),
        seed in 0..1000_u64,
        steps in prop::collection::vec(0..6_usize, 1..6),
    ) {
        let mut place = Place::new(root, distance, seed);
        let tree = place.load();
        let (store, mut known) = (place.store(), (tree.row.clone(), Growth::clone(&tree.growth)));
        for passes in steps {
            place.grow(passes);
            known = read_on(&store, &known.0, &known.1).unwrap().expect("it is the same tree");
            let loaded = place.load();
            prop_assert_eq!(&known.0, &loaded.row);
            prop_assert_eq!(known.1.settled(), loaded.growth.settled());
            prop_assert_eq!(known.1.depth(), loaded.growth.depth());
            let (right, read) = (json(&loaded), json_of(loaded, known.clone()));
            prop_assert!(right == read, "after {} passes", known.0.passes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn tree_knows_its_cost_after_every_pass(
        root in prop::sample::select(&ROOTS[..]),
        distance in prop::sample::select(&[0, 40, 120][..]),
        seed in 0..1000_u64,
    ) {
        let mut place = Place::new(root, distance, seed);
        let store = place.store();
        for pass in 0..12 {
            let row = store.analysis(ANALYSIS).unwrap().unwrap();
            let sum: u64 = store.efforts(ANALYSIS).unwrap().iter().map(|row| row.nodes).sum();
            prop_assert_eq!(row.nodes, sum, "after {} passes", pass);
            prop_assert!(sum >= 30 * row.searches);
            place.grow(1);
        }
    }
}

#[test]
fn lists_that_have_not_grown_are_not_read_again() {
    let mut place = Place::new("startpos", 60, 1);
    place.grow(12);
    let known = place.load();
    place.grow(1);
    // The lists read before are no longer readable: their moves are invalid.
    place.sql(&format!(
        "UPDATE answer SET move = 'none' WHERE position IN
            (SELECT position FROM node WHERE grown <= {})",
        known.row.passes
    ));
    assert!(load(&place.store(), ANALYSIS).is_err());
    let (row, growth) = read_on(&place.store(), &known.row, &known.growth).unwrap().unwrap();
    assert_eq!((row.passes, growth.passes()), (13, 13));
    assert!(growth.searches() > known.growth.searches());
}

#[test]
fn row_notes_a_longer_list_not_a_new_value() {
    let mut place = Place::new("startpos", 60, 1);
    place.grow(12);
    let known = place.load();
    place.grow(5);
    let now = place.load();
    let mut grown = Vec::new();
    place
        .store()
        .read_nodes(ANALYSIS, |kept| {
            let key = PositionKey::of(&kept.position);
            let before = known.growth.find(&key).map(|node| known.growth.graph().list(node).len());
            if before.unwrap_or(0) != kept.row.admitted {
                grown.push(kept.id);
            }
        })
        .unwrap();
    let told = place.store().nodes_grown_since(ANALYSIS, known.row.passes).unwrap();
    assert_eq!(told.iter().map(|kept| kept.id).collect::<Vec<_>>(), grown);
    assert!(!grown.is_empty() && grown.len() < now.growth.analysed() as usize);
    assert!(place.store().nodes_grown_since(ANALYSIS, now.row.passes).unwrap().is_empty());
}

#[test]
fn unrelated_state_must_be_read_anew() {
    let mut place = Place::new("startpos", 60, 1);
    place.grow(8);
    let known = place.load();
    place.grow(2);
    let read = |row: &AnalysisRow| read_on(&place.store(), row, &known.growth).unwrap();
    assert!(read(&known.row).is_some());
    assert!(read(&AnalysisRow { settings: 61.into(), ..known.row.clone() }).is_none());
    assert!(read(&AnalysisRow { passes: 11, ..known.row.clone() }).is_none(), "it has 10");
    assert!(read(&AnalysisRow { id: AnalysisId(2), ..known.row.clone() }).is_none());
    place.sql("UPDATE node SET grown = 0");
    assert!(read(&known.row).is_none(), "the rows do not add up");
}
