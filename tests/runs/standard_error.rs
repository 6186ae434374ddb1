//! Standard error without a reader: a pipe that is full, a terminal that is frozen. The work goes
//! on.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

use crate::support::program::{Place, asked, full, signal, stderr, wait, wait_for_searches};
use crate::support::{left_behind, scripted};

/// Starts the program with a full standard error, which is not read as long as the other end is
/// kept.
fn start(place: &Place, args: &[&str]) -> (Child, UnixStream) {
    let (full, reader) = full();
    let mut command = place.command(args);
    (command.stdout(Stdio::null()).stderr(full).spawn().unwrap(), reader)
}

/// A scripted engine that writes a log in a place, with other flags.
fn engine(place: &Place, flags: &[&str]) -> String {
    let log = place.path("log");
    scripted(&[&["--log", log.to_str().unwrap()], flags].concat())
}

fn grow<'a>(engine: &'a str, depth: &'a str) -> Vec<&'a str> {
    let args = ["grow", "--engine", engine, "--engine-depth", "5", "--distance", "20"];
    [&args[..], &["--verbose", "--depth", depth]].concat()
}

fn tree(place: &Place) -> serde_json::Value {
    serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap()
}

/// The messages, without the filling in front and without times, which differ.
fn said(text: &str) -> Vec<String> {
    let is_time =
        |word: &str| word.ends_with('s') && word.starts_with(|c: char| c.is_ascii_digit());
    let words = |line: &str| {
        let words = line.split_whitespace().filter(|word| !is_time(word));
        words.collect::<Vec<_>>().join(" ")
    };
    text.trim_start_matches('.').lines().map(words).collect()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_run_grows_its_whole_tree_and_ends() {
    let (read, unread) = (Place::new(), Place::new());
    let output = read.run(&grow(&engine(&read, &[]), "5"));
    assert!(output.status.success(), "{}", stderr(&output));
    let (mut child, _reader) = start(&unread, &grow(&engine(&unread, &[]), "5"));
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(tree(&unread), tree(&read));
    assert!(unread.run(&["verify"]).status.success());
}

#[test]
fn failed_run_keeps_answers_and_has_exit_code() {
    let place = Place::new();
    let deadly = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let fault = format!("illegal:epd={deadly},rank=1");
    let (mut child, _reader) = start(&place, &grow(&engine(&place, &["--fault", &fault]), "5"));
    assert_eq!(wait(&mut child).code(), Some(1));
    assert!(place.stored().contains(&(deadly.to_owned(), 0)), "nothing is kept");
}

#[test]
fn a_signal_ends_a_run_and_leaves_no_engine() {
    let place = Place::new();
    let name = format!("Stalled {}", place.db().display());
    let engine = engine(&place, &["--delay-ms", "5", "--name", &name]);
    let (mut child, _reader) = start(&place, &grow(&engine, "40"));
    assert!(wait_for_searches(&mut child, &place.path("log"), 50));
    signal(i64::from(child.id()), "INT");
    assert_eq!(wait(&mut child).code(), Some(130));
    assert_eq!(left_behind(&name), [0_u32; 0], "an engine is left");
    let (asked, stored) = (asked(&place.path("log")), place.stored());
    assert!(asked.iter().all(|go| stored.contains(go)), "an answer is lost");
}

#[test]
fn a_batch_and_a_closing_search_end() {
    let place = Place::new();
    let suite =
        "8/8/4k3/8/8/4K3/4P3/8 w - - id \"pawn\";\n8/8/4k3/8/8/3QK3/8/8 w - - id \"queen\";\n";
    std::fs::write(place.path("suite.epd"), suite).unwrap();
    let engine = engine(&place, &[]);
    let batch = [&grow(&engine, "2")[..], &["--epd", "suite.epd"]].concat();
    let (mut child, _reader) = start(&place, &batch);
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(place.stdout(&["list", "--long"]).matches("8/8/4k3").count(), 2);
    let closing = [&grow(&engine, "2")[..], &["--closing-depth", "9"]].concat();
    let (mut child, _reader) = start(&place, &closing);
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(tree(&place)["closing"]["limit"]["depth"], 9);
}

#[test]
fn a_reader_who_comes_back_gets_every_line() {
    let (read, late) = (Place::new(), Place::new());
    let output = read.run(&[&grow(&engine(&read, &[]), "3")[..], &["--engines", "1"]].concat());
    let log = late.path("log");
    // The engine goes on only when somebody reads.
    let gate = late.path("gate");
    let flags = ["--fault", "held:logged=30", "--gate", gate.to_str().unwrap()];
    let engine = engine(&late, &flags);
    let (mut child, mut reader) =
        start(&late, &[&grow(&engine, "3")[..], &["--engines", "1"]].concat());
    assert!(wait_for_searches(&mut child, &log, 30));
    std::fs::write(&gate, "").unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(wait(&mut child).code(), Some(0));
    let end = |said: Vec<String>| said.into_iter().filter(|line| !line.contains(".db"));
    assert!(end(said(&text)).eq(end(said(&stderr(&output)))), "{text}");
}

#[test]
fn the_verdict_is_on_standard_output_and_nothing_else() {
    let place = Place::new();
    let engine = engine(&place, &[]);
    let output = place.run(&grow(&engine, "2"));
    let shown = place.stdout(&["show"]);
    let verdict = shown.lines().next().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{verdict}\n"));
    let quiet = [&grow(&engine, "2")[..], &["--quiet"]].concat();
    let quiet: Vec<&str> = quiet.into_iter().filter(|word| *word != "--verbose").collect();
    let output = place.run(&quiet);
    assert_eq!(stderr(&output), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{verdict}\n"));
}
