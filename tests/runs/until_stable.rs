//! `grow --until-stable`, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// Grows the position after 1. e4 with a scripted engine; its report.
fn grow(place: &Place, args: &[&str]) -> String {
    let engine = scripted(&[]);
    let always =
        ["grow", "--engine", &engine, "--engines", "1", "--moves", "e4", "--distance", "8"];
    let output = place.run(&[&always[..], args].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

/// The words behind a name at the beginning of a line.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start)
}

#[test]
fn run_and_show_print_the_chance_to_stay() {
    let place = Place::new();
    let told = grow(&place, &["--until-stable", "1"]);
    assert!(told.contains("Stable: depth 0 complete"), "{told}");
    let chance = field(&told, "chance ").unwrap();
    assert!(chance.contains(" % that 1... "), "{chance}");
    assert!(chance.ends_with("stays the best move when the engine searches two plies deeper"));
    let shown = place.stdout(&["show"]).replace("\n         ", " ");
    assert_eq!(field(&shown, "chance "), Some(chance), "{shown}");
    let json: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    let told = format!("{}: {} %", json["sure"].as_str().unwrap(), json["stays"]);
    assert_eq!(told, chance.split(" that").next().unwrap());
    let page = place.stdout(&["show", "--format", "html"]);
    assert!(page.contains(&format!("\"stays\":\"{chance}\"")), "the page has it, too");
    let again = grow(&place, &["--until-stable", "1"]);
    assert!(again.contains("Stable") && again.contains("0 searches"), "{again}");
    let further = grow(&place, &["--until-stable", "96", "--max-searches", "60"]);
    assert!(further.contains("Limit reached") && further.contains("60 searches"), "{further}");
    let json: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    let mut moves = json["moves"].as_array().unwrap().iter();
    let analysed = moves.find(|one| one["moves"].is_array()).unwrap()["san"].as_str().unwrap();
    let below = place.stdout(&["show", "--line", analysed]);
    assert_eq!(field(&below, "chance "), None, "it is about the root");
    let below = place.stdout(&["show", "--line", analysed, "--format", "json"]);
    assert!(serde_json::from_str::<Value>(&below).unwrap()["stays"].is_null());
}

#[test]
fn no_stages_no_chance_to_stay() {
    let place = Place::new();
    for limit in ["9", "12"] {
        let told = grow(&place, &["--engine-depth", limit, "--depth", "2"]);
        assert_eq!(field(&told, "chance "), None);
        let shown = place.stdout(&["show"]);
        assert_eq!(field(&shown, "chance "), None, "{shown}");
    }
    let json: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    assert!(json["stays"].is_null());
    for limit in ["--engine-depth", "--engine-nodes"] {
        let output = place.run(&["grow", "--until-stable", limit, "9"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
    }
}

#[test]
fn a_file_of_positions_is_grown_until_each_is_stable() {
    let place = Place::new();
    let epd = place.path("roots.epd");
    let lines = ["e4", "d4"].map(|moves| {
        let mut game = deepanalyze_core::chess::Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        format!("{} id \"{moves}\";\n", deepanalyze_core::chess::epd_of(game.root()))
    });
    std::fs::write(&epd, lines.concat()).unwrap();
    let engine = scripted(&[]);
    let grow = |format| {
        let always = ["grow", "--engine", &engine, "--engines", "1", "--distance", "8"];
        let file = ["--epd", epd.to_str().unwrap(), "--until-stable", "1", "--exit-code"];
        let output = place.run(&[&always[..], &file, &["--format", format]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
    };
    let (json, _) = grow("json");
    let table: Value = serde_json::from_str(&json).unwrap();
    let roots = table["roots"].as_array().unwrap();
    assert_eq!(roots.len(), 2);
    assert!(roots.iter().all(|root| root["state"] == "stable"), "{table}");
    assert_eq!(table["ending"], "settled");
    let (_, told) = grow("text");
    assert!(told.contains("done: 2 of 2 stable; 0 searches in this run"), "{told}");
}
