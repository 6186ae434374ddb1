//! `deepanalyze uci` as GUIs meet it, over pipes, with scripted engines.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::support::program::Place;
use crate::support::{LONG, scripted};

/// A game in which Black is mated with the next move.
const MATE_NEXT: &str = "position startpos moves e2e4 e7e5 d1h5 b8c6 f1c4 g8f6";

/// The running program and the lines that it has written.
pub(super) struct Gui {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Gui {
    /// With a scripted engine of these flags, one process, engine depth 5.
    pub(super) fn start(place: &Place, flags: &[&str], args: &[&str]) -> Gui {
        let engine = scripted(flags);
        let always = ["uci", "--engine", &engine, "--engine-depth", "5", "--engines", "1"];
        Gui::run(place, &[&always, args].concat())
    }

    pub(super) fn run(place: &Place, args: &[&str]) -> Gui {
        let mut command = place.command(args);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Gui { input: child.stdin.take(), child, lines }
    }

    pub(super) fn say(&mut self, line: &str) {
        // A program that has ended is noticed by what it did not say.
        let _ = self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes());
    }

    /// All lines up to one that begins so.
    pub(super) fn until(&self, start: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(LONG) {
                Ok(line) => seen.push(line),
                Err(_) => panic!("no {start:?} after {seen:?}"),
            }
            if seen.last().unwrap().starts_with(start) {
                return seen;
            }
        }
    }

    pub(super) fn ask(&mut self, lines: &[&str], end: &str) -> Vec<String> {
        lines.iter().for_each(|line| self.say(line));
        self.until(end)
    }

    /// Asks and waits until the engine is ready and has sent a result, in any order: a search finds
    /// something at once.
    pub(super) fn ask_and_hear(&mut self, lines: &[&str]) {
        let lines = self.ask(lines, "readyok");
        if infos(&lines).is_empty() {
            self.until("info depth");
        }
    }

    /// Lets it leave, and gives what it said last.
    pub(super) fn quit(mut self) -> Vec<String> {
        self.say("quit");
        self.leave()
    }

    pub(super) fn leave(mut self) -> Vec<String> {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
        self.lines.iter().collect()
    }
}

pub(super) fn infos(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info depth")).collect()
}

pub(super) fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|found| *found == word)?;
    words.next()
}

pub(super) fn best(lines: &[String]) -> &str {
    after(lines.last().unwrap(), "bestmove").unwrap()
}

#[test]
fn uci_lists_its_engine_s_options() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &["--distance", "15"]);
    gui.ask(&["isready"], "readyok");
    let lines = gui.ask(&["uci"], "uciok");
    assert!(lines[0].starts_with("id name deepanalyze tree "), "{lines:?}");
    for option in [
        "option name EngineDepth type string default 5",
        "option name Engines type spin default 1 min 0 max 1024",
        "option name Distance type string default 15",
        "option name UCI_ShowWDL type check default false",
        "option name Engine.Eval File type string default <empty>",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}: {lines:?}");
    }
    gui.ask(&["isready"], "readyok");
    gui.quit();
}

#[test]
fn what_was_searched_is_known_the_next_time() {
    let (place, log) = (Place::new(), Place::new());
    let log = log.path("log");
    let flags = ["--log", log.to_str().unwrap()];
    let mut gui = Gui::start(&place, &flags, &[]);
    let first = gui.ask(&["position startpos moves e2e4", "go depth 3"], "bestmove");
    gui.quit();
    let searches = crate::support::program::searches(&log);
    assert!(searches > 3, "{searches}");
    // Another process, and an engine that never answers.
    let mut gui = Gui::start(&place, &["--fault", "lost"], &[]);
    gui.ask(&["isready"], "readyok");
    let second = gui.ask(&["position startpos moves e2e4", "go depth 3"], "bestmove");
    assert_eq!(best(&first), best(&second));
    let last = |lines: &[String]| {
        let line = infos(lines).pop().cloned().unwrap();
        ["depth", "cp", "pv"].map(|word| after(&line, word).map(str::to_owned))
    };
    assert_eq!(last(&first), last(&second));
    assert_eq!(last(&second)[0].as_deref(), Some("8"), "engine depth 5 and 3 plies");
    let known = format!("info string {searches} answers known, 0 searched");
    assert!(second.contains(&known), "{second:?}");
    gui.quit();
}

