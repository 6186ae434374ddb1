//! A thread of the pool that panics: for tests, in this package and in others.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use shakmaty::Chess;

use crate::{Pool, Settings};
use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Limit;

/// Position whose search makes a test's worker panic.
pub const PANICS: &str = "7k/8/8/8/8/8/8/K6R b - - 0 1";

pub(in crate::pool) fn panic_at(position: &Chess) {
    assert_ne!(format!("{} 0 1", epd_of(position)), PANICS, "a test asks for a panic");
}

/// A pool whose engine starts and does nothing else, with a word in its command line.
///
/// # Panics
///
/// If it does not start.
pub fn mute_pool(mark: &str) -> Pool {
    let script = "while read -r word; do case $word in uci) echo uciok;; \
                  isready) echo readyok;; esac; done; sleep 60";
    let command = deepanalyze_core::quoting::join(["sh", "-c", script, mark]);
    Pool::start(&Settings::new(&command, Limit::Depth(1)).with_engines(2)).unwrap()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Event;
    use deepanalyze_core::chess::parse_fen;
    use deepanalyze_core::search::Search;

    fn is_running(mark: &str) -> bool {
        std::fs::read_dir("/proc").into_iter().flatten().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
        })
    }

    #[test]
    fn panicking_thread_kills_its_engine_and_is_reported() {
        let mark = format!("panics-{}", std::process::id());
        let mut pool = mute_pool(&mark);
        pool.submit(1, Search { position: parse_fen(PANICS).unwrap(), excluded: Vec::new() });
        // Before its engine ends by itself.
        let until = Instant::now() + Duration::from_secs(50);
        while !matches!(pool.events().recv_deadline(until).unwrap(), Event::Broken) {}
        assert!(!is_running(&mark));
        drop(pool);
        assert!(Instant::now() < until);
    }
}
