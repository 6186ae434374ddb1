//! `stats` on the built program: its counts held against the tables, its finds against `show`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashMap;

use deepanalyze_core::chess::{Game, epd_of};
use serde_json::Value;

use crate::support::program::{Place, stderr};

const KINGS: [&str; 2] = ["--root", "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"];

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(args)).unwrap()
}

fn stats(place: &Place, args: &[&str]) -> Value {
    json(place, &[&["stats", "--format", "json"], args].concat())
}

fn sum(list: &Value, key: &str) -> u64 {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_u64().unwrap()).sum()
}

/// One number of the database.
fn number(place: &Place, sql: &str) -> u64 {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_counts_of_a_database_are_those_of_its_tables() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    place.grow(&["--depth", "2", "--distance", "20"]);
    place.grow(&["--depth", "2", "--moves", "c4"]);
    let all = stats(&place, &[]);
    let stored = number(&place, "SELECT count(*) FROM search");
    assert_eq!((&all["searches"], &all["analyses"]), (&stored.into(), &3.into()));
    assert_eq!(all["nodes"], number(&place, "SELECT sum(nodes) FROM search"));
    assert_eq!(sum(&all["over_time"]["stretches"], "searches"), stored);
    assert_eq!(sum(&all["by_rank"], "searches"), stored);
    let admitted = number(&place, "SELECT sum(searches) FROM analysis");
    assert_eq!(sum(&all["by_ply"], "searches"), admitted);
    assert_eq!(sum(&all["by_ply"], "positions"), number(&place, "SELECT count(*) FROM node"));

    let mut most = HashMap::new();
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let mut query = db.prepare("SELECT position, admitted FROM node").unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for (position, admitted) in rows.map(Result::<(i64, u64), _>::unwrap) {
        let most = most.entry(position).or_insert(0);
        *most = admitted.max(*most);
    }
    let used: u64 = most.values().sum();
    let memo = &all["memo"];
    assert_eq!((&memo["admitted"], &memo["stored"]), (&admitted.into(), &stored.into()));
    assert_eq!(memo["admitted_once"], used);
    assert!(used < admitted && used <= stored, "three roots share answers");

    let file = &all["file"];
    assert_eq!(file["bytes"], std::fs::metadata(place.db()).unwrap().len());
    assert!(sum(&file["tables"], "bytes") <= file["bytes"].as_u64().unwrap());
    let tables = file["tables"].as_array().unwrap();
    assert!(tables.iter().any(|table| table["table"] == "answer"), "{tables:?}");
    assert!(all.get("circles").is_none() && all.get("disagreements").is_none());
}

#[test]
fn memo_hits_are_the_answers_of_before() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    let first = stats(&place, &["--analysis", "1"]);
    assert_eq!(first["searches"], 77);
    assert_eq!((&first["memo"]["stored_before"], &first["memo"]["shared"]), (&0.into(), &0.into()));
    // A shallower tree with another distance: all it needs is there.
    place.grow(&["--depth", "1", "--distance", "9"]);
    let second = stats(&place, &["--analysis", "2"]);
    let admitted = second["searches"].as_u64().unwrap();
    let before = second["memo"]["stored_before"].as_u64().unwrap();
    let shared = second["memo"]["shared"].as_u64().unwrap();
    assert!(before > 0 && before <= admitted && shared >= before, "{second}");
    assert_eq!(stats(&place, &["--analysis", "1"])["memo"]["shared"], shared, "both have them");
    // Another engine depth is another profile, which has nothing of it.
    let engine = crate::support::scripted(&[]);
    let other = ["grow", "--engine", &engine, "--engine-depth", "6", "--depth", "1"];
    place.stdout(&other);
    let third = stats(&place, &["--analysis", "3"]);
    assert_eq!((&third["memo"]["stored_before"], &third["memo"]["shared"]), (&0.into(), &0.into()));
}

