//! Positions of the game before the root: the third occurrence is a draw, one return is not.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// White checks twice from d8; Black's only reply leads to a position that occurred once.
const ROOT: [&str; 4] =
    ["--root", "6k1/5pp1/7p/8/8/3Q4/5PPP/6K1 w - - 0 1", "--moves", "Qd8+ Kh7 Qd3+ Kg8 Qd8+"];

fn grow(place: &Place, root: &[&str]) {
    let engine = scripted(&["--seed", "3"]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "4", "--depth", "2"];
    let output = place.run(&[&args, root].concat());
    assert!(output.status.success(), "{}", stderr(&output));
}

fn shown(place: &Place, root: &[&str]) -> Value {
    let args = ["show", "--format", "json"];
    serde_json::from_str(&place.stdout(&[&args, root].concat())).unwrap()
}

#[test]
fn one_return_to_the_game_is_searched_not_drawn() {
    let place = Place::new();
    grow(&place, &ROOT);
    let once = &shown(&place, &ROOT)["moves"][0];
    assert_eq!((&once["san"], &once["repetition"]), (&"Kh7".into(), &Value::Null));
    assert!(!once["moves"].as_array().unwrap().is_empty(), "{once}");
    // A move later the same position would come for the third time.
    let twice = [ROOT[0], ROOT[1], ROOT[2], "Qd8+ Kh7 Qd3+ Kg8 Qd8+ Kh7 Qd3+ Kg8 Qd8+"];
    grow(&place, &twice);
    let third = &shown(&place, &twice)["moves"][0];
    assert_eq!((&third["repetition"], &third["alpha"]["cp"]), (&true.into(), &0.into()));
}

#[test]
fn trees_of_the_former_rule_are_grown_again_once() {
    let place = Place::new();
    grow(&place, &ROOT[..2]);
    grow(&place, &ROOT);
    let before = shown(&place, &ROOT);
    place.sql(include_str!("../../migrations/12-human-nets/down.sql"));
    place.sql(include_str!("../../migrations/11-second-look/down.sql"));
    place.sql(include_str!("../../migrations/09-histories/down.sql"));
    place.sql("PRAGMA user_version = 8");
    let told = place.run(&["verify"]);
    assert_eq!(told.status.code(), Some(1));
    let flaws = String::from_utf8(told.stdout).unwrap();
    assert!(flaws.contains("analysis 2: it was grown by an earlier version"), "{flaws}");
    assert!(flaws.contains("1 flaw"), "the tree without a game is as it was: {flaws}");
    let note = ["direct", "note", "", "seen"];
    let told = stderr(&place.run(&note));
    assert!(told.contains("growing 1 tree again from the known answers"), "{told}");
    assert!(!stderr(&place.run(&note)).contains("again"), "it is said once");
    assert_eq!(shown(&place, &ROOT)["moves"], before["moves"]);
    assert!(place.run(&["verify"]).status.success());
    assert_eq!(shown(&place, &[])["root"], before["root"], "the one last grown stays it");
}
