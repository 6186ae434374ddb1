//! `log` on the built program: held against `show`, and read by eye.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(args)).unwrap()
}

#[test]
fn newest_verdict_is_shown_with_best_alphas() {
    let place = Place::new();
    place.grow(&["--depth", "3", "--distance", "20"]);
    let log = json(&place, &["log", "--format", "json"]);
    let shown = json(&place, &["show", "--format", "json"]);
    let verdict = log["verdicts"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&verdict["depth"], &verdict["value"]),
        (&shown["depth"]["settled"], &shown["value"])
    );
    assert_eq!(verdict["searches"], shown["searches"]);
    let (listed, root_moves) = (&verdict["moves"], shown["moves"].as_array().unwrap());
    assert_eq!(listed.as_array().unwrap().len(), root_moves.len());
    for (listed, m) in listed.as_array().unwrap().iter().zip(root_moves) {
        for key in ["uci", "san", "rank", "eval", "idea", "alpha"] {
            assert_eq!(listed[key], m[key], "{key}");
        }
        let line: Vec<&str> =
            listed["line"].as_array().unwrap().iter().map(|uci| uci.as_str().unwrap()).collect();
        assert_eq!(line[0], m["uci"]);
        // Below each move of the line the next one is the first of the printed moves.
        for plies in 1..line.len() {
            let from = line[..plies].join(" ");
            let args = ["show", "--format", "json", "--plies", "1", "--line", &from];
            assert_eq!(json(&place, &args)["moves"][0]["uci"], line[plies], "after {from}");
        }
        let beyond = line.join(" ");
        let end = place.run(&["show", "--line", &beyond]);
        assert!(stderr(&end).contains("the tree ends with"), "{beyond}: {}", stderr(&end));
    }
}

#[test]
fn log_names_depths_and_reasons_of_changes() {
    let place = Place::new();
    place.grow(&["--depth", "3"]);
    let text = place.stdout(&["log"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.starts_with("root     rnbqkbnr/pppp"), "{text}");
    let is_time = |word: &str| word.len() == 8 && word.matches(':').count() == 2;
    let times = text.split_whitespace().filter(|word| is_time(word)).count();
    assert_eq!(times, 4, "four depths with their times: {text}");
    assert!(text.contains("\n*   ") && text.contains("what changed the moves"), "{text}");
    let log = json(&place, &["log", "--format", "json"]);
    let changed = log["moves"].as_array().unwrap();
    let with_cause = |kind: &str| {
        changed
            .iter()
            .flat_map(|m| m["changes"].as_array().unwrap())
            .any(|change| change["because"]["kind"] == kind)
    };
    assert!(with_cause("departs") && with_cause("follows"), "{log}");
    assert!(text.contains("because ") && text.contains("by what follows"), "{text}");
    let passes = place.stdout(&["log", "--passes"]);
    assert!(passes.starts_with(&text) && passes.contains(" pass  when (UTC)"), "{passes}");
    let points = log["course"]["changes"].as_array().unwrap().len();
    assert_eq!(passes.lines().count(), text.lines().count() + 2 + points);
}

#[test]
fn white_pov_turns_scores_with_black_to_move() {
    let place = Place::new();
    let root = ["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 3 40"];
    place.grow(&[&root[..], &["--depth", "2"]].concat());
    let text = place.stdout(&[&["log", "--pov", "mover"], &root[..]].concat());
    let white = place.stdout(&[&["log"], &root[..]].concat());
    assert!(text.contains("40... ") && white.contains("40... "), "{text}");
    let score = |text: &str| {
        let rows = text.lines().filter(|line| line.contains("40... "));
        let mut words =
            rows.flat_map(|line| line.split_whitespace().skip_while(|word| *word == "*"));
        words.find(|word| word.starts_with(['+', '-', '#'])).unwrap().to_owned()
    };
    let turned = match score(&text).split_at(1) {
        ("+", rest) => format!("-{rest}"),
        ("-", rest) => format!("+{rest}"),
        (_, rest) => {
            format!("#{}", rest.strip_prefix('-').map_or(format!("-{rest}"), str::to_owned))
        }
    };
    assert_eq!(score(&white), turned, "{text}{white}");
}

#[test]
fn the_depth_under_way_is_told_as_it_is_so_far() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    place.run_grow(&["--depth", "3", "--max-searches", "12"]);
    let log = json(&place, &["log", "--format", "json"]);
    let is_settled = |stage: &Value| stage["settled_at"].is_string();
    let stages = log["verdicts"].as_array().unwrap();
    assert_eq!(stages.iter().map(is_settled).collect::<Vec<_>>(), [true, true, true, false]);
    let so_far = place.stdout(&["log"]);
    assert!(so_far.contains("  so far\n"), "depth 3 is under way: {so_far}");
}

