//! A root of Chess960 through everything that is made of its tree; `exports.rs` has what python-chess reads of it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::process::Command;

use serde_json::Value;

use crate::support::program::{Place, stderr};
use crate::support::readers::{CHESS960, grown, moves, python_chess, root_of, show};
use crate::support::scripted;

/// The game before the root goes on, and calls itself Chess960 in its own way.
const GAME: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[Variant \"Fischerandom\"]\n\
    [FEN \"1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w KQkq - 0 1\"]\n\n\
    1. a3 a6 2. O-O O-O-O 3. Kh2 *\n";

/// A command on the root.
fn on_root(place: &Place, command: &[&str], more: &[&str]) -> String {
    place.stdout(&[command, &root_of(CHESS960), more].concat())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn variant_is_shown_for_chess960_starts() {
    let place = grown(CHESS960);
    let tree = json(&on_root(&place, &["show"], &["--format", "json"]));
    assert_eq!(tree["variant"], "chess960");
    assert!(show(&place, CHESS960, &[]).contains("\nvariant  Chess960 ("));
    let edited = "r1bq1rk1/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b Kq - 0 1";
    let grown = place.run(&["grow", "--root", edited, "--depth", "1", "--engine", &scripted(&[])]);
    let reason = "variant   Chess960 (Black's king on g8 has a right with the rook on a8)\n";
    assert!(stderr(&grown).contains(reason), "{}", stderr(&grown));
    let place = Place::new();
    let start = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
    place.grow(&["--root", start, "--depth", "1"]);
    assert!(place.stdout(&["show", "--root", start]).contains("\nvariant  Chess960\n"));
    place.grow(&["--root", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "--depth", "1"]);
    let listed = json(&place.stdout(&["list", "--format", "json"]));
    let variants: Vec<&Value> = listed.as_array().unwrap().iter().map(|r| &r["variant"]).collect();
    assert_eq!(variants, [&Value::Null, &Value::from("chess960")]);
    assert!(!place.stdout(&["show", "--analysis", "2"]).contains("variant"));
}

#[test]
fn chess960_castling_is_read_in_every_notation() {
    let place = grown(CHESS960);
    let tree = json(&on_root(&place, &["show"], &["--format", "json"]));
    for (uci, san) in [("e1h1", "O-O"), ("e1b1", "O-O-O"), ("e8g8", "O-O"), ("e8b8", "O-O-O")] {
        let is_it = |m: &Value| m["uci"] == uci && m["san"].as_str().unwrap().starts_with(san);
        assert!(moves(&tree).iter().any(is_it), "{uci}");
    }
    let line = |words: &str| show(&place, CHESS960, &["--line", words]);
    let castled = line("O-O O-O-O");
    assert!(castled.contains("after 1. a3 a6 2. O-O O-O-O\n"), "{castled}");
    for words in ["e1h1 e8b8", "e1g1 e8c8", "2. 0-0 0-0-0"] {
        assert_eq!(line(words), castled, "{words}");
    }
}

#[test]
fn castling_is_directed_kept_in_a_file_and_grown_anew() {
    let place = grown(CHESS960);
    let direct = |more: &[&str]| on_root(&place, &["direct"], more);
    assert!(direct(&["include", "e1b1 e8g8"]).starts_with("included 2. O-O-O O-O"));
    assert!(direct(&["exclude", "O-O"]).starts_with("excluded 2. O-O\n"));
    let kept = direct(&["export"]);
    for words in ["1P1PPPP1/1R2K2R w HBgb -", "1P1PPPP1/2KR3R b gb -", "\"e1b1\"", "\"e1h1\""] {
        assert!(kept.contains(words), "{words}: {kept}");
    }
    std::fs::write(place.path("directives.json"), &kept).unwrap();
    direct(&["undo", "e1h1"]);
    assert_ne!(direct(&["export"]), kept);
    direct(&["apply", "directives.json"]);
    assert_eq!(direct(&["export"]), kept);
    place.grow(CHESS960);
    assert!(place.stdout(&["verify"]).contains("all is well"));
    let audit = json(&on_root(&place, &["audit"], &["--side", "white", "--format", "json"]));
    assert_eq!(audit["variant"], "chess960");
    let cards = on_root(&place, &["show"], &["--side", "white", "--format", "anki"]);
    assert!(cards.contains("\tO-O-O\t"), "{cards}");
    let conditional = on_root(&place, &["show"], &["--side", "black", "--format", "conditional"]);
    assert!(conditional.contains("if 2. O-O-O then O-O\n"), "{conditional}");
}

#[test]
fn chess960_games_are_reviewed_and_annotated() {
    let place = grown(CHESS960);
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "1"]);
    let annotated = place.stdout(&["show", "--pgn", "game.pgn", "--every", "--format", "pgn"]);
    let review = ["review", "game.pgn", "--player", "Ann", "--side", "white", "--format", "pgn"];
    let reviewed = on_root(&place, &review, &[]);
    let start = "\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w HBgb - 0 1\"]\n";
    for (name, text) in [("annotated", &annotated), ("reviewed", &reviewed)] {
        assert_eq!(text.matches("[Variant ").count(), 1, "{text}");
        assert!(text.contains(start) && text.contains("2. O-O"), "{name}: {text}");
        std::fs::write(place.path(name), text).unwrap();
    }
    place.grow(&["--pgn", "annotated", "--every", "--depth", "1"]);
    if !python_chess() {
        return;
    }
    let script = "import chess.pgn, sys\n\
        for name in sys.argv[1:]:\n    \
            game = chess.pgn.read_game(open(name))\n    \
            assert not game.errors and game.board().chess960, game.errors\n    \
            print(*[move.uci() for move in game.mainline_moves()])\n";
    let mut python = Command::new("python3");
    python.args(["-c", script, "annotated", "reviewed"]).current_dir(place.path("."));
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let line = "a2a3 a7a6 e1h1 e8b8 g1h2\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), [line, line].concat());
}

#[test]
fn chess960_tag_on_a_chess_start_is_written() {
    let place = Place::new();
    let start = "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]";
    let game = format!("[Variant \"Chess 960\"]\n{start}\n\n1. e4 *\n");
    std::fs::write(place.path("game.pgn"), game).unwrap();
    place.grow(&["--pgn", "game.pgn", "--every", "--depth", "1"]);
    let text = place.stdout(&["show", "--pgn", "game.pgn", "--every", "--format", "pgn"]);
    assert!(text.contains(&format!("\n[Variant \"Chess960\"]\n{start}\n")), "{text}");
}
