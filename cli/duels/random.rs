//! Random numbers that are the same in every version: they are part of a published result.

/// SplitMix64 (Steele, Lea and Flood, 2014), fixed by its seed. A library may change its sequence
/// with any release; a duel's sample and intervals must not change with it.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, but without, `end`; 0 where `end` is 0. Its bias is below `end` / 2⁶⁴.
    pub fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

/// So many of the numbers from 0 to `all` − 1, drawn without putting back, in ascending order.
pub fn sample(all: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut random = Random::new(seed);
    let mut left: Vec<usize> = (0..all).collect();
    let mut drawn = Vec::new();
    while drawn.len() < wanted && !left.is_empty() {
        drawn.push(left.swap_remove(random.below(left.len())));
    }
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        // The reference implementation's first numbers for this seed.
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_sample_has_each_number_once_and_depends_on_its_seed() {
        let one = sample(100, 10, 1);
        assert_eq!(one.len(), 10);
        assert!(one.is_sorted_by(|a, b| a < b) && one.iter().all(|n| *n < 100));
        assert_eq!(one, sample(100, 10, 1));
        assert_ne!(one, sample(100, 10, 2));
        assert_eq!(sample(3, 10, 1), [0, 1, 2]);
    }
}
