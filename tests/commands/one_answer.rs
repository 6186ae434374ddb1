//! Every face names the same best move, under the directives of this moment.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::program::Place;

const ROOT: [&str; 2] = ["--moves", "e4 e5"];

/// The best move by each face, in SAN.
fn faces(place: &Place) -> BTreeMap<&'static str, String> {
    let show = |more: &[&str]| place.stdout(&[&["show"], &ROOT[..], more].concat());
    let second_word = |text: &str| text.split_whitespace().nth(1).unwrap().to_owned();
    let json: Value = serde_json::from_str(&show(&["--format", "json"])).unwrap();
    let list: Value = serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap();
    let san = |value: &Value| value["verdict"]["san"].as_str().unwrap().to_owned();
    let first_move = |pgn: &str| {
        let moves = pgn.split("2. ").nth(1).unwrap();
        moves.split_whitespace().next().unwrap().to_owned()
    };
    let study = show(&["--format", "study", "--side", "white"]);
    let conditional = show(&["--format", "conditional"]);
    let epd = show(&["--format", "epd"]);
    BTreeMap::from([
        ("show", second_word(&show(&[]))),
        ("json", san(&json)),
        ("list", san(&list[0])),
        ("pgn", first_move(&show(&["--format", "pgn"]))),
        ("study", first_move(&study)),
        (
            "conditional",
            conditional
                .split("play 2. ")
                .nth(1)
                .unwrap()
                .split_whitespace()
                .next()
                .unwrap()
                .to_owned(),
        ),
        ("epd", epd.split("bm ").nth(1).unwrap().split(';').next().unwrap().to_owned()),
    ])
}

/// The one move that all faces name.
fn the_move(place: &Place, when: &str) -> String {
    let faces = faces(place);
    let best = faces["show"].clone();
    assert!(faces.values().all(|face| *face == best), "{when}: {faces:?}");
    best
}

fn grow(place: &Place, more: &[&str]) -> String {
    let output = place.run_grow(&[&ROOT[..], &["--depth", "2", "--no-closing"], more].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn excluded_moves_are_told_by_no_face() {
    let place = Place::new();
    let first = grow(&place, &[]);
    assert_eq!(the_move(&place, "grown"), first);
    place.stdout(&["direct", ROOT[0], ROOT[1], "exclude", &first]);
    let second = the_move(&place, "excluded");
    assert_ne!(second, first);
    let show = place.stdout(&["show", ROOT[0], ROOT[1], "--format", "json"]);
    let show: Value = serde_json::from_str(&show).unwrap();
    assert_eq!(show["pending"], true);
    // A run that ends before the tree is grown again says what all the others say.
    let said = grow(&place, &["--max-searches", "1"]);
    assert_eq!(said, the_move(&place, "grown for a moment"));
    let said = grow(&place, &[]);
    assert_eq!(said, the_move(&place, "grown again"));
    place.stdout(&["direct", ROOT[0], ROOT[1], "undo", &first]);
    assert_eq!(the_move(&place, "undone"), first);
    assert_eq!(grow(&place, &[]), first);
    let show = place.stdout(&["show", ROOT[0], ROOT[1], "--format", "json"]);
    let show: Value = serde_json::from_str(&show).unwrap();
    assert_eq!((&show["waiting"], &show["pending"]), (&0.into(), &Value::Null));
}
