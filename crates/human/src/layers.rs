//! Layers of a net: planes of 64 numbers, convolutions on them, and dense layers, in single
//! precision.
//!
//! Loops are over arrays of known length, so that the compiler keeps sums in vector registers.

use std::array::from_fn;

use shakmaty::Square;

use super::planes::Filled;

/// Ranks, and files.
const SIDE: usize = 8;
/// Ranks, and files, with a border on both sides.
const PADDED: usize = SIDE + 2;
pub const SQUARES: usize = SIDE * SIDE;
/// Squares that a convolution weighs: a square and those around it.
pub const TAPS: usize = 9;
/// Outputs computed together, for this many squares of a rank: as many sums as the 16 vector
/// registers of any x86-64 leave room for.
const LANES: usize = 8;
const SPAN: usize = 4;

/// A number for each square, with a border of zeros that convolutions read.
#[derive(Clone, Copy)]
pub struct Plane([[f32; PADDED]; PADDED]);

impl Plane {
    const ZERO: Plane = Plane([[0.0; PADDED]; PADDED]);

    pub fn of(filled: Filled) -> Plane {
        let mut plane = Plane::ZERO;
        let squares = plane.rows_mut().flatten().zip(Square::ALL);
        for (number, _) in squares.filter(|(_, square)| filled.squares.contains(*square)) {
            *number = filled.value;
        }
        plane
    }

    /// The ranks, from the first.
    pub fn rows(&self) -> impl Iterator<Item = &[f32; SIDE]> {
        let [_, rows @ .., _] = &self.0;
        let rows: &[_; SIDE] = rows;
        rows.iter().map(|[_, row @ .., _]| row)
    }

    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32; SIDE]> {
        let [_, rows @ .., _] = &mut self.0;
        let rows: &mut [_; SIDE] = rows;
        rows.iter_mut().map(|[_, row @ .., _]| row)
    }

    pub fn mean(&self) -> f32 {
        self.rows().flatten().sum::<f32>() / SQUARES as f32
    }
}

pub fn relu(number: f32) -> f32 {
    if number < 0.0 { 0.0 } else { number }
}

pub fn sigmoid(number: f32) -> f32 {
    1.0 / (1.0 + (-number).exp())
}

/// Probabilities in the ratio of the numbers' exponentials. None if the numbers are not finite.
pub fn softmax(numbers: &[f32]) -> Option<Vec<f32>> {
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = numbers.iter().map(|number| (number - largest).exp()).collect();
    let total: f32 = powers.iter().sum();
    total.is_finite().then(|| powers.iter().map(|power| power / total).collect())
}

/// Weights of a convolution and its biases, with the batch norm in them.
pub struct Folded {
    /// Row-major: by output, input, and the offset of the square.
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

/// Weights of one input for a group of outputs, by the offset of the square.
type Kernel = [[f32; LANES]; TAPS];

/// A convolution of 3x3 squares.
pub struct Convolution {
    inputs: usize,
    /// By group of outputs, and input.
    kernels: Vec<Kernel>,
    biases: Vec<[f32; LANES]>,
}

impl Convolution {
    /// A convolution for a number of inputs; the outputs are a multiple of eight.
    pub fn new(folded: &Folded, inputs: usize) -> Convolution {
        let groups = folded.biases.len() / LANES;
        let mut kernels = vec![[[0.0; LANES]; TAPS]; groups * inputs];
        for (output, weights) in folded.weights.chunks_exact(inputs * TAPS).enumerate() {
            let (group, lane) = (output / LANES, output % LANES);
            let kernels = kernels.iter_mut().skip(group * inputs).flatten();
            for (place, weight) in kernels.filter_map(|taps| taps.get_mut(lane)).zip(weights) {
                *place = *weight;
            }
        }
        Convolution { inputs, kernels, biases: folded.biases.as_chunks().0.to_vec() }
    }

