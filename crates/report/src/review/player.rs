//! The player among the names of a file.

use std::collections::BTreeMap;

use shakmaty::Color;

use deepanalyze_core::chess::{
    AskedPlayer, Heading, may_be_the_same, name_likeness, normalised_name,
};

use deepanalyze_view::{count, known_tag, one_line};

/// The most near names offered.
const MOST: usize = 5;

/// The side of a player in a game, and whether the name there matches exactly; `None` if both names
/// are others'. `asked` is the wanted side.
pub fn side_of(
    heading: &Heading,
    player: &AskedPlayer,
    asked: Option<Color>,
) -> Option<(Color, bool)> {
    let sides = [(Color::White, "White"), (Color::Black, "Black")];
    let sides = sides.into_iter().filter(|(side, _)| asked.is_none_or(|asked| asked == *side));
    let own = sides.filter_map(|(side, tag)| {
        let name = known_tag(heading, tag).filter(|name| player.is(name))?;
        Some((side, player.is_exactly(&name)))
    });
    // If both sides have the player's name, White is the first.
    own.min_by_key(|(_, is_exact)| !is_exact)
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

    /// True if any of them is a player's.
    pub fn has(&self, player: &AskedPlayer) -> bool {
        self.0.keys().any(|name| player.is(name))
    }

    /// True if any of them matches a player's exactly.
    pub fn has_exactly(&self, player: &AskedPlayer) -> bool {
        self.0.keys().any(|name| player.is(name) && player.is_exactly(name))
    }

    /// The names besides a player's that may mean the same one, by most games first.
    pub fn also(&self, player: &AskedPlayer) -> Vec<(String, u64)> {
        let has_exact = self.has_exactly(player);
        let may_be = |name: &str| {
            if player.is(name) {
                has_exact && !player.is_exactly(name)
            } else {
                may_be_the_same(player.normalised(), &normalised_name(name))
            }
        };
        let also = self.0.iter().filter(|(name, _)| may_be(name));
        let mut also: Vec<(String, u64)> =
            also.map(|(name, games)| (name.clone(), *games as u64)).collect();
        also.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        also.truncate(MOST);
        also
    }

    /// `near names: Carlsen, Magnus (2 games)`; empty if none is near.
    pub fn near_words(&self, player: &str) -> Option<String> {
        let near = self.near(player).into_iter();
        let near: Vec<(String, u64)> =
            near.map(|(name, games)| (name.to_owned(), games as u64)).collect();
        (!near.is_empty()).then(|| format!("near names: {}", names_and_games(&near)))
    }

    /// The names nearest to one that is not in the file, the nearest first, each with its number of
    /// games.
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

/// `Lee, A. (2 games); WGM Lee, Ann (1 game)`.
pub fn names_and_games(names: &[(String, u64)]) -> String {
    let words =
        |(name, games): &(String, u64)| format!("{} ({})", one_line(name), count(*games, "game"));
    names.iter().map(words).collect::<Vec<_>>().join("; ")
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
            let found = side_of(&heading, &AskedPlayer::new(name), None);
            assert_eq!(found.map(|(side, _)| side), side, "{name}");
        }
        let both = self::heading("the-king", "the_king");
        let side = |name, asked| side_of(&both, &AskedPlayer::new(name), asked);
        assert_eq!(side("the_king", None), Some((Color::Black, true)));
        assert_eq!(side("the_king", Some(Color::White)), Some((Color::White, false)));
        assert_eq!(side("The King", None), Some((Color::White, true)));
    }

    #[test]
    fn names_that_may_be_the_player_s_are_told_beside() {
        let mut names = PlayerNames::default();
        for (white, black) in [
            ("Lee, Ann", "WGM Lee, Ann"),
            ("Lee, A.", "Lee, Bob"),
            ("the_king", "the-king"),
            ("Lee, A.", "king_the"),
        ] {
            names.note(&heading(white, black));
        }
        let also = |name| names_and_games(&names.also(&AskedPlayer::new(name)));
        assert_eq!(also("Ann Lee"), "Lee, A. (2 games); WGM Lee, Ann (1 game)");
        assert_eq!(also("the_king"), "king_the (1 game); the-king (1 game)");
        assert_eq!(also("The King"), "", "all of them are");
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
