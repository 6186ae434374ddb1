//! Searches, their limits and answers, and the profile that makes answers comparable. Nothing here
//! knows an engine, a store or a tree.
//!
//! Answers are checked: one may come from a broken machine, or be made up.
#![deny(clippy::indexing_slicing)]

mod profile;
mod sample;
mod win_draw_loss;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Score, legal_uci, playable, uci_of};

pub use profile::{HashContents, HashOf, KeptHash, MoveShare, Profile};
pub use sample::{Sample, share_bound};
pub use win_draw_loss::WinDrawLoss;

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

/// The greatest score that an engine prints, in centipawns.
const GREATEST_CP: u32 = 100_000;
/// The longest mate, in moves.
const LONGEST_MATE: u32 = 1000;

/// More nodes than an engine searches in a year.
const MOST_NODES: u64 = 10_u64.pow(16);
/// The longest search.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);
/// The greatest depth of an extension, in plies.
const DEEPEST: u32 = 1000;

/// Flaw of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFlaw {
    /// The best move cannot be played.
    #[error("{0} is not legal")]
    Illegal(String),
    /// The best move was left out of the search.
    #[error("{0} was excluded")]
    Excluded(String),
    /// The line does not begin with the best move, or cannot be played.
    #[error("its line {0} cannot be played from there")]
    Line(String),
    /// No engine has such a score.
    #[error("{0:?} is no score")]
    Score(Score),
    /// No search costs this much.
    #[error("{nodes} nodes in {time:?}, {seldepth} plies deep, are no search")]
    Effort {
        /// The nodes that were searched.
        nodes: u64,
        /// The time taken.
        time: Duration,
        /// The greatest depth of an extension, in plies.
        seldepth: u32,
    },
}

/// Checks an answer without searching, for a search of this position without the excluded moves.
///
/// # Errors
///
/// The first [`AnswerFlaw`].
pub fn check_answer(
    position: &Chess,
    excluded: &[UciMove],
    answer: &Answer,
) -> Result<(), AnswerFlaw> {
    let best = answer.best;
    let legal = best.to_move(position).ok().map(|m| uci_of(position, m));
    if legal != Some(best) {
        return Err(AnswerFlaw::Illegal(best.to_string()));
    }
    if excluded.contains(&best) {
        return Err(AnswerFlaw::Excluded(best.to_string()));
    }
    let line = &answer.pv;
    if line.first() != Some(&best) || playable(position, line.iter().copied()) != *line {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        return Err(AnswerFlaw::Line(line.join(" ")));
    }
    check_numbers(answer)
}

/// Checks only the score and the cost of an answer.
///
/// # Errors
///
/// The first [`AnswerFlaw`].
pub fn check_numbers(answer: &Answer) -> Result<(), AnswerFlaw> {
    if !is_score(answer.score) {
        return Err(AnswerFlaw::Score(answer.score));
    }
    let &Answer { depth, nodes, time, seldepth, .. } = answer;
    if nodes > MOST_NODES || time > LONGEST || seldepth.max(depth) > DEEPEST {
        return Err(AnswerFlaw::Effort { nodes, time, seldepth });
    }
    Ok(())
}

fn is_score(score: Score) -> bool {
    match score {
        Score::Cp(cp) => cp.unsigned_abs() <= GREATEST_CP,
        Score::Mate(moves) => (1..=LONGEST_MATE).contains(&moves.unsigned_abs()),
    }
}
