//! The page of `deepanalyze serve` in Chromium (`tests/page/serve/`), against the built program with
//! the scripted engine.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use super::node;
use crate::support::program::SEALED;

/// Runs files of tests in a browser, one after the other.
fn test(files: &[&str]) {
    if !node::asked_for() {
        return;
    }
    // Slow enough to be seen growing.
    let engine = crate::support::scripted(&["--delay-ms", "20", "--jitter-ms", "10"]);
    let program = ("DEEPANALYZE", env!("CARGO_BIN_EXE_deepanalyze"));
    node::test(files, &[program, ("ENGINE", &engine), ("SEALED", SEALED)]);
}

// In parts, for they take longer than all others together.

#[test]
fn the_page_of_the_server_works_in_a_browser() {
    test(&[
        "serve/roots.test.mjs",
        "serve/directing.test.mjs",
        "serve/refusing.test.mjs",
        "serve/telling.test.mjs",
    ]);
}

#[test]
fn games_and_what_is_seen_of_the_page_work_in_a_browser() {
    test(&[
        "serve/castling.test.mjs",
        "serve/games.test.mjs",
        "serve/habits.test.mjs",
        "serve/sight.test.mjs",
        "serve/laptop.test.mjs",
        "serve/access.test.mjs",
    ]);
}

#[test]
fn whole_games_and_plans_work_in_a_browser() {
    test(&["serve/whole.test.mjs", "serve/planning.test.mjs"]);
}
