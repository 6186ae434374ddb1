//! `list`, `rename` and `delete` on the built program, and the names that `grow` gives.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use serde_json::Value;

use crate::support::program::{Place, stderr};
use deepanalyze_core::tree::root_moves;
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::{load, stored_line};

const PAWNS: &str = "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1";
const GAME: &str = "[Event \"?\"]\n[White \"Carlsen, Magnus\"]\n[Black \"Caruana,F\"]\n\
    [Date \"2018.11.09\"]\n\n1. e4 e5 2. Nf3 *\n";

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&place.stdout(args)).unwrap()
}

fn list(place: &Place) -> Value {
    json(place, &["list", "--format", "json"])
}

/// The names of all roots, the one grown last first.
fn names(place: &Place) -> Vec<Option<String>> {
    let list = list(place);
    let name = |root: &Value| root["name"].as_str().map(str::to_owned);
    list.as_array().unwrap().iter().map(name).collect()
}

fn some(names: &[&str]) -> Vec<Option<String>> {
    names.iter().map(|name| Some((*name).to_owned())).collect()
}

/// Grows with another engine depth than [`Place::grow`].
fn grow_at(place: &Place, engine_depth: &str, args: &[&str]) {
    let engine = crate::support::scripted(&[]);
    let always =
        ["grow", "--engine", &engine, "--engine-depth", engine_depth, "--engines", "1", "--quiet"];
    place.stdout(&[&always, args].concat());
}

/// One root with two stages; the clocks do not count.
fn staged() -> Place {
    let place = Place::new();
    for (engine_depth, clocks) in [("5", "0 1"), ("6", "3 1")] {
        let root = PAWNS.replace("0 1", clocks);
        grow_at(&place, engine_depth, &["--root", &root, "--moves", "e4", "--depth", "2"]);
    }
    place
}

#[test]
fn stages_are_one_line_with_the_score_for_white() {
    let place = staged();
    let tree = json(&place, &["show", "--analysis", "2", "--format", "json"]);
    let (value, best) = (tree["value"]["cp"].as_i64().unwrap(), &tree["moves"][0]["san"]);
    let score = |cp: i64| format!("  {}{:.2}  ", if cp < 0 { "" } else { "+" }, cp as f64 / 100.0);
    assert_ne!(value, 0);
    for (pov, cp) in [("white", -value), ("mover", value)] {
        let text = place.stdout(&["list", "--pov", pov]);
        let lines: Vec<&str> = text.lines().collect();
        let [header, line] = lines[..] else { panic!("{text}") };
        assert!(header.contains("name") && header.ends_with("changed"), "{text}");
        assert!(line.starts_with("#2  1. e4 "), "{text}");
        assert!(line.contains(&score(cp)), "{text}: {value}");
        assert!(line.contains(&format!("  1... {} ", best.as_str().unwrap())), "{text}");
        assert!(line.ends_with("  depth 6      2  just now"), "{text}");
    }
    let long = place.stdout(&["list", "--long"]);
    assert!(long.contains("analysis 1  ") && long.contains("analysis 2  "), "{long}");
}

/// A tree is stopped wherever it has come to, between two depths, too.
#[test]
#[ignore = "slow: runs in .ci/run"]
fn list_has_score_and_line_as_show() {
    let place = Place::new();
    place.grow(&["--depth", "0", "--distance", "25"]);
    let mut changed_since_the_settled_depth = 0;
    for _ in 0..24 {
        place.grow(&["--depth", "6", "--distance", "25", "--max-searches", "40"]);
        let store = Store::open_to_read(&place.db()).unwrap();
        let tree = load(&store, AnalysisId(1)).unwrap();
        let (graph, values) = (tree.growth.graph(), tree.growth.values());
        let right = root_moves(graph, values, tree.growth.root()).swap_remove(0);
        let said = stored_line(&store, AnalysisId(1), tree.game.root()).unwrap().unwrap();
        assert_eq!((said.value, &said.moves), (right.alpha, &right.line));
        let settled = tree.verdicts.last().and_then(|verdict| verdict.moves.first());
        changed_since_the_settled_depth +=
            u32::from(settled.is_some_and(|settled| settled.line != right.line));
        let (listed, shown) = (&list(&place)[0], json(&place, &["show", "--format", "json"]));
        assert_eq!(listed["value"], shown["value"]);
        assert_eq!(listed["best"], shown["moves"][0]["uci"]);
    }
    assert!(changed_since_the_settled_depth > 0, "or this shows nothing");
}

