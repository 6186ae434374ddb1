//! Opening books in the Polyglot format.

use super::program::Place;

/// The moves of a book by key.
pub fn book(place: &Place) -> Vec<(u64, u16)> {
    let bytes = std::fs::read(place.path("out.bin")).unwrap();
    let entry = |entry: &[u8]| {
        let number = |range: std::ops::Range<usize>| {
            entry[range].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        (number(0..8), number(8..10) as u16)
    };
    bytes.chunks(16).map(entry).collect()
}

/// The initial position's key in the Polyglot format.
pub const START_KEY: u64 = 0x463b_9618_1691_fc9c;
/// From square, to square, as the format packs them.
pub const H2H3: u16 = 15 << 6 | 23;
pub const G2G4: u16 = 14 << 6 | 30;
pub const G1F3: u16 = 6 << 6 | 21;
