//! The numbers by which people know the engines.

use std::collections::BTreeSet;

/// Numbers from 1 on, the least free one first.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Those that were taken and are free again.
    free: BTreeSet<usize>,
    /// The greatest that was ever taken.
    last: usize,
}

impl Numbers {
    /// Takes the least that is free.
    pub(super) fn take(&mut self) -> usize {
        self.free.pop_first().unwrap_or_else(|| {
            self.last += 1;
            self.last
        })
    }

    /// A number is free again.
    pub(super) fn give_back(&mut self, number: usize) {
        self.free.insert(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_free_number_is_taken() {
        let mut numbers = Numbers::default();
        assert_eq!([(); 3].map(|()| numbers.take()), [1, 2, 3]);
        numbers.give_back(2);
        numbers.give_back(1);
        assert_eq!([(); 3].map(|()| numbers.take()), [1, 2, 4]);
    }
}
