//! An even sample of a stream of unknown length, and the bound that it proves.

/// A sample of a stream: at any moment each item so far is in it with the same chance. The same
/// seed draws the same items. (Vitter's algorithm R, ACM Transactions on Mathematical Software 11,
/// 1985.)
#[derive(Debug, Clone)]
pub struct Sample<T> {
    most: usize,
    seen: u64,
    random: SplitMix,
    drawn: Vec<T>,
}

impl<T> Sample<T> {
    /// A sample of at most `most` items, drawn with this seed.
    pub fn new(most: usize, seed: u64) -> Sample<T> {
        Sample { most, seen: 0, random: SplitMix(seed), drawn: Vec::new() }
    }

    /// Offers the next item; it is made only if it is drawn.
    pub fn offer(&mut self, make: impl FnOnce() -> T) {
        self.seen += 1;
        if self.drawn.len() < self.most {
            return self.drawn.push(make());
        }
        let place = usize::try_from(self.random.below(self.seen)).unwrap_or(usize::MAX);
        if let Some(other) = self.drawn.get_mut(place) {
            *other = make();
        }
    }

    /// Number of items offered.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The items drawn.
    pub fn into_drawn(self) -> Vec<T> {
        self.drawn
    }
}

/// The least share of false items of which a sample of this many, all of them right, would have
/// shown one with 99 per cent probability: *1 − 0.01^(1/n)*, 0 to 1. 459 are the fewest for 1 per
/// cent.
pub fn share_bound(right: u64) -> f64 {
    if right == 0 {
        return 1.0;
    }
    1.0 - 0.01_f64.powf(1.0 / right as f64)
}

/// Steele, Lea and Flood's generator (OOPSLA 2014): small, and the same on every machine.
#[derive(Debug, Clone)]
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another one, each with the same chance; 0 if there is none. (Lemire, ACM
    /// Transactions on Modeling and Computer Simulation 29, 2019.)
    fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        loop {
            let wide = u128::from(self.next()) * u128::from(n);
            let (high, low) = ((wide >> 64) as u64, wide as u64);
            if low >= n.wrapping_neg() % n {
                return high;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(most: usize, seed: u64, count: u64) -> Vec<u64> {
        let mut sample = Sample::new(most, seed);
        (0..count).for_each(|n| sample.offer(|| n));
        assert_eq!(sample.seen(), count);
        sample.into_drawn()
    }

    #[test]
    fn same_seed_draws_the_same_items_and_another_others() {
        assert_eq!(drawn(10, 7, 1000), drawn(10, 7, 1000));
        assert_ne!(drawn(10, 7, 1000), drawn(10, 8, 1000));
        assert_eq!(drawn(10, 7, 4), [0, 1, 2, 3], "all, where there are no more");
    }

    #[test]
    fn every_one_is_drawn_equally_often() {
        let mut times = [0_u32; 40];
        for seed in 0..4000 {
            let ones = drawn(10, seed, 40);
            let mut apart = ones.clone();
            apart.sort_unstable();
            apart.dedup();
            assert_eq!(apart.len(), 10, "each once");
            ones.iter().for_each(|n| times[usize::try_from(*n).unwrap()] += 1);
        }
        // 1000 expected, standard deviation 27.
        assert!(times.iter().all(|n| (870..1130).contains(n)), "{times:?}");
    }

    #[test]
    fn the_bound_of_459_is_the_first_under_one_per_cent() {
        assert!(share_bound(459) < 0.01 && share_bound(458) > 0.01);
        assert!((share_bound(1) - 0.99).abs() < 1e-9);
        assert!((share_bound(0) - 1.0).abs() < 1e-9, "nothing is known");
    }
}
