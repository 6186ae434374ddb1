//! `deepanalyze recheck`, what `show`, `list` and `verify` make of it, and `grow --until-holds`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// An engine whose scores differ a little from those of the one that grows trees here.
fn other(flags: &[&str]) -> String {
    scripted(&[&["--name", "Other 1", "--noise", "25"], flags].concat())
}

/// An engine that has an opinion of its own on everything.
fn contrary() -> String {
    scripted(&["--name", "Contrary 1", "--seed", "4"])
}

fn recheck(place: &Place, engine: &str, args: &[&str]) -> std::process::Output {
    place.run(&[&["recheck", "--engine", engine, "--engines", "1"], args].concat())
}

/// Output of a run that must succeed.
fn told(place: &Place, engine: &str, args: &[&str]) -> String {
    let output = recheck(place, engine, args);
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn tree(place: &Place, args: &[&str]) -> Value {
    json(&place.stdout(&[&["show", "--format", "json"], args].concat()))
}

fn is_proved(place: &Place) {
    let output = place.run(&["verify", "--quiet"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

const TREE: [&str; 6] = ["--moves", "e4", "--depth", "3", "--distance", "20"];

#[test]
fn recheck_is_shown_and_noted_and_tree_unchanged() {
    let place = Place::new();
    place.grow(&TREE);
    let before = tree(&place, &[]);
    assert!(before["recheck"].is_null());
    let text = told(&place, &other(&[]), &["--moves", "e4"]);
    assert!(text.starts_with("#1 ") && text.contains(" scores searched again, "), "{text}");
    let again = json(&told(&place, &other(&[]), &["--moves", "e4", "--format", "json"]));
    assert_eq!((&again["format"], &again["searches"]), (&1.into(), &0.into()), "{again}");
    let root = &again["roots"][0];
    assert_eq!((&root["analysis"], &again["ending"]), (&1.into(), &"settled".into()));
    assert!(["stays", "changed"].contains(&root["state"].as_str().unwrap()), "{root}");
    let noted = &root["recheck"];
    assert_eq!(noted["engine"]["name"], "Other 1");
    assert_eq!(noted["engine"]["limit"]["depth"], 5, "as deep as the tree's");
    assert!(noted["asked"].as_u64().unwrap() < noted["leaves"].as_u64().unwrap());
    assert!(noted["at_least"].as_u64() > noted["within"].as_u64());
    assert_eq!(noted["before"]["uci"], before["moves"][0]["uci"]);
    assert_eq!(noted["before"]["in_tree"], before["moves"][0]["alpha"]);
    assert_eq!(noted["line"][0], noted["best"]["uci"]);
    assert_eq!(noted["because"].as_array().unwrap().is_empty(), root["state"] == "stays");
    let after = tree(&place, &[]);
    for key in ["moves", "verdict", "searches", "passes", "stability"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    let list = json(&place.stdout(&["list", "--format", "json"]));
    assert_eq!(list[0]["recheck"], after["recheck"]);
    for key in ["state", "best", "before", "within", "asked", "nodes", "engine"] {
        assert_eq!(after["recheck"][0][key], noted[key], "{key}");
    }
    let shown = place.stdout(&["show"]).replace("\n         ", " ");
    let line = shown.lines().find(|line| line.starts_with("recheck  ")).expect(&shown);
    assert!(line.starts_with("recheck  Other 1, engine depth 5: 1... "), "{line}");
    let listed = place.stdout(&["list"]);
    assert!(listed.contains("#1 rechecked by Other 1, engine depth 5: 1... "), "{listed}");
    let below = place.stdout(&["show", "--line", before["moves"][0]["san"].as_str().unwrap()]);
    assert!(!below.contains("recheck  "), "it is about the root");
    is_proved(&place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_note_says_where_the_tree_has_changed_since() {
    let place = Place::new();
    place.grow(&TREE);
    told(&place, &other(&[]), &["--analysis", "1"]);
    assert!(tree(&place, &[])["recheck"][0]["stale"].is_null());
    place.grow(&["--moves", "e4", "--depth", "4", "--distance", "20"]);
    assert_eq!(tree(&place, &[])["recheck"][0]["stale"], true);
    let shown = place.stdout(&["show"]).replace("\n         ", " ");
    assert!(shown.contains("(the tree has changed since then)"), "{shown}");
    is_proved(&place);
    told(&place, &other(&[]), &["--analysis", "1"]);
    assert!(tree(&place, &[])["recheck"][0]["stale"].is_null());
    is_proved(&place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn changed_best_move_has_reason_and_command() {
    let place = Place::new();
    place.grow(&["--depth", "4", "--distance", "20"]);
    let text = told(&place, &contrary(), &["--within", "30"]);
    assert!(text.contains(": changed: 1. ") && text.contains(" instead of 1. "), "{text}");
    assert!(text.contains(", because 1. ") && text.contains(" is worth "), "{text}");
    let line = text.lines().find_map(|line| line.split_once("with this engine: ")).expect(&text);
    let words = deepanalyze_core::quoting::split(line.1).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[..2], ["deepanalyze", "grow"]);
    let output = place.run(&[&words[1..], &["--engines", "1"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let list = json(&place.stdout(&["list", "--format", "json"]));
    let list = list.as_array().unwrap();
    let new = list.iter().find(|root| root["engine"]["name"] == "Contrary 1").unwrap();
    let old = list.iter().find(|root| root["engine"]["name"] == "Scripted 1").unwrap();
    for key in ["root", "history", "widths", "depth"] {
        assert_eq!(new[key], old[key], "{key}");
    }
    assert_eq!(new["engine"]["limit"], old["engine"]["limit"]);
}

#[test]
fn same_searches_are_refused_and_deeper_allowed() {
    let place = Place::new();
    place.grow(&TREE);
    let own = scripted(&[]);
    for args in [&["--analysis", "1"][..], &["--all"], &["--engine-depth", "5"]] {
        let output = recheck(&place, &own, args);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("analysis 1 already consists of these searches"), "{said}");
        assert!(said.contains("hint: --engine CMD takes another engine"), "{said}");
    }
    told(&place, &own, &["--engine-depth", "7"]);
    assert_eq!(tree(&place, &[])["recheck"][0]["engine"]["limit"]["depth"], 7);
    let hashed = recheck(&place, &own, &["--engine-depth", "7", "--keep-hash"]);
    assert_eq!(hashed.status.code(), Some(2));
    let nowhere = recheck(&place, &own, &["--moves", "d4", "--engine-depth", "7"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(stderr(&nowhere).contains("there is no analysis of"), "{}", stderr(&nowhere));
}

#[test]
fn after_no_search_a_recheck_claims_nothing() {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "3", "--distance", "20"]);
    let before = place.stdout(&["list"]);
    let none = ["--moves", "e4", "--max-searches", "0"];
    let text = told(&place, &contrary(), &none);
    assert!(
        text.ends_with(": open: nothing searched again yet, the limit was reached\n"),
        "{text}"
    );
    let table = json(&told(&place, &contrary(), &[&none[..], &["--format", "json"]].concat()));
    assert_eq!(
        (&table["roots"][0]["state"], &table["roots"][0]["recheck"]),
        (&"open".into(), &Value::Null)
    );
    assert_eq!(place.stdout(&["list"]), before);
    assert!(!place.stdout(&["show", "--moves", "e4"]).contains("recheck"));
    is_proved(&place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn all_roots_have_turns_until_the_limit() {
    let place = Place::new();
    for moves in ["e4", "d4"] {
        place.grow(&["--moves", moves, "--depth", "4", "--distance", "20"]);
    }
    let limited = ["--all", "--max-searches", "2", "--exit-code", "--format", "json"];
    let output = recheck(&place, &contrary(), &limited);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let table = json(std::str::from_utf8(&output.stdout).unwrap());
    assert_eq!((&table["ending"], &table["searches"]), (&"limit".into(), &2.into()));
    let roots = table["roots"].as_array().unwrap();
    assert_eq!([&roots[0]["analysis"], &roots[1]["analysis"]], [2, 1], "the last one grown first");
    assert!(roots.iter().all(|root| root["recheck"]["asked"] == 1), "{table}");
    is_proved(&place);
    let text = told(&place, &contrary(), &["--all"]);
    let lines = text.lines().filter(|line| line.starts_with('#'));
    assert_eq!(lines.filter(|line| !line.contains(": open: ")).count(), 2, "{text}");
    is_proved(&place);
}

#[test]
fn recheck_uses_multipv_or_refuses_the_engine() {
    let place = Place::new();
    place.grow(&TREE);
    let by_searchmoves = json(&told(&place, &other(&[]), &["--format", "json"]));
    let place = Place::new();
    place.grow(&TREE);
    let engine = other(&["--no-searchmoves"]);
    let by_multipv = json(&told(&place, &engine, &["--format", "json"]));
    let best = |table: &Value| table["roots"][0]["recheck"]["best"].clone();
    assert_eq!(best(&by_multipv), best(&by_searchmoves));
    let place = Place::new();
    place.grow(&TREE);
    let output = recheck(&place, &other(&["--no-searchmoves", "--max-multipv", "2"]), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(said.contains("Other 1") && said.contains("MultiPV ends at 2"), "{said}");
}

#[test]
fn verify_checks_recheck_answers_and_notes() {
    let place = Place::new();
    place.grow(&TREE);
    told(&place, &other(&[]), &[]);
    is_proved(&place);
    let flaws = |statement: &str| {
        place.sql(statement);
        let output = place.run(&["verify", "--quiet"]);
        assert_eq!(output.status.code(), Some(1), "{statement}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = flaws("UPDATE recheck SET within = within + 1");
    assert!(
        said.contains("analysis 1: its recheck by Other 1, engine depth 5: it differs"),
        "{said}"
    );
    let said = flaws(
        "UPDATE recheck SET within = within - 1;
        UPDATE move_answer SET cp = cp + 1 WHERE move = (SELECT min(move) FROM move_answer)",
    );
    assert!(said.contains(" alone in ") && said.contains("changed after it was written"), "{said}");
    let said = flaws("DELETE FROM move_answer");
    assert!(said.contains("it needs an answer to "), "{said}");
}

#[test]
fn a_run_may_go_on_until_its_best_move_holds() {
    let place = Place::new();
    let output = place.run_grow(&[&TREE[..], &["--until-holds", "15"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    let line = said.lines().find(|line| line.starts_with("recheck   ")).expect(&said);
    assert!(line.starts_with("recheck   engine depth 7: "), "{line}");
    let noted = &tree(&place, &[])["recheck"][0];
    assert_eq!((&noted["within"], &noted["engine"]["limit"]["depth"]), (&15.into(), &7.into()));
    is_proved(&place);
    let refused = |args: &[&str], why: &str| {
        let output = place.run(&[&["grow", "--engine", &scripted(&[])], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    refused(&["--until-holds", "15"], "hint: give it a limit");
    refused(&["--until-holds", "15", "--for", "1s", "--keep-hash"], "cannot be used with");
    refused(&["--until-holds", "0"], "1..=1000");
    std::fs::write(place.path("game.pgn"), "1. e4 e5 *\n").unwrap();
    let every = ["--pgn", "game.pgn", "--every", "--depth", "1", "--until-holds", "15"];
    let told = stderr(&place.run_grow(&every));
    assert_eq!(told.matches(" scores searched again").count(), 3, "{told}");
}

#[test]
fn deeper_stockfish_rechecks_a_shallow_tree() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    let place = Place::new();
    let stockfish = "/usr/games/stockfish";
    let root = ["--moves", "e4 e5 Nf3 Nc6 Bb5"];
    let tree =
        ["grow", "--engine", stockfish, "--engines", "1", "--engine-depth", "4", "--depth", "4"];
    place.stdout(&[&tree[..], &root, &["--distance", "20"]].concat());
    let text = told(&place, stockfish, &["--engine-depth", "7"]);
    assert!(text.starts_with("#1 ") && text.contains(" scores searched again"), "{text}");
    is_proved(&place);
    let again = json(&told(&place, stockfish, &["--engine-depth", "7", "--format", "json"]));
    assert_eq!(again["searches"], 0, "{again}");
}