#[test]
fn infinite_search_answers_at_once_on_stop() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    gui.ask(&["uci", "isready"], "readyok");
    // Even where the game is over, and where nothing is left to search.
    for position in ["position startpos", "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        gui.ask_and_hear(&[position, "go infinite", "isready"]);
        let began = Instant::now();
        gui.say("stop");
        let lines = gui.until("bestmove");
        assert!(began.elapsed() < LONG, "{lines:?}");
        assert!(!lines[..lines.len() - 1].iter().any(|line| line.contains("bestmove")));
    }
    gui.quit();
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    for (fen, score) in
        [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"), ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0")]
    {
        let lines = gui.ask(&[&format!("position fen {fen}"), "go depth 5"], "bestmove");
        assert!(lines.contains(&format!("info depth 0 score {score}")), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "bestmove (none)");
    }
    gui.quit();
}

#[test]
fn table_root_is_answered_without_an_engine() {
    let (place, tables) =
        (Place::new(), concat!(env!("CARGO_MANIFEST_DIR"), "/crates/core/tables"));
    let log = place.path("engine.log");
    let log = log.to_str().unwrap();
    let mut gui = Gui::start(&place, &["--log", log], &["--tables", tables]);
    let options = gui.ask(&["uci"], "uciok");
    let told = format!("option name SyzygyPath type string default {tables}");
    assert!(options.contains(&told), "{options:?}");
    let won = "position fen 8/8/4k3/8/4K3/8/4P3/8 w - - 0 1";
    for go in ["go movetime 2000", "go depth 3", "go movetime 140"] {
        let told = gui.ask(&[won, go], "bestmove");
        let last = infos(&told).last().copied().unwrap();
        assert!(last.contains(" score cp 30000 ") && last.ends_with(" pv e2e3"), "{go}: {told:?}");
        assert_eq!(best(&told), "e2e3", "{go}");
    }
    let only = gui.ask(&[won, "go movetime 2000 searchmoves e4e3 e4d4"], "bestmove");
    assert_eq!(best(&only), "e4d4");
    gui.say("setoption name MultiPV value 4");
    let four = gui.ask(&[won, "go depth 2"], "bestmove");
    let drawn = infos(&four).into_iter().rfind(|line| line.contains(" multipv 4 ")).unwrap();
    assert!(drawn.contains(" score cp 0 "), "{four:?}");
    gui.quit();
    let asked = std::fs::read_to_string(log).unwrap_or_default();
    assert_eq!(asked, "", "no engine is asked");
}

#[test]
fn multipv_lists_best_first_with_optional_wdl() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &["--wdl"], &[]);
    gui.say("setoption name MultiPV value 3");
    gui.say("setoption name UCI_ShowWDL value true");
    let lines = gui.ask(&["position startpos", "go depth 2"], "bestmove");
    let infos = infos(&lines);
    let last: Vec<&&String> = infos.iter().rev().take(3).rev().collect();
    let ranks: Vec<&str> = last.iter().map(|line| after(line, "multipv").unwrap()).collect();
    assert_eq!(ranks, ["1", "2", "3"], "{lines:?}");
    let scores: Vec<i32> =
        last.iter().map(|line| after(line, "cp").unwrap().parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for (line, cp) in last.iter().zip(scores) {
        let said = format!(" wdl {} 500 {} ", 250 + cp, 250 - cp);
        assert!(line.contains(&said), "what the engine said with the score: {line}");
    }
    gui.quit();
}

#[test]
fn no_wdl_is_made_up_for_an_engine_that_says_none() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    gui.say("setoption name UCI_ShowWDL value true");
    let lines = gui.ask(&["position startpos", "go depth 2"], "bestmove");
    let infos = infos(&lines);
    assert!(infos.last().is_some_and(|line| !line.contains(" wdl ")), "{lines:?}");
    gui.quit();
}

#[test]
fn searchmoves_restrict_and_are_not_stored() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    let go = "go depth 2 searchmoves a2a3 h2h4";
    let lines = gui.ask(&["position startpos", go], "bestmove");
    assert!(["a2a3", "h2h4"].contains(&best(&lines)), "{lines:?}");
    for line in infos(&lines) {
        assert!(["a2a3", "h2h4"].contains(&after(line, "pv").unwrap()), "{line}");
    }
    gui.quit();
    assert!(!place.stored().is_empty(), "answers are kept");
    let db = rusqlite::Connection::open(place.db()).unwrap();
    for table in ["analysis", "node"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(db.query_row(&sql, [], |row| row.get(0)), Ok(0), "{table}");
    }
}

