//! The file of a net: gzip around one message of Lc0's `net.proto`. Fields that are not used here
//! are skipped.

use std::io::Read;

use flate2::read::GzDecoder;
use prost::Message;

use super::error::Fault;

/// More than any net of Maia has, compressed (1.3 MiB) or not (1.7 MiB).
pub const MOST_BYTES: usize = 4 << 20;

/// Bytes of a number.
const NUMBER: usize = size_of::<u16>();

const MAGIC: u32 = 0x1c0;

#[derive(Message)]
struct File {
    #[prost(fixed32, optional, tag = "1")]
    magic: Option<u32>,
    #[prost(message, optional, tag = "4")]
    format: Option<Format>,
    #[prost(message, optional, tag = "10")]
    weights: Option<Weights>,
}

#[derive(Message)]
struct Format {
    #[prost(uint32, optional, tag = "1")]
    weights_encoding: Option<u32>,
    #[prost(message, optional, tag = "2")]
    network: Option<NetworkFormat>,
}

#[derive(Message)]
struct NetworkFormat {
    #[prost(uint32, optional, tag = "1")]
    input: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    output: Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    network: Option<u32>,
    #[prost(uint32, optional, tag = "4")]
    policy: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    value: Option<u32>,
}

/// The layers.
#[derive(Message)]
pub struct Weights {
    #[prost(message, required, tag = "1")]
    pub input: ConvBlock,
    /// Each a [`Residual`], read when they are counted: an empty one takes two bytes of the file.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub residuals: Vec<Vec<u8>>,
    #[prost(message, required, tag = "3")]
    pub policy: ConvBlock,
    #[prost(message, required, tag = "6")]
    pub value: ConvBlock,
    #[prost(message, required, tag = "7")]
    pub dense_1_weights: Layer,
    #[prost(message, required, tag = "8")]
    pub dense_1_biases: Layer,
    #[prost(message, required, tag = "9")]
    pub dense_2_weights: Layer,
    #[prost(message, required, tag = "10")]
    pub dense_2_biases: Layer,
    /// The first convolution of the policy; the other one is `policy`.
    #[prost(message, required, tag = "11")]
    pub policy_1: ConvBlock,
}

/// A residual block.
#[derive(Message)]
pub struct Residual {
    #[prost(message, required, tag = "1")]
    pub conv_1: ConvBlock,
    #[prost(message, required, tag = "2")]
    pub conv_2: ConvBlock,
    #[prost(message, required, tag = "3")]
    pub squeeze: SqueezeUnit,
}

/// A convolution with its batch norm.
#[derive(Message)]
pub struct ConvBlock {
    #[prost(message, required, tag = "1")]
    pub weights: Layer,
    #[prost(message, required, tag = "2")]
    pub biases: Layer,
    #[prost(message, required, tag = "3")]
    pub means: Layer,
    /// Variances, in spite of the field's name (`bn_stddivs`).
    #[prost(message, required, tag = "4")]
    pub variances: Layer,
    #[prost(message, required, tag = "5")]
    pub gammas: Layer,
    #[prost(message, required, tag = "6")]
    pub betas: Layer,
}

/// Squeeze and excitation.
#[derive(Message)]
pub struct SqueezeUnit {
    #[prost(message, required, tag = "1")]
    pub weights_1: Layer,
    #[prost(message, required, tag = "2")]
    pub biases_1: Layer,
    #[prost(message, required, tag = "3")]
    pub weights_2: Layer,
    #[prost(message, required, tag = "4")]
    pub biases_2: Layer,
}

/// Numbers of 16 bits on a scale from a least to a largest one.
#[derive(Message)]
pub struct Layer {
    #[prost(float, required, tag = "1")]
    min: f32,
    #[prost(float, required, tag = "2")]
    max: f32,
    #[prost(bytes = "vec", required, tag = "3")]
    params: Vec<u8>,
}

impl Layer {
    /// The numbers, in single precision step by step, as the nets were tried. `name` is the
    /// layer's, for errors.
    ///
    /// # Errors
    ///
    /// [`Fault`] if it has another number of them, or they are not finite.
    pub fn numbers(&self, name: impl Fn() -> String, wanted: usize) -> Result<Vec<f32>, Fault> {
        let (bytes, wanted) = (self.params.len(), wanted * NUMBER);
        if bytes != wanted {
            return Err(Fault::Shape { layer: name(), bytes, wanted });
        }
        let numbers = self.params.as_chunks::<NUMBER>().0.iter().map(|number| {
            let share = f32::from(u16::from_le_bytes(*number)) / f32::from(u16::MAX);
            share * (self.max - self.min) + self.min
        });
        let numbers: Vec<f32> = numbers.collect();
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(numbers)
        } else {
            Err(Fault::Infinite { layer: name() })
        }
    }

    /// As [`Layer::numbers`]; `missing` for each if the layer is left out.
    pub fn numbers_or(
        &self,
        missing: f32,
        name: impl Fn() -> String,
        wanted: usize,
    ) -> Result<Vec<f32>, Fault> {
        if self.params.is_empty() { Ok(vec![missing; wanted]) } else { self.numbers(name, wanted) }
    }
}

/// The message in a file's bytes.
///
/// # Errors
///
/// [`Fault`] if it is damaged or too large.
pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    if bytes.len() > MOST_BYTES {
        return Err(Fault::Size(MOST_BYTES));
    }
    let mut message = Vec::new();
    let mut reader = GzDecoder::new(bytes).take(MOST_BYTES as u64 + 1);
    reader.read_to_end(&mut message).map_err(Fault::Gzip)?;
    if message.len() > MOST_BYTES { Err(Fault::Size(MOST_BYTES)) } else { Ok(message) }
}

/// The layers in a message. Their sizes are not checked.
///
/// # Errors
///
/// [`Fault`] if it is damaged, or no net of Maia's kind.
pub fn weights(message: &[u8]) -> Result<Weights, Fault> {
    let file = File::decode(message)?;
    let format = file.format.unwrap_or_default();
    let network = format.network.unwrap_or_default();
    for (field, value, wanted, meaning) in [
        ("magic number", file.magic, MAGIC, "a net of Lc0"),
        ("weights encoding", format.weights_encoding, 1, "16 bits on a linear scale"),
        ("input format", network.input, 1, "112 planes"),
        ("output format", network.output, 2, "win, draw, loss"),
        ("network format", network.network, 4, "squeeze and excitation, with formats of its heads"),
        ("policy format", network.policy, 2, "convolution"),
        ("value format", network.value, 2, "win, draw, loss"),
    ] {
        if value != Some(wanted) {
            return Err(Fault::Kind { field, value, wanted, meaning });
        }
    }
    Ok(file.weights.unwrap_or_default())
}
