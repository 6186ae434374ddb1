//! Duels by scripted engines: tests common to all kinds.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../../../tests/support/scripted_engine/synthetic.rs"]
#[allow(dead_code, clippy::indexing_slicing)]
mod synthetic;

#[path = "../support/mod.rs"]
mod support;

mod alternatives;
mod fleet;
mod games;
mod nodes;

use std::process::Output;

use deepanalyze_core::chess::{Ending, Score, parse_fen};
use serde_json::Value;
use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::support::program::{Place, searches, signal, stderr};
use crate::support::{assert_well, wait_until};

/// A kind of duel.
struct Kind {
    /// Its positions.
    epd: &'static str,
    /// The arguments of one: its place, the name of the engines' log, extra flags of the engines
    /// and of the duel.
    arguments: fn(&Place, &str, &[&str], &[&str]) -> Vec<String>,
}

impl Kind {
    /// A place with the EPD file.
    fn place(&self) -> Place {
        let place = Place::new();
        std::fs::write(place.path("suite.epd"), self.epd).unwrap();
        place
    }

    fn run(&self, place: &Place, log: &str, flags: &[&str], more: &[&str]) -> Output {
        let args = (self.arguments)(place, log, flags, more);
        place.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Output and JSON of one that must succeed.
    fn result(&self, place: &Place, log: &str, flags: &[&str], more: &[&str]) -> (String, Value) {
        result(place, &self.run(place, log, flags, more))
    }

    /// Checks that an ended one repeats without a search, after more than `least` at first, and
    /// that several positions side by side agree.
    fn repeats(&self, more: &[&str], least: usize) -> Place {
        let first = self.place();
        let one = self.result(&first, "log", &[], more);
        let asked = made(&first, "log");
        assert!(asked > least, "{asked}");
        let bytes = std::fs::read(first.path("duel.json")).unwrap();
        let again = self.result(&first, "log", &[], &[more, &["--quiet"]].concat());
        assert_eq!(made(&first, "log"), asked, "all was known");
        assert!(one == again && bytes == std::fs::read(first.path("duel.json")).unwrap());
        let second = self.place();
        let more = [more, &["--engines", "3"]].concat();
        assert_eq!(self.result(&second, "log", &["--jitter-ms", "2"], &more), one);
        assert_well(&second);
        first
    }

    /// Checks that one killed again and again, after `first` searches and `step` more each time,
    /// gives the same bytes.
    fn survives_kills(&self, more: &[&str], first: usize, step: usize, least: usize) {
        let undisturbed = self.place();
        let right = self.result(&undisturbed, "log", &[], more);
        let killed = self.place();
        let mut kills = 0;
        for run in 0.. {
            let log = format!("log-{run}");
            let wanted = first + step * run;
            // The engines stop soon after the kill is due: on a busy machine the duel might be over
            // before.
            let hold = format!("held:logged={}", wanted + 8);
            let args =
                (self.arguments)(&killed, &log, &["--delay-ms", "1", "--fault", &hold], more);
            let mut child = killed.start(&args.iter().map(String::as_str).collect::<Vec<_>>());
            let mut ended = false;
            wait_until("searches", || {
                ended = child.try_wait().unwrap().is_some();
                ended || made(&killed, &log) >= wanted
            });
            if ended {
                break;
            }
            signal(-i64::from(child.id()), "KILL");
            child.wait().unwrap();
            kills += 1;
        }
        assert!(kills >= least, "killed only {kills} times");
        assert_eq!(self.result(&killed, "log", &[], more), right);
        assert_eq!(made(&killed, "log"), 0, "all was known");
    }
}

/// The output of a duel that must succeed, and its JSON, both without the command line, which names
/// the engines' log files.
fn result(place: &Place, output: &Output) -> (String, Value) {
    assert!(output.status.success(), "{}", stderr(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let text = text.lines().filter(|line| !line.starts_with("command ")).collect::<Vec<_>>();
    let json = std::fs::read(place.path("duel.json")).unwrap();
    let mut json: Value = serde_json::from_slice(&json).unwrap();
    json.as_object_mut().unwrap().remove("command");
    (text.join("\n"), json)
}

/// The searches of the arms' engines and of the judge's.
fn made(place: &Place, log: &str) -> usize {
    searches(&place.path(log)) + searches(&place.path(&format!("{log}-judge")))
}

/// A scripted judge's score of a move alone, in centipawns for its mover.
fn judged(fen: &str, uci: &str, judge: synthetic::Scale) -> i64 {
    let mut after = parse_fen(fen).unwrap();
    let m = uci.parse::<UciMove>().unwrap().to_move(&after).unwrap();
    after.play_unchecked(m);
    match Ending::of(&after) {
        Some(Ending::Checkmate) => 1000,
        Some(_) => 0,
        None => -centipawns(synthetic::scored_moves(&after, judge)[0].1),
    }
}

/// A win is a win.
fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp.clamp(-1000, 1000)),
        Score::Mate(n) if n > 0 => 1000,
        Score::Mate(_) => -1000,
    }
}
