//! `doctor` on the built program: what is there, what is missing, and what does not work.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use crate::support::program::Place;
use crate::support::scripted;

/// One check in the output: its state, and the rest of its line.
fn told(text: &str, what: &str) -> (String, String) {
    let rows = text.lines().map(|row| row.split_at_checked(20).unwrap_or((row, "")));
    let mut rows = rows.filter(|(begin, _)| begin.split_whitespace().nth(1) == Some(what));
    let (begin, rest) = rows.next().unwrap_or_else(|| panic!("nothing of {what}: {text}"));
    (begin.split_whitespace().next().unwrap().to_owned(), rest.to_owned())
}

#[test]
fn new_user_sees_what_is_missing_with_hints() {
    let place = Place::new();
    let engine = scripted(&[]);
    let text = place.stdout(&["doctor", "--engine", &engine]);
    let (state, words) = told(&text, "engine");
    assert_eq!(state, "ok", "{text}");
    assert!(words.starts_with("Scripted 1 (") && words.contains(" nodes a second, "), "{text}");
    for what in ["database", "tablebases", "games"] {
        assert_eq!(told(&text, what).0, "none", "{text}");
    }
    assert!(text.contains("\n                    `deepanalyze grow` makes it\n"), "{text}");

    place.grow(&["--depth", "0"]);
    std::fs::write(
        place.path("game.pgn"),
        "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 *\n",
    )
    .unwrap();
    place.stdout(&["games", "add", "club", "game.pgn"]);
    let text = place.stdout(&["doctor", "--engine", &engine]);
    let (state, words) = told(&text, "database");
    assert!(state == "ok" && words.contains(": 1 analysed position, "), "{text}");
    assert_eq!(told(&text, "games"), ("ok".to_owned(), "club (1 game)".to_owned()));
}

#[test]
fn what_does_not_work_is_an_error() {
    let place = Place::new();
    std::fs::write(place.db(), "not a database, whatever its name says").unwrap();
    for (args, what, words) in [
        (&["--engine", "nothing-there"][..], "engine", "cannot start engine \"nothing-there\""),
        (&["--tables", "nowhere"], "tablebases", "cannot read the tablebase folder nowhere"),
        (&[], "database", "is not a deepanalyze database"),
    ] {
        let output = place.run(&[&["doctor"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (state, told) = told(&text, what);
        assert!(state == "ERROR" && told.contains(words), "{args:?}: {text}");
        let output = place.run(&[&["doctor", "--format", "json"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = found.as_array().unwrap().iter();
        let one = found.find(|one| one["what"] == what).unwrap();
        assert!(one["state"] == "fails" && one["told"].as_str().unwrap().contains(words), "{one}");
    }
}
