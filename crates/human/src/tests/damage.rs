//! Files that are no nets of Maia, or damaged ones: an error or a net, never a panic.

use std::path::Path;

use super::past;
use crate::error::{Fault, NetError};
use crate::net::Net;
use crate::testing::{Synthetic, bytes, gzip};

fn fault(file: &[u8]) -> Fault {
    Net::from_bytes(file).err().unwrap()
}

fn told_of(net: &Synthetic) -> String {
    Net::of_message(&net.message()).err().unwrap().to_string()
}

#[test]
fn a_net_of_another_kind_is_refused_by_its_field() {
    let fields = [
        "magic number is 9, not 448 (a net of Lc0)",
        "weights encoding is 9, not 1 (16 bits on a linear scale)",
        "input format is 9, not 1 (112 planes)",
        "output format is 9, not 2 (win, draw, loss)",
        "network format is 9, not 4 (squeeze and excitation, with formats of its heads)",
        "policy format is 9, not 2 (convolution)",
        "value format is 9, not 2 (win, draw, loss)",
    ];
    let net = Synthetic::tiny();
    for (index, field) in fields.into_iter().enumerate() {
        let mut other = net.clone();
        other.kinds[index] = 9;
        assert_eq!(told_of(&other), format!("its {field}"));
    }
    assert_eq!(
        fault(&gzip(b"")).to_string(),
        "its magic number is missing, not 448 (a net of Lc0)"
    );
}

#[test]
fn a_net_of_another_size_is_refused_by_its_layer() {
    let net = Synthetic::new(1);
    let mut short = net.clone();
    short.blocks[2].convs[1].0[0].params.truncate(12);
    let layer = "the weights of convolution 2 of residual block 3";
    assert_eq!(told_of(&short), format!("{layer} have 12 numbers, not 36,864"));
    let mut without = net.clone();
    without.value.0[3].params.clear();
    let layer = "the variances of the value convolution";
    assert_eq!(told_of(&without), format!("{layer} have 0 numbers, not 32"));
    let mut fewer = net;
    fewer.blocks.pop();
    assert_eq!(told_of(&fewer), "it has 5 residual blocks, not 6");
}

#[test]
fn every_layer_of_another_size_is_refused() {
    let count = Synthetic::tiny().tensors().len();
    let whole = Synthetic::new(1);
    for index in 0..count {
        let mut net = whole.clone();
        let mut tensors = net.tensors();
        let params = &mut tensors[index].params;
        if !params.is_empty() {
            params.push(0);
            let found = params.len();
            let told = told_of(&net).replace(',', "");
            assert!(told.ends_with(&format!("have {found} numbers not {}", found - 1)), "{told}");
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let layer = "the biases of the squeeze of residual block 1";
    for (min, max) in
        [(f32::NAN, 1.0), (0.0, f32::NAN), (f32::NEG_INFINITY, 0.0), (f32::MIN, f32::MAX)]
    {
        let mut net = Synthetic::new(1);
        (net.blocks[0].squeeze[1].min, net.blocks[0].squeeze[1].max) = (min, max);
        assert_eq!(told_of(&net), format!("{layer} are not all finite numbers"));
    }
    let mut net = Synthetic::new(1);
    (net.input.0[3].min, net.input.0[3].max) = (-2.0, -1.0);
    assert_eq!(told_of(&net), "the scales of the input convolution are not all finite numbers");
}

#[test]
fn a_net_of_huge_numbers_gives_no_panic() {
    let mut net = Synthetic::new(1);
    for tensor in net.tensors() {
        (tensor.min, tensor.max) = (1e30, 2e30);
    }
    let net = Net::of_message(&net.message()).unwrap();
    assert_eq!(net.evaluate(&past("startpos", "e4 e5")), None);
}

#[test]
fn a_file_cut_short_is_refused() {
    let file = Synthetic::tiny().file();
    for end in 0..file.len() {
        assert!(matches!(fault(&file[..end]), Fault::Gzip(_)), "{end} of {}", file.len());
    }
}

#[test]
fn a_message_cut_short_is_refused() {
    let message = Synthetic::tiny().message();
    for end in 0..message.len() {
        assert!(Net::of_message(&message[..end]).is_err(), "{end}");
    }
}

#[test]
fn flipped_bits_give_an_error_or_a_net() {
    for (net, places) in [(Synthetic::tiny(), 3000), (Synthetic::new(1), 12)] {
        let (file, message) = (net.file(), net.message());
        let flipped = |bytes: &[u8], place: usize| {
            let mut bytes = bytes.to_vec();
            let index = place * bytes.len() / places;
            bytes[index] ^= 1 << (place % 8);
            bytes
        };
        for place in 0..places {
            drop(Net::from_bytes(&flipped(&file, place)));
            drop(Net::of_message(&flipped(&message, place)));
        }
    }
}

#[test]
fn larger_files_than_any_net_are_refused() {
    assert!(matches!(fault(&[0; 5 << 20]), Fault::Size(_)));
    assert_eq!(fault(&gzip(&[0; 5 << 20])).to_string(), "it has more than 4 MiB");
}

#[test]
fn many_empty_blocks_are_counted() {
    let blocks = bytes(2, b"").repeat(1 << 20);
    let mut net = Synthetic::tiny();
    net.blocks.clear();
    let file = gzip(&[net.message(), bytes(10, &blocks)].concat());
    assert_eq!(fault(&file).to_string(), "it has 1048576 residual blocks, not 6");
}

#[test]
fn a_file_of_no_net_is_named() {
    let missing = Net::open(Path::new("no-such.pb.gz")).err().unwrap();
    assert!(matches!(missing, NetError::Io { .. }));
    assert!(missing.to_string().starts_with("no-such.pb.gz: "), "{missing}");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let other = Net::open(&here).err().unwrap().to_string();
    assert!(other.contains("Cargo.toml is no net of Maia: it is no gzip file"), "{other}");
    assert!(matches!(fault(b""), Fault::Gzip(_)));
}

#[test]
#[cfg(unix)]
fn an_endless_file_is_refused() {
    let endless = Net::open(Path::new("/dev/zero")).err().unwrap().to_string();
    assert_eq!(endless, "/dev/zero is no net of Maia: it has more than 4 MiB");
}
