//! The closing search of `grow`, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Output;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::tree::RootShare;
use deepanalyze_store::Store;
use deepanalyze_view::load;
use serde_json::Value;

use crate::support::program::{Place, asked, log_lines, signal, stderr};
use crate::support::{scripted, wait_until};

mod searches;
mod second;
mod verdict;
mod when;

const ROOT: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

/// Grows with a scripted engine that keeps a log and a transcript, to depth 3.
fn grow(place: &Place, log: &str, flags: &[&str], args: &[&str]) -> Output {
    place.run(&arguments(place, log, flags, args).iter().map(String::as_str).collect::<Vec<_>>())
}

fn arguments(place: &Place, log: &str, flags: &[&str], args: &[&str]) -> Vec<String> {
    let (log, transcript) = (place.path(log), place.path(&format!("{log}-transcript")));
    let files = ["--log", log.to_str().unwrap(), "--transcript", transcript.to_str().unwrap()];
    let engine = scripted(&[&files, flags].concat());
    let always = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    let depth: &[&str] = if args.contains(&"--depth") { &[] } else { &["--depth", "3"] };
    let engines: &[&str] = if args.contains(&"--engines") { &[] } else { &["--engines", "1"] };
    let all = [&always[..], &["--root", ROOT], depth, engines, args].concat();
    all.into_iter().map(Into::into).collect()
}

fn succeeds(output: Output) -> String {
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

fn json(place: &Place) -> Value {
    serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap()
}

/// The searches sent to each process between one clearing of its hash and the next.
fn since_cleared(place: &Place, log: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(place.path(&format!("{log}-transcript"))).unwrap();
    let mut told: Vec<Vec<String>> = Vec::new();
    let mut position = String::new();
    for line in text.lines().map(|line| line.trim_start_matches('>').trim()) {
        if line == "uci" || line == "ucinewgame" {
            told.push(Vec::new());
        } else if let Some(fen) = line.strip_prefix("position fen ") {
            position = fen.trim_end_matches(" 0 1").to_owned();
        } else if let Some(limit) = line.strip_prefix("go ") {
            told.last_mut().unwrap().push(format!("{position}: {limit}"));
        }
    }
    told.retain(|searches| !searches.is_empty());
    told
}

/// The only search of one engine's closing search.
fn program(limit: &str) -> Vec<String> {
    let root = deepanalyze_core::chess::parse_fen(ROOT).unwrap();
    vec![format!("{}: {limit}", epd_of(&root))]
}

fn searches(place: &Place, log: &str) -> usize {
    asked(&place.path(log)).len()
}
