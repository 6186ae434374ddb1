//! The static evaluation: a small net, in centipawns for the side to move.
//!
//! The net sees the men alone, and treats the two sides and the two wings alike. `docs/engine.md`
//! says how it was trained.

mod endgame;
mod layers;
mod net;

use shakmaty::Role;

use super::board::Board;
use super::score::GREATEST_EVALUATION;
use layers::Layers;

/// The phase of the initial position; less means fewer pieces.
const FULL_PHASE: i32 = 24;

/// Evaluates the positions on a path. Layers that an evaluation leaves behind make the next one
/// faster and change no score.
#[derive(Default)]
pub struct Evaluator {
    layers: Layers,
}

impl Evaluator {
    /// The evaluation of a position at `ply`, for the side to move.
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> i32 {
        let score = self.layers.score(board, ply);
        let us = board.turn();
        let strong = if score >= 0 { us } else { !us };
        let score = score * endgame::scale(board, strong) / endgame::FULL_SCALE;
        let score = score + us.fold_wb(1, -1) * endgame::drive(board);
        score.clamp(-GREATEST_EVALUATION, GREATEST_EVALUATION)
    }
}

/// Game phase by the pieces left: 24 in the initial position, down to 0.
pub fn phase(board: &Board) -> i32 {
    let count = |role| board.by_role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

#[cfg(test)]
mod tests;
