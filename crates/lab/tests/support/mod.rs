//! The product's test helpers, for the laboratory's own program.
#![allow(dead_code, reason = "it is shared with other tests")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

#[path = "../../../../tests/support/program.rs"]
pub mod program;
#[path = "../../../../tests/support/scripted.rs"]
mod scripted;

use std::path::PathBuf;
use std::process::Output;

pub use scripted::*;

use program::Place;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_lab");
pub const SEALED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/support/sealed.toml");

/// Runs `deepanalyze` on a place's database.
pub fn deepanalyze(place: &Place, args: &[&str]) -> Output {
    place.command_of(&product(), args).output().expect("the program runs")
}

/// The program `deepanalyze`, built here if only the laboratory is tested.
fn product() -> PathBuf {
    let path = profile_dir().join("deepanalyze");
    if !path.exists() {
        build(&["--bin", "deepanalyze"]);
    }
    path
}

/// Checks that `deepanalyze verify` finds no flaw.
pub fn assert_well(place: &Place) {
    let verdict = deepanalyze(place, &["verify"]);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}
