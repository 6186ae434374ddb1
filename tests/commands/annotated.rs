//! `show --every`: a game with the verdicts of all its positions, read back.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::Command;

use crate::support::program::{Place, stderr};

const GAME: &str = "[Event \"Mate \\\"soon\\\"\"]\n[White \"A } \\\\ B\"]\n[Black \"{C}\"]\n\
    [Result \"0-1\"]\n[ECO \"A00\"]\n\n1. f3 {a comment} e5 (1... c5) 2. g4 $4 Qh4# 0-1\n";

/// A game with all that an annotator has put into it.
const OWN: &str = "[Event \"?\"]\n[Annotator \"Somebody\"]\n\n{Before [%csl Ga1]} 1. f3 {[%eval -0.5] \
    [%clk 0:01:00] a comment} $6 $146 e5 (1... c5 {Sicilian} 2. Nc3 (2. e4!)) ; the end\n2. g4?? *\n";

fn place() -> Place {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    place
}

const SHOW: [&str; 6] = ["show", "--pgn", "game.pgn", "--every", "--format", "pgn"];

#[test]
fn annotated_game_has_its_tags_and_verdicts() {
    let place = place();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "2"]);
    let text = place.stdout(&SHOW);
    for line in [
        "[Event \"Mate \\\"soon\\\"\"]",
        "[White \"A } \\\\ B\"]",
        "[Black \"{C}\"]",
        "[Date \"????.??.??\"]",
        "[Result \"0-1\"]",
        "[ECO \"A00\"]",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
    }
    assert!(text.contains("[Annotator \"deepanalyze, distance 10, Scripted 1, engine depth 5\"]"));
    let movetext = text.split("\n\n").nth(1).unwrap().replace('\n', " ");
    assert!(movetext.trim_end().ends_with(") 2... Qh4# 0-1"), "{movetext}");
    assert!(movetext.contains("2. g4 $4 { [%eval #-1] [%deepanalyze] } ( 2. "), "{movetext}");
    assert!(text.lines().all(|line| line.len() < 80 || line.starts_with('[')), "{text}");
}

#[test]
fn python_chess_reads_the_annotated_game() {
    if !crate::support::readers::python_chess() {
        return;
    }
    let place = place();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "2"]);
    std::fs::write(place.path("out.pgn"), place.stdout(&SHOW)).unwrap();
    let script = "import chess.pgn\n\
        game = chess.pgn.read_game(open('out.pgn'))\n\
        assert not game.errors, game.errors\n\
        nodes = list(game.mainline())\n\
        print(*[node.san() for node in nodes])\n\
        print(*[node.eval().white() for node in nodes[:3]])\n\
        print(sorted(nodes[2].nags), len(nodes[1].variations), game.headers['Result'])\n";
    let mut python = Command::new("python3");
    let output = python.args(["-c", script]).current_dir(place.path("")).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "f3 e5 g4 Qh4#");
    assert!(lines[1].ends_with("#-1"), "{text}");
    assert_eq!(lines[2], "[4] 2 0-1");
}

#[test]
fn annotations_of_the_game_survive() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), OWN).unwrap();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "1"]);
    let text = place.stdout(&SHOW);
    let annotator =
        "[Annotator \"Somebody; deepanalyze, distance 10, Scripted 1, engine depth 5\"]";
    assert!(text.contains(annotator), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains("{ Before [%csl Ga1] } { Annotated by deepanalyze with Scripted 1, engine depth 5. Analysed: 4 of 4 positions. "), "{text}");
    // Its own glyph of the move stands, and our evaluation takes the place of the older one.
    let (_, first) = text.split_once(" 1. f3 $6 $146 { [%eval ").expect(&text);
    assert!(first.contains("] } { [%clk 0:01:00] a comment } "), "{text}");
    assert_eq!(first.matches("%eval -0.5]").count(), 0, "{text}");
    // Positions after the first moves of its variations were analysed, too.
    let (_, variation) = text.split_once(" ( 1... c5 { [%eval ").expect(&text);
    let (_, rest) = variation.split_once("] [%deepanalyze] } { Sicilian } 2. Nc3").expect(&text);
    assert!(rest.contains("( 2. e4! { [%eval ") && rest.contains(" ) ) { the end } "), "{text}");
    assert!(text.contains(" 2. g4 $4 ") && text.trim_end().ends_with(" *"), "{text}");
}

/// A game of which two annotators have said something, with lines of their own that look like ours.
const DISCUSSED: &str = "[Event \"?\"]\n[Annotator \"Somebody\"]\n\n{Before} 1. f3 $6 {own} \
    (1. e4 $1 {best} e5 (1... c5) 2. Nf3) e5 ( 1... d5 {[%eval -0.4] to the point} ) {behind}\n2. g4 *\n";

