//! Files of nets made from a seed, for tests, written without the reader's description of the format.
#![allow(missing_docs, clippy::unwrap_used, reason = "for tests")]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Numbers of a layer.
#[derive(Clone, Default)]
pub struct Tensor {
    pub min: f32,
    pub max: f32,
    pub params: Vec<u16>,
}

/// A convolution: weights, biases, means, variances, gammas, betas.
#[derive(Clone, Default)]
pub struct Conv(pub [Tensor; 6]);

#[derive(Clone)]
pub struct Block {
    pub convs: [Conv; 2],
    pub squeeze: [Tensor; 4],
}

/// A net of Maia's kind.
#[derive(Clone)]
pub struct Synthetic {
    /// Magic number, weights encoding, input, output, network, policy and value format.
    pub kinds: [u32; 7],
    pub input: Conv,
    pub blocks: Vec<Block>,
    pub policy_1: Conv,
    pub policy: Conv,
    pub value: Conv,
    pub dense: [Tensor; 4],
}

/// Numbers that look random, by Knuth's multiplier.
struct Random(u64);

impl Random {
    fn tensor(&mut self, len: usize, min: f32, max: f32) -> Tensor {
        let params = (0..len).map(|_| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 48) as u16
        });
        Tensor { params: params.collect(), min, max }
    }

    /// Weights that neither blow numbers up nor let them vanish.
    fn weights(&mut self, outputs: usize, inputs: usize) -> Tensor {
        let most = (6.0 / inputs as f32).sqrt();
        self.tensor(outputs * inputs, -most, most)
    }

    fn conv(&mut self, outputs: usize, inputs: usize, taps: usize) -> Conv {
        let mut tensor = |min, max| self.tensor(outputs, min, max);
        let (means, variances) = (tensor(-0.3, 0.3), tensor(0.5, 1.5));
        let (gammas, betas) = (tensor(-0.2, 1.2), tensor(-0.3, 0.3));
        let weights = self.weights(outputs, inputs * taps);
        Conv([weights, Tensor::default(), means, variances, gammas, betas])
    }
}

impl Synthetic {
    pub fn new(seed: u64) -> Synthetic {
        let mut random = Random(seed);
        let block = |random: &mut Random| Block {
            convs: [random.conv(64, 64, 9), random.conv(64, 64, 9)],
            squeeze: [
                random.weights(8, 64),
                random.tensor(8, -0.5, 0.5),
                random.weights(128, 8),
                random.tensor(128, -0.5, 0.5),
            ],
        };
        let mut policy = Conv::default();
        policy.0[0] = random.weights(80, 64 * 9);
        policy.0[1] = random.tensor(80, -1.0, 1.0);
        Synthetic {
            kinds: [0x1c0, 1, 1, 2, 4, 2, 2],
            input: random.conv(64, 112, 9),
            blocks: (0..6).map(|_| block(&mut random)).collect(),
            policy_1: random.conv(64, 64, 9),
            policy,
            value: random.conv(32, 64, 1),
            dense: [
                random.weights(128, 2048),
                random.tensor(128, -0.5, 0.5),
                random.weights(3, 128),
                random.tensor(3, -0.5, 0.5),
            ],
        }
    }

    /// One with a number of numbers in each layer that is too small.
    pub fn tiny() -> Synthetic {
        let mut net = Synthetic::new(1);
        net.tensors().into_iter().for_each(|tensor| tensor.params.truncate(2));
        net
    }

    /// All layers, by the order of the struct's fields.
    pub fn tensors(&mut self) -> Vec<&mut Tensor> {
        let mut all: Vec<&mut Tensor> = self.input.0.iter_mut().collect();
        for Block { convs, squeeze } in &mut self.blocks {
            all.extend(convs.iter_mut().flat_map(|conv| &mut conv.0).chain(squeeze));
        }
        let heads = [&mut self.policy_1, &mut self.policy, &mut self.value];
        all.extend(heads.into_iter().flat_map(|conv| &mut conv.0).chain(&mut self.dense));
        all
    }

    /// The message of protobuf, with fields that a reader has to skip.
    pub fn message(&self) -> Vec<u8> {
        let [magic, encoding, kinds @ ..] = self.kinds;
        let kinds = (1..).zip(kinds).flat_map(|(field, kind)| number(field, kind));
        let format = [number(1, encoding), bytes(2, &kinds.collect::<Vec<_>>())].concat();
        let mut weights = bytes(1, &self.input.written());
        for Block { convs: [first, second], squeeze } in &self.blocks {
            let parts = [bytes(1, &first.written()), bytes(2, &second.written())].concat();
            weights.extend(bytes(2, &[parts, bytes(3, &tensors(squeeze))].concat()));
        }
        weights.extend(bytes(3, &self.policy.written()));
        weights.extend(bytes(6, &self.value.written()));
        let dense =
            (7..).zip(&self.dense).flat_map(|(field, layer)| bytes(field, &layer.written()));
        weights.extend(dense);
        weights.extend(bytes(11, &self.policy_1.written()));
        [
            [vec![1 << 3 | 5], magic.to_le_bytes().to_vec()].concat(),
            bytes(2, b"a licence"),
            bytes(4, &format),
            number(300, 7),
            bytes(10, &weights),
        ]
        .concat()
    }

    pub fn file(&self) -> Vec<u8> {
        gzip(&self.message())
    }
}

impl Tensor {
    /// The numbers in single precision.
    pub fn numbers(&self) -> Vec<f64> {
        let number = |param: &u16| *param as f32 / 65535.0 * (self.max - self.min) + self.min;
        self.params.iter().map(|param| f64::from(number(param))).collect()
    }

    fn written(&self) -> Vec<u8> {
        let float = |field: u8, value: f32| [&[field << 3 | 5], &value.to_le_bytes()[..]].concat();
        let params: Vec<u8> = self.params.iter().flat_map(|param| param.to_le_bytes()).collect();
        [float(1, self.min), float(2, self.max), bytes(3, &params)].concat()
    }
}

impl Conv {
    fn written(&self) -> Vec<u8> {
        tensors(&self.0)
    }
}

/// Layers as fields from 1 on; empty ones are left out.
fn tensors(all: &[Tensor]) -> Vec<u8> {
    let numbered = (1..).zip(all).filter(|(_, tensor)| !tensor.params.is_empty());
    numbered.flat_map(|(field, tensor)| bytes(field, &tensor.written())).collect()
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: usize, value: u32) -> Vec<u8> {
    [varint(field << 3), varint(value as usize)].concat()
}

/// A field of bytes: of a layer, or of another message.
pub fn bytes(field: usize, bytes: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(bytes.len()), bytes].concat()
}

/// Compressed by little, and not at all where that takes long.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let level = if bytes.len() < 1 << 18 { Compression::fast() } else { Compression::none() };
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
