//! The player among the names of a file.

use std::collections::BTreeMap;

use shakmaty::Color;

use deepanalyze_core::chess::{Heading, name_likeness, normalised_name};

use crate::words::figures::count;
use crate::words::roots::known_tag;

/// So many near names are offered.
const MOST: usize = 5;

/// The side of a player in a game; none where it is somebody else's.
pub fn side_of(heading: &Heading, player: &str) -> Option<Color> {
    let wanted = normalised_name(player);
    let is =
        |tag: &str| known_tag(heading, tag).is_some_and(|name| normalised_name(&name) == wanted);
    let white = is("White").then_some(Color::White);
    white.or_else(|| is("Black").then_some(Color::Black))
}

/// The names of players that a file has, each with its number of games.
#[derive(Debug, Default)]
pub struct PlayerNames(BTreeMap<String, usize>);

impl PlayerNames {
    /// Notes the players of a game.
    pub fn note(&mut self, heading: &Heading) {
        for name in ["White", "Black"].into_iter().filter_map(|tag| known_tag(heading, tag)) {
            *self.0.entry(name).or_default() += 1;
        }
    }

    /// `near names: Carlsen, Magnus (2 games)`; nothing where none is near to one that none of them is.
    pub fn near_words(&self, player: &str) -> Option<String> {
        let near = self.near(player).into_iter();
        let near: Vec<String> =
            near.map(|(name, games)| format!("{name} ({})", count(games as u64, "game"))).collect();
        (!near.is_empty()).then(|| format!("near names: {}", near.join("; ")))
    }

    /// The names that are nearest to one that none of them is, the nearest first, each with its number of games.
    pub fn near(&self, player: &str) -> Vec<(&str, usize)> {
        let wanted = normalised_name(player);
        let scored = self.0.iter().filter_map(|(name, games)| {
            let likeness = name_likeness(&wanted, &normalised_name(name))?;
            Some((likeness, name, *games))
        });
        let mut near: Vec<(f64, &String, usize)> = scored.collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.cmp(&a.2)).then(a.1.cmp(b.1)));
        near.truncate(MOST);
        near.into_iter().map(|(_, name, games)| (name.as_str(), games)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(white: &str, black: &str) -> Heading {
        let tags = [("White", white), ("Black", black)];
        let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Heading { tags, result: None }
    }

    #[test]
    fn a_name_is_the_same_whatever_the_order_of_its_words() {
        let heading = heading("Carlsen, Magnus", "Caruana,F");
        for (name, side) in [
            ("Magnus Carlsen", Some(Color::White)),
            ("carlsen magnus", Some(Color::White)),
            ("Caruana, F.", Some(Color::Black)),
            ("Carlsen", None),
            ("?", None),
        ] {
            assert_eq!(side_of(&heading, name), side, "{name}");
        }
    }

    #[test]
    fn names_that_are_near_are_offered_the_nearest_first() {
        let mut names = PlayerNames::default();
        names.note(&heading("Carlsen, Magnus", "Caruana,F"));
        names.note(&heading("Nepo", "Carlsen, Magnus"));
        names.note(&heading("?", ""));
        let near = |name: &str| {
            let near = names.near(name).into_iter();
            near.map(|(name, games)| format!("{name} {games}")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(near("Carlsen"), "Carlsen, Magnus 2");
        assert_eq!(near("Magnus Carlson"), "Carlsen, Magnus 2");
        assert_eq!(near("Karuana"), "Caruana,F 1");
        assert_eq!(near("Somebody"), "");
    }
}
