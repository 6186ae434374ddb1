//! Hidden layers kept from position to position: only changes are added and subtracted.
//!
//! A slot holds the men that its layer was made of, so a layer is brought to a new position by the
//! difference of the two, whatever the slot held. Moves need not be passed in, and the result
//! depends on the position alone.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, File, Role, Square};

use super::net::{Layer, NET, Net};
use crate::board::Board;
use crate::history::MAX_PLY;

/// The men of a position, by kind and by colour.
#[derive(Clone, Copy)]
struct Men {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
}

impl Men {
    const NONE: Men = Men { roles: [Bitboard::EMPTY; 6], colors: [Bitboard::EMPTY; 2] };

    fn of(board: &Board) -> Men {
        Men {
            roles: Role::ALL.map(|role| board.by_role(role)),
            colors: [Color::Black, Color::White].map(|color| board.by_color(color)),
        }
    }

    /// Squares whose man has another colour.
    fn recolored(&self, other: &Men) -> Bitboard {
        (self.colors[0] ^ other.colors[0]) | (self.colors[1] ^ other.colors[1])
    }

    /// Number of squares with another man.
    fn distance(&self, other: &Men) -> usize {
        let kinds = self.roles.iter().zip(other.roles).map(|(&one, other)| one ^ other);
        kinds.fold(self.recolored(other), |all, changed| all | changed).count()
    }
}

/// A hidden layer and the men that it is made of.
#[derive(Clone, Copy)]
struct Slot {
    men: Men,
    layer: Layer,
}

impl Slot {
    fn empty(net: &Net) -> Slot {
        Slot { men: Men::NONE, layer: net.bias }
    }

    /// Weights of the removed men, and of the added ones.
    fn changes<'n>(&self, men: &Men, view: View, net: &'n Net) -> [Rows<'n>; 2] {
        let [mut gone, mut came] = [Rows::new(), Rows::new()];
        let recolored = self.men.recolored(men);
        for role in Role::ALL {
            let before = self.men.roles[role as usize - 1];
            let now = men.roles[role as usize - 1];
            if ((before ^ now) | (now & recolored)).is_empty() {
                continue;
            }
            for color in Color::ALL {
                let before = before & self.men.colors[color as usize];
                let now = now & men.colors[color as usize];
                let row = |square| &net.hidden[view.input(color, role, square)];
                gone.extend((before & !now).into_iter().map(row));
                came.extend((now & !before).into_iter().map(row));
            }
        }
        [gone, came]
    }
}

/// Contributions of men to a hidden layer.
type Rows<'n> = ArrayVec<&'n Layer, 64>;

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
        let men = Men::of(board);
        let [own, their] = [board.turn(), !board.turn()].map(|side| {
            let mirrored = board.king(side).file() >= File::E;
            self.bring(&men, View { side, mirrored }, ply);
            usize::from(mirrored)
        });
        let own = &self.slots[board.turn() as usize][own][ply].layer;
        let their = &self.slots[!board.turn() as usize][their][ply].layer;
        self.net.output(own, their, board.occupied().count())
    }

    /// Updates a side's layer at a ply, from its old content or the ply before, whichever is
    /// nearer.
    fn bring(&mut self, men: &Men, view: View, ply: usize) {
        let slots = &mut self.slots[view.side as usize][usize::from(view.mirrored)];
        let (before, from) = slots.split_at_mut(ply);
        let slot = &mut from[0];
        match before.last() {
            Some(last) if last.men.distance(men) < slot.men.distance(men) => {
                let [gone, came] = last.changes(men, view, self.net);
                slot.layer.derive(&last.layer, &gone, &came);
            }
            _ => {
                let [gone, came] = slot.changes(men, view, self.net);
                let layer = slot.layer;
                slot.layer.derive(&layer, &gone, &came);
            }
        }
        slot.men = *men;
    }
}

/// A side's view of the board.
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
