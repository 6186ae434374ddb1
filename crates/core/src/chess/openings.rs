//! Names of openings, from lichess-org/chess-openings (`crates/core/openings/README.md`).

use std::cmp::Ordering;

use serde::Serialize;
use shakmaty::Chess;

use super::fen::epd_of;
use super::key::PositionKey;
use super::written::parse_epd;

/// EPD, ECO code and name per line, sorted by EPD.
const TABLE: &str = include_str!("../../openings/openings.tsv");

/// A named position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Opening {
    /// Its code in the Encyclopaedia of Chess Openings: `B90`.
    pub eco: &'static str,
    /// Its name in English: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// The opening that a position itself names, however it was reached. A line is named by its last
/// position that has a name.
///
/// ```
/// use deepanalyze_core::chess::{Game, opening_of};
///
/// let mut game = Game::from_start("startpos")?;
/// game.play_line("Nf3 c5 e4")?;
/// let sicilian = opening_of(game.root()).expect("a name");
/// assert_eq!((sicilian.eco, sicilian.name), ("B27", "Sicilian Defense"));
/// # Ok::<(), deepanalyze_core::chess::GameError>(())
/// ```
pub fn opening_of(position: &Chess) -> Option<Opening> {
    find(TABLE, &epd_of(position))
}

/// All named positions, for naming more positions than these.
pub fn openings() -> impl Iterator<Item = (PositionKey, Opening)> {
    TABLE.lines().filter_map(|line| {
        let (epd, named) = line.split_once('\t')?;
        let (eco, name) = named.split_once('\t')?;
        Some((PositionKey::of(&parse_epd(epd).ok()?), Opening { eco, name }))
    })
}

/// Binary search over the lines of a table, in place: nothing is read before it is needed.
fn find(mut table: &'static str, epd: &str) -> Option<Opening> {
    while !table.is_empty() {
        let (before, line, after) = split_at_line(table, table.len() / 2)?;
        let (key, named) = line.split_once('\t')?;
        table = match epd.as_bytes().cmp(key.as_bytes()) {
            Ordering::Less => before,
            Ordering::Greater => after,
            Ordering::Equal => {
                let (eco, name) = named.split_once('\t')?;
                return Some(Opening { eco, name });
            }
        };
    }
    None
}

/// The line in which a byte lies, with what stands before and after it.
fn split_at_line(
    table: &'static str,
    byte: usize,
) -> Option<(&'static str, &'static str, &'static str)> {
    let bytes = table.as_bytes();
    let start = bytes.get(..byte)?.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let end =
        bytes.get(byte..)?.iter().position(|b| *b == b'\n').map_or(table.len(), |at| byte + at);
    Some((table.get(..start)?, table.get(start..end)?, table.get(end + 1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Game, parse_fen};

    #[test]
    fn every_line_of_the_table_is_found_by_its_position() {
        let all: Vec<(PositionKey, Opening)> = openings().collect();
        assert_eq!(all.len(), 3807);
        for (line, one) in TABLE.lines().zip(all) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [epd, eco, name] = fields[..] else { panic!("{line:?}") };
            let position = parse_fen(epd).unwrap();
            assert_eq!(epd_of(&position), epd, "keys are written as positions are");
            assert_eq!(opening_of(&position), Some(Opening { eco, name }));
            assert_eq!(one, (PositionKey::of(&position), Opening { eco, name }));
            assert!(eco.len() == 3 && !name.is_empty(), "{line:?}");
        }
    }

    #[test]
    fn transpositions_share_a_name_and_others_have_none() {
        let name = |line: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            opening_of(game.root()).map(|opening| opening.name)
        };
        assert_eq!(
            name("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"),
            name("e4 d6 d4 c5 Nf3 cxd4 Nxd4 Nf6 Nc3 a6")
        );
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5"), Some("Ruy Lopez"));
        assert_eq!(name(""), None);
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 Rg1"), None);
    }
}