#[test]
fn every_contradiction_is_one_of_the_shown_tree() {
    let place = Place::new();
    place.grow(&["--depth", "4", "--distance", "25"]);
    let found = stats(&place, &["--root", "startpos", "--top", "5"]);
    let found = found["disagreements"].as_array().unwrap();
    assert_eq!(found.len(), 5);
    let differences: Vec<f64> = found.iter().map(|d| d["difference"].as_f64().unwrap()).collect();
    assert!(differences.is_sorted_by(|a, b| a >= b) && differences[4] > 0.0, "{differences:?}");
    let value = |score: &Value| score["cp"].as_i64().unwrap();
    for contradiction in found {
        let line: Vec<&str> =
            contradiction["line"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        assert_eq!(contradiction["ply"], line.len());
        let line = line.join(" ");
        let shown = json(&place, &["show", "--format", "json", "--plies", "1", "--line", &line]);
        let moves = shown["moves"].as_array().unwrap();
        let first = moves.iter().find(|m| m["rank"] == 0).unwrap();
        let (engine, tree) = (&contradiction["engine"], &contradiction["tree"]);
        assert_eq!((&engine["uci"], &engine["score"]), (&first["uci"], &first["eval"]), "{line}");
        let best = moves.iter().map(|m| value(&m["idea"])).max().unwrap();
        assert_eq!(value(&tree["score"]), best, "{line}");
        let of_best = moves.iter().find(|m| m["uci"] == tree["uci"]).unwrap();
        assert_eq!(value(&of_best["idea"]), best, "{line}");
    }
}

#[test]
fn circles_have_a_position_and_a_line_to_it() {
    let place = Place::new();
    place.grow(&[&KINGS[..], &["--depth", "5", "--distance", "60"]].concat());
    let found = stats(&place, &[&KINGS[..], &["--top", "3"]].concat());
    let circles = found["circles"].as_array().unwrap();
    assert!(!circles.is_empty() && circles.len() <= 3, "{found}");
    for circle in circles {
        assert!(circle["positions"].as_u64().unwrap() >= 2);
        let mut game = Game::from_start(KINGS[1]).unwrap();
        let line: Vec<&str> =
            circle["line"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        game.play_line(&line.join(" ")).unwrap();
        assert_eq!(circle["epd"], epd_of(game.root()));
    }
    let text = place.stdout(&[&["stats"], &KINGS[..]].concat());
    assert!(text.contains(" positions  ") && text.contains("the largest circles"), "{text}");
}

#[test]
fn stats_fit_eighty_columns_and_write_nothing() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    place.run_grow(&["--depth", "3", "--max-searches", "12"]);
    // Readers of a log leave its files behind.
    place.sql("PRAGMA journal_mode = DELETE");
    let before = (std::fs::read(place.db()).unwrap(), place.files());
    for args in [&["stats"][..], &["stats", "--analysis", "1"]] {
        let text = place.stdout(args);
        let long = text.lines().skip(1).find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{text}");
        for part in
            ["searches  5", "by minute (UTC)", "\nrank  searches", "the file takes", "memo  "]
        {
            assert!(text.contains(part), "no {part:?}: {text}");
        }
        assert_eq!(text.contains("contradicts the engine"), args.len() > 1);
    }
    assert!((std::fs::read(place.db()).unwrap(), place.files()) == before);
}

#[test]
fn unused_answers_count_and_bad_input_is_named() {
    let place = Place::new();
    place.run_grow(&["--max-searches", "1"]);
    assert!(
        place.stdout(&["stats"]).contains("searches  1\n"),
        "no pass is done, an answer is kept"
    );
    place.grow(&["--depth", "1"]);
    for (args, status, words) in [
        (&["stats", "--moves", "e4"][..], 1, "there is no analysis of"),
        (&["stats", "--analysis", "7"], 1, "there is no analysis 7"),
        (&["stats", "--analysis", "1", "--moves", "e4"], 2, "cannot be used with"),
        (&["stats", "--top", "-1"], 2, "'-1' for '--top <N>'"),
        (&["stats", "-o", "tree.db"], 2, "--output names the database itself"),
        (&["stats", "-o", "./tree.db-grow-1.lock"], 2, "--output names a file of the database"),
    ] {
        let output = place.run(args);
        let said = stderr(&output);
        assert!(output.status.code() == Some(status) && said.contains(words), "{args:?}: {said}");
    }
}
