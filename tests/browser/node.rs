//! Tests that node runs: pages in Chromium (`tests/page`), the check of what was built from `web`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::support::program::stderr;

/// Whether the tests with outside tools are asked for.
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

/// Runs test files of `tests/page` one after the other, and never three browsers at once: what waits for a page must not
/// starve on a busy machine. One at a time took longer than all other tests together.
pub fn test(files: &[&str], variables: &[(&str, &str)]) {
    static BROWSING: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let place = &BROWSING[NEXT.fetch_add(1, Ordering::Relaxed) % BROWSING.len()];
    let _two_at_a_time = place.lock().unwrap_or_else(PoisonError::into_inner);
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency=1"]).args(files).envs(variables.iter().copied());
    let output = node.current_dir(installed("tests/page")).output().expect("node runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    assert!(said.contains("# fail 0") && !said.contains("# pass 0"), "{said}");
}
