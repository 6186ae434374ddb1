//! `compare`: two analyses of a root, and of all roots that two kinds have in common.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::program::{Place, stderr};

/// The start and the position after 1. e4, each with two distances.
fn place() -> Place {
    let place = Place::new();
    for (moves, distance) in [("", "10"), ("", "25"), ("e4", "10"), ("e4", "25")] {
        place.grow(&["--moves", moves, "--distance", distance, "--depth", "3"]);
    }
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let text = place.stdout(&[args, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

/// The idea of the best move of each analysed position of a tree.
fn ideas(tree: &Value) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(String::new(), tree)];
    while let Some((epd, node)) = waiting.pop() {
        let Some(moves) = node["moves"].as_array() else { continue };
        let ideas = moves.iter().filter_map(|m| m["idea"]["cp"].as_i64());
        found.extend(ideas.max().map(|idea| (epd, idea)));
        waiting.extend(moves.iter().map(|m| (m["epd"].as_str().unwrap().to_owned(), m)));
    }
    found
}

#[test]
fn two_analyses_are_compared_as_show_has_them() {
    let place = place();
    let compared = json(&place, &["compare", "1", "2", "--top", "100"]);
    let root = &compared["roots"][0];
    assert_eq!(compared["roots"].as_array().unwrap().len(), 1);
    let trees = ["1", "2"].map(|id| json(&place, &["show", "--analysis", id]));
    for (side, tree) in [("a", &trees[0]), ("b", &trees[1])] {
        assert_eq!(root[side]["analysis"], tree["analysis"]);
        assert_eq!(root[side]["value"], tree["value"]);
        assert_eq!(root[side]["engine"], tree["engine"]);
        let alphas = |moves: &Value| -> Vec<(Value, Value)> {
            let moves = moves.as_array().unwrap().iter();
            moves.map(|m| (m["uci"].clone(), m["alpha"].clone())).collect()
        };
        assert_eq!(alphas(&root[side]["moves"]), alphas(&tree["moves"]));
    }
    let [first, second] = trees.each_ref().map(ideas);
    let common: Vec<_> = first.iter().filter(|(epd, _)| second.contains_key(*epd)).collect();
    assert_eq!(root["common"], common.len());
    let differences = root["differences"].as_array().unwrap();
    assert!(!differences.is_empty() && differences.len() < common.len(), "told once each");
    for found in differences {
        // The root has no EPD of its own in the trees.
        let epd = if found["line"] == serde_json::json!([]) {
            ""
        } else {
            found["epd"].as_str().unwrap()
        };
        assert_eq!(found["a"]["idea"]["cp"], first[epd], "{found}");
        assert_eq!(found["b"]["idea"]["cp"], second[epd], "{found}");
    }
    let sizes: Vec<f64> = differences.iter().map(|d| d["difference"].as_f64().unwrap()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert_eq!(
        json(&place, &["compare", "1", "1"])["roots"][0]["differences"],
        serde_json::json!([])
    );
}

#[test]
fn text_shows_each_choice_and_the_side_of_scores() {
    let place = place();
    let same = place.stdout(&["compare", "3", "3"]);
    assert!(same.starts_with("A and B agree: 1... "), "{same}");
    let text = place.stdout(&["compare", "3", "4"]);
    assert!(
        text.contains("\nA  #3: Scripted 1, engine depth 5, distance 10, depth 3 of 3, "),
        "{text}"
    );
    assert!(text.contains("\nafter 1. e4\n") && text.contains("scores for White\n"), "{text}");
    let mover = place.stdout(&["compare", "3", "4", "--pov", "mover"]);
    assert!(
        mover.contains("scores for the side that plays the move\n") && mover != text,
        "{mover}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn all_roots_of_two_kinds_are_paired() {
    let place = place();
    let compared = json(&place, &["compare", "1", "4", "--roots"]);
    let pairs = compared["roots"].as_array().unwrap().iter();
    let mut pairs: Vec<_> =
        pairs.map(|r| [&r["a"], &r["b"]].map(|side| side["analysis"].as_i64().unwrap())).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [[1, 2], [3, 4]]);
    let text = place.stdout(&["compare", "1", "4", "--roots"]);
    assert!(text.starts_with("The same best move in ") && text.contains(" of 2 roots\n"), "{text}");
    assert!(text.contains("#3 #4 1. e4\n"), "{text}");
    place.stdout(&["rename", "--moves", "e4", "King's pawn"]);
    let text = place.stdout(&["compare", "1", "4", "--roots"]);
    assert!(text.contains("#3 #4 King's pawn\n"), "{text}");
    for (args, words) in [
        (&["1", "3"][..], "different roots"),
        (&["1", "9"], "no analysis 9"),
        (&["1", "3", "--roots"], "the same engine, limit, distance and tablebases"),
    ] {
        let output = place.run(&[&["compare"], args].concat());
        assert!(!output.status.success() && stderr(&output).contains(words), "{}", stderr(&output));
    }
}
