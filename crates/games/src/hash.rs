//! A stable hash of 64 bits: it is kept in files.

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
}
