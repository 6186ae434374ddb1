//! Databases of older versions, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use deepanalyze::session::{load, read_on};
use deepanalyze::store::{AnalysisId, Store};
use support::program::{Place, stderr};

/// Depth 2 is settled, depth 3 begun; a scripted engine has answered.
const VERSION_1: &str = include_str!("databases/version-1.sql");

fn old_place() -> Place {
    let place = Place::new();
    place.sql(VERSION_1);
    place
}

fn version(place: &Place) -> i64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn readers_take_version_1_as_it_is_and_write_nothing() {
    let place = old_place();
    let bytes = std::fs::read(place.db()).unwrap();
    let shown = place.stdout(&["show"]);
    assert!(shown.contains("depth    2 settled of 3"), "{shown}");
    assert!(place.stdout(&["show", "--format", "json"]).contains("\"settled\":2"));
    assert!(place.stdout(&["list"]).contains("26 positions, 50 moves"));
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    assert_eq!(std::fs::read(place.db()).unwrap(), bytes);
    assert_eq!((version(&place), place.files()), (1, vec!["tree.db".to_owned()]));
}

#[test]
fn version_1_has_settled_depths_without_their_moves() {
    let place = old_place();
    let store = Store::open_to_read(&place.db()).unwrap();
    let tree = load(&store, AnalysisId(1)).unwrap();
    let values = tree.verdicts.iter().map(|v| v.value.unwrap().get()).collect::<Vec<_>>();
    assert_eq!(values, [-13, 4, -4]);
    assert!(tree.verdicts.iter().all(|v| v.moves.is_empty() && v.settled_at > 0));
    assert!(tree.course.points.is_empty());
}

#[test]
fn grow_brings_version_1_up_to_date_and_the_tree_is_that_of_one_run() {
    let (place, fresh) = (old_place(), Place::new());
    place.grow(&["--depth", "4"]);
    fresh.grow(&["--depth", "4"]);
    assert_eq!(version(&place), 4);
    let json = ["show", "--format", "json"];
    assert_eq!(place.stdout(&json), fresh.stdout(&json));
    for place in [&place, &fresh] {
        assert_eq!(stderr(&place.run(&["verify", "--quiet"])), "");
    }
    let tree =
        |place: &Place| load(&Store::open_to_read(&place.db()).unwrap(), AnalysisId(1)).unwrap();
    let (old, new) = (tree(&place), tree(&fresh));
    for (old, new) in old.verdicts.iter().zip(&new.verdicts) {
        let depth = new.settled.depth;
        assert_eq!((old.settled, old.value), (new.settled, new.value));
        assert!(!new.moves.is_empty());
        match depth {
            0..=2 => assert!(old.moves.is_empty(), "depth {depth}"),
            _ => assert_eq!(old.moves, new.moves, "depth {depth}"),
        }
    }
    assert_eq!((new.course.from, old.course.points[0].passes), (0, old.course.from));
    let last = |points: &[deepanalyze::store::CoursePoint]| {
        points.last().map(|point| (point.passes, point.best, point.alpha))
    };
    assert_eq!(last(&old.course.points), last(&new.course.points));
}

#[test]
fn verify_takes_an_upgraded_tree_that_has_not_grown_since() {
    let place = old_place();
    // Another root: the old analysis stays as it was.
    place.grow(&["--moves", "e4", "--depth", "1"]);
    assert_eq!(version(&place), 4);
    let output = place.run(&["verify", "--quiet"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    place.grow(&["--depth", "2"]);
    assert!(place.run(&["verify", "--quiet"]).status.success());
}

#[test]
fn an_upgraded_schema_is_that_of_a_new_database() {
    let place = old_place();
    place.grow(&["--depth", "2"]);
    place.sql("DROP TABLE course");
    let output = place.run(&["verify", "--quiet"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("wrong: the schema has no table course\n"), "{said}");
}

#[test]
fn a_growing_tree_of_an_older_version_is_read_anew() {
    let place = old_place();
    let store = Store::open_to_read(&place.db()).unwrap();
    let tree = load(&store, AnalysisId(1)).unwrap();
    assert!(read_on(&store, &tree.row, &tree.growth).unwrap().is_none());
    place.grow(&["--depth", "4"]);
    let store = Store::open_to_read(&place.db()).unwrap();
    let (row, growth) = read_on(&store, &tree.row, &tree.growth).unwrap().unwrap();
    let loaded = load(&store, AnalysisId(1)).unwrap();
    assert_eq!((row, growth.searches()), (loaded.row, loaded.growth.searches()));
}
