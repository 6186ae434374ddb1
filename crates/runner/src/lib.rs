//! Analyses that grow: passes over a tree, served from the memo and by engines; looking ahead, limits, control.
//!
//! A run uses a store, engines and a [`Control`], and passes [`RunEvent`]s to one closure: [`grow`]
//! a root in stages, [`grow_queue`] many in turns; [`recheck()`] asks another engine about existing
//! trees. A [`Runner`] has the engines and any number of roots with weights, each grown in a thread
//! of its own; a [`Session`](session::Session) answers questions that change often. A [`RunFeed`]
//! passes a run's events on to readers that it never waits for.
#![deny(clippy::indexing_slicing)]

mod closing;
mod context;
mod control;
mod facts;
mod feed;
mod job;
mod lists;
mod look_ahead;
mod memo_only;
mod merging;
mod older;
mod one_move;
mod outcome;
mod pass;
mod passes;
mod queue;
mod recheck;
mod runner;
pub mod session;
mod stage;
#[cfg(test)]
mod tests;
mod trap_looks;
mod tree_rows;
mod under_way;
mod watched;

pub use closing::{ClosingLimit, ClosingPlan, PreparedFor};
pub use control::limits::RunLimits;
pub use control::signals::{Shutdown, on_signal};
pub use control::{Control, ControlReceiver, RunTarget, Wakers, control};
pub use facts::{CountError, CountSource, GamesUse, TableUse};
pub use feed::event::{
    ClosingProgress, Progress, RecheckProgress, RunEvent, RunListener, Snapshot, Speaking,
};
pub use feed::{FeedReader, RunFeed, RunNews};
pub use job::{Job, Keeping, Schedule, TreePlan, has_what_it_needs};
pub use look_ahead::SearchedAhead;
pub use memo_only::{GrownFromMemo, grow_from_memo, grow_with_draw, threat};
pub use merging::{
    AnswerDrawn, CheckEnd, ProfileSurvey, Regrown, RootsTaken, SearchedAgain, Survey, SurveyAsked,
    Taken, check_answers, deciding_answers, emptied_trees, grow_trees, half_regrown_trees, survey,
    take_answers, take_roots, trees_to_grow,
};
pub use older::older_analysis;
pub use one_move::{MoveQuestion, PositionEnd, search_move};
pub use outcome::{Exhausted, RunEnd, RunError, RunOutcome, RunnerError};
pub use queue::{ClosingWeights, JobOutcome, Queue, QueueOutcome, grow, grow_queue};
pub use recheck::{RecheckOutcome, RecheckPlan, RecheckRoot, RootRecheck, deeper, recheck};
pub use runner::{
    Added, Amendment, EntryState, RecheckAsked, RootEntry, Runner, RunnerSettings, enqueue,
};
pub use trap_looks::{TrapQuestion, search_traps};
pub use tree_rows::TreeRows;
