//! Records to sort: one for each move of each game.

use shakmaty::uci::UciMove;
use shakmaty::{Role, Square};

/// The most games of a set: their numbers have 27 bits.
pub(crate) const MOST_GAMES: u32 = 1 << GAME_BITS;
pub(crate) const GAME_BITS: u32 = 27;
const FACT_BITS: u32 = 22;
const MOVE_BITS: u32 = 15;

/// A game's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum GameResult {
    #[default]
    Unknown,
    White,
    Draw,
    Black,
}

impl GameResult {
    /// The result of a PGN file.
    pub(crate) fn of(text: &str) -> GameResult {
        match text {
            "1-0" => GameResult::White,
            "0-1" => GameResult::Black,
            "1/2-1/2" => GameResult::Draw,
            _ => GameResult::Unknown,
        }
    }
}

/// A game's part of tallies, in 22 bits: result, mean rating of the players (0: unknown, 4095 at
/// most) and year (0: unknown, else 1801 to 2055).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GameFacts(u32);

impl GameFacts {
    pub(crate) fn new(result: GameResult, rating: u32, year: u32) -> GameFacts {
        let year = year.checked_sub(1800).filter(|year| *year < 256).unwrap_or(0);
        GameFacts((result as u32) << 20 | rating.min(4095) << 8 | year)
    }

    pub(crate) fn from_bits(bits: u32) -> GameFacts {
        GameFacts(bits & ((1 << FACT_BITS) - 1))
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn result(self) -> GameResult {
        match self.0 >> 20 & 3 {
            1 => GameResult::White,
            2 => GameResult::Draw,
            3 => GameResult::Black,
            _ => GameResult::Unknown,
        }
    }

    /// 0 if unknown.
    pub(crate) fn rating(self) -> u32 {
        self.0 >> 8 & 0xfff
    }

    /// 0 if unknown.
    pub(crate) fn year(self) -> u32 {
        match self.0 & 0xff {
            0 => 0,
            year => year + 1800,
        }
    }
}

/// A move of a game at a position: sorted by position, move, game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record(pub(crate) u128);

impl Record {
    pub(crate) fn new(key: u64, played: u16, game: u32, facts: GameFacts) -> Record {
        Record(
            u128::from(key) << 64
                | u128::from(played) << (GAME_BITS + FACT_BITS)
                | u128::from(game) << FACT_BITS
                | u128::from(facts.bits()),
        )
    }

    /// The record with a game number greater by `games`.
    pub(crate) fn after(self, games: u32) -> Record {
        Record(self.0 + (u128::from(games) << FACT_BITS))
    }

    pub(crate) fn key(self) -> u64 {
        (self.0 >> 64) as u64
    }

    pub(crate) fn played(self) -> u16 {
        (self.0 >> (GAME_BITS + FACT_BITS)) as u16 & ((1 << MOVE_BITS) - 1)
    }

    pub(crate) fn game(self) -> u32 {
        (self.0 >> FACT_BITS) as u32 & (MOST_GAMES - 1)
    }

    pub(crate) fn facts(self) -> GameFacts {
        GameFacts::from_bits(self.0 as u32)
    }
}

/// A move in 15 bits: origin, destination, promotion. `None` for a drop.
pub(crate) fn packed(played: UciMove) -> Option<u16> {
    let UciMove::Normal { from, to, promotion } = played else { return None };
    let promotion = promotion.map_or(0, |role| role as u16);
    Some(u16::from(from) << 9 | u16::from(to) << 3 | promotion)
}

/// The inverse.
pub(crate) fn unpacked(bits: u16) -> Option<UciMove> {
    let square = |bits: u16| Square::try_from(bits & 63).ok();
    let promotion = match bits & 7 {
        0 => None,
        role => Some(Role::try_from(u8::try_from(role).ok()?).ok()?),
    };
    Some(UciMove::Normal { from: square(bits >> 9)?, to: square(bits >> 3)?, promotion })
}

/// Stands in place of a move if a game that has played one in a position returns to it and plays
/// another: the first such time, the second, and so on. It leads from a square to itself, as no
/// move does. The games that came to a position are those of all its moves less those of its
/// returns, for any choice of games.
pub(crate) fn return_bits(nth: u16) -> u16 {
    let (square, promotion) = (nth >> 3 & 63, nth & 7);
    square << 9 | square << 3 | promotion
}

/// True for a return's bits.
pub(crate) fn is_return(bits: u16) -> bool {
    bits >> 9 & 63 == bits >> 3 & 63
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn records_come_back(key: u64, played in 0..1_u16 << 15, game in 0..MOST_GAMES - 5, bits in 0..1_u32 << 22) {
            let record = Record::new(key, played, game, GameFacts::from_bits(bits));
            let same = (record.key(), record.played(), record.game(), record.facts().bits());
            prop_assert_eq!(same, (key, played, game, bits));
            let after = record.after(4);
            let same = (after.key(), after.played(), after.game(), after.facts().bits());
            prop_assert_eq!(same, (key, played, game + 4, bits));
        }

        #[test]
        fn facts_come_back(result in 0..4_u32, rating in 0..4096_u32, year in 1801..2056_u32) {
            let result = GameFacts::from_bits(result << 20).result();
            let facts = GameFacts::new(result, rating, year);
            prop_assert_eq!((facts.result(), facts.rating(), facts.year()), (result, rating, year));
        }
    }

    #[test]
    fn moves_come_back() {
        for text in ["e2e4", "e1g1", "a7a8q", "h2h1n", "a1h8"] {
            let played = UciMove::from_ascii(text.as_bytes()).unwrap();
            assert_eq!(unpacked(packed(played).unwrap()), Some(played), "{text}");
        }
        assert_eq!(GameFacts::new(GameResult::Draw, 9000, 1492).year(), 0);
        // No position has more than 218 moves.
        let returns: std::collections::BTreeSet<u16> = (0..218).map(return_bits).collect();
        assert!(returns.len() == 218 && returns.iter().all(|bits| is_return(*bits)));
        assert!(returns.iter().all(|bits| *bits < 1 << MOVE_BITS));
        assert!(!is_return(packed(UciMove::from_ascii(b"a7a8q").unwrap()).unwrap()));
    }
}
