//! The planes of numbers that a net sees, as the side to move sees the board: ranks are mirrored
//! for Black.

use std::iter;

use shakmaty::{Bitboard, CastlingSide, Position, Role};

use super::past::Past;

/// Boards seen, the root's first.
const BOARDS: usize = 8;
/// Planes of a board: own men of six kinds, theirs, and one for a repetition.
const PLANES_OF_BOARD: usize = 13;
/// Planes of the root's state: four castling rights, the side to move, the fifty-move counter, an
/// empty one, a full one.
const PLANES_OF_STATE: usize = 8;
/// Planes of a net's input.
pub const PLANES: usize = BOARDS * PLANES_OF_BOARD + PLANES_OF_STATE;

/// A plane that has one value on some squares, and zero on the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filled {
    pub squares: Bitboard,
    pub value: f32,
}

impl Filled {
    fn ones(squares: Bitboard) -> Filled {
        Filled { squares, value: 1.0 }
    }

    fn all_if(is_set: bool) -> Filled {
        Filled::ones(if is_set { Bitboard::FULL } else { Bitboard::EMPTY })
    }
}

/// The input of a net, in its order.
pub fn planes(past: &Past) -> Vec<Filled> {
    let us = past.root().turn();
    let known = past.boards.iter().rev().map(|seen| (seen.board.clone(), seen.is_repetition));
    let before = past.boards.first().map(|first| (first.before(), false));
    let boards = known.chain(before.into_iter().flat_map(iter::repeat)).take(BOARDS);
    let mut planes = Vec::with_capacity(PLANES);
    for (board, is_repetition) in boards {
        for color in [us, !us] {
            planes.extend(Role::ALL.map(|role| {
                let men = board.by_piece(role.of(color));
                Filled::ones(us.fold_wb(men, men.flip_vertical()))
            }));
        }
        planes.push(Filled::all_if(is_repetition));
    }
    for color in [us, !us] {
        let has = |side| Filled::all_if(past.root().castles().has(color, side));
        planes.extend([CastlingSide::QueenSide, CastlingSide::KingSide].map(has));
    }
    planes.push(Filled::all_if(us.is_black()));
    planes.push(Filled { squares: Bitboard::FULL, value: past.root().halfmoves() as f32 });
    planes.extend([false, true].map(Filled::all_if));
    planes
}
