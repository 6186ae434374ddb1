//! How far the best move holds, as `show` tells it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::Place;
use crate::support::readers::{TREES, root_of, show};

fn tree_of(place: &Place, arguments: &[&str]) -> Value {
    let json = place.stdout(&[&["show", "--format", "json"], arguments].concat());
    serde_json::from_str(&json).unwrap()
}

/// The move at the end of a line, where that is printed at its place.
fn move_at<'t>(tree: &'t Value, line: &[Value]) -> Option<&'t Value> {
    let (mut there, mut found) = (&tree["moves"], None);
    for uci in line {
        let m = there.as_array()?.iter().find(|m| m["uci"] == *uci)?;
        (there, found) = (&m["moves"], Some(m));
    }
    found
}

/// Checks the stability of a tree against its leaves; returns how many of the flip's leaves were
/// found.
fn check(tree: &Value) -> usize {
    let moves = tree["moves"].as_array().unwrap();
    let stability = &tree["stability"];
    assert_eq!(stability.is_object(), moves.len() > 1, "{stability}");
    let (Some(cp), Some(second)) =
        (moves[0]["alpha"]["cp"].as_i64(), moves.get(1).and_then(|m| m["alpha"]["cp"].as_i64()))
    else {
        return 0;
    };
    let at_least = stability["at_least"].as_i64().unwrap();
    assert!(2 * at_least >= cp - second, "no value changes by more than the scores: {stability}");
    let flip = &stability["flip"];
    assert_ne!(flip["uci"], moves[0]["uci"]);
    let mut found = 0;
    let mut greatest = 0;
    for leaf in flip["leaves"].as_array().into_iter().flatten() {
        let by = leaf["to"]["cp"].as_i64().unwrap() - leaf["from"]["cp"].as_i64().unwrap();
        greatest = greatest.max(by.abs());
        if let Some(m) = move_at(tree, leaf["line"].as_array().unwrap()) {
            assert_eq!(m["eval"], leaf["from"]);
            assert!(m["moves"].is_null() && m["end"].is_null(), "{m}");
            found += 1;
        }
    }
    assert_eq!(greatest, flip["change"].as_i64().unwrap_or(0));
    assert!(flip.is_null() || greatest >= at_least);
    found
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn json_has_scores_that_change_the_best_move() {
    let (place, mut found) = (Place::new(), 0);
    for root in TREES {
        place.grow(root);
        let root = root_of(root);
        let whole = tree_of(&place, &root);
        found += check(&whole);
        let again = tree_of(&place, &[&root[..], &["--plies", "1"]].concat());
        assert_eq!(again["stability"], whole["stability"]);
        let first = whole["moves"][0]["uci"].as_str().unwrap();
        let below = tree_of(&place, &[&root[..], &["--line", first]].concat());
        assert!(below["stability"].is_null(), "it is about the root");
    }
    assert!(found > 0);
}

#[test]
fn people_are_told_in_a_sentence() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    let text = show(&place, &[], &[]);
    let told = text.lines().find(|line| line.starts_with("holds    ")).expect(&text);
    assert!(told.starts_with("holds    even if every score is off by less than "), "{told}");
    let at_least = tree_of(&place, &[])["stability"]["at_least"].as_i64().unwrap();
    let pawns = format!("off by less than {}.{:02};", at_least / 100, at_least % 100);
    assert!(told.contains(&pawns), "{told} {pawns}");
}
