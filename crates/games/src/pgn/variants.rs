//! Counts of games of other variants.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// The most variants named; a file may name as many as it has games.
const NAMED: usize = 20;
/// The letters of a name that are kept.
const LONGEST_NAME: usize = 40;

/// Numbers of games of other variants, by their names in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherVariants {
    named: BTreeMap<String, u64>,
    /// Games of further ones.
    others: u64,
}

impl OtherVariants {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.named.values().sum::<u64>() + self.others
    }

    /// Adds one.
    pub(crate) fn add(&mut self, variant: &str) {
        let name = variant.chars().filter(|c| !c.is_control()).take(LONGEST_NAME);
        self.add_games(name.collect(), 1);
    }

    /// Adds another count.
    pub(crate) fn add_all(&mut self, more: &OtherVariants) {
        self.others += more.others;
        more.named.iter().for_each(|(name, games)| self.add_games(name.clone(), *games));
    }

    fn add_games(&mut self, name: String, games: u64) {
        match self.named.len() < NAMED || self.named.contains_key(&name) {
            true => *self.named.entry(name).or_default() += games,
            false => self.others += games,
        }
    }
}

/// `3 Atomic, 1 Crazyhouse`: the most frequent first.
impl fmt::Display for OtherVariants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut named: Vec<(&String, &u64)> = self.named.iter().collect();
        named.sort_by_key(|(_, games)| Reverse(**games));
        let named = named.into_iter().map(|(name, games)| format!("{games} {name}"));
        let others = (self.others > 0).then(|| format!("{} others", self.others));
        f.write_str(&named.chain(others).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_named_the_most_frequent_first() {
        let mut part = OtherVariants::default();
        ["Crazyhouse", "Atomic", "Ato\u{1b}mic"].iter().for_each(|name| part.add(name));
        let mut all = part.clone();
        all.add_all(&part);
        assert_eq!((all.games(), all.to_string().as_str()), (6, "4 Atomic, 2 Crazyhouse"));
        (0..100).for_each(|number| all.add(&number.to_string()));
        assert_eq!(all.games(), 106);
        assert!(all.to_string().ends_with(", 82 others"), "{all}");
    }
}
