//! Detection of duplicate games.
//!
//! A game is known by its fingerprint (moves, players without signs, date) and by a detail of other
//! distinctions: the address in `Site` (or in `Link`), `Round`, `UTCTime` or `Time`, the result,
//! and the spelling of players' names that are a single word. Unknown is a value like others. Games
//! of unknown players are never the same within a file; those of two files are, as far as both have
//! them: so a file that is added again adds nothing.

use deepanalyze_core::chess::{folded, is_handle, is_unknown_player};

use crate::hash::Hash64;
use crate::record::{GAME_BITS, MOST_GAMES};
use crate::row::GameRow;

const DETAIL_BITS: u32 = 37;
/// Set in the detail of a game with an unknown player.
const ANONYMOUS: u64 = 1 << (DETAIL_BITS - 1);

/// Distinguishes games of one fingerprint, in 37 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Detail(u64);

impl Detail {
    /// Bytes of a detail in a set.
    pub(crate) const BYTES: usize = 5;
    /// The unknown detail of games counted by an earlier format.
    pub(crate) const UNKNOWN: Detail = Detail(0);

    /// A game's detail, by row, the normalised names of White and Black, and the tags `Site`,
    /// `Link`, `Round`, and `UTCTime` or `Time`.
    pub(crate) fn of(
        row: &GameRow,
        normalised: &[String; 2],
        [site, link, round, time]: [&str; 4],
    ) -> Detail {
        let mut hash = Hash64::new();
        for (name, normalised) in [&row.white, &row.black].into_iter().zip(normalised) {
            if is_handle(name) {
                hash.bytes(folded(name).as_bytes())
            } else {
                hash.bytes(normalised.as_bytes())
            }
        }
        // Some servers have a game's address in a tag of its own.
        let address = Some(address_of(site)).filter(|site| !site.is_empty());
        [address.unwrap_or(address_of(link)), known(round), known(time)]
            .iter()
            .for_each(|text| hash.bytes(text.as_bytes()));
        hash.word(row.result as u64);
        let is_anonymous = normalised.iter().any(|name| is_unknown_player(name));
        let anonymous = if is_anonymous { ANONYMOUS } else { 0 };
        Detail((hash.end() & (ANONYMOUS - 1)).max(1) | anonymous)
    }

    fn is_anonymous(self) -> bool {
        self.0 & ANONYMOUS != 0
    }

    pub(crate) fn bytes(self) -> [u8; Detail::BYTES] {
        let [a, b, c, d, e, ..] = self.0.to_le_bytes();
        [a, b, c, d, e]
    }

    pub(crate) fn from_bytes([a, b, c, d, e]: [u8; Detail::BYTES]) -> Detail {
        Detail(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) & (ANONYMOUS << 1).wrapping_sub(1))
    }
}

/// The text of a tag; empty if unknown.
fn known(text: &str) -> &str {
    let text = text.trim();
    if text.chars().any(char::is_alphanumeric) { text } else { "" }
}

/// The address of a game in a tag `Site`, without parts in which two addresses of one game may
/// differ; empty for that of a place, or of a whole server.
fn address_of(site: &str) -> &str {
    let site = known(site);
    let behind = ["https://", "http://"].iter().find_map(|scheme| site.strip_prefix(scheme));
    let Some(address) = behind.or_else(|| site.starts_with("www.").then_some(site)) else {
        return "";
    };
    let address = address.strip_prefix("www.").unwrap_or(address).trim_end_matches('/');
    if address.contains(['/', '?', '#']) { address } else { "" }
}

/// Sort key for finding duplicates: fingerprint, detail and number.
pub(crate) fn numbered_game(fingerprint: u64, detail: Detail, game: u32) -> u128 {
    u128::from(fingerprint) << 64 | u128::from(detail.0) << GAME_BITS | u128::from(game)
}

/// Splits a sort key into its parts.
fn parts_of(number: u128) -> (u64, Detail, u32) {
    let detail = Detail(number as u64 >> GAME_BITS);
    ((number >> 64) as u64, detail, number as u32 & (MOST_GAMES - 1))
}

/// Finds duplicates among all games in the order of [`numbered_game`].
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    /// The old set's games come before this number, and those of the files begin at these.
    old_games: u32,
    files: Vec<u32>,
    last: Option<(u64, Detail)>,
    /// Games of the last kind kept.
    kept: u32,
    /// True if an earlier format has counted a game of the last fingerprint.
    has_unknown: bool,
    /// Number of the last kind in one file so far.
    of_file: (usize, u32),
}

impl Duplicates {
    /// `files` are the numbers of their first games, growing.
    pub(crate) fn new(old_games: u32, files: Vec<u32>) -> Duplicates {
        Duplicates { old_games, files, ..Duplicates::default() }
    }

