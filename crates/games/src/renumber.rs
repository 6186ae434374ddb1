//! Numbers of games after duplicates are dropped: the others move up.

/// The dropped games, and their number before each word of 64.
#[derive(Debug, Default)]
pub(crate) struct Renumber {
    dropped: Vec<u64>,
    before: Vec<u32>,
}

impl Renumber {
    /// Drops a game.
    pub(crate) fn drop(&mut self, game: u32) {
        let word = (game / 64) as usize;
        if self.dropped.len() <= word {
            self.dropped.resize(word + 1, 0);
        }
        if let Some(word) = self.dropped.get_mut(word) {
            *word |= 1 << (game % 64);
        }
    }

    /// To be called once all dropped games are known.
    pub(crate) fn count(&mut self) {
        let mut before = 0;
        self.before.clear();
        for word in &self.dropped {
            self.before.push(before);
            before += word.count_ones();
        }
        self.before.push(before);
    }

    /// Number of dropped games with a smaller number.
    pub(crate) fn dropped_before(&self, game: u32) -> u32 {
        let word = (game / 64) as usize;
        let Some(bits) = self.dropped.get(word) else {
            return self.before.last().copied().unwrap_or_default();
        };
        let inside = (bits & ((1 << (game % 64)) - 1)).count_ones();
        self.before.get(word).copied().unwrap_or_default() + inside
    }

    /// The new number of a game; `None` if it is dropped.
    pub(crate) fn number(&self, game: u32) -> Option<u32> {
        let bits = self.dropped.get((game / 64) as usize).copied().unwrap_or_default();
        (bits >> (game % 64) & 1 == 0).then(|| game - self.dropped_before(game))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn those_that_stay_are_numbered_one_after_the_other(dropped: BTreeSet<u8>) {
            let mut numbers = Renumber::default();
            dropped.iter().for_each(|game| numbers.drop(u32::from(*game)));
            numbers.count();
            let mut next = 0;
            for game in 0..400 {
                let stays = u8::try_from(game).map_or(true, |game| !dropped.contains(&game));
                prop_assert_eq!(numbers.number(game), stays.then_some(next));
                next += u32::from(stays);
            }
        }
    }
}
