//! Input of GUIs to `deepanalyze uci`: real transcripts, odd orders, Chess960, huge lines.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use super::uci::{Gui, after, best, infos};
use crate::support::program::Place;
use crate::support::readers::{python_chess, read};
use crate::support::scripted;

/// Input of GUIs.
const TRANSCRIPTS: [(&str, &str); 7] = [
    (
        "Arena",
        "uci\nisready\nsetoption name Hash value 64\nsetoption name Threads value 4\nucinewgame\n\
         isready\nposition startpos\ngo wtime 300 btime 300 winc 0 binc 0\n\n\
         position startpos moves e2e4 e7e5\ngo wtime 250 btime 240 winc 0 binc 0\n",
    ),
    (
        "ChessBase",
        "uci\nsetoption name MultiPV value 2\nsetoption name Ponder value false\nisready\n\
         position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ngo infinite\n\
         stop\nposition fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves d2d4\n\
         go infinite\nstop\n",
    ),
    (
        "En Croissant",
        "uci\nsetoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\n\
         position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves\n\
         go depth 1\n",
    ),
    (
        "SCID",
        "uci\nisready\nucinewgame\nsetoption name UCI_AnalyseMode value true\nisready\n\
         position startpos moves g1f3 g8f6 f3g1 f6g8\ngo infinite\nisready\nstop\nstop\n",
    ),
    (
        "Nibbler",
        "uci\nsetoption name UCI_Chess960 value false\nsetoption name Hash value 0\nucinewgame\n\
         isready\nposition startpos\ngo nodes 1\nstop\nposition startpos moves e2e4\n\
         go infinite searchmoves e7e5 c7c5\nstop\n",
    ),
    (
        "CuteChess",
        "uci\r\nisready\r\nucinewgame\r\nsetoption name Ponder value true\r\nposition startpos\r\n\
         isready\r\ngo wtime 100 btime 100 winc 10 binc 10\r\n",
    ),
    (
        "odd orders",
        "setoption name MultiPV value 2\nstop\nponderhit\nxyzzy\n   \nposition startpos moves e2e5\n\
         position startpos\nposition startpos moves e2e4\ngo infinite\ngo infinite\nuci\n\
         position startpos\nisready\nstop\nsetoption\nsetoption name Nonsense value 3\ngo depth x\n\
         position fen nonsense\nposition\ngo movetime 10\n",
    ),
];

#[test]
fn what_guis_send_is_understood() {
    for (gui_name, sent) in TRANSCRIPTS {
        let place = Place::new();
        let mut gui = Gui::start(&place, &[], &[]);
        let (mut moves, mut searching) = (0, false);
        for line in sent.split('\n') {
            gui.say(line);
            // A GUI waits for these.
            let end = match line.split_whitespace().next() {
                Some("uci") => "uciok",
                Some("isready") => "readyok",
                Some("go") if !line.contains("infinite") => "bestmove",
                Some("go") => {
                    searching = true;
                    continue;
                }
                Some("stop") if std::mem::take(&mut searching) => "bestmove",
                _ => continue,
            };
            moves += gui.until(end).iter().filter(|line| line.starts_with("bestmove")).count();
        }
        let rest = gui.quit();
        moves += rest.iter().filter(|line| line.starts_with("bestmove")).count();
        let asked = sent.split('\n').filter(|line| line.starts_with("go")).count();
        assert_eq!(moves, asked, "{gui_name}: then {rest:?}");
    }
}

#[test]
fn every_go_is_answered_once_whatever_its_limits() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    gui.say("position startpos");
    for (go, told) in [
        ("go wtime 1000.5 btime 1000", ""),
        ("go movetime 10.75", ""),
        ("go movetime abc", "go movetime needs a number, not \"abc\""),
        ("go depth", "go depth needs a number"),
        ("go wtime x btime 100", "go wtime needs a number"),
        ("go hello depth 1", "go does not know \"hello\""),
        ("joho go depth 1", ""),
        ("go depth 1 searchmoves e2e5", "\"e2e5\" is not legal here"),
    ] {
        let lines = gui.ask(&[go], "bestmove");
        let notes = lines.iter().filter(|line| line.contains("info string warning: go"));
        assert!(lines.iter().any(|line| line.contains(told)), "{go}: {lines:?}");
        assert!(!told.is_empty() || notes.count() == 0, "{go}: {lines:?}");
        assert_ne!(best(&lines), "(none)", "{go}");
    }
    let rest = gui.quit();
    assert!(!rest.iter().any(|line| line.starts_with("bestmove")), "{rest:?}");
}

#[test]
fn a_refused_position_is_not_searched() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    for (position, why) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
        ("position nonsense", "position needs startpos or fen"),
        ("position", "position needs startpos or fen"),
    ] {
        gui.say("position startpos moves e2e4");
        let lines = gui.ask(&[position, "go depth 2"], "bestmove");
        assert_eq!(best(&lines), "(none)", "{position}");
        let is_told = |line: &String| line.contains("nothing to search") && line.contains(why);
        assert!(lines.iter().any(is_told) && infos(&lines).is_empty(), "{lines:?}");
    }
    let lines = gui.ask(&["position startpos", "go depth 1"], "bestmove");
    assert_ne!(best(&lines), "(none)");
    gui.quit();
}

/// Black castles behind White, and neither is chess.
const CASTLED: &str =
    "position fen 1r2k1r1/pp1pppp1/8/8/8/8/PP1PPPP1/1R2K2R w KQkq - 0 1 moves e1h1";

#[test]
fn chess960_is_read_with_and_without_its_option() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    assert!(
        gui.ask(&["uci"], "uciok")
            .iter()
            .any(|line| line.contains("name UCI_Chess960 type check default false"))
    );
    for option in ["false", "true"] {
        let option = format!("setoption name UCI_Chess960 value {option}");
        let asked = [&option, CASTLED, "go depth 1 searchmoves e8b8"];
        let lines = gui.ask(&asked, "bestmove");
        assert_eq!(best(&lines), "e8b8", "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
        assert_eq!(after(infos(&lines).last().unwrap(), "pv"), Some("e8b8"));
    }
    // The option changes the output for chess, too.
    let castling = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (option, told) in [("true", "e1h1"), ("false", "e1g1")] {
        let option = format!("setoption name UCI_Chess960 value {option}");
        for searched in ["e1g1", "e1h1"] {
            let go = format!("go depth 1 searchmoves {searched}");
            let lines = gui.ask(&[&option, castling, &go], "bestmove");
            assert_eq!(best(&lines), told, "{lines:?}");
            assert_eq!(after(infos(&lines).last().unwrap(), "pv"), Some(told), "{lines:?}");
        }
    }
    gui.quit();
}

#[test]
fn huge_lines_and_the_end_of_the_input_are_survived() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    gui.say(&"x".repeat(3 << 20));
    gui.say(&format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(700)));
    let lines = gui.ask(&["go depth 1"], "bestmove");
    assert!(best(&lines) != "(none)", "{lines:?}");
    gui.say("go infinite");
    let rest = gui.leave();
    assert!(rest.iter().any(|line| line.starts_with("bestmove")), "{rest:?}");
}

#[test]
fn python_chess_plays_and_analyses_with_it() {
    if !python_chess() {
        return;
    }
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_deepanalyze");
    let engine = scripted(&[]);
    let args = [program, "uci", "--engine", &engine, "--engine-depth", "5", "--db", "tree.db"];
    let told = read(&place, "uci.py", &args);
    assert!(told.contains("played"), "{told}");
}
