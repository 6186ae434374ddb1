//! What a run tells once, and a reader is not to miss.

use std::sync::Arc;
use std::time::Duration;

use shakmaty::Chess;

use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::{EngineError, PoolNotice};
use deepanalyze_report::BestLine;

use super::snapshot::Snapshot;
use crate::grow::{End, RunOutcome};

/// What a run tells, in the order in which it came.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// A pass is being served; only where every pass is to be told of.
    Pass(Arc<Snapshot>),
    /// A stage begins, whose searches go to this limit.
    StageBegins(Limit),
    /// A depth is settled.
    Settled {
        /// The depth and what it took.
        settled: Settled,
        /// The best line at that moment.
        best: Option<Arc<BestLine>>,
        /// How long the run had worked.
        elapsed: Duration,
    },
    /// An engine failed, and is tried again.
    Fault {
        /// How it failed.
        error: EngineError,
        /// Which failure this is, in a row.
        attempt: u32,
        /// The position that was searched.
        position: Option<Chess>,
    },
    /// Engines were left out, or are back.
    Notice(PoolNotice),
    /// The root is new, and has begun with a copy of the directives of a shorter game.
    Copied {
        /// How many.
        directives: usize,
        /// By how many plies the game is shorter.
        plies: usize,
    },
    /// The run has taken over other directives, and grows its tree again.
    Directed {
        /// Those that it has now.
        directives: Directives,
        /// What the tree that there was says under them.
        verdict: Option<Arc<BestLine>>,
    },
    /// Something is missing from now on, a file of endgame tables or an answer, and why.
    Warning(String),
    /// Tables have come that know positions of the tree: it is grown again.
    TablesHaveCome,
    /// A worker of the fleet is found wrong: what it gave is taken back.
    TakenBack {
        /// Its answers, and those behind them in their lists: they are searched again.
        answers: u64,
        /// Trees that stood on them, this one perhaps among them.
        trees: u64,
    },
    /// The run cannot go on before somebody else lets it, and why.
    Waiting(String),
    /// The run is ending before its depth is settled, and why.
    Stopping(String),
    /// So many of a batch's roots had been settled before.
    DoneBefore(usize),
    /// The work on a root of a batch begins.
    RootBegins {
        /// Its place, from 0.
        index: usize,
        /// What people call it.
        name: String,
        /// The position.
        root: Chess,
    },
    /// A root of a batch has had its turn.
    RootEnds {
        /// Its place, from 0.
        index: usize,
        /// What became of it, or why it cannot be grown now.
        outcome: Result<Box<RunOutcome>, String>,
    },
}

/// How all that a feed tells of has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// The run came to its end.
    Ended(End),
    /// It failed, and why.
    Failed(String),
    /// Nobody says how: whoever published is gone.
    Lost,
}

impl RunEnd {
    /// How a run ended that gave this.
    pub fn of<T, E: std::fmt::Display>(
        result: &Result<T, E>,
        ending: impl FnOnce(&T) -> End,
    ) -> RunEnd {
        match result {
            Ok(done) => RunEnd::Ended(ending(done)),
            Err(error) => RunEnd::Failed(error.to_string()),
        }
    }
}
