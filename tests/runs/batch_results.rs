//! Results of `grow` on many roots: solved positions, JSON, exit codes, all games of a file.
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
    let text = String::from_utf8(place.run_grow(&grow).stdout).unwrap();
    assert!(
        text.contains("\nsolved: 1 of 2 (bm, am); 1 not checked: bm or am cannot be read\n"),
        "{text}"
    );
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("right ").ends_with(" solved") && !row("right ").ends_with("not solved"), "{text}");
    assert!(row("wrong ").ends_with(&format!("  am {right} not solved")), "{text}");
    assert!(row("over ").ends_with(" checkmate not checked"), "{text}");
    assert!(text.starts_with("engine    Scripted 1, engine depth 5\n"), "{text}");
    let heading = "root           depth    value  best          searches   nodes    time\n";
    assert!(text.contains(heading), "{text}");

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
    assert_eq!(json["engine"]["name"], "Scripted 1");
    assert!(json["engine"]["options"].is_object(), "{json}");
    assert_eq!(roots[1]["asked"]["am"][0]["san"], right);
    assert!(roots[2].get("asked").is_none() && roots[1]["asked"].get("bm").is_none(), "{json}");
    assert_eq!(roots[0]["limit"]["depth"], 5);
    // Nothing was searched in this run; what the tree has cost is known.
    assert_eq!([&roots[0]["nodes"], &roots[0]["searches"]], [0, 0]);
    assert!(roots[0]["tree_nodes"].as_u64().unwrap() > 0, "{json}");
    assert!(roots[0]["engine_time_ms"].is_u64() && roots[0]["elapsed_ms"].is_u64(), "{json}");
    assert_eq!(roots[0]["best"]["san"], right);
    assert_eq!(roots[0]["line"][0], roots[0]["best"]["uci"]);
    assert_eq!(roots[2]["best"]["san"], best(&place, MATE));
    assert!(roots[0]["analysis"].is_i64() && roots[3]["analysis"].is_null(), "{json}");
}

#[test]
fn exit_code_option_tells_limit_from_complete() {
    let place = Place::new();
    std::fs::write(place.path("suite.epd"), format!("{KINGS}\n{MATE}\n")).unwrap();
    let code = |args: &[&str]| place.run_grow(args).status.code();
    for (root, plain) in [(["--root", KINGS], 1), (["--epd", "suite.epd"], 0)] {
        let limited = [&root[..], &["--depth", "3", "--max-searches", "1"]].concat();
        // One search is no verdict, but there is a table of many positions.
        assert_eq!(code(&limited), Some(plain), "{root:?}");
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
fn all_games_are_grown_each_position_once() {
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
    assert!(stderr(&one).contains("--game all names many positions"), "{}", stderr(&one));
}

#[test]
fn unreadable_game_is_named_and_left_out() {
    let place = Place::new();
    let games = "[Event \"g1\"]\n\n1. e4 e5 *\n\n[Event \"g2\"]\n\n1. d4 d5 2. Ke4 *\n\n\
        [Event \"g3\"]\n\n1. c4 {not closed\n\n[Event \"g4\"]\n\n1. c4 c5 *\n";
    std::fs::write(place.path("games.pgn"), games).unwrap();
    let all = ["--pgn", "games.pgn", "--game", "all", "--depth", "1"];
    let output = place.run_grow(&all);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for line in [
        "error: games.pgn: 2 of 4 games cannot be read and are left out\n",
        "error: games.pgn: game 2, line 7: \"2. Ke4\" is illegal in ",
        "error: games.pgn: game 3, line 11: a comment is not closed\n",
        "done: 2 of 2 complete",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let known: Vec<String> = ["e4 e5", "c4 c5"]
        .iter()
        .map(|moves| place.stdout(&["show", "--moves", moves, "--format", "json"]))
        .collect();
    assert!(known.iter().all(|tree| tree.contains("\"positions\":")), "{known:?}");

    let json = place.run_grow(&[&all[..], &["--format", "json", "-q"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["left_out"].as_array().unwrap().len(), 2);
    let names: Vec<&str> = json["roots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|root| root["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["game 1, 1... e5", "game 4, 1... c5"]);

    let every = ["--pgn", "games.pgn", "--game", "all", "--every", "--format", "pgn"];
    let output = place.run(&[&["show"][..], &every].concat());
    assert_eq!(output.status.code(), Some(1));
    let written = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(written.matches("[Event ").count(), 2, "{written}");
    assert!(stderr(&output).contains("2 of 4 games cannot be read"), "{}", stderr(&output));

    std::fs::write(place.path("bad.pgn"), "[Event \"a\"]\n\n1. Ke4\n\n[Event \"b\"]\n\n1. Sf3\n")
        .unwrap();
    let output = place.run_grow(&["--pgn", "bad.pgn", "--game", "all"]);
    assert_eq!(output.status.code(), Some(2));
    let told =
        "error: none of the 2 games can be read; the first: bad.pgn: game 1, line 3: \"1. Ke4\"";
    assert!(stderr(&output).starts_with(told), "{}", stderr(&output));
}

#[test]
fn unreadable_best_move_counts_neither_way() {
    let place = Place::new();
    let pawn = "8/P6k/8/8/8/8/7K/8 w - -";
    let mut suite = format!("{pawn} bm a8Q; id \"p\";\n{pawn} bm a8; id \"r\";\n").into_bytes();
    suite.extend(b"4k3/8/8/8/8/8/4P3/4K3 w - - id \"M\xfcller\"; hmvc 3; fmvn 7;\n");
    std::fs::write(place.path("suite.epd"), suite).unwrap();
    let grow = ["--epd", "suite.epd", "--depth", "1"];
    let output = place.run_grow(&grow);
    let table = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(table.contains(" of 1 (bm, am); 1 not checked: bm or am cannot be read\n"), "{table}");
    assert!(table.contains("\nMüller "), "{table}");
    let text = stderr(&output);
    assert!(text.contains("suite.epd:2: bm a8: \"1. a8\" is illegal in 8/P6k"), "{text}");
    let json = place.run_grow(&[&grow[..], &["--format", "json", "-q"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(
        json["roots"][1]["unchecked"].as_str().unwrap().starts_with("suite.epd:2: bm a8: "),
        "{json}"
    );
    assert!(json["roots"][1]["solved"].is_null() && json["roots"][0]["solved"].is_boolean());
    assert_eq!(json["roots"][2]["root"], "4k3/8/8/8/8/8/4P3/4K3 w - - 3 7");

    std::fs::write(place.path("moves.epd"), format!("{pawn} moves a7a8q\n")).unwrap();
    let output = place.run_grow(&["--epd", "moves.epd"]);
    assert_eq!(output.status.code(), Some(2));
    let told = "error: moves.epd:1: FEN \"8/P6k/8/8/8/8/7K/8 w - - moves a7a8q\" has \"moves a7a8q\" behind its fields";
    assert!(stderr(&output).starts_with(told), "{}", stderr(&output));
}