#[test]
fn json_and_show_agree_on_the_stage_shown() {
    let place = staged();
    let list = list(&place);
    let [root] = &list.as_array().unwrap()[..] else { panic!("{list}") };
    let tree = json(&place, &["show", "--analysis", "2", "--format", "json"]);
    assert_eq!(tree["analysis"], 2);
    let keys = ["format", "analysis", "root", "history", "start", "engine", "distance", "widths"];
    let more = ["root_moves", "depth", "value", "positions", "searches"];
    for key in keys.iter().chain(&more) {
        assert!(!root[key].is_null(), "{key}");
        assert_eq!(root[key], tree[key], "{key}");
    }
    assert_eq!((&root["best"], &root["name"]), (&tree["moves"][0]["uci"], &Value::Null));
    assert!(root["engine_time_ms"].is_u64() && root["changed_at"].is_string());
    let stages = root["stages"].as_array().unwrap();
    let depths = [5, 6].map(|depth| serde_json::json!({"depth": depth}));
    assert_eq!(
        stages.iter().map(|stage| &stage["limit"]).collect::<Vec<_>>(),
        [&depths[0], &depths[1]]
    );
    for (stage, id) in stages.iter().zip(["1", "2"]) {
        let tree = json(&place, &["show", "--analysis", id, "--format", "json"]);
        for key in ["analysis", "depth", "value"] {
            assert_eq!(stage[key], tree[key], "{id} {key}");
        }
    }
    place.grow(&["--depth", "1"]);
    let alone = &json(&place, &["list", "--json"])[0];
    assert_eq!((&alone["analysis"], &alone["stages"]), (&3.into(), &Value::Null));
    let refused = place.run(&["list", "--long", "--format", "json"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn analyses_of_one_root_say_what_differs() {
    let place = Place::new();
    let grow = |args: &[&str]| place.grow(&[&["--depth", "0"], args].concat());
    grow(&["--moves", "e4"]);
    grow(&[]);
    grow(&["--distance", "20"]);
    grow(&["--distance", "20", "--option", "Hash=64"]);
    grow(&["--draw-value", "-0.25", "--distance", "20", "--option", "Hash=64"]);
    let text = place.stdout(&["list"]);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert!(lines[0].starts_with("#5  initial position  "), "{text}");
    assert_eq!(lines[1], "    (Hash=64, distance 20, a draw worth -0.25 for White)", "{text}");
    assert!(lines[2].starts_with("#4  initial position  "), "{text}");
    assert_eq!(lines[3], "    (Hash=64, distance 20)", "{text}");
    assert!(lines[4].starts_with("#3  initial position (distance 20)  "), "{text}");
    assert!(lines[5].starts_with("#2  initial position (distance 10)  "), "{text}");
    assert!(!lines[6].contains('('), "alone: {text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_positions_of_a_game_are_one_line() {
    let place = Place::new();
    let tags = GAME.split("\n\n").next().unwrap();
    std::fs::write(place.path("game.pgn"), format!("{tags}\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n"))
        .unwrap();
    std::fs::write(place.path("plain.pgn"), "1. d4 d5 2. c4 e6 *\n").unwrap();
    for file in ["game.pgn", "plain.pgn"] {
        place.grow(&["--pgn", file, "--every", "--depth", "0"]);
    }
    place.stdout(&["rename", "--moves", "e4 e5", "mine"]);
    let text = place.stdout(&["list"]);
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(whole.contains("Carlsen–Caruana 2018, 1. e4 "), "{text}");
    assert_eq!(whole.matches("(and 3 more of this game)").count(), 2, "{text}");
    assert!(whole.contains(" mine ") && whole.contains(" initial position "), "{text}");
    assert!(text.ends_with("--every: all positions of each game\n"), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.trim_start().starts_with('#')).count(),
        1 + 4,
        "{text}"
    );
    // Another analysis of one of them differs from one that has no line.
    place.grow(&["--pgn", "game.pgn", "--depth", "0", "--avoid-draws", "white"]);
    let text = place.stdout(&["list"]);
    assert!(
        text.contains("\n     (a draw worth ") || text.contains("\n      (a draw worth "),
        "{text}"
    );
    let every = place.stdout(&["list", "--every"]);
    assert_eq!(every.matches("Carlsen–Caruana 2018, ").count(), 5, "{every}");
    assert_eq!(list(&place).as_array().unwrap().len(), 11);
}

#[test]
fn every_line_fits_and_what_is_cut_says_so() {
    let place = Place::new();
    place.grow(&["--depth", "1", "--moves", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 Rg8"]);
    place.grow(&["--depth", "3", "--distance", "5"]);
    let name = "A very long name of a running game, round 12";
    place.stdout(&["rename", "--root", "startpos", name]);
    let text = place.stdout(&["list"]);
    assert!(text.contains("…, round 12 "), "{text}");
    assert!(text.contains("#1  6... Rg8, Sicilian"), "{text}");
    assert_eq!(text.lines().count(), 3);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(place.stdout(&["list", "--long"]).contains(&format!("\n  name      {name}\n")));
}

#[test]
fn analysis_has_its_own_name() {
    let place = Place::new();
    place.grow(&["--depth", "0", "--distance", "10"]);
    place.grow(&["--depth", "0", "--distance", "30"]);
    place.stdout(&["rename", "--analysis", "2", "Wide"]);
    let mut found = names(&place);
    found.sort();
    assert_eq!(found, [None, Some("Wide".to_owned())]);
    place.stdout(&["rename", "--root", "startpos", "Both"]);
    assert_eq!(names(&place), some(&["Both", "Both"]));
}

#[test]
fn root_is_named_after_its_game_or_by_the_user() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    let of_game = ["--pgn", "game.pgn", "--depth", "0"];
    place.grow(&["--moves", "e4 e5 Nf3", "--depth", "0"]);
    assert_eq!(names(&place), [None]);
    place.grow(&of_game);
    let from_tags = "Carlsen–Caruana 2018, 2. Nf3";
    assert_eq!(names(&place), some(&[from_tags]));
    let said = place.stdout(&["rename", "--analysis", "1", "Match \u{1b}[31m game\n6"]);
    assert_eq!(said, "#1 is called \"Match [31m game 6\" now\n");
    place.grow(&of_game);
    assert_eq!(names(&place), some(&["Match [31m game 6"]));
    let said = place.stdout(&["rename", "--pgn", "game.pgn", ""]);
    assert_eq!(said, "#1 has no name now; it is listed as \"King's Knight Opening\"\n");
    assert_eq!(names(&place), [None]);
    place.grow(&of_game);
    assert_eq!(names(&place), some(&[from_tags]));
}

#[test]
fn the_roots_of_a_batch_have_names_of_their_own() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "0"]);
    let moves = ["1. e4", "1... e5", "2. Nf3"].map(|m| format!("Carlsen–Caruana 2018, {m}"));
    let mut right: Vec<Option<String>> = moves.map(Some).to_vec();
    right.insert(0, None);
    assert_eq!(names(&place), right, "the initial position is of no game");

    let place = Place::new();
    let suite = |id: &str| {
        let text =
            format!("{PAWNS}{id}\n6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8; id \"mate.1\";\n");
        std::fs::write(place.path("suite.epd"), text.replace(" 0 1", "")).unwrap();
    };
    let epd = ["--epd", "suite.epd", "--depth", "0"];
    suite("");
    place.grow(&epd);
    assert_eq!(names(&place), [Some("mate.1".to_owned()), None]);
    suite(" id \"pawns\";");
    place.grow(&epd);
    assert_eq!(names(&place), some(&["mate.1", "pawns"]), "one that is settled is named, too");
}

#[test]
fn a_game_names_no_study_that_it_passes() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    place.grow(&["--moves", "e4", "--depth", "0", "--distance", "33"]);
    place.grow(&["--pgn", "game.pgn", "--ply", "1", "--depth", "0"]);
    place.grow(&["--moves", "e4", "--depth", "0", "--distance", "34"]);
    let of_game = Some("Carlsen–Caruana 2018, 1. e4".to_owned());
    assert_eq!(names(&place), [None, of_game, None]);
}

