//! Margin of scores that have not been asked anew.

use crate::chess::Value;

use crate::tree::flip::MOST_CHANGE;

/// At first, a new score is taken to be off by this many centipawns as often as not …
const SUPPOSED_ERROR: u32 = 30;
/// … as if this many leaves had shown that.
const SUPPOSED: usize = 6;

/// The differences between the new and the old scores of leaves, of one pair of profiles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors {
    /// In centipawns, in order.
    of: Vec<u32>,
}

impl Errors {
    /// Takes the difference of two scores of a leaf. An announced mate on one side alone is the greatest
    /// difference that there is.
    pub fn add(&mut self, old: Value, new: Value) {
        let error = u32::from(old.get().abs_diff(new.get())).min(MOST_CHANGE);
        let place = self.of.partition_point(|other| *other <= error);
        self.of.insert(place, error);
    }

    /// The differences in centipawns, in order.
    pub fn all(&self) -> &[u32] {
        &self.of
    }

    /// Number of known differences.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// True if no difference is known.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The least number of centipawns within which two thirds of the differences lie, six supposed
    /// ones of 30 centipawns among them.
    pub fn within(&self) -> u32 {
        let wanted = (2 * (self.of.len() + SUPPOSED)).div_ceil(3);
        let below = self.of.partition_point(|error| *error <= SUPPOSED_ERROR);
        let smaller = self.of.partition_point(|error| *error < SUPPOSED_ERROR);
        if wanted <= smaller {
            self.of[wanted - 1]
        } else if wanted <= below + SUPPOSED {
            SUPPOSED_ERROR
        } else {
            self.of[wanted - SUPPOSED - 1]
        }
    }
}

/// Errors from differences in centipawns.
impl FromIterator<u32> for Errors {
    fn from_iter<T: IntoIterator<Item = u32>>(differences: T) -> Errors {
        let mut of: Vec<u32> =
            differences.into_iter().map(|error| error.min(MOST_CHANGE)).collect();
        of.sort_unstable();
        Errors { of }
    }
}

/// Margin of a score that has not been asked anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Margin {
    /// A number of centipawns.
    Fixed(u32),
    /// The errors of the pair of profiles so far, here and elsewhere.
    Shown(Errors),
}

impl Margin {
    /// In centipawns.
    pub fn within(&self) -> u32 {
        match self {
            Margin::Fixed(within) => (*within).min(MOST_CHANGE),
            Margin::Shown(errors) => errors.within(),
        }
    }

    /// Takes a leaf's error, if it counts.
    pub fn learn(&mut self, old: Value, new: Value) {
        if let Margin::Shown(errors) = self {
            errors.add(old, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Score;

    fn shown(errors: &[i32]) -> Errors {
        let mut known = Errors::default();
        for error in errors {
            known.add(Value::from(Score::Cp(10)), Value::from(Score::Cp(10 + error)));
        }
        known
    }

    #[test]
    fn two_thirds_of_errors_with_supposed_ones_are_within() {
        assert_eq!(shown(&[]).within(), 30);
        assert_eq!(shown(&[0, 1, -2, 3]).within(), 30, "seven of ten");
        let many: Vec<i32> = (1..=21).collect();
        assert_eq!(shown(&many).within(), 18, "18 of 27, the supposed ones beyond");
        let great: Vec<i32> = (100..=120).map(|error| -error).collect();
        assert_eq!(shown(&great).within(), 111, "six supposed, twelve of 21");
        for count in 0..40 {
            let errors: Vec<i32> = (0..count).map(|n| n * 7 % 90 - 40).collect();
            let mut all: Vec<u32> = errors.iter().map(|error| error.unsigned_abs()).collect();
            all.extend([SUPPOSED_ERROR; SUPPOSED]);
            all.sort_unstable();
            assert_eq!(shown(&errors).within(), all[(2 * all.len()).div_ceil(3) - 1]);
        }
    }

    #[test]
    fn a_mate_that_was_none_is_the_greatest_error() {
        let mut errors = Errors::default();
        (0..30).for_each(|_| errors.add(Value::from(Score::Mate(-3)), Value::from(Score::Cp(0))));
        assert_eq!(errors.within(), MOST_CHANGE);
    }
}
