//! The nets of Maia themselves, where they are: they are no part of the sources.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shakmaty::Bitboard;

use super::past;
use crate::net::Net;
use crate::past::Past;
use crate::planes::{Filled, planes};

/// The files with their SHA-256 digests.
const FILES: [(&str, &str); 9] = [
    ("maia-1100", "e1cf1cd0c96b8a4fa6a275f4b9fd54ed1ffebf9fe44641b9fceded310e9619c4"),
    ("maia-1200", "ead4ba953f233ae732999ebc1e2b675378148527ebcfad2f0acbc5e4c224d98e"),
    ("maia-1300", "36195f87bf4761834baa0bf87472b18509a7261a9d7d6f1a8443261369a733f2"),
    ("maia-1400", "d5353ea6766356dad2d28920c6692f37a5f30963767f1a3105d33b4d0af011e8"),
    ("maia-1500", "35ab6f20421d59e1df3b17c5a5016947af4c6761368ef84044a9a9c7619a9a00"),
    ("maia-1600", "d2c9e5948581acf4b9fc0b1e720c5dc0fe64ce80cfc4a239d3f8a42e1176c876"),
    ("maia-1700", "d277eacd792d340a30abb464dc65127254e65cac57abca17facc469889b96478"),
    ("maia-1800", "0031ad7c4256b1fd09fbebd28418d644d68b26cd2a45df4967ccf5c7ec9c4965"),
    ("maia-1900", "e2f565f42d7cd9f122557e6dc4eb84e5bbaedceda1d404dc485d3611c7c97a12"),
];

/// Largest difference from a worked answer, which has six digits.
const TOLERANCE: f64 = 1e-5;

/// The folder of the nets, or None with a word to the reader.
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maia");
    if !folder.is_dir() {
        println!("maia nets are not there: not tested");
        return None;
    }
    Some(folder)
}

fn open(folder: &Path, name: &str) -> Net {
    Net::open(&folder.join(format!("{name}.pb.gz"))).unwrap()
}

/// The positions of the worked answers: the past and the answers of each.
fn vectors(folder: &Path) -> Vec<(Past, Value)> {
    let text = std::fs::read_to_string(folder.join("maia-vectors.json")).unwrap();
    let mut vectors: Value = serde_json::from_str(&text).unwrap();
    let Value::Array(positions) = vectors["positions"].take() else { panic!("no positions") };
    let read = |vector: Value| {
        let moves: Vec<_> =
            vector["moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        (past(vector["fen"].as_str().unwrap(), &moves.join(" ")), vector)
    };
    positions.into_iter().map(read).collect()
}

#[test]
fn the_nine_nets_are_the_published_ones() {
    let Some(folder) = folder() else { return };
    for (name, digest) in FILES {
        let net = open(&folder, name);
        assert_eq!((net.name(), net.digest()), (name, digest));
    }
}

#[test]
fn planes_are_those_of_the_vectors() {
    let Some(folder) = folder() else { return };
    for (past, vector) in vectors(&folder) {
        for (number, plane) in planes(&past).into_iter().enumerate() {
            let right = match &vector["planes"][number.to_string()] {
                Value::Null => (Bitboard::EMPTY, 1.0),
                Value::String(mask) => (Bitboard(u64::from_str_radix(mask, 16).unwrap()), 1.0),
                count => (Bitboard::FULL, count.as_f64().unwrap() as f32),
            };
            let nothing = plane.value == 0.0 && right.0.is_empty();
            let right = Filled { squares: right.0, value: right.1 };
            assert!(nothing || plane == right, "{} {number}: {plane:?}", vector["id"]);
        }
    }
}

#[test]
fn answers_of_three_nets_are_those_of_the_vectors() {
    let Some(folder) = folder() else { return };
    let vectors = vectors(&folder);
    assert_eq!(vectors.len(), 60);
    let mut largest: f64 = 0.0;
    for rating in ["1100", "1500", "1900"] {
        let net = open(&folder, &format!("maia-{rating}"));
        for (past, vector) in &vectors {
            let (right, id) = (&vector["nets"][rating], &vector["id"]);
            let answer = net.evaluate(past).unwrap();
            let moves = right["moves"].as_object().unwrap();
            assert_eq!(answer.moves.len(), moves.len(), "{id}");
            let likeliest = moves
                .iter()
                .max_by(|one, other| one.1.as_f64().partial_cmp(&other.1.as_f64()).unwrap());
            assert_eq!(answer.moves[0].0.to_string(), *likeliest.unwrap().0, "{id}");
            let results = [answer.win, answer.draw, answer.loss];
            let results = results.into_iter().zip(right["wdl"].as_array().unwrap());
            let shares = answer.moves.iter().map(|(uci, share)| (*share, &moves[&uci.to_string()]));
            for (share, right) in shares.chain(results) {
                let difference = (f64::from(share) - right.as_f64().unwrap()).abs();
                assert!(difference < TOLERANCE, "{rating} {id}: {share}, not {right}");
                largest = largest.max(difference);
            }
        }
    }
    println!("largest difference: {largest:e}");
}