#[test]
fn new_named_root_copies_directives_of_its_game() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    place.stdout(&["direct", "--moves", "e4", "exclude", "e5 Nf3 Nc6"]);
    place.grow(&["--pgn", "game.pgn", "--depth", "0"]);
    assert_eq!(names(&place), some(&["Carlsen–Caruana 2018, 2. Nf3"]));
    let tree = json(&place, &["show", "--pgn", "game.pgn", "--format", "json"]);
    let excluded = tree["directives"]["exclude"].as_object().unwrap();
    assert_eq!(excluded.values().collect::<Vec<_>>(), [&serde_json::json!(["b8c6"])]);
}

#[test]
fn deletion_needs_an_answer() {
    let place = staged();
    let before = list(&place);
    let refused = place.run(&["delete", "--analysis", "1"]);
    let said = String::from_utf8(refused.stdout.clone()).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.starts_with("1. e4\n  #1  Scripted 1, engine depth 5, distance 10: "), "{said}");
    assert!(said.contains("\n  #2  ") && said.contains("answers stay"), "{said}");
    assert!(stderr(&refused).contains("2 analyses without confirmation"), "{}", stderr(&refused));
    for args in [&["delete", "--yes"][..], &["rename", "nothing"]] {
        let refused = place.run(args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(stderr(&refused).contains("no analysis given"), "{}", stderr(&refused));
    }
    let missing = place.run(&["delete", "--yes", "--analysis", "9"]);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(list(&place), before);
}

