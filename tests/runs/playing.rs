//! Trees that know what people play, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// Twelve games, of which seven go on with a bad move of White's, and five with another.
fn games() -> String {
    let game = |number: usize| {
        let moves = if number % 12 < 7 { "1. e4 e5 2. Ke2 Nc6" } else { "1. e4 e5 2. Na3 Nc6" };
        let tags = format!("[White \"A{number}\"]\n[Black \"B\"]\n[Date \"2020.01.01\"]");
        format!("[Event \"?\"]\n{tags}\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
    };
    (0..12).map(game).collect()
}

fn club() -> Place {
    let place = Place::new();
    std::fs::write(place.path("club.pgn"), games()).unwrap();
    assert!(place.run(&["games", "add", "club", "club.pgn"]).status.success());
    place
}

const ROOT: [&str; 2] = ["--moves", "e4 e5"];

fn grow(place: &Place, more: &[&str]) -> String {
    let engine = scripted(&[]);
    let args =
        ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "2", "--depth", "2"];
    let output = place.run(&[&args[..], &ROOT, more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

fn shown(place: &Place, analysis: &str) -> Value {
    let args = ["show", "--analysis", analysis, "--all", "--format", "json"];
    serde_json::from_str(&place.stdout(&args)).unwrap()
}

fn move_of<'a>(tree: &'a Value, uci: &str) -> &'a Value {
    let moves = tree["moves"].as_array().unwrap();
    moves.iter().find(|m| m["uci"] == uci).unwrap_or(&Value::Null)
}

fn all_is_well(place: &Place) {
    let output = place.run(&["verify"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn played_moves_are_answered_and_shown_without_set() {
    let place = club();
    let said = grow(&place, &["--games", "club", "--played-white", "5%/3"]);
    let line = "games     club, 12 games; followed: White's moves from 5% and 3 games on\n";
    assert!(said.contains(line), "{said}");
    assert!(place.run(&["games", "remove", "club", "--yes"]).status.success());
    let tree = shown(&place, "1");
    assert_eq!(tree["games"]["set"], "club");
    assert_eq!(tree["games"]["white"], "5%/3");
    let played = move_of(&tree, "e1e2");
    assert_eq!((&played["games"], &played["played"]), (&json!(7), &json!(true)), "{played}");
    assert!(!played["moves"].as_array().unwrap().is_empty(), "it has a reply: {played}");
    let text = place.stdout(&["show", "--analysis", "1"]);
    assert!(text.contains("  games  share  "), "{text}");
    assert!(text.contains("\ngames    club, 12 games; followed: White's moves"), "{text}");
    all_is_well(&place);
}

#[test]
fn an_analysis_finds_its_games_by_their_fingerprint() {
    let place = club();
    grow(&place, &["--games", "club", "--played-white", "5%/3"]);
    grow(&place, &["--games", "club", "--player", "A1", "--player-side", "white"]);
    let engine = scripted(&[]);
    let go_on = |id: &str, more: &[&str]| {
        let args =
            ["grow", "--analysis", id, "--engine", &engine, "--engines", "2", "--depth", "3"];
        place.run(&[&args[..], more].concat())
    };
    // Under another name, too.
    let set = place.path(".local/share/deepanalyze/games/club.games");
    std::fs::rename(&set, set.with_file_name("friends.games")).unwrap();
    for (id, words) in [
        ("1", "games     friends, 12 games; followed: White's moves from 5% and 3 games on\n"),
        ("2", "games     friends, 1 game, A1 as White; none followed\n"),
    ] {
        let output = go_on(id, &[]);
        let said = stderr(&output);
        assert!(output.status.success() && said.contains(words), "{said}");
    }
    // Other games of that name are not those, nor are those that are named.
    std::fs::remove_file(set.with_file_name("friends.games")).unwrap();
    std::fs::write(place.path("other.pgn"), "1. d4 d5 *\n").unwrap();
    assert!(place.run(&["games", "add", "club", "other.pgn"]).status.success());
    for (more, words) in [
        (&[][..], "error: analysis 1 knows games or nets that are not here: club, 12 games\n"),
        (
            &["--games", "club"],
            "error: analysis 1 knows other games or nets (club, 12 games) than club, 1 game\n",
        ),
    ] {
        let output = go_on("1", more);
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(words), "{said}");
        assert!(said.contains("without --analysis"), "{said}");
    }
    // A file with exactly these games will do.
    let output = go_on("1", &["--games", "club.pgn"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn set_file_and_copy_agree_and_other_rules_differ() {
    let place = club();
    let rule = ["--played-white", "5%/3"];
    grow(&place, &[&["--games", "club"], &rule[..]].concat());
    let again = grow(&place, &[&["--games", "club.pgn"], &rule[..]].concat());
    assert!(again.contains("this run  0 searches"), "{again}");
    grow(&place, &["--games", "club"]);
    let other = grow(&place, &[&["--games", "club", "--since", "2020"], &rule[..]].concat());
    assert!(!other.contains("note: analysis"), "the same games: {other}");
    std::fs::write(place.path("more.pgn"), games().replace("A3", "C3")).unwrap();
    assert!(place.run(&["games", "add", "club", "more.pgn"]).status.success());
    let other = grow(&place, &[&["--games", "club"], &rule[..]].concat());
    let note = "note: analysis 1 of this position uses 12 games of club (White 5%/3); starting a separate analysis";
    assert!(other.contains(note), "{other}");
    grow(&place, &[]);
    let list: Value = serde_json::from_str(&place.stdout(&["list", "--format", "json"])).unwrap();
    assert_eq!(list.as_array().or(list["analyses"].as_array()).unwrap().len(), 4, "{list}");
    let [known, none] = ["2", "4"].map(|analysis| shown(&place, analysis));
    assert_eq!(move_of(&known, "e1e2")["played"], Value::Null, "nothing is followed");
    assert_eq!(
        (&known["games"]["white"], known["games"]["games"].as_u64()),
        (&Value::Null, Some(12))
    );
    assert!(none.get("games").is_none());
    all_is_well(&place);
}

#[test]
fn sql_has_followed_moves_with_games() {
    let place = club();
    grow(&place, &["--games", "club", "--played", "5%/3", "--distance", "0"]);
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let pairs = |sql: &str| -> BTreeMap<String, i64> {
        let mut query = db.prepare(sql).unwrap();
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let played = pairs("SELECT move, games FROM played_move WHERE ply = 0 AND is_followed");
    assert_eq!(played, BTreeMap::from([("b1a3".to_owned(), 5), ("e1e2".to_owned(), 7)]));
    let best = "SELECT epd, count(*) FROM node JOIN position ON position.id = node.position
        WHERE idea <> (SELECT max(idea) FROM tree_move WHERE tree_move.epd = position.epd) GROUP BY epd";
    assert_eq!(pairs(best), BTreeMap::new());
    let unlisted = pairs("SELECT uci, idea FROM tree_move WHERE ply = 0 AND rank IS NULL");
    assert!(!unlisted.is_empty(), "the engine lists all of them");
    let tree = shown(&place, "1");
    for (uci, idea) in unlisted {
        assert_eq!(move_of(&tree, &uci)["idea"]["cp"], idea, "{uci}");
    }
    let of_json = tree["moves"].as_array().unwrap().iter().filter(|m| m.get("idea").is_some());
    let of_sql = pairs("SELECT uci, idea FROM tree_move WHERE ply = 0");
    assert_eq!(of_json.count(), of_sql.len(), "{of_sql:?}");
}

#[test]
fn impossible_uses_of_games_are_refused() {
    let place = club();
    for (args, words) in [
        (&["--played", "5%"][..], "--played needs --games or --human"),
        (&["--min-rating", "2000"], "the filters of games need --games"),
        (&["--games", "pub"], "pub"),
        (&["--games", "club", "--played", "0%"], "a rule is a share of 1 to 100 %"),
        (&["--games", "club", "--player", "A33"], "A3"),
        (&["--games", "deepanalyze.db"], "deepanalyze.db"),
    ] {
        let engine = scripted(&[]);
        let output = place.run(&[&["grow", "--engine", &engine, "--depth", "1"], args].concat());
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains(words), "{args:?}: {said}");
        assert_eq!(said.matches("error:").count(), 1, "{said}");
    }
}

#[test]
fn a_batch_knows_games_and_serve_says_what_it_needs() {
    let place = club();
    std::fs::write(
        place.path("roots.epd"),
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n",
    )
    .unwrap();
    let engine = scripted(&[]);
    let run = || {
        let tree = ["--engine-depth", "5", "--depth", "1", "--engines", "1"];
        let known = ["--epd", "roots.epd", "--games", "club", "--played", "5%/3"];
        let output = place.run(&[&["grow", "--engine", &engine][..], &tree, &known].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(run().contains("games     club, 12 games; followed: White's moves"));
    assert_eq!(move_of(&shown(&place, "1"), "e1e2")["played"], true);
    assert!(run().contains("1 of 1 done before"));
}

/// A run's output on standard output and on standard error.
fn grown(place: &Place, more: &[&str]) -> (Vec<String>, String) {
    let engine = scripted(&[]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1"];
    let output = place.run(&[&args[..], &ROOT, more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    (lines.lines().map(str::to_owned).collect(), stderr(&output))
}

#[test]
fn an_opponents_verdict_is_not_the_first_line() {
    let place = Place::new();
    place.stdout(&["direct", "--moves", "e4 e5", "include", "Nf3 Nc6"]);
    let widths = ["--distance-black", "0+", "--distance-white", "20"];
    let (told, _) = grown(&place, &widths);
    assert_eq!(told[0], "3 of 3 included positions analysed with engine depth 5");
    assert!(told[1].ends_with(" for White"), "{told:?}");
    // With the distances swapped, of the other side.
    let (told, _) = grown(&place, &["--distance-white", "0+", "--distance-black", "20"]);
    assert!(told[0].ends_with(" for White"), "{told:?}");
    assert_eq!(told[1], "3 of 3 included positions analysed with engine depth 5");
    let place = Place::new();
    let (told, _) = grown(&place, &widths);
    assert!(told[0].starts_with("White to move: ") && told[0].ends_with(" answered"), "{told:?}");
    let (told, _) = grown(&place, &[]);
    assert!(told[0].ends_with(" for White"), "{told:?}");
}

#[test]
fn the_least_number_sinks_and_what_is_left_is_told() {
    let place = club();
    let (told, said) = grown(&place, &["--games", "club", "--played-white", "5%"]);
    assert!(said.contains("followed: White's moves from 5% and 2 games on\n"), "{said}");
    assert!(told[0].starts_with("Black's position is worth "), "{told:?}");
    assert!(!said.contains("left out"), "{said}");
    assert_eq!(shown(&place, "1")["games"]["white"], "5%/2");
    let (_, said) = grown(&place, &["--games", "club", "--played-white", "5%/8"]);
    let left = "left out  1 move with the share, but in too few games: 2. Na3 (5 games, 42%)\n";
    assert!(said.contains(left), "{said}");
    let audit = place.stdout(&["audit", "--analysis", "2", "--side", "black"]);
    assert!(audit.contains("left out   1 move with the share"), "{audit}");
}

#[test]
fn the_widest_gaps_are_included_with_one_command() {
    let place = club();
    let direct = |more: &[&str]| place.run(&[&["direct", "--moves", "e4 e5"], more].concat());
    assert!(direct(&["include", "Nf3 Nc6"]).status.success());
    let gaps = ["include", "--gaps", "1", "--side", "black"];
    let said = stderr(&direct(&gaps));
    assert!(said.starts_with("error: no analysis of this position knows games\n"), "{said}");
    let widths = ["--distance-black", "0", "--distance-white", "20"];
    let games = [&["--games", "club", "--played-white", "5%/3"], &widths[..]].concat();
    grown(&place, &games);
    let told = String::from_utf8(direct(&gaps).stdout).unwrap();
    assert!(told.starts_with("included 2. Ke2") && told.contains(": 58 of 100 games\n"), "{told}");
    // Each run names the next one, until none is left.
    let (told, _) = grown(&place, &games);
    assert!(told[0].contains(" included positions analysed"), "{told:?}");
    let told = String::from_utf8(direct(&gaps).stdout).unwrap();
    assert!(told.starts_with("included 2. Na3"), "{told}");
    let said = stderr(&direct(&["include", "--gaps", "1"]));
    assert!(said.starts_with("error: ") && said.contains("--side"), "{said}");
}
