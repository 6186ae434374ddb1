//! The player among the names of a file.

use std::collections::BTreeMap;

use shakmaty::Color;

use deepanalyze_core::chess::Heading;

use crate::words::roots::known_tag;

/// So much alike are two names that may be one, from 0 to 1.
const ALIKE: f64 = 0.75;
/// So many near names are offered.
const MOST: usize = 5;

/// A name as it is compared: its words without signs, in any order. `Carlsen, Magnus` is `Magnus Carlsen`.
fn words_of(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort();
    words
}

/// The side of a player in a game; none where it is somebody else's.
pub fn side_of(heading: &Heading, player: &str) -> Option<Color> {
    let wanted = words_of(player);
    let is = |name: &str| known_tag(heading, name).is_some_and(|name| words_of(&name) == wanted);
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

    /// The names that are nearest to one that none of them is, the nearest first, each with its number of games.
    pub fn near(&self, player: &str) -> Vec<(&str, usize)> {
        let wanted = words_of(player);
        let scored = self.0.iter().map(|(name, games)| (likeness(&wanted, name), name, *games));
        let mut near: Vec<(f64, &String, usize)> =
            scored.filter(|(like, ..)| *like >= ALIKE).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.cmp(&a.2)).then(a.1.cmp(b.1)));
        near.truncate(MOST);
        near.into_iter().map(|(_, name, games)| (name.as_str(), games)).collect()
    }
}

/// How much a name is like one that is looked for, from 0 to 1: a part of it is near, and a letter more or less.
fn likeness(wanted: &[String], name: &str) -> f64 {
    let words = words_of(name);
    let is_part = !wanted.is_empty() && wanted.iter().all(|word| words.contains(word));
    let whole = strsim::jaro_winkler(&wanted.join(" "), &words.join(" "));
    let one = words.iter().flat_map(|word| {
        wanted.iter().map(move |other| strsim::normalized_damerau_levenshtein(word, other))
    });
    if is_part { 1.0 } else { one.fold(whole - 0.1, f64::max) }
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
