//! Shared by integration tests: the scripted engine, and a look at the processes that are left.
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

pub mod books;
pub mod contract;
pub mod directed;
pub mod lichess;
pub mod ports;
pub mod program;
pub mod readers;
mod scripted;
pub mod serving;
pub mod synthetic;

pub use scripted::*;

/// Where the sources are.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_deepanalyze");
/// A configuration apart from the user's.
pub const SEALED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/sealed.toml");

/// How much a test does by day, and by night (`DEEPANALYZE_NIGHTLY=1`, as `.ci/nightly` says).
pub fn by_day_or_night<T>(day: T, night: T) -> T {
    let is_night = std::env::var_os("DEEPANALYZE_NIGHTLY").is_some_and(|value| value == "1");
    if is_night { night } else { day }
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

    /// Settings under which a silence of this many milliseconds is a hang. On a busy machine a
    /// healthy engine may be silent for a second.
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

    /// Result of one search.
    #[derive(Debug)]
    pub struct Outcome {
        pub result: Result<Answer, EngineError>,
        pub faults: Vec<EngineError>,
        /// Notices since the outcome before, from any search.
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

    /// Waits until this many searches are answered or failed.
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
                Event::Started { .. }
                | Event::Iteration { .. }
                | Event::GivenWay { .. }
                | Event::Retracted { .. }
                | Event::Quarantined { .. } => {
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
        drop(pool);
        let taken = start.elapsed();
        // Nothing that is waited for takes so long but a search, and those take minutes.
        assert!(taken < Duration::from_secs(20), "shutdown took {taken:?}");
        assert_eq!(super::left_behind(name), Vec::<u32>::new(), "left behind");
    }
}
