//! What identifies a position.

use std::fmt;

use shakmaty::packed::PackedSetup;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position};

use super::fen::{epd_of, lenient};

/// The identity of a position: board, side to move, castling rights and legal en passant square,
/// without the clocks. Exact (no hash), 24 bytes.
///
/// ```
/// use deepanalyze::chess::{PositionKey, parse_fen};
///
/// let a = parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
/// let b = parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 9")?;
/// assert_eq!(PositionKey::of(&a), PositionKey::of(&b)); // no pawn can take on e3
/// # Ok::<(), deepanalyze::chess::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PositionKey([u8; PositionKey::BYTES]);

impl PositionKey {
    /// The size of a key.
    pub const BYTES: usize = 24;

    /// The key of a position.
    ///
    /// # Panics
    ///
    /// Where the position has more than 32 men, or a castling right without its rook. [`parse_fen`] lets no
    /// such position in, and no move leads to one.
    pub fn of(position: &Chess) -> PositionKey {
        let setup = position.to_setup(EnPassantMode::Legal);
        let packed = PackedSetup::pack_standard_normalized(&setup);
        // What is left out of the packed bytes at their end is zero.
        let bytes = packed.as_ref().map(PackedSetup::as_bytes).unwrap_or_default();
        let mut key = [0; PositionKey::BYTES];
        match key.get_mut(..bytes.len()) {
            Some(head) if packed.is_ok() => head.copy_from_slice(bytes),
            _ => unreachable!("no key for {}", epd_of(position)),
        }
        PositionKey(key)
    }

    /// The position again, with its clocks at the start.
    ///
    /// # Panics
    ///
    /// Never: [`PositionKey::of`] alone makes keys.
    pub fn position(&self) -> Chess {
        let unpacked = PackedSetup::try_from_bytes(&self.0).ok();
        let setup = unpacked.and_then(|packed| packed.unpack_standard().ok());
        let position =
            setup.and_then(|setup| lenient(Chess::from_setup(setup, CastlingMode::Standard)).ok());
        let Some(position) = position else {
            unreachable!("{:02x?} is the key of no position", self.0)
        };
        position
    }
}

impl fmt::Debug for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PositionKey({})", epd_of(&self.position()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_fen;
    use shakmaty::PositionError;
    use shakmaty::fen::Fen;

    #[test]
    fn a_key_gives_its_position_back() {
        for epd in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq -",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
        ] {
            let position = parse_fen(epd).unwrap();
            assert_eq!(epd_of(&PositionKey::of(&position).position()), epd);
        }
    }

    #[test]
    fn every_position_of_the_suites_is_found_again_by_its_key() {
        let suites = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites");
        let files = std::fs::read_dir(suites).unwrap().map(|entry| entry.unwrap().path());
        let mut found = 0;
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "epd")) {
            for line in std::fs::read_to_string(&file).unwrap().lines() {
                let Ok(position) = parse_fen(line.split(';').next().unwrap()) else { continue };
                let again = PositionKey::of(&position).position();
                assert_eq!(epd_of(&again), epd_of(&position), "{line}");
                found += 1;
            }
        }
        assert!(found > 2000, "{found}");
    }

    #[test]
    #[should_panic(expected = "is the key of no position")]
    fn a_key_of_no_position_is_not_taken_for_the_starting_position() {
        let _ = PositionKey([0xff; PositionKey::BYTES]).position();
    }

    #[test]
    #[should_panic(expected = "no key for k7/")]
    fn a_position_that_no_key_can_hold_gets_none() {
        let crowded = "k7/pppppppp/pppppppp/pppppppp/8/PPPPPPPP/PPPPPPPP/K7 w - - 0 1";
        let setup = crowded.parse::<Fen>().unwrap().into_setup();
        let position = Chess::from_setup(setup, CastlingMode::Standard)
            .or_else(PositionError::ignore_too_much_material);
        let _ = PositionKey::of(&position.unwrap());
    }
}
