//! What is asked and what is answered: searches, their limits and answers, and the profile that makes
//! answers comparable. Nothing here knows an engine, a store or a tree.
#![deny(clippy::indexing_slicing)]

mod answer;
mod limit;
mod profile;
mod question;
mod worker;

pub use answer::Answer;
pub use limit::Limit;
pub use profile::{HashContents, HashOf, KeptHash, MoveShare, Profile, SideBySide};
pub use question::{HashState, Question, Reply};
pub use worker::WorkerId;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

use crate::chess::legal_uci;

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
        Some(m.to_uci(CastlingMode::Standard))
    }

    /// The longest legal beginning of a line, in this program's spelling.
    pub fn legal_prefix(&self, line: &[UciMove]) -> Vec<UciMove> {
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
