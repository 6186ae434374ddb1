//! What integration tests share: the scripted engine, and a look at the processes that are left.
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

pub mod books;
pub mod directed;
pub mod lichess;
pub mod ports;
pub mod program;
pub mod readers;
pub mod serving;
pub mod synthetic;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Longer than anything takes that a test waits for, on a machine with far too much to do: with a load
/// of ten for each processor and a busy disk, a batch of eight roots took more than two minutes.
pub const LONG: std::time::Duration = std::time::Duration::from_secs(600);

/// The path of the scripted engine (`examples/scripted_engine`).
///
/// `cargo test` builds it along with the tests; where only one test target was asked for, it is
/// built here, once; under Wine it must have been built before, for cargo would be the other system's.
pub fn scripted_engine() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = examples_dir().join(format!("scripted_engine{}", std::env::consts::EXE_SUFFIX));
        if !cfg!(windows) && is_stale(&path) {
            build();
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

/// A pool of scripted engines under a name of their own, and what came of its searches.
pub mod pool {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{Duration, Instant};

    use deepanalyze_core::chess::parse_fen;
    use deepanalyze_core::search::{Answer, Limit, Search};
    use deepanalyze_engine::{EngineError, Event, HangPolicy, Pool, PoolNotice, Settings};

    pub use super::LONG;

    /// A name that no other test's engines have.
    pub fn unique_name() -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        format!("Scripted {} {number}", std::process::id())
    }

    /// Settings for a scripted engine with these flags: depth 8, restarted at once. An engine that the
    /// machine has no time for is not taken for a hung one: see [`hanging`].
    pub fn settings(name: &str, flags: &[&str]) -> Settings {
        let mut words = vec!["--name", name];
        words.extend(flags);
        Settings {
            hang: HangPolicy {
                startup: LONG,
                probe: Duration::from_millis(100),
                silence: LONG,
                patience: LONG,
                ..HangPolicy::default()
            },
            backoff: Duration::from_millis(1),
            ..Settings::new(&super::scripted(&words), Limit::Depth(8))
        }
    }

    /// The same where a silence of so many milliseconds is a hang. On a busy machine a healthy engine may
    /// be silent for a second.
    pub fn hanging(name: &str, flags: &[&str], silence: u64) -> Settings {
        let mut settings = settings(name, flags);
        settings.hang.silence = Duration::from_millis(silence);
        settings
    }

    /// A search in a position, with moves left out.
    pub fn search(fen: &str, excluded: &[&str]) -> Search {
        Search {
            position: parse_fen(fen).expect("a FEN"),
            excluded: excluded.iter().map(|m| m.parse().expect("UCI")).collect(),
        }
    }

    /// The starting position.
    pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// What came of one search.
    #[derive(Debug)]
    pub struct Outcome {
        pub result: Result<Answer, EngineError>,
        pub faults: Vec<EngineError>,
        /// What was told since the outcome before, whatever search it came from.
        pub notices: Vec<PoolNotice>,
    }

    impl Outcome {
        /// The answer of a search that went well in the end.
        pub fn answer(&self) -> &Answer {
            self.result.as_ref().expect("an answer")
        }

        /// The error with its causes, as the user sees it.
        pub fn error(&self) -> String {
            let error = self.result.as_ref().expect_err("an error");
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(error);
            while let Some(error) = cause {
                text += &format!(": {error}");
                cause = error.source();
            }
            text
        }
    }

    /// Makes one search and waits for its end.
    pub fn ask(pool: &mut Pool, search: Search) -> Outcome {
        pool.submit(1, search);
        let mut outcomes = collect(pool, 1);
        outcomes.remove(&1).expect("the outcome")
    }

    /// Waits until so many searches are answered or failed.
    pub fn collect(pool: &Pool, count: usize) -> std::collections::BTreeMap<u64, Outcome> {
        let mut outcomes = std::collections::BTreeMap::new();
        let mut faults = std::collections::BTreeMap::<u64, Vec<EngineError>>::new();
        let mut notices = Vec::new();
        let until = Instant::now() + LONG;
        while outcomes.len() < count {
            let event = pool.events().recv_deadline(until).expect("an event in time");
            let (ticket, result) = match event {
                Event::Answered { ticket, answer, .. } => (ticket, Ok(answer)),
                Event::Failed { ticket, error } => (ticket, Err(error)),
                Event::Fault { ticket, error, .. } => {
                    // Without a ticket it is the start that failed, and no search.
                    if let Some(ticket) = ticket {
                        faults.entry(ticket).or_default().push(error);
                    }
                    continue;
                }
                Event::Notice(notice) => {
                    notices.push(notice);
                    continue;
                }
                Event::Started { .. } | Event::Listed { .. } | Event::Disbelieved { .. } => {
                    continue;
                }
                Event::Broken => panic!("a thread of the pool has failed"),
            };
            let faults = faults.remove(&ticket).unwrap_or_default();
            let notices = std::mem::take(&mut notices);
            let twice = outcomes.insert(ticket, Outcome { result, faults, notices });
            assert!(twice.is_none(), "ticket {ticket} ended twice");
        }
        outcomes
    }

    /// Drops the pool and sees that it is quick, and that no engine of that name is left.
    pub fn close(pool: Pool, name: &str) {
        let start = Instant::now();
        pool.abort();
        let taken = start.elapsed();
        // Nothing that is waited for takes so long but a search, and those take minutes.
        assert!(taken < Duration::from_secs(20), "shutdown took {taken:?}");
        assert_eq!(super::left_behind(name), Vec::<u32>::new(), "left behind");
    }
}
