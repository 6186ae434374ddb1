//! One search and its answer.

use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::{Score, legal_uci};

/// One `go` at the profile's limit, over all legal moves but those that are listed already.
#[derive(Debug, Clone)]
pub struct Search {
    /// The position; never a finished one.
    pub position: Chess,
    /// The moves that are listed already, in the order of their ranks.
    pub excluded: Vec<UciMove>,
}

/// What an engine said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The best of the moves that were searched; castling is written e1g1.
    pub best: UciMove,
    /// Its score for the side that plays it.
    pub score: Score,
    /// The engine depth at which that score was found, in plies. Less than was asked where the
    /// engine stops early (a mate, a single move) or was stopped by its node limit.
    pub depth: u32,
    /// The greatest depth reached by an extension, in plies.
    pub seldepth: u32,
    /// Nodes of the whole search, as reported; 0 where the engine does not say.
    pub nodes: u64,
    /// Wall clock from `go` to `bestmove`.
    pub time: Duration,
    /// The line behind the score: legal moves, the first is `best`.
    pub pv: Vec<UciMove>,
}

impl Search {
    /// The legal moves that are not excluded.
    pub(super) fn allowed(&self) -> Vec<UciMove> {
        let mut moves = legal_uci(&self.position);
        moves.retain(|m| !self.excluded.contains(m));
        moves
    }

    /// The legal move that an engine means, in this program's spelling; it may also write castling
    /// as the king's move to its rook.
    pub(super) fn legal(&self, said: UciMove) -> Option<UciMove> {
        let m = said.to_move(&self.position).ok()?;
        Some(m.to_uci(CastlingMode::Standard))
    }

    /// The longest legal beginning of a line, in this program's spelling.
    pub(super) fn legal_prefix(&self, line: &[UciMove]) -> Vec<UciMove> {
        let mut position = self.position.clone();
        let mut legal = Vec::with_capacity(line.len());
        for said in line {
            let Ok(m) = said.to_move(&position) else {
                break;
            };
            legal.push(m.to_uci(CastlingMode::Standard));
            position.play_unchecked(m);
        }
        legal
    }
}
