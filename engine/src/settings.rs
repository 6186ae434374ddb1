//! What a pool is to be made of, and what it is to ask.

use std::time::Duration;

use deepanalyze_core::search::Limit;

use super::deadline::HangPolicy;

/// Where engines come from: a command line, and how many processes of it there may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The command line, split as a shell does; the program is looked up on PATH and then in
    /// /usr/games.
    pub command: String,
    /// How many processes there may be; at least one.
    pub engines: usize,
}

/// How engines are started and what they are asked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Command lines of the same engine, on this machine or others; at least one.
    pub sources: Vec<Source>,
    /// The options to set, as the user wrote them; the last of several values of one counts.
    pub options: Vec<(String, String)>,
    /// The limit of one search.
    pub limit: Limit,
    /// Leaves the hash as it is between searches: faster, and the answers depend on their order.
    pub keep_hash: bool,
    /// When an engine counts as hung.
    pub hang: HangPolicy,
    /// The pause before an engine that failed is started again. It doubles with every failure in a
    /// row, up to [`Settings::LONGEST_BACKOFF`].
    pub backoff: Duration,
    /// How long an engine that fails again and again is left out while others work.
    pub rest: Duration,
}

impl Settings {
    /// The longest pause before an engine is started again.
    pub const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

    /// One process, no options, hash cleared before each search.
    pub fn new(command: &str, limit: Limit) -> Settings {
        Settings {
            sources: vec![Source { command: command.to_owned(), engines: 1 }],
            options: Vec::new(),
            limit,
            keep_hash: false,
            hang: HangPolicy::default(),
            backoff: Duration::from_millis(100),
            rest: Duration::from_secs(600),
        }
    }

    /// The same with so many processes of each command line.
    #[must_use]
    pub fn with_engines(mut self, engines: usize) -> Settings {
        for source in &mut self.sources {
            source.engines = engines;
        }
        self
    }
}
