//! Settings that identify a tree besides its game and profile, and their columns.

use rusqlite::Row;

use deepanalyze_core::chess::{DrawValue, Tables};
use deepanalyze_core::tree::{Breadth, PlayedRule, PlayedRules, Widths};

use super::games::{GameSetId, KnownGames};

/// Settings that identify a tree besides its game and profile: values of trees that differ in them
/// are not comparable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TreeSettings {
    /// The move distances, and the least number of root moves.
    pub breadth: Breadth,
    /// The tablebases it uses, if any.
    pub tables: Option<Tables>,
    /// The games that it knows, if any.
    pub games: Option<KnownGames>,
    /// The value of a draw.
    pub draw: DrawValue,
}

impl From<Breadth> for TreeSettings {
    fn from(breadth: Breadth) -> TreeSettings {
        TreeSettings { breadth, tables: None, games: None, draw: DrawValue::default() }
    }
}

/// A plain distance in centipawns.
impl From<u32> for TreeSettings {
    fn from(distance: u32) -> TreeSettings {
        Breadth::from(distance).into()
    }
}

/// The columns of a row with a tree's settings, in order.
pub(super) const COLUMNS: [&str; 9] = [
    "width_white",
    "width_black",
    "root_moves",
    "table_men",
    "fifty",
    "game_set",
    "played_white",
    "played_black",
    "draw_value",
];

impl TreeSettings {
    /// The values of the columns.
    pub(super) fn values(&self) -> [rusqlite::types::Value; COLUMNS.len()] {
        let men = self.tables.map_or(0, |tables| tables.men);
        let fifty = self.tables.map_or_else(Default::default, |tables| tables.fifty);
        let rules = self.games.map(|games| games.rules).unwrap_or_default();
        let written =
            |rule: Option<PlayedRule>| rule.map_or_else(String::new, |rule| rule.to_string());
        [
            self.breadth.white.to_string().into(),
            self.breadth.black.to_string().into(),
            i64::from(self.breadth.least).into(),
            i64::from(men).into(),
            fifty.to_string().into(),
            self.games.map_or(0, |games| games.set.0).into(),
            written(rules.white).into(),
            written(rules.black).into(),
            i64::from(self.draw.get()).into(),
        ]
    }

    /// From the columns, beginning at `first`; `None` if invalid.
    pub(super) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<TreeSettings>> {
        let text = |column: usize| row.get::<_, String>(first + column);
        let widths = |column| Ok::<_, rusqlite::Error>(text(column)?.parse::<Widths>().ok());
        let (white, black, least) = (widths(0)?, widths(1)?, row.get(first + 2)?);
        let (men, fifty): (u8, String) = (row.get(first + 3)?, text(4)?);
        let set: i64 = row.get(first + 5)?;
        let (by_white, by_black) = (rule(&text(6)?), rule(&text(7)?));
        let draw = DrawValue::new(row.get(first + 8)?);
        let (Some(white), Some(black), Ok(fifty), Some(by_white), Some(by_black), Some(draw)) =
            (white, black, fifty.parse(), by_white, by_black, draw)
        else {
            return Ok(None);
        };
        let rules = PlayedRules { white: by_white, black: by_black };
        Ok(Some(TreeSettings {
            breadth: Breadth { white, black, least },
            tables: (men > 0).then_some(Tables { men, fifty }),
            games: (set > 0).then_some(KnownGames { set: GameSetId(set), rules }),
            draw,
        }))
    }
}

/// A rule from its column: `Some(None)` if nothing is followed, `None` if invalid.
fn rule(text: &str) -> Option<Option<PlayedRule>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}
