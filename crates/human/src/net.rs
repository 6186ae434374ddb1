//! A net of Maia: its layers, and its answers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use deepanalyze_core::chess::{is_chess960, uci_of};
use prost::Message;
use sha2::{Digest, Sha256};
use shakmaty::{Chess, Position};

use super::cells::cell;
use super::error::{Fault, NetError};
use super::file::{self, ConvBlock, Layer, MOST_BYTES, Residual, SqueezeUnit};
use super::layers::{Convolution, Dense, Folded, Plane, SQUARES, TAPS, relu, sigmoid, softmax};
use super::past::Past;
use super::planes::{PLANES, planes};
use super::prediction::Prediction;

/// Channels of the tower.
const FILTERS: usize = 64;
const BLOCKS: usize = 6;
/// Channels between squeeze and excitation.
const SQUEEZED: usize = 8;
/// A factor and a summand for each channel.
const EXCITED: usize = 2 * FILTERS;
/// Planes of the policy: 73 name moves.
const POLICY: usize = 80;
/// Channels of the value, and the numbers of its hidden layer.
const VALUE: usize = 32;
const HIDDEN: usize = 128;
/// Win, draw, loss.
const RESULTS: usize = 3;
/// Added to variances.
const EPSILON: f32 = 1e-5;

/// End of the name of a net's file.
const EXTENSION: &str = ".pb.gz";

/// A net that predicts the moves of people: one of Maia's, for players of one rating.
pub struct Net {
    name: String,
    digest: String,
    input: Convolution,
    blocks: Vec<Block>,
    policy: [Convolution; 2],
    value: Value,
}

struct Block {
    convolutions: [Convolution; 2],
    squeeze: Dense<SQUEEZED>,
    excite: Dense<EXCITED>,
}

struct Value {
    /// Of single squares, by output and input.
    convolution: Folded,
    hidden: Dense<HIDDEN>,
    results: Dense<RESULTS>,
}

impl Net {
    /// Reads a net from its file. Its name is the file's, without `.pb.gz`.
    ///
    /// # Errors
    ///
    /// [`NetError`] if the file cannot be read, or is no net of Maia.
    pub fn open(path: &Path) -> Result<Net, NetError> {
        let mut bytes = Vec::new();
        let file = File::open(path);
        file.and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes))
            .map_err(|source| NetError::Io { path: path.to_owned(), source })?;
        let net = Net::from_bytes(&bytes);
        let net = net.map_err(|fault| NetError::Fault { path: path.to_owned(), fault })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(EXTENSION).unwrap_or(&name).to_owned();
        Ok(Net { name, ..net })
    }

    /// Reads a net from the bytes of its file. Its name is empty.
    ///
    /// # Errors
    ///
    /// [`Fault`] if they are damaged, or no net of Maia: of its kind, and of its layers' sizes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Net, Fault> {
        let net = Net::of_message(&file::unpack(bytes)?)?;
        // Numbers that overflow in one position do in any.
        let start = net.evaluate(&Past::of_position(&Chess::default()));
        start.ok_or(Fault::Infinite { layer: "its answers at the start position".to_owned() })?;
        Ok(Net { digest: format!("{:x}", Sha256::digest(bytes)), ..net })
    }

    /// A net without name and digest.
    pub(crate) fn of_message(message: &[u8]) -> Result<Net, Fault> {
        let file = file::weights(message)?;
        let found = file.residuals.len();
        if found != BLOCKS {
            return Err(Fault::Blocks { found, wanted: BLOCKS });
        }
        let blocks = (1..).zip(&file.residuals).map(|(number, block)| Block::read(block, number));
        let first =
            folded(&file.policy_1, "the first policy convolution", [FILTERS, FILTERS, TAPS])?;
        let second = plain(&file.policy, "the second policy convolution", [POLICY, FILTERS, TAPS])?;
        Ok(Net {
            name: String::new(),
            digest: String::new(),
            input: convolution(&file.input, "the input convolution", PLANES)?,
            blocks: blocks.collect::<Result<_, _>>()?,
            policy: [Convolution::new(&first, FILTERS), Convolution::new(&second, FILTERS)],
            value: Value {
                convolution: folded(&file.value, "the value convolution", [VALUE, FILTERS, 1])?,
                hidden: dense(
                    [&file.dense_1_weights, &file.dense_1_biases],
                    "the hidden layer of the value",
                    VALUE * SQUARES,
                )?,
                results: dense(
                    [&file.dense_2_weights, &file.dense_2_biases],
                    "the last layer of the value",
                    HIDDEN,
                )?,
            },
        })
    }

    /// The name of its file without `.pb.gz` (`maia-1500`); empty if it was read from bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The SHA-256 digest of its file as it was given, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The probabilities of the legal moves at the end of a past, and of the game's results.
    ///
    /// None if no move is legal, in positions of Chess960, which the nets have never seen, and if a
    /// damaged net's numbers overflow.
    pub fn evaluate(&self, past: &Past) -> Option<Prediction> {
        let root = past.root();
        let moves = root.legal_moves();
        if moves.is_empty() || is_chess960(root) {
            return None;
        }
        let input: Vec<Plane> = planes(past).into_iter().map(Plane::of).collect();
        let mut tower = self.input.apply(&input, relu);
        self.blocks.iter().for_each(|block| block.apply(&mut tower));
        let [first, second] = &self.policy;
        let policy = second.apply(&first.apply(&tower, relu), |number| number);
        let number = |m| {
            let (plane, from) = cell(root.turn(), m)?;
            policy.get(plane)?.rows().flatten().nth(from.to_usize()).copied()
        };
        let numbers: Option<Vec<f32>> = moves.iter().map(|m| number(*m)).collect();
        let mut moves: Vec<_> =
            moves.iter().map(|m| uci_of(root, *m)).zip(softmax(&numbers?)?).collect();
        moves.sort_by_cached_key(|(uci, _)| uci.to_string());
        moves.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let [win, draw, loss] = *softmax(&self.value.apply(&tower))?.as_array()?;
        Some(Prediction { moves, win, draw, loss })
    }
}

