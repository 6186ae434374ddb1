//! Hidden layers kept from position to position: only what changed is added and taken away.
//!
//! A slot holds the men that its layer was made of, so a layer is brought to a new position by the difference of the
//! two, whatever the slot held. Nothing has to be told of moves, and the result depends on the position alone.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, File, Role, Square};

use super::net::{Layer, NET, Net};
use crate::board::Board;
use crate::history::MAX_PLY;

/// A hidden layer and the men that it is made of.
#[derive(Clone, Copy)]
struct Slot {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    layer: Layer,
}

impl Slot {
    fn empty(net: &Net) -> Slot {
        Slot { roles: [Bitboard::EMPTY; 6], colors: [Bitboard::EMPTY; 2], layer: net.bias }
    }

    /// Brings the layer to a position.
    fn bring(&mut self, board: &Board, view: View, net: &Net) {
        let mut gone = ArrayVec::<&Layer, 64>::new();
        let mut came = ArrayVec::<&Layer, 64>::new();
        for color in Color::ALL {
            for role in Role::ALL {
                let before = self.roles[role as usize - 1] & self.colors[color as usize];
                let now = board.pieces(color, role);
                for square in before & !now {
                    gone.push(&net.hidden[view.input(color, role, square)]);
                }
                for square in now & !before {
                    came.push(&net.hidden[view.input(color, role, square)]);
                }
            }
        }
        self.layer.change(&gone, &came);
        for color in Color::ALL {
            self.colors[color as usize] = board.by_color(color);
        }
        for role in Role::ALL {
            self.roles[role as usize - 1] = board.by_role(role);
        }
    }

    /// On how many squares another man stands.
    fn distance(&self, board: &Board) -> usize {
        let mut changed = Bitboard::EMPTY;
        for color in Color::ALL {
            changed |= self.colors[color as usize] ^ board.by_color(color);
        }
        for role in Role::ALL {
            changed |= self.roles[role as usize - 1] ^ board.by_role(role);
        }
        changed.count()
    }
}

/// Layers for one side and one way to see the files, by ply.
type Slots = Vec<Slot>;

/// The layers of the positions on the path.
pub struct Layers {
    net: &'static Net,
    /// By side, and whether files are mirrored.
    slots: [[Slots; 2]; 2],
}

impl Default for Layers {
    fn default() -> Layers {
        let net = &*NET;
        let slots = || vec![Slot::empty(net); MAX_PLY + 2];
        Layers { net, slots: [[slots(), slots()], [slots(), slots()]] }
    }
}

impl Layers {
    /// The net's score of the position at a ply, in centipawns for the side to move.
    pub fn score(&mut self, board: &Board, ply: usize) -> i32 {
        let ply = ply.min(MAX_PLY);
        let [own, their] = [board.turn(), !board.turn()].map(|side| self.bring(board, side, ply));
        let own = &self.slots[board.turn() as usize][own][ply].layer;
        let their = &self.slots[!board.turn() as usize][their][ply].layer;
        self.net.output(own, their, board.occupied().count())
    }

    /// Brings a side's layer at a ply to the position; whether its files are mirrored.
    fn bring(&mut self, board: &Board, side: Color, ply: usize) -> usize {
        let mirrored = board.king(side).file() >= File::E;
        let slots = &mut self.slots[side as usize][usize::from(mirrored)];
        if let Some(last) = ply.checked_sub(1)
            && slots[last].distance(board) < slots[ply].distance(board)
        {
            slots.copy_within(last..ply, ply);
        }
        slots[ply].bring(board, View { side, mirrored }, self.net);
        usize::from(mirrored)
    }
}

/// How a side sees the board.
#[derive(Clone, Copy)]
struct View {
    side: Color,
    mirrored: bool,
}

impl View {
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        let square = if self.side == Color::White { square } else { square.flip_vertical() };
        let square = if self.mirrored { square.flip_horizontal() } else { square };
        let whose = if color == self.side { 0 } else { 6 };
        (whose + role as usize - 1) * 64 + square.to_usize()
    }
}
