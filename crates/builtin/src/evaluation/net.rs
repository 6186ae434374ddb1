//! The net: its weights, and its output for a position's hidden layers.
//!
//! Inputs are (own or their man, its kind, its square), seen from a side, files mirrored so that its
//! king stands on the files a to d. Both sides share one hidden layer; the output takes the squares
//! of its values, clipped to 0..=1, with weights by the number of men. All in integers: hidden values in
//! [`QUANTUM_HIDDEN`]ths, output weights in [`QUANTUM_OUTPUT`]ths.

use std::sync::LazyLock;

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
