//! A stable hash of 64 bits, and seals against change: a CRC-32 follows the bytes. Both are kept in
//! files.

use crc32fast::Hasher;

/// Odd, and without a pattern (the fractions of the square roots of 2 and 3).
const FIRST: u64 = 0x6a09_e667_f3bc_c909;
const SECOND: u64 = 0xbb67_ae85_84ca_a73b;

/// Takes words in, and mixes each by the two halves of a product of 128 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hash64(u64);

impl Default for Hash64 {
    fn default() -> Hash64 {
        Hash64::new()
    }
}

impl Hash64 {
    pub(crate) fn new() -> Hash64 {
        Hash64(SECOND)
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.0 = folded(self.0 ^ word, FIRST).wrapping_add(word.rotate_left(32));
    }

    /// Takes bytes in, and their number.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.word(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        self.word(bytes.len() as u64);
    }

    pub(crate) fn end(self) -> u64 {
        folded(self.0 ^ FIRST, SECOND)
    }
}

/// The key of a normalised name.
pub(crate) fn hash_of(normalised: &str) -> u64 {
    let mut hash = Hash64::new();
    hash.bytes(normalised.as_bytes());
    hash.end()
}

fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A game's part of a set's digest, by its fingerprint.
pub(crate) fn widened(fingerprint: u64) -> u128 {
    let half = |seed: u64| {
        let mut hash = Hash64(seed);
        hash.word(fingerprint);
        hash.end()
    };
    u128::from(half(1)) << 64 | u128::from(half(2))
}

/// Appends the checksum to a row's bytes. `row` is its number, `beside` another column's bytes.
pub(crate) fn seal(row: i64, beside: &[u8], data: &mut Vec<u8>) {
    let checksum = checksum(row, beside, data);
    data.extend_from_slice(&checksum.to_le_bytes());
}

/// A row's bytes without the checksum; `None` if they are not as written.
pub(crate) fn unsealed<'d>(row: i64, beside: &[u8], data: &'d [u8]) -> Option<&'d [u8]> {
    let (data, kept) = data.split_last_chunk::<4>()?;
    (checksum(row, beside, data) == u32::from_le_bytes(*kept)).then_some(data)
}

fn checksum(row: i64, beside: &[u8], data: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    [&row.to_le_bytes()[..], beside, data].into_iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut hash = Hash64::new();
        hash.bytes(bytes);
        hash.end()
    }

    #[test]
    fn nothing_that_is_written_to_files_changes() {
        assert_eq!(of(b"carlsen magnus"), 1_335_069_615_613_023_194);
        assert_eq!(widened(7), 277_933_597_654_918_651_665_569_386_686_755_550_006);
    }

    #[test]
    fn short_texts_and_numbers_do_not_collide() {
        let texts = (0..200_000_u32).map(|number| of(number.to_string().as_bytes()));
        assert_eq!(texts.collect::<HashSet<u64>>().len(), 200_000);
        let lows = (0..100_000).map(|number| widened(number) as u64).collect::<HashSet<u64>>();
        assert_eq!(lows.len(), 100_000);
        assert_ne!(of(b""), of(b"\0"));
    }

    #[test]
    fn whatever_changes_in_a_row_is_seen() {
        let mut data = b"some moves".to_vec();
        seal(7, b"beside", &mut data);
        assert_eq!(unsealed(7, b"beside", &data), Some(&b"some moves"[..]));
        assert_eq!(unsealed(8, b"beside", &data), None);
        assert_eq!(unsealed(7, b"besidf", &data), None);
        assert_eq!(unsealed(7, b"beside", &data[..3]), None);
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 4;
            assert_eq!(unsealed(7, b"beside", &changed), None, "{at}");
        }
    }
}
