//! Databases with an agenda, and with endgame tables, brought up to date by the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use deepanalyze_store::{AgendaRow, AnalysisId, Store};
use serde_json::Value;

use super::versions::{NOW, PAWNS, version};
use crate::support::program::{Place, stderr};

/// A root with directives and a name, one a move later, and both on the agenda.
const VERSION_7: &str = include_str!("../databases/version-7.sql");
/// A root that tables of three men know, and a tree that goes by them, with a closing search.
const VERSION_8: &str = include_str!("../databases/version-8.sql");

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tables");
const KNOWN: &str = "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1";
const TREE: &str = "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1";

fn place_of(version: &str) -> Place {
    let place = Place::new();
    place.sql(version);
    place
}

fn json(place: &Place, root: &str) -> Value {
    serde_json::from_str(&place.stdout(&["show", "--root", root, "--format", "json"])).unwrap()
}

/// What `verify` finds, a line each.
fn flaws(place: &Place, more: &[&str]) -> String {
    let output = place.run(&[&["verify", "--quiet"], more].concat());
    String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output)
}

/// The agenda, the first row first.
fn agenda(place: &Place) -> Vec<AgendaRow> {
    Store::open_to_read(&place.db()).unwrap().agenda().unwrap()
}

/// What the user sees of the database of version 7.
fn seen(place: &Place) -> (String, Value, Value, String) {
    let direct = ["direct", "--root", PAWNS, "export"];
    let moved = ["show", "--root", PAWNS, "--moves", "d4", "--format", "json"];
    let moved = serde_json::from_str(&place.stdout(&moved)).unwrap();
    (place.stdout(&["list", "--format", "json"]), json(place, PAWNS), moved, place.stdout(&direct))
}

#[test]
fn version_7_keeps_its_agenda_names_and_directives() {
    let place = place_of(VERSION_7);
    let bytes = std::fs::read(place.db()).unwrap();
    let (before, rows) = (seen(&place), agenda(&place));
    let ended = Some("depth 1 is complete".to_owned());
    let (second, first) = (AnalysisId(2), AnalysisId(1));
    let right = [
        AgendaRow { analysis: second, stages: false, weight: 3, growing: false, ended },
        AgendaRow { analysis: first, stages: true, weight: 1, growing: true, ended: None },
    ];
    assert_eq!(rows, right);
    assert!(before.0.contains("Two pawns each") && before.3.contains("exclude"), "{before:?}");
    assert!(before.1["pending"].is_null() && before.2["pending"].is_null());
    assert_eq!((flaws(&place, &[]), std::fs::read(place.db()).unwrap()), (String::new(), bytes));
    drop(Store::open(&place.db()).unwrap());
    assert_eq!(version(&place), NOW);
    assert_eq!((seen(&place), agenda(&place)), (before, rows));
    assert_eq!(flaws(&place, &[]), "");
    // What refers to an analysis goes with it, and its number is not used again.
    place.stdout(&["delete", "--analysis", "2", "--yes"]);
    assert_eq!(agenda(&place).iter().map(|row| row.analysis).collect::<Vec<_>>(), [first]);
    place.grow(&["--root", PAWNS, "--moves", "e4", "--depth", "0"]);
    let list: Value = serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap();
    assert_eq!(list[0]["analysis"], 3, "{list}");
    assert_eq!(flaws(&place, &[]), "");
}

#[test]
fn version_8_gets_checksums_for_the_moves_of_roots_and_keeps_its_closing_search() {
    let place = place_of(VERSION_8);
    let bytes = std::fs::read(place.db()).unwrap();
    let before = (json(&place, KNOWN), json(&place, TREE));
    assert_eq!(before.0["table_moves"].as_array().unwrap().len(), 6);
    assert_eq!(before.1["closing"]["uci"], "e3f2");
    assert_eq!(flaws(&place, &["--tables", TABLES]), "");
    assert_eq!(std::fs::read(place.db()).unwrap(), bytes);
    drop(Store::open(&place.db()).unwrap());
    assert_eq!(version(&place), NOW);
    assert_eq!((json(&place, KNOWN), json(&place, TREE)), before);
    assert_eq!(flaws(&place, &["--tables", TABLES]), "");
}

#[test]
fn a_move_of_a_root_that_the_disk_has_changed_is_named_with_its_position() {
    let place = place_of(VERSION_8);
    drop(Store::open(&place.db()).unwrap());
    for (change, words) in [
        ("UPDATE table_move SET wdl = 0 WHERE move = 'e2e3'", "does not match its checksum"),
        ("DELETE FROM table_move WHERE move = 'e4d4'", "are not its legal moves"),
    ] {
        place.sql(change);
        let said = flaws(&place, &[]);
        let epd = KNOWN.trim_end_matches(" 0 1");
        assert!(said.contains(epd) && said.contains(words), "{change}: {said}");
    }
    // A run looks them up anew.
    place.grow(&["--root", KNOWN, "--depth", "1", "--tables", TABLES]);
    assert_eq!(flaws(&place, &["--tables", TABLES]), "");
}
