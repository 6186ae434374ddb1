//! The searches ahead not asked for yet.

use hashbrown::HashSet;

use deepanalyze_core::chess::PositionKey;

/// The fewest remembered; the most are twice as many.
const REMEMBERED: usize = 1 << 14;

/// A search: a position, and the count of excluded moves.
pub type AskedPlace = (PositionKey, usize);

/// The searches ahead not asked for yet. Most are asked for soon or never, so the oldest are
/// forgotten.
#[derive(Debug, Default)]
pub struct Unasked {
    new: HashSet<AskedPlace>,
    old: HashSet<AskedPlace>,
}

impl Unasked {
    /// Adds one.
    pub fn insert(&mut self, place: AskedPlace) {
        if self.new.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(place);
    }

    /// Removes one asked for; true if known.
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
