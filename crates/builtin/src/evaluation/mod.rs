//! The static evaluation: a small net, in centipawns for the side to move.
//!
//! The net sees the men alone, and treats the two sides and the two wings alike. `docs/engine.md`
//! says how it was trained.

mod net;

use shakmaty::{Bitboard, Color, Role, Square};

use crate::exchange::worth;

use super::board::Board;
use super::score::GREATEST_EVALUATION;
use net::Layers;

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
        let score = score * scale(board, strong) / FULL_SCALE;
        let score = score + us.fold_wb(1, -1) * drive(board);
        score.clamp(-GREATEST_EVALUATION, GREATEST_EVALUATION)
    }
}

/// Game phase by the pieces left: 24 in the initial position, down to 0.
pub fn phase(board: &Board) -> i32 {
    let count = |role| board.by_role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

/// The neutral scale.
const FULL_SCALE: i32 = 64;

/// Share of its advantage that a side can win, in 64ths.
fn scale(board: &Board, strong: Color) -> i32 {
    let pawns = board.pieces(strong, Role::Pawn).count() as i32;
    let ahead = pieces_worth(board, strong) - pieces_worth(board, !strong);
    if pawns == 0 && ahead <= worth(Role::Bishop) {
        return if pieces_worth(board, strong) < worth(Role::Rook) { 0 } else { 12 };
    }
    if pawns == 0 && only_knights(board, strong) {
        return 0;
    }
    FULL_SCALE
}

fn pieces_worth(board: &Board, color: Color) -> i32 {
    [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| board.pieces(color, role).count() as i32 * worth(role))
        .sum()
}

fn only_knights(board: &Board, color: Color) -> bool {
    let knights = board.pieces(color, Role::Knight);
    let men = board.by_color(color);
    knights.count() == 2 && men.count() == 3 && board.pieces(!color, Role::Pawn).is_empty()
}

/// For white: drives a bare king to the edge, or to the bishop's corner, and the kings together.
fn drive(board: &Board) -> i32 {
    for strong in Color::ALL {
        let bare = board.by_color(!strong).count() == 1;
        if bare && pieces_worth(board, strong) >= worth(Role::Rook) && !only_knights(board, strong)
        {
            let score = toward(board, strong);
            return if strong == Color::White { score } else { -score };
        }
    }
    0
}

fn toward(board: &Board, strong: Color) -> i32 {
    let king = board.king(!strong);
    let near = 14 - 2 * king.distance(board.king(strong)) as i32;
    let bishops = board.pieces(strong, Role::Bishop);
    let heavy = board.by_role(Role::Rook) | board.by_role(Role::Queen) | board.by_role(Role::Pawn);
    let corner = if heavy.is_empty() && board.by_role(Role::Knight).any() && bishops.any() {
        let light = (bishops & Bitboard::LIGHT_SQUARES).any();
        20 * (7 - corner_distance(king, light))
    } else {
        10 * edge(king)
    };
    300 + near * 4 + corner
}

/// Steps to the nearer corner of a colour, as a king walks along the board's edges.
fn corner_distance(king: Square, light: bool) -> i32 {
    let corners = if light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
    let steps = |corner: Square| {
        let files = king.file().distance(corner.file());
        let ranks = king.rank().distance(corner.rank());
        (files + ranks).div_ceil(2) as i32
    };
    corners.map(steps).into_iter().min().unwrap_or(7)
}

/// Distance from the centre: 0 in the centre to 6 in a corner.
fn edge(king: Square) -> i32 {
    let out = |x: u32| (3 - x.min(7 - x).min(3)) as i32;
    out(king.file().to_u32()) + out(king.rank().to_u32())
}

#[cfg(test)]
mod tests;
