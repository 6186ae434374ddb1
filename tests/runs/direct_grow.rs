//! Directives and runs of the built program: a tree obeys those given while it grows, and between
//! runs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr};

use crate::support::program::{Place, asked, stderr, wait, wait_for_searches};
use crate::support::scripted;

/// A scripted engine with a log in a place, as a command line.
fn engine(place: &Place, log: &str, flags: &[&str]) -> String {
    let log = place.path(log);
    scripted(&[&["--log", log.to_str().unwrap()], flags].concat())
}

fn grow<'a>(engine: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args =
        ["grow", "--engine", engine, "--engine-depth", "5", "--distance", "20", "--depth", "3"];
    [&args, more].concat()
}

/// Grows without a disturbance.
fn grown(place: &Place, log: &str, more: &[&str]) {
    let output = place.run(&grow(&engine(place, log, &[]), more));
    assert!(output.status.success(), "{}", stderr(&output));
}

fn json(place: &Place) -> serde_json::Value {
    serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap()
}

fn best(tree: &serde_json::Value) -> String {
    tree["moves"][0]["uci"].as_str().unwrap().to_owned()
}

fn no_search_twice(place: &Place, log: &str) {
    let searched = asked(&place.path(log));
    let different: HashSet<_> = searched.iter().collect();
    assert_eq!(different.len(), searched.len(), "a search was made twice");
}

fn all_is_well(place: &Place) {
    let verdict = place.run(&["verify"]);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

/// A run whose engines hold all answers from the thirtieth on until they are let go.
struct Held {
    place: Place,
    child: Child,
    told: BufReader<ChildStderr>,
}

impl Held {
    fn start() -> Held {
        let place = Place::new();
        let gate = place.path("gate");
        let flags = ["--fault", "held:logged=30", "--gate", gate.to_str().unwrap()];
        let engine = engine(&place, "log", &flags);
        let mut child = place.start(&grow(&engine, &["--engines", "2"]));
        let told = BufReader::new(child.stderr.take().unwrap());
        assert!(wait_for_searches(&mut child, &place.path("log"), 30));
        Held { place, child, told }
    }

    /// Gives a directive from another process while the run waits.
    fn direct(&self, args: &[&str]) {
        let said = self.place.stdout(&[&["direct"], args].concat());
        let at_once = "the running `grow` applies it at once\n";
        assert!(said.ends_with(at_once), "{said}");
    }

    /// Waits until the run prints that it uses these directives.
    fn has_taken_over(&mut self, directives: &str) {
        let mut text = String::new();
        while !text.lines().any(|line| line.starts_with(&format!("directives: {directives}; now ")))
        {
            assert!(self.told.read_line(&mut text).unwrap() > 0, "not taken over: {text}");
        }
    }

    /// Lets the engines go on, and waits for the end.
    fn let_go(mut self) -> Place {
        std::fs::write(self.place.path("gate"), "").unwrap();
        let mut rest = String::new();
        self.told.read_to_string(&mut rest).unwrap();
        assert!(wait(&mut self.child).success(), "{rest}");
        self.place
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn growing_tree_obeys_another_process() {
    let free = Place::new();
    grown(&free, "log", &[]);
    let best = best(&json(&free));

    let mut run = Held::start();
    run.direct(&["exclude", &best]);
    run.has_taken_over("1 move excluded");
    run.direct(&["include", "a4 a5"]);
    run.has_taken_over("1 move excluded, 2 moves included");
    let place = run.let_go();

    let said_before = Place::new();
    said_before.stdout(&["direct", "include", "a4 a5"]);
    said_before.stdout(&["direct", "exclude", &best]);
    grown(&said_before, "log", &[]);
    assert_eq!(json(&place), json(&said_before));
    assert_ne!(self::best(&json(&place)), best);
    no_search_twice(&place, "log");
    all_is_well(&place);
    assert!(
        place
            .stdout(&["list", "--long"])
            .contains("  directed  1 move excluded, 2 moves included\n")
    );
}

#[test]
fn undone_directives_leave_no_trace_in_the_tree() {
    let free = Place::new();
    grown(&free, "log", &[]);
    let mut run = Held::start();
    run.direct(&["stop", &best(&json(&free))]);
    run.has_taken_over("1 stop");
    run.direct(&["undo", "--all"]);
    run.has_taken_over("none");
    let place = run.let_go();
    assert_eq!(json(&place), json(&free));
    no_search_twice(&place, "log");
    all_is_well(&place);
}

#[test]
fn resumed_run_uses_directives_given_meanwhile() {
    let place = Place::new();
    grown(&place, "first", &["--max-searches", "40"]);
    let best = best(&json(&place));
    let stored = place.stored();
    let said = place.stdout(&["direct", "value", &best, "-0.90"]);
    assert!(
        said.ends_with("this counts at once; the next `grow` searches what is missing\n"),
        "{said}"
    );
    let output = place.run(&grow(&engine(&place, "second", &[]), &[]));
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("\ndirected  1 value\ndirectives: 1 value; now "), "{said}");
    assert!(
        asked(&place.path("second")).iter().all(|go| !stored.contains(go)),
        "asked although stored"
    );
    let said_before = Place::new();
    said_before.stdout(&["direct", "value", &best, "-0.90"]);
    grown(&said_before, "log", &[]);
    assert_eq!(json(&place), json(&said_before));
    all_is_well(&place);
}

#[test]
fn grow_replaces_the_root_s_directives() {
    let place = Place::new();
    place.stdout(&["direct", "exclude", "a3"]);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let set = format!("{{\"include\": {{\"{start}\": [\"h2h4\"]}}}}");
    std::fs::write(place.path("set.json"), &set).unwrap();
    let output = place.run(&grow(&engine(&place, "log", &[]), &["--directives", "set.json"]));
    let said = stderr(&output);
    assert!(said.contains("\ndirected  1 move included\n"), "{said}");
    // A tree that begins is not grown again.
    assert!(!said.contains("directives:"), "{said}");
    let exported: serde_json::Value =
        serde_json::from_str(&place.stdout(&["direct", "export"])).unwrap();
    assert_eq!(exported, serde_json::from_str::<serde_json::Value>(&set).unwrap());
    let included = Place::new();
    included.stdout(&["direct", "include", "h4"]);
    grown(&included, "log", &[]);
    assert_eq!(json(&place), json(&included));
    all_is_well(&place);
}

#[test]
fn batch_regrows_root_with_new_directives() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), "1. e4 e5 *\n").unwrap();
    let every = ["--pgn", "game.pgn", "--every", "--depth", "1"];
    place.grow(&every);
    place.stdout(&["direct", "--moves", "e4 e5", "exclude", "Nf3"]);
    let said = stderr(&place.run_grow(&every));
    assert!(
        said.contains("2 of 3 done before")
            && said.contains("1/3 1... e5: directives: 1 move excluded"),
        "{said}"
    );
    assert!(place.stdout(&["list", "--long"]).contains("  directed  1 move excluded\n"));
    let said = stderr(&place.run_grow(&every));
    assert!(said.contains("3 of 3 done before"), "{said}");
    // The directives of a file apply to all positions.
    let set = place.stdout(&["direct", "--moves", "e4 e5", "export"]);
    std::fs::write(place.path("set.json"), set).unwrap();
    let said = stderr(&place.run_grow(&[&every[..], &["--directives", "set.json"]].concat()));
    assert_eq!(said.matches("directives: 1 move excluded").count(), 2, "{said}");
    assert!(said.contains("1 of 3 done before"), "{said}");
    all_is_well(&place);
}
