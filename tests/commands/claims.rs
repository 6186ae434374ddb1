//! Claims about an analysis, and why a move is not the best one, as the program tells them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::{Value, json};

use crate::support::program::{Place, searches, stderr};
use crate::support::scripted;

/// A tree of a pawn ending; the engine logs its searches.
const ROOT: &[&str] = &["--root", "8/8/4k3/8/3PK3/8/8/8 w - - 0 1"];

fn grown() -> (Place, Value) {
    let place = Place::new();
    place.grow(&[ROOT, &["--depth", "3"]].concat());
    let tree = serde_json::from_str(&place.stdout(&[&["show", "--format", "json"], ROOT].concat()));
    (place, tree.unwrap())
}

fn check(place: &Place, claims: &Value) -> Value {
    let file = place.path("claims.json");
    std::fs::write(&file, claims.to_string()).unwrap();
    let file = file.to_string_lossy().into_owned();
    let answers = place.stdout(&[&["check", "--claims", &file, "--format", "json"], ROOT].concat());
    serde_json::from_str(&answers).unwrap()
}

#[test]
fn claims_are_answered_in_order_with_their_sources() {
    let (place, tree) = grown();
    let first = &tree["moves"][0];
    let alpha = first["alpha"]["cp"].as_i64().unwrap();
    let claims = json!({ "claims": [
        { "claim": "best", "at": [], "move": first["uci"] },
        { "claim": "score", "at": first["san"], "at_least": alpha },
        { "claim": "score", "at": [first["uci"]], "at_least": alpha + 1, "answer": "true" },
        { "claim": "material", "at": [], "is": 1 },
        { "claim": "legal", "move": "Kd6" },
        { "claim": "played", "move": first["uci"], "at_least": 1 },
    ]});
    let told = check(&place, &claims);
    let answers: Vec<&str> =
        told["claims"].as_array().unwrap().iter().map(|c| c["answer"].as_str().unwrap()).collect();
    assert_eq!(answers, ["true", "true", "false", "true", "false", "unknown"]);
    let because = &told["claims"][1]["because"];
    assert_eq!(because["score"], first["alpha"]);
    let source = &because["sources"][0];
    assert_eq!(because["answers"][0], source["id"]);
    let id: Vec<i64> =
        source["id"].as_str().unwrap().split('/').map(|n| n.parse().unwrap()).collect();
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let row: (Option<i64>, i64) = db
        .query_row(
            "SELECT cp, nodes FROM answer WHERE profile = ?1 AND position = ?2 AND rank = ?3",
            [id[0], id[1], id[2]],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!((row.0.map(i64::abs), Some(row.1)), (Some(alpha.abs()), source["nodes"].as_i64()));
}

#[test]
fn a_claim_that_makes_no_sense_is_named() {
    let (place, _) = grown();
    let of = |claim: &str| {
        let output = place.run(&[&["check", claim], ROOT].concat());
        assert_eq!(output.status.code(), Some(2), "{claim}");
        stderr(&output)
    };
    let illegal = of(r#"[{"claim": "check"}, {"claim": "best", "at": "Kd3", "move": "Kd4"}]"#);
    assert!(illegal.contains("claim 2: \"1... Kd4\" is illegal"), "{illegal}");
    let unknown = of(r#"{"claim": "nicest", "move": "Kd3"}"#);
    assert!(unknown.contains("the claim: unknown variant `nicest`"), "{unknown}");
    let text = place.stdout(&[&["check", r#"{"claim": "check", "at": "d5+"}"#], ROOT].concat());
    assert_eq!(text, "true     the position after 1. d5+: Black is in check\n");
}

#[test]
fn why_tells_a_bound_and_one_search_that_is_kept() {
    let (place, tree) = grown();
    let listed: Vec<&str> =
        tree["moves"].as_array().unwrap().iter().map(|m| m["uci"].as_str().unwrap()).collect();
    let unlisted = ["e4d3", "e4e3", "e4f3", "e4f4", "e4f5", "d4d5"];
    let unlisted = unlisted.into_iter().find(|uci| !listed.contains(uci)).unwrap();
    let why = |more: &[&str]| {
        let told = place.stdout(&[&["why", unlisted, "--format", "json"], ROOT, more].concat());
        serde_json::from_str::<Value>(&told).unwrap()
    };
    let known = why(&["--no-engine"]);
    assert_eq!((&known["standing"], &known["search"]), (&json!("bounded"), &Value::Null));
    let least = tree["moves"].as_array().unwrap().iter().filter_map(|m| m["eval"]["cp"].as_i64());
    assert_eq!(known["bound"]["cp"].as_i64(), least.min());
    let log = place.path("why.log");
    let engine = scripted(&["--log", &log.to_string_lossy()]);
    let engine = ["--engine", &engine, "--engine-depth", "1", "--for", "5s"];
    let before = tree_rows(&place);
    let searched = why(&engine);
    let source = &searched["search"]["source"];
    assert!(source["limit"]["depth"].as_i64() >= Some(1), "{searched}");
    assert!(searches(&log) > 0);
    assert!(!place.path("tree.db-wal").exists(), "the log is empty");
    assert_eq!(tree_rows(&place), before, "the tree stays as it is");
    let asked = searches(&log);
    let again = why(&engine[..4]);
    assert_eq!((&again["search"], searches(&log)), (&searched["search"], asked), "it is kept");
}

/// The positions of trees in the database.
fn tree_rows(place: &Place) -> i64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row("SELECT count(*) FROM node", [], |row| row.get(0)).unwrap()
}
