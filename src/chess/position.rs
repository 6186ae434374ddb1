//! Positions: what identifies one, how it is read and written, and how a game ends in it.

use std::fmt;

use shakmaty::fen::{Epd, Fen, ParseFenError};
use shakmaty::packed::PackedSetup;
use shakmaty::uci::UciMove;
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionError, PositionErrorKinds,
};

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

/// How a game is over in a position, whatever the clocks say (ALGORITHM, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever mate with the material left.
    InsufficientMaterial,
}

impl Ending {
    /// The ending of a position, if the game is over there.
    pub fn of(position: &Chess) -> Option<Ending> {
        Ending::with(position, position.legal_moves().len())
    }

    /// The same of a position whose number of legal moves is known: to list them is most of the work.
    pub fn with(position: &Chess, legal_moves: usize) -> Option<Ending> {
        if legal_moves == 0 {
            Some(if position.is_check() { Ending::Checkmate } else { Ending::Stalemate })
        } else if position.is_insufficient_material() {
            Some(Ending::InsufficientMaterial)
        } else {
            None
        }
    }

    /// The ending's name, as JSON and SQL have it.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "insufficient material",
        }
    }

    /// The ending of that name.
    pub fn from_name(name: &str) -> Option<Ending> {
        [Ending::Checkmate, Ending::Stalemate, Ending::InsufficientMaterial]
            .into_iter()
            .find(|ending| ending.name() == name)
    }
}

/// Why a FEN was refused. The message names the FEN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The first field alone: nothing says whose move it is.
    #[error(
        "FEN {0:?} is a board alone: the side to move, castling rights and en passant square are missing"
    )]
    Board(String),
    /// Neither four fields (EPD) nor six.
    #[error("FEN {fen:?} has {found} {}, not 4 or 6", if *found == 1 { "field" } else { "fields" })]
    Fields {
        /// The text that was given.
        fen: String,
        /// How many fields it has.
        found: usize,
    },
    /// A field cannot be read.
    #[error("FEN {fen:?}: {reason}")]
    Syntax {
        /// The text that was given.
        fen: String,
        /// What is wrong with it.
        reason: ParseFenError,
    },
    /// It can be read, but no game has this position.
    #[error("FEN {fen:?} is not a legal position: {reason}")]
    Illegal {
        /// The text that was given.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads a FEN of six fields, or its first four, as EPD has them.
///
/// EPD operations behind the fields are cut. Castling rights without king and rook at home and en
/// passant squares where no pawn can take are dropped: they are no part of a position.
///
/// # Errors
///
/// [`FenError`] where a field cannot be read, or the position is not legal.
pub fn parse_fen(text: &str) -> Result<Chess, FenError> {
    let fields = fields_of(text);
    if let [board] = fields.as_slice()
        && board.contains('/')
    {
        return Err(FenError::Board(text.to_owned()));
    }
    if fields.len() != 4 && fields.len() != 6 {
        return Err(FenError::Fields { fen: text.to_owned(), found: fields.len() });
    }
    let normalised = fields.join(" ");
    let fen = Fen::from_ascii(normalised.as_bytes())
        .map_err(|reason| FenError::Syntax { fen: text.to_owned(), reason })?;
    let position = lenient(Chess::from_setup(fen.into_setup(), CastlingMode::Standard));
    position.map_err(|error| FenError::Illegal {
        fen: text.to_owned(),
        reason: illegal_because(error.kinds()),
    })
}

/// The fields without what EPD has behind them: operations (`bm Nf3;`), which begin with a letter,
/// or a comment. In old test suites the fourth field is found glued to the fifth (`-0 1`).
fn fields_of(text: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    if let Some(clock) = fields.get(3).and_then(|field| field.strip_prefix('-'))
        && !clock.is_empty()
        && clock.bytes().all(|byte| byte.is_ascii_digit())
    {
        fields.splice(3..4, ["-", clock]);
    }
    let is_operation =
        |field: &&str| field.starts_with(|c: char| c.is_ascii_alphabetic() || c == ';');
    if let Some(first) = fields.iter().skip(4).position(is_operation) {
        fields.truncate(4 + first);
    }
    if let Some(last) = fields.last_mut() {
        *last = last.trim_end_matches(';');
    }
    fields
}

/// Drops rights that cannot be used, and takes a check that cannot have come about: such positions
/// are composed, and can be played from.
#[expect(clippy::result_large_err, reason = "shakmaty's error holds the position")]
fn lenient(result: Result<Chess, PositionError<Chess>>) -> Result<Chess, PositionError<Chess>> {
    result
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
}

/// In a player's words, why a position is illegal.
fn illegal_because(kinds: PositionErrorKinds) -> String {
    let words = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has several kings"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side to move can take the king"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "a side has more men than a game allows"),
    ];
    let reasons: Vec<&str> =
        words.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, words)| *words).collect();
    reasons.join(", ")
}