#[test]
fn log_runs_from_first_pass_to_the_tree() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    place.grow(&["--depth", "3"]);
    let log = json(&place, &["log", "--format", "json"]);
    let points = log["course"]["changes"].as_array().unwrap();
    let last = log["verdicts"].as_array().unwrap().last().unwrap();
    assert_eq!((&log["course"]["from_pass"], &points[0]["pass"]), (&0.into(), &1.into()));
    assert_eq!(points.last().unwrap()["alpha"], last["value"]);
    assert_eq!(points.last().unwrap()["best"], last["moves"][0]["uci"]);
    let state = |point: &Value| (point["best"].clone(), point["alpha"].clone());
    assert!(points.windows(2).all(|pair| state(&pair[0]) != state(&pair[1])), "{points:?}");
}

#[test]
fn show_says_in_one_sentence_what_changed_last() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    let first = place.stdout(&["show"]);
    assert!(!first.contains("\nchange"), "one depth is no change: {first}");
    place.grow(&["--depth", "3"]);
    let text = place.stdout(&["show"]);
    let sentence = text.lines().find(|line| line.starts_with("change   1. ")).expect(&text);
    assert!(sentence.contains(" since depth 2") && sentence.contains('→'), "{sentence}");
    assert!(sentence.chars().count() <= 80, "{sentence}");
}

#[test]
fn a_finished_game_has_a_value_and_no_moves() {
    let place = Place::new();
    let root = ["--root", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"];
    place.grow(&[&root[..], &["--depth", "1"]].concat());
    let text = place.stdout(&[&["log"], &root[..]].concat());
    assert!(
        text.ends_with("\n\ncheckmate: White has won\n") && !text.contains("what changed"),
        "{text}"
    );
    let log = json(&place, &[&["log", "--format", "json"], &root[..]].concat());
    assert_eq!(
        (log["moves"].as_array().unwrap().len(), &log["verdicts"][0]["moves"]),
        (0, &Value::Array(vec![]))
    );
}

#[test]
fn bad_input_is_named() {
    let place = Place::new();
    place.run_grow(&["--max-searches", "1"]);
    let none = place.run(&["log"]);
    assert!(stderr(&none).contains("there is no analysis of"), "no pass is done");
    place.grow(&["--depth", "1"]);
    let text = place.stdout(&["log"]);
    for (args, status, words) in [
        (&["log", "--moves", "e4"][..], 1, "there is no analysis of"),
        (&["log", "--analysis", "7"], 1, "there is no analysis 7"),
        (&["log", "-o", "tree.db"], 2, "--output names the database itself"),
        (&["log", "-o", "tree.db-wal"], 2, "--output names a file of the database"),
        (&["log", "-o", "no/such/file"], 1, "cannot write no/such/file"),
        (&["log", "--format", "pgn"], 2, "invalid value 'pgn'"),
    ] {
        let output = place.run(args);
        let said = stderr(&output);
        assert!(output.status.code() == Some(status) && said.contains(words), "{args:?}: {said}");
    }
    place.stdout(&["log", "-o", "log.txt"]);
    assert_eq!(std::fs::read_to_string(place.path("log.txt")).unwrap(), text);
}
