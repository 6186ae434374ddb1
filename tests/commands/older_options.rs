//! Options that have a shorter successor: they are in no help, and mean what they meant.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};

/// The analyses of a database, each with the move distances of both sides.
fn analyses(place: &Place) -> Vec<Value> {
    serde_json::from_str(&place.stdout(&["list", "--every", "--format", "json"])).unwrap()
}

/// Both lines grow the same analysis: there is one, and the second finds nothing to search.
fn mean_the_same(place: &Place, older: &[&str], newer: &[&str]) {
    let root = ["--moves", "e4 e5", "--depth", "2"];
    let grown = place.run_grow(&[&root, older].concat());
    assert!(grown.status.success(), "{older:?}: {}", stderr(&grown));
    let count = analyses(place).len();
    let again = place.run_grow(&[&root, newer].concat());
    let said = stderr(&again);
    assert!(again.status.success() && said.contains("this run  0 searches"), "{newer:?}: {said}");
    assert_eq!(analyses(place).len(), count, "{older:?} {newer:?}");
}

#[test]
fn older_options_are_accepted_and_mean_the_same() {
    let place = Place::new();
    let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Ke2 Nc6 1-0\n\n";
    std::fs::write(place.path("club.pgn"), game).unwrap();
    for (older, newer) in [
        (&["--distance-white", "0+", "--distance-black", "30+"][..], &["--distance", "0+/30+"][..]),
        (&["--distance", "20", "--distance-black", "5"], &["--distance", "20/5"]),
        (
            &["--games", "club.pgn", "--played-white", "5%/1"],
            &["--games", "club.pgn", "--played", "5%/1/-"],
        ),
        (
            &["--games", "club.pgn", "--played", "5%/1", "--played-black", "9%/2"],
            &["--games", "club.pgn", "--played", "5%/1/9%/2"],
        ),
        (
            &["--no-closing", "--no-tables", "--no-look-ahead"],
            &["--closing", "no", "--tables", "no"],
        ),
        (&["--max-nodes", "1000000000"], &[]),
    ] {
        mean_the_same(&place, older, newer);
    }
}

#[test]
fn older_options_are_in_no_help() {
    let help = Place::new().stdout(&["grow", "--help"]);
    for option in [
        "fleet",
        "closing-",
        "no-closing",
        "distance-",
        "played-",
        "no-tables",
        "no-look-ahead",
        "keep-hash",
        "max-nodes",
        "searches-each",
    ] {
        let is_told =
            help.lines().any(|line| line.trim_start().starts_with(&format!("--{option}")));
        assert!(!is_told, "{option}");
    }
}