/// The position's four EPD fields: the en passant square only where a capture is legal.
pub fn epd_of(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

/// The position's six-field FEN with its own clocks.
pub fn fen_of(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The legal moves in UCI notation, castling as e1g1, in an order that depends on the position
/// alone.
pub fn legal_uci(position: &Chess) -> Vec<UciMove> {
    position.legal_moves().iter().map(|m| m.to_uci(CastlingMode::Standard)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_endings_are_those_of_the_algorithm_page() {
        for (epd, ending) in [
            ("8/8/4k3/8/8/3K4/8/8 w - -", true),
            ("8/8/4k3/8/8/3KN3/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3K4/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3K1B2/8/8 w - -", true),
            ("8/8/4k1b1/8/8/3KB3/8/8 w - -", false),
            ("8/8/4k1n1/8/8/3KN3/8/8 w - -", false),
            ("8/8/4k3/8/8/3KNN2/8/8 w - -", false),
            ("8/8/4k1n1/8/8/3KB3/8/8 w - -", false),
            ("8/8/4k3/8/8/3KP3/8/8 w - -", false),
        ] {
            let position = parse_fen(epd).unwrap();
            let found = Ending::of(&position) == Some(Ending::InsufficientMaterial);
            assert_eq!(found, ending, "{epd}");
        }
    }

    #[test]
    fn mate_and_stalemate_come_before_material() {
        let stalemate = parse_fen("7k/5K2/6B1/8/8/8/8/8 b - -").unwrap();
        assert_eq!(Ending::of(&stalemate), Some(Ending::Stalemate));
        let mate = parse_fen("R5k1/5ppp/8/8/8/8/8/6K1 b - -").unwrap();
        assert_eq!(Ending::of(&mate), Some(Ending::Checkmate));
    }

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

    #[test]
    fn rights_that_cannot_be_used_are_no_part_of_a_position() {
        let position =
            parse_fen("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq a6 3 9").unwrap();
        assert_eq!(epd_of(&position), "nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk -");
        assert_eq!(fen_of(&position), "nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 3 9");
    }

    #[test]
    fn epd_operations_are_no_part_of_a_position() {
        for fen in [
            "4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"castle\";",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1; castle",
            "4k3/8/8/8/8/8/8/4K2R w K -0 1 bm e1g1;",
            "  4k3/8/8/8/8/8/8/4K2R  w   K -  ",
        ] {
            let position = parse_fen(fen).unwrap();
            assert_eq!(epd_of(&position), "4k3/8/8/8/8/8/8/4K2R w K -", "{fen}");
        }
    }

    #[test]
    fn a_refused_fen_is_named_with_its_reason() {
        for (fen, reason) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "a board alone: the side to move"),
            ("", "0 fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0", "5 fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "7 fields"),
            ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "can take the king"),
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", "king is missing"),
            ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "pawn stands on"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "turn"),
            ("rnbqkbnr/ppppNNpp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "more men"),
        ] {
            let error = parse_fen(fen).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(fen), "{fen}: {error}");
        }
    }
}
