//! The scripted engine, and what is left of processes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Longer than anything takes that a test waits for, on a machine with far too much to do: with a load
/// of ten for each processor and a busy disk, a batch of eight roots took more than two minutes.
pub const LONG: std::time::Duration = std::time::Duration::from_secs(600);

/// The path of the scripted engine (`tests/support/scripted_engine`).
///
/// `cargo test` builds it along with the tests; where only one test target was asked for, it is
/// built here, once; under Wine it must have been built before, for cargo would be the other system's.
pub fn scripted_engine() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = profile_dir()
            .join("examples/scripted_engine")
            .with_extension(std::env::consts::EXE_EXTENSION);
        if !cfg!(windows) && is_stale(&path) {
            build(&["--example", "scripted_engine"]);
        }
        path
    })
}

/// A command line for the scripted engine with these flags, quoted for `--engine`.
pub fn scripted(flags: &[&str]) -> String {
    let path = scripted_engine().to_str().expect("a path in UTF-8");
    let words = std::iter::once(path).chain(flags.iter().copied());
    deepanalyze_core::quoting::join(words)
}

/// `target/<profile>`, in whose `deps` this test lies.
pub fn profile_dir() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent);
    profile.expect("target/<profile>/deps").to_owned()
}

/// True if the engine is missing or older than its sources.
fn is_stale(path: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    let sources = Path::new(super::ROOT).join("tests/support/scripted_engine");
    let newest = std::fs::read_dir(sources)
        .into_iter()
        .flatten()
        .filter_map(|entry| modified(&entry.ok()?.path()))
        .max();
    modified(path).is_none_or(|built| newest.is_some_and(|newest| newest > built))
}

/// Builds a program that the tests of another package have built where all are tested.
pub fn build(target: &[&str]) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "deepanalyze"]).args(target);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "{target:?} does not build");
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

/// The processes with a text in their command line that are still there after a moment: a process that was
/// killed is gone once the machine has time for it.
pub fn left_behind(mark: &str) -> Vec<u32> {
    let began = std::time::Instant::now();
    loop {
        let left = processes_with(mark);
        if left.is_empty() || began.elapsed() > LONG {
            return left;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Waits until something holds; a bound of time is there for the test's end alone.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "not in time: {what}");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}
