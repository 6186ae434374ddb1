//! The page of `deepanalyze serve` in Chromium (`tests/page/serve.test.mjs`), against the built program with
//! the scripted engine.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

use crate::support::program::{SEALED, stderr};

#[test]
fn the_page_of_the_server_works_in_a_browser() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page");
    if !folder.join("node_modules").exists() {
        let status = Command::new("npm").arg("ci").current_dir(&folder).status();
        assert!(status.expect("npm runs").success(), "npm ci in {}", folder.display());
    }
    // Slow enough to be seen growing.
    let engine = crate::support::scripted(&["--delay-ms", "20", "--jitter-ms", "10"]);
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency=1", "serve.test.mjs"]).current_dir(&folder);
    node.env("DEEPANALYZE", env!("CARGO_BIN_EXE_deepanalyze"))
        .env("ENGINE", engine)
        .env("SEALED", SEALED);
    let output = node.output().expect("node runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    assert!(said.contains("# fail 0") && !said.contains("# pass 0"), "{said}");
}
