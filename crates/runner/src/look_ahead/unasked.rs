//! The searches ahead that nothing has asked for yet.

use hashbrown::HashSet;

use deepanalyze_core::chess::PositionKey;

/// At least so many are known, and at most twice as many.
const REMEMBERED: usize = 1 << 14;

/// A search: a position, and how many moves are excluded.
pub type AskedPlace = (PositionKey, usize);

/// The searches ahead that nothing has asked for yet. Most of them are asked for soon or never, so the oldest are forgotten.
#[derive(Debug, Default)]
pub struct Unasked {
    new: HashSet<AskedPlace>,
    old: HashSet<AskedPlace>,
}

impl Unasked {
    /// One more.
    pub fn insert(&mut self, place: AskedPlace) {
        if self.new.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(place);
    }

    /// It is asked for; whether it was known.
    pub fn remove(&mut self, place: &AskedPlace) -> bool {
        self.new.remove(place) || self.old.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_known_and_there_are_never_many() {
        let key = PositionKey::of(&shakmaty::Chess::default());
        let mut unasked = Unasked::default();
        for rank in 0..5 * REMEMBERED {
            unasked.insert((key, rank));
            assert!(unasked.new.len() + unasked.old.len() <= 2 * REMEMBERED);
        }
        let first = 4 * REMEMBERED;
        assert!((first..5 * REMEMBERED).all(|rank| unasked.remove(&(key, rank))));
        assert!(!unasked.remove(&(key, first)), "it was asked for already");
        assert!(!unasked.remove(&(key, 0)), "it is forgotten");
    }
}