#[test]
fn missing_engine_gives_a_legal_move_and_reason() {
    let place = Place::new();
    let mut gui = Gui::run(&place, &["uci", "--engine", "no-such-engine-here"]);
    let lines = gui.ask(&["uci"], "uciok");
    assert!(lines.iter().any(|line| line.contains("no-such-engine-here")), "{lines:?}");
    gui.ask(&["isready"], "readyok");
    let lines = gui.ask(&[MATE_NEXT, "go movetime 200"], "bestmove");
    assert_eq!(best(&lines), "h5f7", "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("info string error")), "{lines:?}");
    // Another engine makes it good.
    gui.say(&format!("setoption name Engine value {}", scripted(&[])));
    gui.say("setoption name EngineDepth value 5");
    let lines = gui.ask(&["position startpos", "go depth 2"], "bestmove");
    assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
    gui.quit();
}

#[test]
fn a_mute_engine_costs_no_game() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &["--fault", "lost"], &[]);
    gui.ask(&["isready"], "readyok");
    for go in ["go wtime 100 btime 100", "go movetime 50", "go wtime 1 btime 1", "go wtime -20"] {
        let lines = gui.ask(&["ucinewgame", MATE_NEXT, go], "bestmove");
        assert_eq!(best(&lines), "h5f7", "{go}: {lines:?}");
    }
    gui.quit();
}

#[test]
fn pondering_waits_for_the_move() {
    let place = Place::new();
    let mut gui = Gui::start(&place, &[], &[]);
    gui.ask(&["isready"], "readyok");
    gui.ask_and_hear(&[MATE_NEXT, "go ponder wtime 1 btime 1", "isready"]);
    let lines = gui.ask(&["isready"], "readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    let lines = gui.ask(&["ponderhit"], "bestmove");
    assert!(best(&lines) != "(none)", "{lines:?}");
    let lines = gui.ask(&[MATE_NEXT, "go ponder wtime 1000000", "stop"], "bestmove");
    assert!(best(&lines) != "(none)", "{lines:?}");
    gui.quit();
}

#[test]
fn abandoned_search_frees_room_at_once() {
    let (place, log) = (Place::new(), Place::new());
    let log = log.path("log");
    let position = "epd=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let flags = [
        "--log",
        log.to_str().unwrap(),
        "--fault",
        &format!("slow:{position}"),
        "--delay-ms",
        "60",
    ];
    let mut gui = Gui::start(&place, &flags, &[]);
    gui.ask(&["isready", "position startpos", "go infinite"], "readyok");
    crate::support::wait_until("its search", || crate::support::program::searches(&log) >= 1);
    gui.ask(&["stop"], "bestmove");
    // The engine would be busy for six seconds.
    let lines = gui.ask(&["position startpos moves e2e4", "go nodes 1"], "bestmove");
    assert!(infos(&lines).iter().any(|line| after(line, "nodes") != Some("0")), "{lines:?}");
    gui.quit();
}

#[test]
fn two_programs_on_one_root_both_answer() {
    let (place, elsewhere) = (Place::new(), Place::new());
    let (gate, log) = (elsewhere.path("gate"), elsewhere.path("log"));
    let flags = ["--log", log.to_str().unwrap(), "--gate", gate.to_str().unwrap()];
    let mut one = Gui::start(&place, &[&flags[..], &["--fault", "held:logged=9"]].concat(), &[]);
    one.ask(&["position startpos", "go infinite"], "info depth");
    crate::support::wait_until("its searches", || crate::support::program::searches(&log) >= 9);
    let mut other = Gui::start(&place, &[], &[]);
    let lines = other.ask(&["position startpos", "go depth 2"], "bestmove");
    assert!(best(&lines) != "(none)", "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("its answers are used here")), "{lines:?}");
    other.quit();
    one.ask(&["stop"], "bestmove");
    std::fs::write(&gate, "").unwrap();
    one.quit();
    let output = place.run(&["verify"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
