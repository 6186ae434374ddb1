//! Searches, their limits and answers, and the profile that makes answers comparable. Nothing here
//! knows an engine, a store or a tree.
#![deny(clippy::indexing_slicing)]

mod flaw;
mod profile;
mod sample;
mod win_draw_loss;

pub use flaw::{AnswerFlaw, check_answer, check_numbers};
pub use profile::{HashContents, HashOf, KeptHash, MoveShare, Profile, SideBySide};
pub use sample::{Sample, share_bound};
pub use win_draw_loss::WinDrawLoss;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Score, legal_uci, playable, uci_of};

/// One `go` at the profile's limit, over all legal moves but those that are listed already.
#[derive(Debug, Clone)]
pub struct Search {
    /// The position; never a finished one.
    pub position: Chess,
    /// The moves that are listed already, in the order of their ranks.
    pub excluded: Vec<UciMove>,
}

impl Search {
    /// The legal moves that are not excluded.
    pub fn allowed(&self) -> Vec<UciMove> {
        let mut moves = legal_uci(&self.position);
        moves.retain(|m| !self.excluded.contains(m));
        moves
    }

    /// The legal move that an engine means, in this program's spelling; it may also write castling
    /// as the king's move to its rook.
    pub fn legal(&self, said: UciMove) -> Option<UciMove> {
        let m = said.to_move(&self.position).ok()?;
        Some(uci_of(&self.position, m))
    }

    /// The longest legal beginning of a line, in this program's spelling.
    pub fn legal_prefix(&self, line: &[UciMove]) -> Vec<UciMove> {
        playable(&self.position, line.iter().copied())
    }
}

/// An engine's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The best of the moves that were searched; castling is written as [`uci_of`] does.
    pub best: UciMove,
    /// Its score for the side that plays it.
    pub score: Score,
    /// How games end from there for that side, as told by the engine; None if it does not say.
    pub wdl: Option<WinDrawLoss>,
    /// The engine depth at which that score was found, in plies. Less than was asked if the engine
    /// stops early (a mate, a single move) or was stopped by its node limit.
    pub depth: u32,
    /// The greatest depth reached by an extension, in plies.
    pub seldepth: u32,
    /// Nodes of the whole search, as reported; 0 if the engine does not say.
    pub nodes: u64,
    /// Wall clock from `go` to `bestmove`.
    pub time: Duration,
    /// The line behind the score: legal moves, the first is `best`.
    pub pv: Vec<UciMove>,
}

/// The limit of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Plies of engine depth (`go depth`).
    Depth(u32),
    /// Engine nodes (`go nodes`).
    Nodes(u64),
}

/// As it stands in `go`: `depth 18`, `nodes 1000000`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Nodes(nodes) => write!(f, "nodes {nodes}"),
        }
    }
}

/// A worker of a fleet, from its start to its end: one that is started again is another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(Arc<str>);

impl WorkerId {
    /// The worker of this name.
    pub fn new(name: &str) -> WorkerId {
        WorkerId(name.into())
    }

    /// Its name at the broker.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
