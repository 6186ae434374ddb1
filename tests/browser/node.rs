//! Tests that node runs: pages in Chromium (`tests/page`), the check of what was built from `web`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::support::program::stderr;

/// True if the tests with outside tools are asked for.
pub fn asked_for() -> bool {
    let asked = std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_some_and(|value| value == "1");
    if !asked {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
    }
    asked
}

/// A folder of the project with what its package.json names, installed where that was not done yet.
pub fn installed(folder: &str) -> PathBuf {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    if !folder.join("node_modules").exists() {
        let status = Command::new("npm").arg("ci").current_dir(&folder).status();
        assert!(status.expect("npm runs").success(), "npm ci in {}", folder.display());
    }
    folder
}

/// Runs test files of `tests/page` one after the other, beside those of two other tests: what waits for a page must not
/// starve on a busy machine.
pub fn test(files: &[String], variables: &[(&str, &str)]) {
    static BROWSERS: Mutex<usize> = Mutex::new(3);
    static CLOSED: Condvar = Condvar::new();
    let free = BROWSERS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut free =
        CLOSED.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
    *free -= 1;
    drop(free);
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency=1"]).args(files).envs(variables.iter().copied());
    let output = node.current_dir(installed("tests/page")).output().expect("node runs");
    *BROWSERS.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    CLOSED.notify_one();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    assert!(said.contains("# fail 0") && !said.contains("# pass 0"), "{said}");
}
