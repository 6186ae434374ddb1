//! Early ends of a closing search, beside the end of the run.

use std::time::{Duration, Instant};

use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::Directives;
use deepanalyze_store::StoreError;

use crate::context::RunWork;
use crate::control::RunTarget;

/// Pause between checks for directives changed by another process.
const PAUSE: Duration = Duration::from_millis(250);

/// The run when the search began.
pub struct Watched {
    game: Game,
    target: Option<RunTarget>,
    directives: Directives,
    revision: u64,
    looked: Instant,
}

impl Watched {
    pub fn new(work: &RunWork<'_>, game: Game) -> Result<Watched, StoreError> {
        let (revision, directives) = (work.store.revision(&game)?, work.store.directives(&game)?);
        let (target, looked) = (work.control.target(), work.engines.now());
        Ok(Watched { directives: directives.of_tree(), game, target, revision, looked })
    }

    /// True if the user has paused the run, redirected it, or changed directives of its root, so
    /// that its engines are wanted. Notes change nothing.
    pub fn wants_something_else(&mut self, work: &RunWork<'_>) -> Result<bool, StoreError> {
        if work.control.is_paused() || work.control.target() != self.target {
            return Ok(true);
        }
        let now = work.engines.now();
        if now.saturating_duration_since(self.looked) < PAUSE {
            return Ok(false);
        }
        self.looked = now;
        let revision = match work.store.revision(&self.game) {
            // Without a write-ahead log readers wait for writers. Checked again soon.
            Err(error) if error.is_busy() => return Ok(false),
            revision => revision?,
        };
        if std::mem::replace(&mut self.revision, revision) == revision {
            return Ok(false);
        }
        Ok(work.store.directives(&self.game)?.of_tree() != self.directives)
    }
}