impl Block {
    fn read(bytes: &[u8], number: usize) -> Result<Block, Fault> {
        let block = Residual::decode(bytes)?;
        let name = |part: &str| format!("{part} of residual block {number}");
        let SqueezeUnit { weights_1, biases_1, weights_2, biases_2 } = &block.squeeze;
        Ok(Block {
            convolutions: [
                convolution(&block.conv_1, &name("convolution 1"), FILTERS)?,
                convolution(&block.conv_2, &name("convolution 2"), FILTERS)?,
            ],
            squeeze: dense([weights_1, biases_1], &name("the squeeze"), FILTERS)?,
            excite: dense([weights_2, biases_2], &name("the excitation"), SQUEEZED)?,
        })
    }

    /// Takes the tower through the block: it becomes itself plus what the block adds.
    fn apply(&self, tower: &mut [Plane]) {
        let [first, second] = &self.convolutions;
        let added = second.apply(&first.apply(tower, relu), |number| number);
        let squeezed = self.squeeze.apply(added.iter().map(Plane::mean)).map(relu);
        let excited = self.excite.apply(squeezed);
        let (factors, summands) = excited.split_at(FILTERS);
        let channels = tower.iter_mut().zip(&added).zip(factors.iter().zip(summands));
        for ((plane, added), (factor, summand)) in channels {
            let factor = sigmoid(*factor);
            let rows = plane.rows_mut().zip(added.rows());
            for (number, added) in rows.flat_map(|(row, added)| row.iter_mut().zip(added)) {
                *number = relu(factor * added + summand + *number);
            }
        }
    }
}

impl Value {
    /// Numbers for win, draw and loss.
    fn apply(&self, tower: &[Plane]) -> [f32; RESULTS] {
        let Folded { weights, biases } = &self.convolution;
        let channels = weights.chunks_exact(FILTERS).zip(biases).flat_map(|(weights, bias)| {
            let mut sums = [*bias; SQUARES];
            for (plane, weight) in tower.iter().zip(weights) {
                for (sum, number) in sums.iter_mut().zip(plane.rows().flatten()) {
                    *sum += weight * number;
                }
            }
            sums.map(relu)
        });
        self.results.apply(self.hidden.apply(channels).map(relu))
    }
}

/// A convolution of 3x3 squares in the tower.
fn convolution(block: &ConvBlock, name: &str, inputs: usize) -> Result<Convolution, Fault> {
    Ok(Convolution::new(&folded(block, name, [FILTERS, inputs, TAPS])?, inputs))
}

/// A convolution with its batch norm folded into it.
fn folded(block: &ConvBlock, name: &str, shape: [usize; 3]) -> Result<Folded, Fault> {
    let [outputs, inputs, taps] = shape;
    let mut folded = plain(block, name, shape)?;
    let named = |part: &'static str| move || format!("the {part} of {name}");
    let means = block.means.numbers(named("means"), outputs)?;
    let variances = block.variances.numbers(named("variances"), outputs)?;
    let gammas = block.gammas.numbers_or(1.0, named("gammas"), outputs)?;
    let betas = block.betas.numbers_or(0.0, named("betas"), outputs)?;
    let weights = folded.weights.chunks_exact_mut(inputs * taps).zip(&mut folded.biases);
    let norms = means.iter().zip(&variances).zip(gammas.iter().zip(&betas));
    for ((weights, bias), ((mean, variance), (gamma, beta))) in weights.zip(norms) {
        let scale = gamma / (variance + EPSILON).sqrt();
        if !scale.is_finite() {
            return Err(Fault::Infinite { layer: named("scales")() });
        }
        weights.iter_mut().for_each(|weight| *weight *= scale);
        *bias = beta - scale * (mean - *bias);
    }
    Ok(folded)
}

/// A convolution without its batch norm.
fn plain(
    block: &ConvBlock,
    name: &str,
    [outputs, inputs, taps]: [usize; 3],
) -> Result<Folded, Fault> {
    let (weights, biases) =
        (|| format!("the weights of {name}"), || format!("the biases of {name}"));
    Ok(Folded {
        weights: block.weights.numbers(weights, outputs * inputs * taps)?,
        biases: block.biases.numbers_or(0.0, biases, outputs)?,
    })
}

/// A dense layer from its weights and biases.
fn dense<const OUTPUTS: usize>(
    [weights, biases]: [&Layer; 2],
    name: &str,
    inputs: usize,
) -> Result<Dense<OUTPUTS>, Fault> {
    let weights = weights.numbers(|| format!("the weights of {name}"), OUTPUTS * inputs)?;
    let biases = biases.numbers(|| format!("the biases of {name}"), OUTPUTS)?;
    Ok(Dense::new(&weights, &biases))
}