#[test]
fn annotated_game_can_be_annotated_again() {
    let place = Place::new();
    let every = ["--pgn", "game.pgn", "--every"];
    let (write, show) =
        (|pgn: &str| std::fs::write(place.path("game.pgn"), pgn).unwrap(), || place.stdout(&SHOW));
    write(DISCUSSED);
    place.grow(&[&every[..], &["--depth", "1"]].concat());
    let first = show();
    assert!(first.matches(" ( ").count() + first.matches("\n( ").count() > 3, "{first}");
    write(&first);
    assert_eq!(show(), first, "with the same trees");
    // Other trees of the same positions, and more of them.
    place.grow(&[&every[..], &["--depth", "3"]].concat());
    let second = show();
    write(DISCUSSED);
    let deeper = show();
    assert_ne!(deeper, first, "the verdicts have changed");
    assert_eq!(second, deeper, "with other trees");
    // And fewer: only the last position is known.
    write(&deeper);
    place.sql("DELETE FROM analysis WHERE id > 1");
    let less = show();
    write(DISCUSSED);
    assert_eq!(less, show(), "with fewer trees");
}

#[test]
fn json_has_verdicts_and_played_moves() {
    let place = place();
    place.grow(&["--pgn", "game.pgn", "--every", "--from-ply", "1", "--depth", "2"]);
    let json = place.stdout(&["show", "--pgn", "game.pgn", "--every", "--format", "json"]);
    let games: serde_json::Value = serde_json::from_str(&json).unwrap();
    let [game] = &games.as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!((&game["format"], &game["result"]), (&1.into(), &"0-1".into()));
    assert_eq!(game["tags"]["White"], "A } \\ B");
    assert_eq!((&game["distance"], &game["engine"]["limit"]["depth"]), (&10.into(), &5.into()));
    let positions = game["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 5);
    let played: Vec<_> = positions.iter().map(|one| one["played"]["san"].as_str()).collect();
    assert_eq!(played, [Some("f3"), Some("e5"), Some("g4"), Some("Qh4#"), None]);
    for unknown in [&positions[0], &positions[4]] {
        assert!(unknown["value"].is_null() && unknown["analysis"].is_null(), "{unknown}");
    }
    // A move is worth what its position is, and each position has its own tree's value.
    assert_eq!(positions[3]["value"], serde_json::json!({"mate": 1}));
    assert_eq!(positions[2]["played"]["value"], serde_json::json!({"mate": -1}));
    assert_eq!(
        (&positions[2]["played"]["glyph"], &positions[2]["played"]["better"]),
        (&4.into(), &true.into())
    );
    let id = positions[2]["analysis"].to_string();
    let tree = place.stdout(&["show", "--analysis", &id, "--format", "json"]);
    let tree: serde_json::Value = serde_json::from_str(&tree).unwrap();
    for key in ["analysis", "value", "depth", "positions", "searches"] {
        assert_eq!(positions[2][key], tree[key], "{key}");
    }
    assert_eq!(positions[2]["best"][0]["uci"], tree["moves"][0]["uci"]);
    // The page agrees, and nothing of the file ends its script.
    let page = place.stdout(&["show", "--pgn", "game.pgn", "--every", "--format", "html"]);
    assert!(page.contains("<title>A } \\ B – {C}</title>"), "{page}");
    let (_, data) = page.split_once("id=\"game-data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(&data["game"], game);
}

#[test]
fn text_is_a_move_table_with_better_moves() {
    let place = place();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "2"]);
    let table = place.stdout(&["show", "--pgn", "game.pgn", "--every"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "A } \\ B – {C}");
    assert!(table.contains("analysed  4 of 4 positions\n"), "{table}");
    let row = lines.iter().find(|line| line.trim_start().starts_with("3  2. g4")).expect(&table);
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[3..5], ["#-1", "??"], "{row}");
    assert!(cells[5] == "2." && cells.len() == 8, "the better move and its score: {row}");
    assert!(!lines.iter().any(|line| line.contains("Qh4# ") && line.contains('?')), "{table}");
}

#[test]
fn unanalysed_positions_have_no_comment() {
    let place = place();
    place.grow(&["--pgn", "game.pgn", "--every", "--from-ply", "2", "--depth", "1"]);
    let text = place.stdout(&SHOW).replace('\n', " ");
    assert!(text.contains("} 1. f3 { a comment } 1... e5 { [%eval "), "{text}");
}

#[test]
fn what_cannot_be_annotated_is_named() {
    let place = place();
    place.grow(&["--depth", "0"]);
    place.sql("DELETE FROM analysis");
    let output = place.run(&SHOW);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no position of this game is analysed"));
    let output = place.run(&["show", "--pgn", "game.pgn", "--every", "--format", "csv"]);
    assert_eq!(output.status.code(), Some(2));
    let why = stderr(&output);
    assert!(why.contains("--every is an option of `export json`, `export pgn`"), "{why}");
    let output = place.run(&["show", "--every"]);
    assert_eq!(output.status.code(), Some(2));
}
