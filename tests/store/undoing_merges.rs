//! `merge --take-back` that was interrupted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::Value;

use crate::support::program::{Place, stderr};

/// Depth to settle and settled depth of the only analysis.
fn depths(place: &Place) -> [Value; 2] {
    let listed: Value = serde_json::from_str(&place.stdout(&["list", "--json"])).unwrap();
    ["target", "settled"].map(|key| listed[0]["depth"][key].clone())
}

#[test]
fn taking_back_goes_on_where_a_kill_has_ended_it() {
    let place = Place::new();
    let tree = ["--moves", "e4 e5", "--distance", "20"];
    place.grow(&[&tree[..], &["--depth", "3"]].concat());
    let whole = place.stdout(&["show", "--format", "json"]);
    // As after a kill: the answers are removed, and an emptied tree is partly grown again.
    place.stdout(&["delete", "--moves", "e4 e5", "--yes"]);
    place.grow(&[&tree[..], &["--depth", "1"]].concat());
    place.sql(
        "UPDATE analysis SET target_depth = 3, regrown = 1;
        INSERT INTO source (name, kind, why, taken_back) VALUES ('other.db', 'database', 'by hand', 1)",
    );
    assert_eq!(depths(&place), [3, 1]);
    let again = place.stdout(&["merge", "--take-back", "other.db"]);
    assert!(again.contains("1 tree grown on: that was interrupted before"), "{again}");
    assert_eq!(depths(&place), [3, 3]);
    let verdict = |json: &str| serde_json::from_str::<Value>(json).unwrap()["verdict"].clone();
    assert_eq!(verdict(&place.stdout(&["show", "--format", "json"])), verdict(&whole));
    let done = place.run(&["merge", "--take-back", "other.db"]);
    assert_eq!(done.status.code(), Some(1));
    let said = stderr(&done);
    assert!(said.contains("the answers of other.db were removed before"), "{said}");
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}
