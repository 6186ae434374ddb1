//! What `grow` says of many roots at their end: solved positions, JSON, exit codes, all games of a file.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};

const KINGS: &str = "8/8/4k3/8/8/4K3/4P3/8 w - -";
const MATE: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -";
const OVER: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - -";

/// The best move of a root, in SAN.
fn best(place: &Place, root: &str) -> String {
    let tree: Value =
        serde_json::from_str(&place.stdout(&["show", "--root", root, "--format", "json"])).unwrap();
    tree["moves"][0]["san"].as_str().unwrap().to_owned()
}

#[test]
fn a_suite_s_best_moves_are_counted_and_told_as_json() {
    let place = Place::new();
    place.grow(&["--root", KINGS, "--depth", "1"]);
    let right = best(&place, KINGS);
    // Ra8 mates; the scripted engine does not look so far, whatever it prefers.
    let suite = format!(
        "{KINGS} bm {right}; id \"right\";\n{KINGS} am {right}; id \"wrong\";\n{MATE} id \"nothing asked\";\n\
         {OVER} bm Kg7; id \"over\";\n"
    );
    std::fs::write(place.path("suite.epd"), suite).unwrap();
    let grow = ["--epd", "suite.epd", "--depth", "1"];
    let text = stderr(&place.run_grow(&grow));
    assert!(text.contains("\nsolved: 1 of 2 (bm, am)\n"), "{text}");
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("right ").ends_with(" solved") && !row("right ").ends_with("not solved"), "{text}");
    assert!(row("wrong ").ends_with(" not solved"), "{text}");
    assert!(row("over ").ends_with(" checkmate"), "{text}");

    let output = place.run_grow(&[&grow[..], &["--format", "json", "--quiet"]].concat());
    assert_eq!(stderr(&output), "");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["solved"], serde_json::json!({"solved": 1, "of": 2}));
    assert_eq!((&json["ending"], &json["searches"]), (&"settled".into(), &0.into()));
    let roots = json["roots"].as_array().unwrap();
    let told = |root: &Value| (root["state"].clone(), root["solved"].clone());
    let settled = |solved: Value| (Value::from("settled"), solved);
    assert_eq!(
        roots.iter().map(told).collect::<Vec<_>>(),
        [
            settled(true.into()),
            settled(false.into()),
            settled(Value::Null),
            ("over".into(), Value::Null)
        ]
    );
    assert_eq!(roots[0]["best"]["san"], right);
    assert_eq!(roots[0]["line"][0], roots[0]["best"]["uci"]);
    assert_eq!(roots[2]["best"]["san"], best(&place, MATE));
    assert!(roots[0]["analysis"].is_i64() && roots[3]["analysis"].is_null(), "{json}");
}

#[test]
fn an_exit_code_tells_a_limit_from_a_settled_depth_where_it_is_asked_for() {
    let place = Place::new();
    std::fs::write(place.path("suite.epd"), format!("{KINGS}\n{MATE}\n")).unwrap();
    let code = |args: &[&str]| place.run_grow(args).status.code();
    for root in [["--root", KINGS], ["--epd", "suite.epd"]] {
        let limited = [&root[..], &["--depth", "3", "--max-searches", "1"]].concat();
        assert_eq!(code(&limited), Some(0), "{root:?}");
        assert_eq!(code(&[&limited[..], &["--exit-code"]].concat()), Some(3), "{root:?}");
        assert_eq!(code(&[&root[..], &["--depth", "1", "--exit-code"]].concat()), Some(0));
    }
    let each = ["--epd", "suite.epd", "--depth", "4", "--searches-each", "1", "--exit-code"];
    assert_eq!(code(&each), Some(3), "each had its turn, and none is settled");
    let one = place.run_grow(&["--root", KINGS, "--searches-each", "1"]);
    assert_eq!(one.status.code(), Some(2));
    assert!(stderr(&one).contains("need many positions: --every, --game all or --epd"));
    let usage = place.run_grow(&["--format", "json", "--root", KINGS]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(stderr(&usage).contains("--format json needs many positions"));
}

const GAMES: &str =
    "[Event \"one\"]\n\n1. e4 {King's pawn} e5 *\n\n[Event \"two\"]\n\n1. e4 c5 2. Nf3 *\n";

#[test]
fn all_games_of_a_file_are_grown_and_written_each_position_once() {
    let place = Place::new();
    std::fs::write(place.path("games.pgn"), GAMES).unwrap();
    let pgn = ["--pgn", "games.pgn", "--game", "all"];
    let ends = place.run_grow(&[&pgn[..], &["--depth", "0", "--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&ends.stdout).unwrap();
    let names = |json: &Value| -> Vec<String> {
        let roots = json["roots"].as_array().unwrap().iter();
        roots.map(|root| root["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&json), ["game 1, 1... e5", "game 2, 2. Nf3"]);
    let each = [&pgn[..], &["--depth", "4", "--searches-each", "1"]].concat();
    let limited = place.run_grow(&each);
    assert!(limited.status.success(), "{}", stderr(&limited));
    assert!(stderr(&limited).contains("2 searches in this run"), "{}", stderr(&limited));
    let every = [&pgn[..], &["--every", "--depth", "0", "--format", "json"]].concat();
    let json: Value = serde_json::from_slice(&place.run_grow(&every).stdout).unwrap();
    let expected =
        ["game 1, 1... e5", "game 1, 1. e4", "game 1, start", "game 2, 2. Nf3", "game 2, 1... c5"];
    assert_eq!(names(&json), expected, "what they have in common has its turn once");
    let text = place.stdout(&[&["show"], &pgn[..], &["--every", "--format", "pgn"]].concat());
    assert_eq!(text.matches("[Event \"").count(), 2, "{text}");
    assert!(text.contains("\n\n[Event \"two\"]\n"), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains("{ King's pawn }"), "{text}");
    for commented in [" e5 ", " c5 ", " Nf3 "].map(|san| format!("{san}{{ [%eval ")) {
        assert!(text.contains(&commented), "no {commented:?} in {text}");
    }
    let one = place.run(&[&["show"], &pgn[..]].concat());
    assert_eq!(one.status.code(), Some(2));
    assert!(stderr(&one).contains("--game all is many roots"), "{}", stderr(&one));
}
