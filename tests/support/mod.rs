//! What integration tests share: the scripted engine, and a look at the processes that are left.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the scripted engine (`examples/scripted_engine`).
///
/// `cargo test` builds it along with the tests; where only one test target was asked for, it is
/// built here, once.
pub fn scripted_engine() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = examples_dir().join(format!("scripted_engine{}", std::env::consts::EXE_SUFFIX));
        if is_stale(&path) {
            build();
        }
        path
    })
}

/// A command line for the scripted engine with these flags, quoted for `--engine`.
pub fn scripted(flags: &[&str]) -> String {
    let path = scripted_engine().to_str().expect("a path in UTF-8");
    let words = std::iter::once(path).chain(flags.iter().copied());
    shlex::try_join(words).expect("no NUL in flags")
}

/// `target/<profile>/examples`, next to the `deps` that this test lies in.
fn examples_dir() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent);
    profile.expect("target/<profile>/deps").join("examples")
}

/// Whether the engine is missing or older than its sources.
fn is_stale(path: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scripted_engine");
    let newest = std::fs::read_dir(sources)
        .into_iter()
        .flatten()
        .filter_map(|entry| modified(&entry.ok()?.path()))
        .max();
    modified(path).is_none_or(|built| newest.is_some_and(|newest| newest > built))
}

fn build() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--example", "scripted_engine"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "the scripted engine does not build");
}

/// The processes whose command line contains a mark (Linux): a test gives its engines a name of
/// their own and looks for what is left of them.
pub fn processes_with(mark: &str) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark))
        })
        .collect()
}
