//! A question about a move, answered by the engines that the roots share.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use deepanalyze_engine::{Engines, RunKey};
use deepanalyze_store::Store;
use deepanalyze_view::{MoveSearch, Tree, Why};

use super::Runner;
use crate::control::ControlReceiver;
use crate::one_move::{MoveQuestion, PositionEnd, search_move};
use crate::outcome::RunError;

/// Numbers of questions: below those of all roots.
static QUESTIONS: AtomicI64 = AtomicI64::new(-1);

/// The greatest weight: a question is short, and its asker waits.
const WEIGHT: u32 = 100;

impl Runner {
    /// Searches the position behind a move as long as `time` allows, unless that was done before; `None` without an
    /// answer in time, and in words how the engine failed. The answer is stored.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the database fails.
    pub fn ask(
        &self,
        tree: &Tree,
        why: &Why,
        time: Duration,
        control: &ControlReceiver,
    ) -> Result<Result<Option<MoveSearch>, String>, RunError> {
        let crew = &self.shared().crew;
        let key = RunKey(QUESTIONS.fetch_sub(1, Ordering::Relaxed));
        let Some(mut engines) = crew.join(key, WEIGHT) else { return Ok(Ok(None)) };
        let mut store = Store::open_with(&self.shared().path, crew.patience())?;
        let until = engines.now() + time;
        let question = MoveQuestion { tree, why, limit: None, time, until, goes_deeper: false };
        let (found, end) = search_move(&mut store, &mut engines, control, question)?;
        match end {
            PositionEnd::Failed(why) => Ok(Err(why)),
            PositionEnd::Time | PositionEnd::Interrupted => Ok(Ok(found)),
        }
    }
}
