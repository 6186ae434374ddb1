//! Means, shares, and their confidence intervals.

/// Samples of a bootstrap interval.
pub const RESAMPLES: usize = 10_000;

/// The standard normal deviate of a two-sided 95% interval.
const Z: f64 = 1.959_963_984_540_054;

/// A number with its 95% confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Measured value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// True if the interval lies below a number.
    pub fn is_below(&self, number: f64) -> bool {
        self.high < number
    }

    /// True if the interval lies above a number.
    pub fn is_above(&self, number: f64) -> bool {
        self.low > number
    }
}

/// A share of successes with Wilson's interval; `None` for none.
pub fn share(successes: usize, trials: usize) -> Option<Estimate> {
    if trials == 0 {
        return None;
    }
    let n = float(trials);
    let p = float(successes) / n;
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    let low = ((centre - half) / scale).max(0.0);
    let high = ((centre + half) / scale).min(1.0);
    Some(Estimate { value: p, low, high })
}

/// The mean of whole numbers, one per position, with the percentile bootstrap's interval: the
/// positions are drawn again, with replacement, [`RESAMPLES`] times. `None` if empty.
pub fn mean(numbers: &[i64], seed: u64) -> Option<Estimate> {
    ratio(&numbers.iter().map(|number| (*number, 1)).collect::<Vec<_>>(), seed)
}

/// The quotient of two sums of whole numbers, one pair per position, with such an interval. Draws
/// of positions with nothing to divide by are left out. `None` if no position has any.
pub fn ratio(parts: &[(i64, i64)], seed: u64) -> Option<Estimate> {
    let plus = |sums: (i64, i64), part: (i64, i64)| (sums.0 + part.0, sums.1 + part.1);
    // Whole numbers until here: the intervals are the same on every machine.
    let quotient = |(sum, of): (i64, i64)| (of > 0).then(|| whole(sum) / whole(of));
    let value = quotient(parts.iter().copied().fold((0, 0), plus))?;
    let mut random = SplitMix::new(seed);
    let mut draw = || parts.get(random.below(parts.len())).copied().unwrap_or_default();
    let mut drawn = || (0..parts.len()).map(|_| draw()).fold((0, 0), plus);
    let mut quotients: Vec<f64> = (0..RESAMPLES).filter_map(|_| quotient(drawn())).collect();
    quotients.sort_unstable_by(f64::total_cmp);
    let tail = quotients.len() / 40;
    let end = quotients.len().saturating_sub(1 + tail);
    Some(Estimate { value, low: *quotients.get(tail)?, high: *quotients.get(end)? })
}

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2^52")]
pub fn float(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "sums of centipawns are far below 2^52")]
fn whole(sum: i64) -> f64 {
    sum as f64
}

/// SplitMix64 (Steele, Lea and Flood, 2014), fixed by its seed. A library may change its sequence
/// with any release; a duel's sample and intervals must not change with it.
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, but without, `end`; 0 if `end` is 0. Its bias is below `end` / 2⁶⁴.
    pub fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

/// `wanted` of the numbers from 0 to `all` − 1, drawn without replacement, in ascending order.
pub fn sample(all: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut random = SplitMix::new(seed);
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

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn wilson_s_interval_is_the_one_of_the_textbook() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let share = share(successes, trials).unwrap();
            assert!(close(share.low, low) && close(share.high, high), "{successes}: {share:?}");
        }
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn numbers_that_are_all_the_same_leave_no_doubt() {
        let three = mean(&[3; 12], 1).unwrap();
        assert_eq!((three.value, three.low, three.high), (3.0, 3.0, 3.0));
        assert_eq!(mean(&[], 1), None);
    }

    #[test]
    fn bootstrap_interval_is_the_exact_distributions() {
        // Of 20 coins, 10 heads: a resample's heads are binomial(20, 1/2), whose 2.5% and 97.5%
        // quantiles are 6 and 14.
        let coins: Vec<i64> = (0..20).map(|n| n % 2).collect();
        for seed in 0..5 {
            let mean = mean(&coins, seed).unwrap();
            assert_eq!((mean.value, mean.low, mean.high), (0.5, 0.3, 0.7), "seed {seed}");
        }
    }

    #[test]
    fn quotient_weighs_positions_by_their_counts() {
        let parts = [(6, 3), (0, 0), (1, 1), (0, 4)];
        let quotient = ratio(&parts, 1).unwrap();
        assert!(close(quotient.value, 7.0 / 8.0), "{quotient:?}");
        assert_eq!(
            (quotient.low, quotient.high),
            (0.0, 2.0),
            "the last alone, and the first alone"
        );
        assert_eq!(ratio(&[(0, 0), (0, 0)], 1), None);
        assert_eq!(ratio(&[], 1), None);
        // Half of the positions have nothing to count.
        let rare: Vec<(i64, i64)> =
            (0..40).map(|n| (i64::from(n == 0), i64::from(n < 20))).collect();
        let rare = ratio(&rare, 1).unwrap();
        assert!(close(rare.value, 0.05) && rare.low < 1e-12 && rare.high > 0.1, "{rare:?}");
    }

    #[test]
    fn interval_depends_only_on_numbers_and_seed() {
        let numbers = [0, 0, 0, -40, 12, 0, 7, -3, 0, 55];
        assert_eq!(mean(&numbers, 7), mean(&numbers, 7));
        assert_ne!(mean(&numbers, 7), mean(&numbers, 8));
        let mean = mean(&numbers, 7).unwrap();
        assert!(close(mean.value, 3.1) && mean.low < 0.0 && mean.high > 12.0, "{mean:?}");
        assert!(!mean.is_below(0.0) && !mean.is_above(0.0));
    }

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = SplitMix::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        // The reference implementation's first numbers for this seed.
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn sample_has_each_number_once_and_follows_its_seed() {
        let one = sample(100, 10, 1);
        assert_eq!(one.len(), 10);
        assert!(one.is_sorted_by(|a, b| a < b) && one.iter().all(|n| *n < 100));
        assert_eq!(one, sample(100, 10, 1));
        assert_ne!(one, sample(100, 10, 2));
        assert_eq!(sample(3, 10, 1), [0, 1, 2]);
    }
}
