//! The page of `deepanalyze serve` in Chromium (`tests/page/serve/`), against the built program with
//! the scripted engine.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use super::node;
use crate::support::program::SEALED;

/// Runs a file of tests in a browser.
fn test(file: &str) {
    if !node::asked_for() {
        return;
    }
    // Slow enough to be seen growing.
    let engine = crate::support::scripted(&["--delay-ms", "20", "--jitter-ms", "10"]);
    let program = ("DEEPANALYZE", env!("CARGO_BIN_EXE_deepanalyze"));
    node::test(&[file.to_owned()], &[program, ("ENGINE", &engine), ("SEALED", SEALED)]);
}

#[test]
fn roots_are_added_named_and_removed_in_a_browser() {
    test("serve/roots.test.mjs");
}

#[test]
fn directives_work_in_a_browser() {
    test("serve/directing.test.mjs");
}

#[test]
fn refusals_are_told_in_a_browser() {
    test("serve/refusing.test.mjs");
}

#[test]
fn what_a_tree_says_is_told_in_a_browser() {
    test("serve/telling.test.mjs");
}

#[test]
fn castling_in_chess960_works_in_a_browser() {
    test("serve/castling.test.mjs");
}

#[test]
fn games_work_in_a_browser() {
    test("serve/games.test.mjs");
}

#[test]
fn moves_are_asked_about_in_a_browser() {
    test("serve/asking.test.mjs");
}

#[test]
fn habits_work_in_a_browser() {
    test("serve/habits.test.mjs");
}

#[test]
fn what_matters_is_in_sight_in_a_browser() {
    test("serve/sight.test.mjs");
}

#[test]
fn a_laptop_shows_the_tree_in_a_browser() {
    test("serve/laptop.test.mjs");
}

#[test]
fn keys_and_phones_work_in_a_browser() {
    test("serve/access.test.mjs");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn axe_finds_nothing_in_the_server_s_page() {
    test("serve/axe.test.mjs");
}

#[test]
fn whole_games_work_in_a_browser() {
    test("serve/whole.test.mjs");
}

#[test]
fn plans_work_in_a_browser() {
    test("serve/planning.test.mjs");
}