    /// The outputs; `finish` is applied to each number.
    pub fn apply(&self, input: &[Plane], finish: impl Fn(f32) -> f32) -> Vec<Plane> {
        let seen: [Vec<Seen>; SIDE] = from_fn(|rank| seen(rank, input));
        let mut output = vec![Plane::ZERO; self.biases.len() * LANES];
        let groups = self.kernels.chunks_exact(self.inputs).zip(&self.biases);
        for ((kernels, biases), output) in groups.zip(output.as_chunks_mut::<LANES>().0) {
            for (rank, seen) in seen.iter().enumerate() {
                for first in (0..SIDE).step_by(SPAN) {
                    let sums = sums(first, seen, kernels, biases);
                    for (lane, plane) in output.iter_mut().enumerate() {
                        let places = plane.rows_mut().nth(rank).into_iter().flatten().skip(first);
                        let sums = sums.iter().filter_map(|sums| sums.get(lane));
                        places.zip(sums).for_each(|(place, sum)| *place = finish(*sum));
                    }
                }
            }
        }
        output
    }
}

/// Three ranks of an input with its number: the rank of an output's squares and those beside it.
type Seen<'p> = (usize, &'p [[f32; PADDED]; 3]);

/// Inputs as one rank of the outputs sees them, without those that are zero there.
fn seen(rank: usize, input: &[Plane]) -> Vec<Seen<'_>> {
    let all = input.iter().enumerate();
    let all = all.filter_map(|(number, plane)| Some((number, plane.0.get(rank..)?.first_chunk()?)));
    all.filter(|(_, ranks)| ranks.as_flattened().iter().any(|number| *number != 0.0)).collect()
}

/// A group's outputs for the squares of a rank from `first` on.
fn sums(
    first: usize,
    seen: &[Seen],
    kernels: &[Kernel],
    biases: &[f32; LANES],
) -> [[f32; LANES]; SPAN] {
    let mut sums = [*biases; SPAN];
    for (number, ranks) in seen {
        let Some(kernel) = kernels.get(*number) else { continue };
        for (rank, taps) in ranks.iter().zip(kernel.as_chunks::<3>().0) {
            let squares = rank.get(first..).and_then(|squares| squares.first_chunk());
            let Some::<&[_; SPAN + 2]>(squares) = squares else { continue };
            let [left @ .., _, _] = squares;
            let [_, here @ .., _] = squares;
            let [_, _, right @ ..] = squares;
            for (numbers, weights) in [left, here, right].into_iter().zip(taps) {
                for (sums, number) in sums.iter_mut().zip(numbers) {
                    for (sum, weight) in sums.iter_mut().zip(weights) {
                        *sum += number * weight;
                    }
                }
            }
        }
    }
    sums
}

/// A dense layer with a number of outputs.
pub struct Dense<const OUTPUTS: usize> {
    /// The weights of each input.
    columns: Vec<[f32; OUTPUTS]>,
    biases: [f32; OUTPUTS],
}

impl<const OUTPUTS: usize> Dense<OUTPUTS> {
    /// A layer from weights that are row-major: by output and input.
    pub fn new(weights: &[f32], biases: &[f32]) -> Dense<OUTPUTS> {
        let inputs = weights.len() / OUTPUTS;
        let mut columns = vec![[0.0; OUTPUTS]; inputs];
        for (output, weights) in weights.chunks_exact(inputs).enumerate() {
            let places = columns.iter_mut().filter_map(|column| column.get_mut(output));
            places.zip(weights).for_each(|(place, weight)| *place = *weight);
        }
        Dense { columns, biases: from_fn(|output| biases.get(output).copied().unwrap_or_default()) }
    }

    pub fn apply(&self, input: impl IntoIterator<Item = f32>) -> [f32; OUTPUTS] {
        let mut sums = self.biases;
        for (number, column) in input.into_iter().zip(&self.columns) {
            for (sum, weight) in sums.iter_mut().zip(column) {
                *sum += number * weight;
            }
        }
        sums
    }
}
