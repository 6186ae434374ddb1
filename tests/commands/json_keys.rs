//! JSON of every command on a tree with games: no key comes twice in one object.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// A value each key of which comes once; most readers take the last of two and say nothing.
struct KeysOnce;

impl<'de> Deserialize<'de> for KeysOnce {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<KeysOnce, D::Error> {
        from.deserialize_any(KeysOnce)
    }
}

impl<'de> Visitor<'de> for KeysOnce {
    type Value = KeysOnce;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeysOnce, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, _)) = map.next_entry::<String, KeysOnce>()? {
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("{twice:?} comes twice in one object")));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<KeysOnce, A::Error> {
        while list.next_element::<KeysOnce>()?.is_some() {}
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<KeysOnce, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<KeysOnce, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<KeysOnce, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<KeysOnce, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<KeysOnce, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<KeysOnce, E> {
        Ok(self)
    }
}

/// Twelve games, of which seven go on with a bad move of White's.
fn games() -> String {
    let game = |number: usize| {
        let moves = if number < 7 { "1. e4 e5 2. Ke2 Nc6" } else { "1. e4 e5 2. Nf3 Nc6" };
        let tags = format!("[White \"A{number}\"]\n[Black \"B\"]\n[Date \"2020.01.01\"]");
        format!("[Event \"?\"]\n{tags}\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    (0..12).map(game).collect()
}

/// A tree with games and, of the same root, one without; a game of which every position is analysed; a move that is
/// included.
fn place() -> Place {
    let place = Place::new();
    std::fs::write(place.path("club.pgn"), games()).unwrap();
    std::fs::write(place.path("one.pgn"), "[White \"A1\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke2 *\n")
        .unwrap();
    assert!(place.run(&["games", "add", "club", "club.pgn"]).status.success());
    let tree = ["--depth", "2", "--distance", "20"];
    place.grow(&tree);
    place.grow(&[&tree[..], &["--pgn", "one.pgn", "--every"]].concat());
    place.stdout(&["direct", "include", "e4 e5"]);
    place.grow(&[&tree[..], &["--games", "club", "--since", "2019", "--played", "5%/3"]].concat());
    let args = ["recheck", "--engine", &scripted(&[]), "--engine-depth", "7", "--analysis", "5"];
    place.stdout(&args);
    place
}

/// The commands that write JSON, each without `--format json`.
const COMMANDS: [&[&str]; 15] = [
    &["show"],
    &["show", "--all", "--people"],
    &["show", "--all", "--people", "--side", "black", "--line", "e4"],
    &["show", "--pgn", "one.pgn", "--every"],
    &["list"],
    &["log"],
    &["stats"],
    &["stats", "--analysis", "1"],
    &["audit", "--side", "white"],
    &["audit", "--side", "black", "--games", "club.pgn"],
    &["review", "club.pgn", "--player", "B"],
    &["review", "club.pgn", "--side", "white"],
    &["compare", "1", "5"],
    &["direct", "list"],
    &["games", "list"],
];

#[test]
fn no_key_comes_twice_with_games() {
    let place = place();
    let table: &[&str] = &["games", "show", "club", "--since", "2019"];
    for command in COMMANDS.into_iter().chain([table]) {
        let json = place.stdout(&[command, &["--format", "json"]].concat());
        for line in json.lines() {
            let read = serde_json::from_str::<KeysOnce>(line);
            assert!(read.is_ok(), "{command:?}: {}: {line}", read.err().unwrap());
        }
    }
}

#[test]
fn game_keys_belong_to_sets_not_reports() {
    let place = place();
    for (command, own) in [
        (&["audit", "--side", "white"][..], "against_people"),
        (&["review", "club.pgn", "--player", "B"], "reviewed"),
        (&["show", "--people"], "people"),
    ] {
        let json = place.stdout(&[command, &["--format", "json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["format"], &json["games"]["set"]), (&1.into(), &"club".into()), "{json}");
        assert!(!json[own].is_null(), "{json}");
    }
}

#[test]
fn tree_without_games_names_its_sibling_with_them() {
    let place = place();
    let output = place.run(&["show", "--analysis", "1", "--people"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("hint: analysis 5 of this position has games: use --analysis 5"),
        "{said}"
    );
}

#[test]
fn two_of_one_key_are_seen() {
    let error =
        serde_json::from_str::<KeysOnce>(r#"[{"a": {"b": 1, "c": [null, "b"], "b": 1.5}}]"#);
    assert!(error.err().unwrap().to_string().contains("\"b\" comes twice"));
    assert!(serde_json::from_str::<KeysOnce>(r#"{"a": {"a": [true, {"a": -1}]}}"#).is_ok());
}
