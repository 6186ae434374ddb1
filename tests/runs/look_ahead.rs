//! Searching ahead changes no tree, asks nothing twice, and outlives faulty engines.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashSet;

use crate::support::program::{Place, asked, signal, stderr, wait_for_searches};
use crate::support::{left_behind, scripted};

/// A run with a scripted engine of a seed, with a log.
fn grow(place: &Place, seed: &str, engines: &str, more: &[&str], flags: &[&str]) -> String {
    let log = place.path("log");
    let mut words = vec!["--seed", seed, "--log", log.to_str().unwrap()];
    words.extend(flags);
    let engine = scripted(&words);
    let mut args = vec!["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    args.extend(["--depth", "3", "--engines", engines, "--verbose"]);
    args.extend(more);
    let output = place.run(&args);
    assert!(output.status.success(), "seed {seed}, {engines}: {}", stderr(&output));
    stderr(&output)
}

/// The tree, whatever number its analysis has: a run that ends before its first pass does leaves none, and the next
/// run's is another one.
fn json(place: &Place) -> serde_json::Value {
    let mut tree: serde_json::Value =
        serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    assert!(tree["analysis"].take().is_number());
    tree
}

/// The tree of one engine that never looks ahead.
fn plain_tree(seed: &str) -> serde_json::Value {
    let place = Place::new();
    grow(&place, seed, "1", &["--no-look-ahead"], &[]);
    json(&place)
}

fn assert_asked_once(place: &Place) {
    let asked = asked(&place.path("log"));
    let different: HashSet<_> = asked.iter().collect();
    assert_eq!(different.len(), asked.len(), "a search was made twice");
}

fn assert_verified(place: &Place) {
    let verdict = place.run(&["verify"]);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

/// Numbers of searches made ahead, and of those used, from the last lines of a verbose run.
fn ahead(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().find_map(|line| line.strip_prefix("this run  "))?;
    let (searched, used) = line.strip_suffix(" of those used")?.split_once(" of them ahead, ")?;
    Some((searched.rsplit_once(' ')?.1.parse().ok()?, used.parse().ok()?))
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn the_tree_is_that_of_one_engine_whatever_the_timing() {
    let (mut searched, mut used) = (0, 0);
    let engines = ["2", "5", "8", "16"].into_iter().cycle();
    for (seed, engines) in (1..=8).map(|seed: u32| seed.to_string()).zip(engines) {
        let seed = seed.as_str();
        let place = Place::new();
        let flags = ["--delay-ms", "1", "--jitter-ms", "12"];
        let text = grow(&place, seed, engines, &[], &flags);
        assert_eq!(json(&place), plain_tree(seed), "seed {seed}, {engines} engines");
        assert_asked_once(&place);
        assert_verified(&place);
        let (more, of_use) = ahead(&text).unwrap_or_default();
        assert!(of_use <= more);
        searched += more;
        used += of_use;
    }
    assert!(used > 25, "only {used} of {searched} searches ahead were used: no look-ahead");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn the_tree_of_another_engine_changes_no_tree() {
    for (old, seed) in [("11", "1"), ("1", "1"), ("5", "13")] {
        let place = Place::new();
        grow(&place, old, "2", &[], &["--name", "Older"]);
        std::fs::remove_file(place.path("log")).unwrap();
        let text = grow(&place, seed, "8", &[], &["--delay-ms", "1", "--jitter-ms", "12"]);
        assert!(text.contains("idle engines use it to look ahead"), "{text}");
        assert_eq!(json(&place), plain_tree(seed), "seed {seed} behind {old}");
        assert_asked_once(&place);
        assert_verified(&place);
    }
}

#[test]
fn runs_killed_while_looking_ahead_agree() {
    let place = Place::new();
    for kill in 1..=4 {
        // Each has its own: engines of the run before may still be writing.
        let log = place.path(&format!("log-{kill}"));
        let words = ["--seed", "9", "--log", log.to_str().unwrap(), "--jitter-ms", "8"];
        let engine = scripted(&words);
        let mut args = vec!["grow", "--engine", &engine, "--engine-depth", "5", "--distance"];
        args.extend(["20", "--depth", "3", "--engines", "8"]);
        let stored = place.stored();
        let mut child = place.start(&args);
        wait_for_searches(&mut child, &log, 20 + 5 * kill);
        signal(-i64::from(child.id()), "KILL");
        child.wait().unwrap();
        assert!(asked(&log).iter().all(|go| !stored.contains(go)), "asked although stored");
        assert_verified(&place);
    }
    grow(&place, "9", "8", &[], &["--jitter-ms", "5"]);
    assert_eq!(json(&place), plain_tree("9"));
    assert_verified(&place);
}

#[test]
fn a_limit_counts_searches_ahead_and_keeps_them() {
    let place = Place::new();
    let text = grow(&place, "5", "8", &["--max-searches", "60"], &["--jitter-ms", "5"]);
    assert!(text.contains("Limit reached: "), "{text}");
    assert_eq!(asked(&place.path("log")).len(), 60);
    assert_eq!(place.stored().len(), 60, "a search that was made is not stored");
    grow(&place, "5", "8", &[], &["--jitter-ms", "5"]);
    assert_eq!(json(&place), plain_tree("5"));
    assert_asked_once(&place);
}

#[test]
fn eight_faulty_engines_grow_the_right_tree() {
    let place = Place::new();
    let mark = format!("Faulty {}", place.db().display());
    let (starts, struck) = (place.path("starts"), place.path("struck"));
    let mut flags = vec!["--name", &mark, "--jitter-ms", "3"];
    flags.extend(["--starts", starts.to_str().unwrap(), "--struck", struck.to_str().unwrap()]);
    // One for certain; and no search fails three times, which would end the run.
    flags.extend(["--fault", "die:go=2,start=1,most=2"]);
    for fault in ["die", "garbage", "illegal", "none", "abort", "slow"] {
        flags.extend(["--fault", fault]);
    }
    let flags: Vec<String> = flags
        .iter()
        .map(|flag| match *flag {
            "die" | "garbage" | "illegal" | "none" | "abort" | "slow" => {
                format!("{flag}:chance=80,most=2")
            }
            _ => (*flag).to_owned(),
        })
        .collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let text = grow(&place, "6", "8", &[], &flags);
    assert_eq!(left_behind(&mark), [0_u32; 0], "an engine is left");
    assert!(text.contains("warning:") && text.contains("trying again"), "no fault: {text}");
    assert_verified(&place);
    let faultless = Place::new();
    grow(&faultless, "6", "1", &["--no-look-ahead"], &["--name", &mark]);
    assert_eq!(json(&place), json(&faultless));
}