    /// The fingerprint and number of the next game, and whether it stays, as the old set's always
    /// do.
    pub(crate) fn next(&mut self, number: u128) -> (u64, u32, bool) {
        let (fingerprint, detail, game) = parts_of(number);
        if self.last.is_none_or(|(last, _)| last != fingerprint) {
            self.has_unknown = false;
        }
        if self.last.replace((fingerprint, detail)) != Some((fingerprint, detail)) {
            self.kept = 0;
            self.of_file = (usize::MAX, 0);
        }
        let stays = if game < self.old_games {
            self.has_unknown |= detail == Detail::UNKNOWN;
            true
        } else if self.has_unknown {
            // One game for an earlier format stays one.
            false
        } else if detail.is_anonymous() {
            let file = self.files.partition_point(|first| *first <= game);
            let before = if self.of_file.0 == file { self.of_file.1 } else { 0 };
            self.of_file = (file, before + 1);
            before >= self.kept
        } else {
            self.kept == 0
        };
        self.kept += u32::from(stays);
        (fingerprint, game, stays)
    }
}

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

    use deepanalyze_core::chess::normalised_name;

    use super::*;

    fn detail(row: &GameRow, site: &str, round: &str, time: &str) -> Detail {
        let normalised = [&row.white, &row.black].map(|name| normalised_name(name));
        Detail::of(row, &normalised, [site, "", round, time])
    }

    fn row(white: &str, black: &str) -> GameRow {
        let [white, black] = [white, black].map(str::to_owned);
        GameRow { white, black, ..GameRow::default() }
    }

    #[test]
    fn what_tells_games_apart_is_in_their_details() {
        let ann = row("Lee, Ann", "the_king");
        let plain = detail(&ann, "?", "?", "");
        for (row, site, round, time) in [
            (row("ann  lee", "The_King"), "Wijk aan Zee", "-", "??:??:??"),
            (ann.clone(), "https://lichess.org/", "", ""),
            (ann.clone(), "chess.com", " ", "-"),
        ] {
            assert_eq!(detail(&row, site, round, time), plain, "{row:?} {site} {round} {time}");
        }
        let won = GameRow { result: crate::record::GameResult::White, ..ann.clone() };
        let others = [
            detail(&won, "?", "?", ""),
            detail(&row("Lee, Ann", "the-king"), "?", "?", ""),
            detail(&ann, "https://lichess.org/abcdefgh", "?", ""),
            detail(&ann, "https://lichess.org/abcdefgi", "?", ""),
            detail(&ann, "?", "1", ""),
            detail(&ann, "?", "1.1", ""),
            detail(&ann, "?", "?", "10:00:00"),
            detail(&ann, "?", "?", "1"),
            plain,
        ];
        let different: std::collections::BTreeSet<Detail> = others.into_iter().collect();
        assert_eq!(different.len(), others.len());
        let address = |site| detail(&ann, site, "?", "");
        assert_eq!(
            address("http://www.lichess.org/abcdefgh/"),
            address("https://lichess.org/abcdefgh")
        );
        let normalised = [&ann.white, &ann.black].map(|name| normalised_name(name));
        let linked = ["chess.com", "https://www.chess.com/game/live/1", "?", ""];
        assert_ne!(Detail::of(&ann, &normalised, linked), plain);
        assert!(others.iter().all(|detail| !detail.is_anonymous() && *detail != Detail::UNKNOWN));
        assert!(
            ["", "NN", "Unknown"]
                .iter()
                .all(|name| { detail(&row("Lee, Ann", name), "", "", "").is_anonymous() })
        );
        let back = others.map(|detail| Detail::from_bytes(detail.bytes()));
        assert_eq!(back, others);
    }

    /// The games that stay of some, given as fingerprint, detail and number; two are of the old
    /// set, and files begin at 2 and at 6.
    fn kept(games: &[(u64, Detail, u32)]) -> Vec<u32> {
        let mut numbers: Vec<u128> = games
            .iter()
            .map(|(print, detail, game)| numbered_game(*print, *detail, *game))
            .collect();
        numbers.sort_unstable();
        let mut same = Duplicates::new(2, vec![2, 6]);
        let kept = numbers.into_iter().map(|number| same.next(number));
        let mut kept: Vec<u32> =
            kept.filter(|(_, _, stays)| *stays).map(|(_, game, _)| game).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn the_first_of_the_same_games_stays() {
        let (one, other) = (Detail(5), Detail(6));
        let games = [(9, one, 0), (9, one, 2), (9, other, 3), (9, other, 6), (8, one, 4)];
        assert_eq!(kept(&games), [0, 3, 4]);
    }

    #[test]
    fn unknown_players_games_stay_as_often_as_in_a_file() {
        let anonymous = Detail(ANONYMOUS | 7);
        let all =
            |games: &[u32]| games.iter().map(|game| (1, anonymous, *game)).collect::<Vec<_>>();
        assert_eq!(kept(&all(&[2, 3, 4])), [2, 3, 4], "of one file");
        assert_eq!(kept(&all(&[0, 1, 2, 3])), [0, 1], "added again");
        assert_eq!(kept(&all(&[0, 2, 3, 6, 7, 8])), [0, 3, 8], "of two files, one with more");
    }

    #[test]
    fn earlier_formats_game_absorbs_its_fingerprint() {
        let games = [
            (9, Detail::UNKNOWN, 0),
            (9, Detail(5), 2),
            (9, Detail(ANONYMOUS), 3),
            (8, Detail(5), 4),
        ];
        assert_eq!(kept(&games), [0, 4]);
    }

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
