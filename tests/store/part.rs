//! `deepanalyze copy` of one analysis, and `diff`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

fn shown(place: &Place, db: &str, moves: &str) -> String {
    place.stdout(&["show", "--format", "json", "--db", db, "--moves", moves])
}

#[test]
fn copy_of_one_analysis_is_exact_and_alone() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    place.grow(&["--moves", "e4", "--depth", "1"]);
    place.stdout(&["direct", "--moves", "e4", "exclude", "c5"]);
    place.stdout(&["direct", "--moves", "e4", "note", "e5", "open"]);
    place.stdout(&["rename", "--moves", "e4", "King's pawn"]);
    place.grow(&["--moves", "e4", "--depth", "2"]);
    let before = place.files();
    let said = place.stdout(&["copy", "part.db", "--moves", "e4"]);
    assert!(said.starts_with("copied analysis 2 to part.db ("), "{said}");
    let mut after = place.files();
    after.retain(|name| name != "part.db");
    assert_eq!(after, before, "one file");
    assert_eq!(shown(&place, "part.db", "e4"), shown(&place, "tree.db", "e4"));
    let listed = place.stdout(&["list", "--db", "part.db"]);
    assert!(listed.contains("King's pawn") && listed.lines().count() == 2, "{listed}");
    let noted = |db: &str| place.stdout(&["direct", "--db", db, "--moves", "e4", "list"]);
    assert_eq!(noted("part.db"), noted("tree.db"));
    let verified = place.run(&["verify", "--db", "part.db"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let count = |db: &str| -> u64 {
        let db = rusqlite::Connection::open(place.path(db)).unwrap();
        db.query_row("SELECT count(*) FROM answer", [], |row| row.get(0)).unwrap()
    };
    assert!(count("part.db") < count("tree.db"));
    // It can grow further, and be merged.
    let engine = scripted(&[]);
    let grow = ["grow", "--engine", &engine, "--engine-depth", "5", "--db", "part.db"];
    let output = place.run(&[&grow[..], &["--moves", "e4", "--depth", "3"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = place.run(&["merge", "part.db", "--engine", &engine]);
    assert!(output.status.success(), "{}", stderr(&output));
    let there = place.run(&["copy", "part.db", "--moves", "e4"]);
    assert_eq!(there.status.code(), Some(2), "{}", stderr(&there));
    let unknown = place.run(&["copy", "other.db", "--moves", "a3"]);
    assert_eq!(unknown.status.code(), Some(1), "{}", stderr(&unknown));
}

#[test]
fn diff_tells_what_each_of_two_knows() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "2"]);
    place.grow(&["--moves", "d4", "--depth", "1"]);
    place.stdout(&["copy", "part.db", "--moves", "e4"]);
    let engine = scripted(&[]);
    let grow =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--db", "part.db", "--depth", "1"];
    let output = place.run(&[&grow[..], &["--moves", "c4"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let bytes = std::fs::read(place.path("part.db")).unwrap();
    let said = place.stdout(&["diff", "part.db"]);
    assert!(said.contains("\nScripted 1, engine depth 5\n  answers: "), "{said}");
    assert!(said.contains("only in A, #2: ") && said.contains("only in B, #2: "), "{said}");
    assert!(!said.contains("#1"), "what both have alike is not told: {said}");
    let json = |args: &[&str]| -> Value {
        serde_json::from_str(&place.stdout(&[args, &["--format", "json"]].concat())).unwrap()
    };
    let (one, other) = (json(&["diff", "part.db"]), json(&["diff", "part.db", "tree.db"]));
    let [one, other] = [&one, &other].map(|diff| diff["profiles"][0].clone());
    for (key, of_other) in [("same", "same"), ("only_a", "only_b"), ("only_b", "only_a")] {
        assert!(one[key].as_u64().unwrap() > 0, "{one}");
        assert_eq!(one[key], other[of_other]);
    }
    assert_eq!(one["conflicts"], 0);
    assert_eq!(std::fs::read(place.path("part.db")).unwrap(), bytes);
    let same = place.run(&["diff", "tree.db"]);
    assert_eq!(same.status.code(), Some(1), "{}", stderr(&same));
}
