//! What is told of a position.

use std::time::Duration;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;

/// What comes of a question, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// What is thought of the position by now.
    Report(Report),
    /// Something that people may want to know.
    Note(String),
    /// The answer, which is the last thing told.
    Best {
        /// The move to play; none where the game is over.
        best: Option<UciMove>,
        /// The reply to expect.
        ponder: Option<UciMove>,
    },
}

/// What is thought of a position at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Plies: the depth of the engine's searches, and the depth of the tree that is settled.
    pub depth: u32,
    /// The greatest depth that is behind the best lines, in plies from the root.
    pub seldepth: u32,
    /// Engine nodes of this search; what was known has cost none.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// The best line first. None where the game is over.
    pub lines: Vec<ReportedLine>,
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLine {
    /// For the side to move.
    pub value: Value,
    /// Wins, draws and losses per thousand for the side to move, as they come of such values in games of the
    /// built-in engine.
    pub wdl: [i32; 3],
    /// The tree's line, then the engine's own behind its edge.
    pub moves: Vec<UciMove>,
}
