//! Databases of older versions, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use crate::support::program::{Place, stderr};
use deepanalyze_report::{load, read_on};
use deepanalyze_store::{AnalysisId, Store};

/// Depth 2 is settled, depth 3 begun; a scripted engine has answered.
const VERSION_1: &str = include_str!("../databases/version-1.sql");
/// Closing searches of two trees, a tree on a kept hash, and a duel with trees on kept hashes.
const VERSION_2: &str = include_str!("../databases/version-2.sql");
/// Two stages of one root, and a root one move later in which a move is excluded.
const VERSION_5: &str = include_str!("../databases/version-5.sql");
/// What `grow` makes of them.
pub(super) const NOW: i64 = 13;

fn old_place() -> Place {
    let place = Place::new();
    place.sql(VERSION_1);
    place
}

pub(super) fn version(place: &Place) -> i64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn readers_take_version_1_as_it_is_and_write_nothing() {
    let place = old_place();
    let bytes = std::fs::read(place.db()).unwrap();
    let shown = place.stdout(&["show"]);
    assert!(shown.contains("\ndepth 2 of 3 complete · "), "{shown}");
    assert!(place.stdout(&["show", "--format", "json"]).contains("\"settled\":2"));
    assert!(place.stdout(&["list", "--long"]).contains("26 positions, 50 moves"));
    let listed = place.stdout(&["list"]);
    assert!(listed.contains("\n#1  ") && listed.contains("  -0.04  "), "{listed}");
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
    assert_eq!(version(&place), NOW);
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
    let last = |points: &[deepanalyze_store::CoursePoint]| {
        points.last().map(|point| (point.passes, point.best, point.alpha))
    };
    assert_eq!(last(&old.course.points), last(&new.course.points));
}

