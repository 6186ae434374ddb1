//! A net's number for a move: its plane among the policy's, and its square.

use shakmaty::{Color, Move, Role, Square};

/// Directions of moves along a line, in (files, ranks), in the order of their planes.
const LINES: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// Planes of each direction: one for each distance.
const DISTANCES: usize = 7;

/// Jumps of knights, in (files, ranks), in the order of their planes.
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const FIRST_JUMP: usize = LINES.len() * DISTANCES;

/// Men of promotions in the order of their planes. A knight's promotion is a plain move of its
/// pawn.
const PROMOTIONS: [Role; 3] = [Role::Rook, Role::Bishop, Role::Queen];
const FIRST_PROMOTION: usize = FIRST_JUMP + JUMPS.len();

/// The plane of a move, and the square it starts from, both as the side to move sees them: ranks
/// are mirrored for Black. Castling is the king's move onto its rook. None for drops.
pub fn cell(turn: Color, m: Move) -> Option<(usize, Square)> {
    let (from, to, promotion) = match m {
        Move::Normal { from, to, promotion, .. } => (from, to, promotion),
        Move::EnPassant { from, to } => (from, to, None),
        Move::Castle { king, rook } => (king, rook, None),
        Move::Put { .. } => return None,
    };
    let [from, to] = [from, to].map(|square| turn.fold_wb(square, square.flip_vertical()));
    let files = i32::from(to.file()) - i32::from(from.file());
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let promoted = promotion.and_then(|role| place(&PROMOTIONS, role));
    let plane = if let Some(man) = promoted {
        FIRST_PROMOTION + PROMOTIONS.len() * usize::try_from(files + 1).ok()? + man
    } else if let Some(jump) = place(&JUMPS, (files, ranks)) {
        FIRST_JUMP + jump
    } else {
        let line = place(&LINES, (files.signum(), ranks.signum()))?;
        let distance = usize::try_from(files.abs().max(ranks.abs())).ok()?;
        DISTANCES * line + distance - 1
    };
    Some((plane, from))
}

fn place<T: PartialEq>(all: &[T], one: T) -> Option<usize> {
    all.iter().position(|other| *other == one)
}