#[test]
fn what_grows_is_not_deleted_nor_are_its_other_stages() {
    let place = staged();
    let before = list(&place);
    let lock = Store::open_to_read(&place.db()).unwrap().lock(AnalysisId(2)).unwrap();
    assert!(place.stdout(&["list"]).ends_with("  growing\n"));
    let refused = place.run(&["delete", "--yes", "--analysis", "1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("analysis 2"), "{}", stderr(&refused));
    drop(lock);
    assert_eq!(list(&place), before);
}

#[test]
fn a_deleted_root_grows_again_from_its_answers() {
    let place = staged();
    grow_at(&place, "5", &["--root", PAWNS, "--depth", "1"]);
    let root = ["--root", PAWNS, "--moves", "e4"];
    place.stdout(&[&["rename"], &root[..], &["Pawns"]].concat());
    let (stored, before) = (place.stored(), list(&place));
    let said = place.stdout(&[&["delete", "--yes"], &root[..]].concat());
    assert!(said.starts_with("Pawns\n") && said.ends_with("\n2 analyses deleted\n"), "{said}");
    assert_eq!(list(&place).as_array().unwrap()[..], before.as_array().unwrap()[..1]);
    assert_eq!(place.stored(), stored);
    let log = place.path("log");
    let engine = crate::support::scripted(&["--log", log.to_str().unwrap()]);
    let always = ["grow", "--engine", &engine, "--engine-depth", "6", "--engines", "1"];
    place.stdout(&[&always, &root[..], &["--depth", "2"]].concat());
    assert_eq!(crate::support::program::searches(&log), 0);
    assert_eq!(names(&place)[0].as_deref(), Some("Pawns"));
    assert!(place.run(&["verify", "--quiet"]).status.success());
}
