//! The data of each game beside its moves.

use std::borrow::Cow;

use deepanalyze_core::printable::printable;

use crate::record::{GameFacts, GameResult};
use crate::varint::{push, push_text, take, take_array, take_text, take_u32};

/// A game of a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GameRow {
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) event: String,
    pub(crate) time_control: String,
    /// Year, month, day as 20260131; unknown parts are 0.
    pub(crate) date: u32,
    /// 0 if unknown.
    pub(crate) ratings: (u32, u32),
    pub(crate) result: GameResult,
}

impl GameRow {
    /// The facts for tallies.
    pub(crate) fn facts(&self) -> GameFacts {
        let rating = match self.ratings {
            (0, one) | (one, 0) => one,
            (white, black) => (white + black).div_ceil(2),
        };
        GameFacts::new(self.result, rating, self.date / 10_000)
    }

    /// Appends it.
    pub(crate) fn push_to(&self, out: &mut Vec<u8>) {
        for text in [&self.white, &self.black, &self.event, &self.time_control] {
            push_text(out, text);
        }
        for number in [self.date, self.ratings.0, self.ratings.1] {
            push(out, u64::from(number));
        }
        out.push(self.result as u8);
    }

    /// Takes it off the beginning.
    pub(crate) fn take_from(bytes: &mut &[u8]) -> Option<GameRow> {
        let mut text = || take_text(bytes).map(str::to_owned);
        let (white, black, event, time_control) = (text()?, text()?, text()?, text()?);
        let (date, ratings) = (take_u32(bytes)?, (take_u32(bytes)?, take_u32(bytes)?));
        let [result] = take_array(bytes)?;
        let result = GameFacts::from_bits(u32::from(result) << 20).result();
        Some(GameRow { white, black, event, time_control, date, ratings, result })
    }
}

/// Letters kept of a tag: no name of a player or an event has as many.
const LONGEST_TEXT: usize = 255;

/// A tag's text as kept and shown.
pub(crate) fn kept_text(text: &str) -> String {
    let mut kept = text.chars().take(LONGEST_TEXT).collect::<String>();
    if let Cow::Owned(plain) = printable(&kept) {
        kept = plain;
    }
    kept
}

/// The rating of a tag, also a provisional one (`1500?`); 0 for `?` and if invalid.
pub(crate) fn rating_of(text: &str) -> u32 {
    text.trim().trim_end_matches('?').parse().ok().filter(|rating| *rating < 4096).unwrap_or(0)
}

/// Many games one after the other, as they are kept: compressed.
///
/// # Errors
///
/// If memory is short.
pub(crate) fn compressed(rows: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    push(&mut out, rows.len() as u64);
    out.extend(zstd::bulk::compress(rows, 3)?);
    Ok(out)
}

/// The most bytes of a decompressed block of games.
const MOST_BYTES: u64 = 256 << 20;

/// The games of a compressed block; `None` if damaged.
pub(crate) fn rows_of(block: &[u8]) -> Option<Vec<GameRow>> {
    let mut block = block;
    let length = take(&mut block).filter(|length| *length <= MOST_BYTES)?;
    let rows = zstd::bulk::decompress(block, usize::try_from(length).ok()?).ok()?;
    let (mut rest, mut games) = (&rows[..], Vec::new());
    while !rest.is_empty() {
        games.push(GameRow::take_from(&mut rest)?);
    }
    Some(games)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn games_come_back(texts: [String; 4], date: u32, ratings: (u32, u32), result in 0..4_u32) {
            let [white, black, event, time_control] = texts;
            let result = GameFacts::from_bits(result << 20).result();
            let row = GameRow { white, black, event, time_control, date, ratings, result };
            let mut bytes = Vec::new();
            row.push_to(&mut bytes);
            row.push_to(&mut bytes);
            let block = compressed(&bytes).unwrap();
            prop_assert_eq!(rows_of(&block), Some(vec![row.clone(), row]));
        }
    }

    #[test]
    fn ratings_are_read_as_far_as_they_are_known() {
        let ratings = ["2850", " 2850 ", "1500?", "?", "-", "0", "-3", "", "5000"].map(rating_of);
        assert_eq!(ratings, [2850, 2850, 1500, 0, 0, 0, 0, 0, 0]);
    }
}
