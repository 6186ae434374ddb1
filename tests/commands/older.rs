//! `grow` on roots with an older analysis: its lines before and after the run, and roots without
//! any.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// A run of a scripted engine of this name and seed; what it tells.
fn grow(place: &Place, name: &str, seed: &str, depth: &str, more: &[&str]) -> String {
    let engine = scripted(&["--name", name, "--seed", seed]);
    let args = ["grow", "--engine", &engine, "--engine-depth", depth, "--depth", "2"];
    let output = place.run(&[&args, more].concat());
    assert!(output.status.success(), "{more:?}: {}", stderr(&output));
    stderr(&output)
}

const TWO: [&str; 2] = ["--engines", "2"];

/// The lines of a run that begin with this word, without it.
fn rows<'a>(told: &'a str, word: &str) -> Vec<&'a str> {
    let rows = told.lines().filter_map(|line| line.strip_prefix(word));
    rows.map(str::trim_start).collect()
}

/// The best move of an analysis with its score for White, as `show` has it.
fn best(place: &Place, analysis: &str) -> String {
    let told = place.stdout(&["show", "--analysis", analysis, "--format", "json"]);
    let tree: Value = serde_json::from_str(&told).unwrap();
    let (verdict, is_white) = (&tree["verdict"], tree["root"].as_str().unwrap().contains(" w "));
    let cp = verdict["score"]["cp"].as_i64().unwrap();
    let white = if is_white { cp } else { -cp };
    let sign = if white < 0 { "-" } else { "+" };
    let score = format!("{sign}{}.{:02}", white.abs() / 100, white.abs() % 100);
    format!("1. {} {score}", verdict["san"].as_str().unwrap())
}

#[test]
fn run_compares_itself_with_an_older_analysis() {
    let place = Place::new();
    let first = grow(&place, "Older", "1", "5", &TWO);
    assert_eq!(rows(&first, "older"), [""; 0], "{first}");
    let old = best(&place, "1");
    let told = grow(&place, "Newer", "7", "5", &TWO);
    let begin = format!(
        "analysis 1 of this position, by Older, engine depth 5: {old}; idle engines use it to look ahead"
    );
    let new = best(&place, "2");
    let is_same = old.split(' ').nth(1) == new.split(' ').nth(1);
    let same = if is_same { "the same best move, " } else { "" };
    assert_eq!(rows(&told, "older"), [begin, format!("analysis 1 has {same}{old}")], "{told}");
    let [command] = rows(&told, "compare")[..] else { panic!("{told}") };
    assert_eq!(command, "deepanalyze compare 1 2");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(place.stdout(&words).contains("Newer"));

    // A third engine that says what the second one said.
    let told = grow(&place, "Newest", "7", "5", &["--engines", "2", "--max-searches", "400"]);
    let older = rows(&told, "older");
    assert_eq!(older.len(), 2, "{told}");
    assert!(older[0].starts_with("analysis 1 ") || older[0].starts_with("analysis 2 "), "{told}");
}

#[test]
fn older_notes_fit_the_engines_and_quiet() {
    let place = Place::new();
    grow(&place, "Older", "1", "5", &TWO);
    for more in [&["--engines", "1"][..], &["--engines", "2", "--no-look-ahead"]] {
        let told = grow(&place, "Newer", "1", "5", more);
        let older = rows(&told, "older");
        assert!(older[0].starts_with("analysis 1 of this position, by Older"), "{told}");
        assert!(!told.contains("look ahead"), "{told}");
        assert_eq!(older[1], format!("analysis 1 has the same best move, {}", best(&place, "1")));
    }
    assert_eq!(grow(&place, "Newer", "1", "5", &["--engines", "2", "--quiet"]), "");
}

#[test]
fn stages_of_one_engine_are_one_analysis() {
    let place = Place::new();
    let staged = |seed: &str| {
        let engine = scripted(&["--name", "Staged", "--seed", seed]);
        let args = ["grow", "--engine", &engine, "--engines", "2", "--depth", "1", "--no-closing"];
        stderr(&place.run(&[&args[..], &["--max-searches", "60"]].concat()))
    };
    staged("3");
    let again = staged("3");
    assert!(place.stdout(&["list", "--format", "json"]).matches("\"limit\"").count() > 1);
    assert_eq!(rows(&again, "older"), [""; 0], "{again}");
    // Another limit of the same engine is another analysis for a run without stages.
    let once = grow(&place, "Staged", "3", "5", &TWO);
    assert!(
        rows(&once, "older")[0].contains(" of this position, by Staged, engine depth "),
        "{once}"
    );
}

#[test]
fn batch_counts_older_analyses_and_equal_moves() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), "1. e4 e5 2. Nf3 Nc6 *\n").unwrap();
    for moves in ["", "e4 e5"] {
        grow(&place, "Older", "1", "5", &["--engines", "2", "--moves", moves]);
    }
    let every = ["--engines", "2", "--pgn", "game.pgn", "--every"];
    let told = grow(&place, "Newer", "1", "5", &every);
    let begin = "2 of 5 positions have an older analysis; idle engines use it to look ahead";
    let end = "the same best move at 2 of 2 positions with an older analysis";
    assert_eq!(rows(&told, "older"), [begin, end], "{told}");
    let [command] = rows(&told, "compare")[..] else { panic!("{told}") };
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let compared = place.stdout(&[&words[..], &["--format", "json"]].concat());
    let compared: Value = serde_json::from_str(&compared).unwrap();
    assert_eq!(compared["roots"].as_array().unwrap().len(), 2, "{command}");
    let told = grow(&Place::new(), "Newer", "1", "5", &TWO);
    assert!(!told.contains("older"), "{told}");
}