#[test]
fn verify_takes_an_upgraded_tree_that_has_not_grown_since() {
    let place = old_place();
    // Another root: the old analysis stays as it was.
    place.grow(&["--moves", "e4", "--depth", "1"]);
    assert_eq!(version(&place), NOW);
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
fn what_the_user_has_added_for_queries_does_not_stand_in_the_way_of_an_upgrade() {
    for version in [VERSION_1, VERSION_2] {
        let place = Place::new();
        place.sql(version);
        place.sql(
            "CREATE VIEW mine AS SELECT count(*) AS trees FROM analysis;
            CREATE VIEW best AS SELECT * FROM tree_move WHERE rank = 0;",
        );
        place.grow(&["--depth", "1"]);
        let db = rusqlite::Connection::open(place.db()).unwrap();
        let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert!(count("SELECT trees FROM mine") > 0 && count("SELECT count(*) FROM best") > 0);
        assert!(place.run(&["verify", "--quiet"]).status.success());
    }
}

#[test]
fn version_5_has_no_names_until_one_is_given() {
    let place = Place::new();
    place.sql(VERSION_5);
    let bytes = std::fs::read(place.db()).unwrap();
    let list = |place: &Place| -> serde_json::Value {
        serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap()
    };
    let [old, listed] = [list(&place), list(&place)];
    assert_eq!((old[0]["name"].clone(), old[0]["analysis"].clone()), (().into(), 3.into()));
    assert_eq!(old[1]["stages"].as_array().unwrap().len(), 2);
    assert_eq!((&old, std::fs::read(place.db()).unwrap()), (&listed, bytes));
    assert!(Store::open_to_read(&place.db()).unwrap().agenda().unwrap().is_empty());
    place.stdout(&["rename", "--analysis", "1", "Pawns"]);
    assert_eq!(version(&place), NOW);
    let mut right = old;
    right[1]["name"] = "Pawns".into();
    assert_eq!(list(&place), right);
    let set = place.stdout(&["direct", "--root", PAWNS, "--moves", "e4", "export"]);
    assert!(set.contains("e7e5"), "{set}");
    assert!(place.run(&["verify", "--quiet"]).status.success());
}

pub(super) const PAWNS: &str = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1";

fn place_of_version_2() -> Place {
    let place = Place::new();
    place.sql(VERSION_2);
    place
}

/// The closing searches of the tree behind 1. e4 e5, and of that of its start.
fn assert_closings(place: &Place) {
    let game = place.stdout(&["show", "--root", PAWNS, "--moves", "e4 e5"]);
    assert!(
        game.contains("\nclosing  2. Kd1 -0.17 2... d6 (70000 nodes, after pass 6)\n"),
        "{game}"
    );
    let start = place.stdout(&["show", "--root", PAWNS]);
    assert!(
        start.contains("\nclosing  1. d4 +0.04 1... d6 (engine depth 6, after pass 2)\n"),
        "{start}"
    );
    let kept = place.stdout(&["show", "--analysis", "3"]);
    assert!(kept.contains("· Scripted 1, engine depth 5, keep-hash=true\n"), "{kept}");
    let json = place.stdout(&["show", "--analysis", "3", "--format", "json"]);
    assert!(json.contains(r#""options":{"keep-hash":"true"}"#), "{json}");
}

#[test]
fn readers_find_the_closing_searches_of_version_2_and_write_nothing() {
    let place = place_of_version_2();
    let bytes = std::fs::read(place.db()).unwrap();
    assert_closings(&place);
    let verified = place.run(&["verify", "--quiet"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    assert_eq!(std::fs::read(place.db()).unwrap(), bytes);
    assert_eq!((version(&place), place.files()), (2, vec!["tree.db".to_owned()]));
}

/// The options of all profiles, in order.
fn options(place: &Place) -> Vec<String> {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let mut query = db.prepare("SELECT options FROM profile ORDER BY id").unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn grow_makes_data_of_what_version_2_says_of_kept_hashes() {
    let place = place_of_version_2();
    place.grow(&["--root", PAWNS, "--moves", "e4", "--depth", "0"]);
    assert_eq!(version(&place), NOW);
    assert_closings(&place);
    let of = |middle: &str| {
        let start = PAWNS.trim_end_matches(" 0 1");
        format!(r#"{{"keep-hash":{{"distance":10,{middle},"start":"{start}"}}}}"#)
    };
    let plain = "{}".to_owned();
    let game = |passes| format!(r#""moves":"e2e4 e7e5","of":"best lines","passes":{passes}"#);
    let closing = |passes| of(&format!(r#""limit":{{"depth":5}},{}"#, game(passes)));
    let duel = |nodes, what| of(&format!(r#""limit":{{"depth":4}},"nodes":{nodes},"of":"{what}""#));
    let right = [
        plain.clone(),
        closing(4),
        closing(4),
        closing(6),
        closing(6),
        of(r#""limit":{"depth":5},"of":"best lines","passes":2"#),
        r#"{"keep-hash":true}"#.to_owned(),
        plain.clone(),
        of(r#""of":"tree""#).replace("\"distance\":10", "\"distance\":15"),
        of(r#""of":"tree""#),
        duel(14065, "tree"),
        plain,
        duel(10092, "best lines"),
        duel(10092, "best lines"),
    ];
    assert_eq!(options(&place), right);
    let verified = place.run(&["verify", "--quiet"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn what_version_2_has_on_kept_hashes_is_not_searched_again() {
    let place = place_of_version_2();
    let log = place.path("log");
    let log = log.to_str().unwrap();
    let engine = crate::support::scripted(&["--log", log]);
    let grow =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "10", "--root", PAWNS];
    // Version 2 closed a tree with one engine, whatever else there was.
    let alone = ["--engines", "1", "--moves", "e4 e5", "--depth", "2"];
    let closing = [&alone[..], &["--closing-nodes", "70000"]].concat();
    let kept = ["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1", "--keep-hash", "--depth", "0"];
    place.stdout(&[&grow[..], &closing].concat());
    place.stdout(&[&grow[..7], &kept].concat());
    std::fs::write(place.path("one.epd"), format!("{PAWNS}\n")).unwrap();
    let player = crate::support::scripted(&["--log", log, "--name", "Player", "--noise", "30"]);
    let judge = crate::support::scripted(&["--log", log, "--name", "Judge", "--seed", "77"]);
    let duel =
        ["duel", "--epd", "one.epd", "--engine", &player, "--nodes", "20000", "--judge", &judge];
    let rest = ["--judge-nodes", "100000", "--margin", "8"];
    let trees = [
        "--tree",
        "engine-depth=5 distance=15 hash=kept",
        "--tree",
        "engine-depth=4 distance=10 hash=kept closing=1/3",
        "--tree",
        "engine-depth=4 distance=10 closing=1/2",
    ];
    place.stdout(&[&duel[..], &rest, &trees].concat());
    assert_eq!(version(&place), NOW);
    let asked = || crate::support::program::asked(std::path::Path::new(log)).len();
    assert_eq!(asked(), 0);
    let other = ["--moves", "e4 e5", "--depth", "2", "--closing-nodes", "80000"];
    place.stdout(&[&grow[..], &other].concat());
    assert!(asked() > 0, "the log tells of searches");
}

#[test]
fn a_kept_hash_that_nobody_can_have_written_is_damage() {
    let place = place_of_version_2();
    place.grow(&["--root", PAWNS, "--moves", "e4", "--depth", "0"]);
    place.sql(
        r#"UPDATE profile SET options = json_set(options, '$."keep-hash".colour', 'red') WHERE id = 6"#,
    );
    let output = place.run(&["show", "--root", PAWNS]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("on a kept hash, or its profile"), "{}", stderr(&output));
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
