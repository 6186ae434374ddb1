//! The net: its weights, and its output for a position's hidden layers.
//!
//! Inputs are (own or their man, its kind, its square), seen from a side, files mirrored so that its
//! king stands on the files a to d. Both sides share one hidden layer; the output takes the squares
//! of its values, clipped to 0..=1, with weights by the number of men. All in integers: hidden values in
//! [`QUANTUM_HIDDEN`]ths, output weights in [`QUANTUM_OUTPUT`]ths.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, File, Role, Square};

use crate::board::Board;
use crate::history::MAX_PLY;

/// Own and their men of six kinds on 64 squares.
const INPUTS: usize = 768;
/// Values of the hidden layer, for each side.
pub const HIDDEN: usize = 256;
/// Output weights, by the number of men.
const BUCKETS: usize = 8;

/// A hidden value of one.
pub const QUANTUM_HIDDEN: i32 = 255;
/// An output weight of one.
pub const QUANTUM_OUTPUT: i32 = 64;
/// Centipawns for an output of one.
const SCALE: i64 = 400;

/// The hidden layer's values for one side.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Layer(pub [i16; HIDDEN]);

impl Layer {
    /// Becomes another layer minus the removed men plus the added ones.
    pub fn derive(&mut self, other: &Layer, gone: &[&Layer], came: &[&Layer]) {
        // This much stays in registers over all men.
        const PART: usize = 64;
        let parts = self.0.as_chunks_mut::<PART>().0.iter_mut();
        for (number, (values, other)) in parts.zip(other.0.as_chunks::<PART>().0).enumerate() {
            let mut part = *other;
            for weights in gone {
                let weights = &weights.0.as_chunks::<PART>().0[number];
                for (value, weight) in part.iter_mut().zip(weights) {
                    *value = value.wrapping_sub(*weight);
                }
            }
            for weights in came {
                let weights = &weights.0.as_chunks::<PART>().0[number];
                for (value, weight) in part.iter_mut().zip(weights) {
                    *value = value.wrapping_add(*weight);
                }
            }
            *values = part;
        }
    }
}

/// The weights.
pub struct Net {
    /// Contribution of each input to the hidden layer.
    pub hidden: Vec<Layer>,
    /// The hidden layer without any man.
    pub bias: Layer,
    /// By the number of men: the weights of the own and of their hidden values.
    pub output: Vec<[Layer; 2]>,
    /// By the number of men, in the product of both quanta.
    pub output_bias: Vec<i32>,
}

/// The net that the engine plays with, as `crates/lab/tools/train_net.py` wrote it.
pub static NET: LazyLock<Net> = LazyLock::new(|| Net::read(include_bytes!("net.bin")));

impl Net {
    const SIZE: usize = 2 * (INPUTS + 1 + 2 * BUCKETS) * HIDDEN + 4 * BUCKETS;

    fn read(bytes: &[u8; Net::SIZE]) -> Net {
        let (layers, biases) = bytes.split_at(Net::SIZE - 4 * BUCKETS);
        let mut layers = layers.as_chunks::<{ 2 * HIDDEN }>().0.iter().map(read_layer);
        let hidden = layers.by_ref().take(INPUTS).collect();
        let bias = layers.next().unwrap_or(Layer([0; HIDDEN]));
        let rest: Vec<Layer> = layers.collect();
        let output = rest.as_chunks::<2>().0.to_vec();
        let output_bias = biases.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect();
        Net { hidden, bias, output, output_bias }
    }

    /// Centipawns for the side to move.
    pub fn output(&self, own: &Layer, their: &Layer, men: usize) -> i32 {
        let bucket = ((men - 1) * BUCKETS / 32).min(BUCKETS - 1);
        let weights = &self.output[bucket];
        let sum =
            weigh(own, &weights[0]) / QUANTUM_HIDDEN + weigh(their, &weights[1]) / QUANTUM_HIDDEN;
        let sum = i64::from(sum + self.output_bias[bucket]);
        (sum * SCALE / i64::from(QUANTUM_HIDDEN * QUANTUM_OUTPUT)) as i32
    }
}

fn read_layer(bytes: &[u8; 2 * HIDDEN]) -> Layer {
    let mut layer = Layer([0; HIDDEN]);
    for (value, &bytes) in layer.0.iter_mut().zip(bytes.as_chunks().0) {
        *value = i16::from_le_bytes(bytes);
    }
    layer
}

/// The clipped squares times the weights. An output weight stays below 2, so one factor times the weight
/// fits 16 bits, and the sum 32.
fn weigh(layer: &Layer, weights: &Layer) -> i32 {
    let mut sum = 0;
    for (&value, &weight) in layer.0.iter().zip(&weights.0) {
        let value = value.clamp(0, QUANTUM_HIDDEN as i16);
        sum += i32::from(value.wrapping_mul(weight)) * i32::from(value);
    }
    sum
}

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
