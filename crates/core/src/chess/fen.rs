//! Positions as text: reading and writing FEN and EPD.

use shakmaty::fen::{Epd, Fen, ParseFenError};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, FromSetup, Position, PositionError, PositionErrorKinds};

use super::chess960::{CASTLING, rights_by_file, uci_of};
use super::epd::operand;
use super::line::parse_uci;

/// FEN error. The message names the FEN.
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
        /// The number of fields.
        found: usize,
    },
    /// Text behind the fields that is no EPD operation.
    #[error("FEN {fen:?} has {more:?} behind its fields")]
    More {
        /// The text that was given.
        fen: String,
        /// The text behind the fields.
        more: String,
    },
    /// A field cannot be read.
    #[error("FEN {fen:?}: {reason}")]
    Syntax {
        /// The text that was given.
        fen: String,
        /// The fault.
        reason: String,
    },
    /// No number of a starting position.
    #[error("{0:?} is no starting position of Chess960: they have the numbers from 0 to 959")]
    Chess960(String),
    /// Readable, but no game has this position.
    #[error("FEN {fen:?} is not a legal position: {reason}")]
    Illegal {
        /// The text that was given.
        fen: String,
        /// The fault.
        reason: String,
    },
}

/// The most digits that a clock has.
const LONGEST_CLOCK: usize = 5;

/// Reads a FEN of six fields, or its first four, as EPD has them.
///
/// EPD operations behind the fields are cut, but for the clocks (`hmvc`, `fmvn`); each ends with a semicolon.
/// Castling rights are the sides on which the king castles (`KQkq`, with the outermost rook: X-FEN) or the files of the
/// rooks (`HAha`: Shredder-FEN). Those without king and
/// rook on the first rank and en passant squares where no pawn can take are dropped: they are no part of
/// a position.
///
/// # Errors
///
/// [`FenError`] if a field cannot be read, or the position is not legal.
pub fn parse_fen(text: &str) -> Result<Chess, FenError> {
    let fields = fields_of(text)?;
    if let [board] = fields.as_slice()
        && board.contains('/')
    {
        return Err(FenError::Board(text.to_owned()));
    }
    if fields.len() != 4 && fields.len() != 6 {
        return Err(FenError::Fields { fen: text.to_owned(), found: fields.len() });
    }
    let mut normalised = fields.join(" ");
    if fields.len() == 4 {
        for (opcode, unknown) in [("hmvc", "0"), ("fmvn", "1")] {
            normalised.push(' ');
            normalised.push_str(operand(text, opcode).unwrap_or(unknown));
        }
    }
    let fen = Fen::from_ascii(normalised.as_bytes()).map_err(|error| FenError::Syntax {
        fen: text.to_owned(),
        reason: match (&error, fields.first()) {
            (ParseFenError::InvalidBoard, Some(board)) => fault_of(board),
            _ => error.to_string(),
        },
    })?;
    let setup = fen.into_setup();
    let syntax =
        |reason: &str| FenError::Syntax { fen: text.to_owned(), reason: reason.to_owned() };
    if setup.pockets.is_some() || setup.remaining_checks.is_some() || setup.promoted.any() {
        return Err(syntax("it is a position of another variant: only chess is supported"));
    }
    let clocks = normalised.split(' ').skip(4);
    if clocks.clone().any(|clock| clock.len() > LONGEST_CLOCK) {
        return Err(syntax("no game is so long"));
    }
    let position = lenient(Chess::from_setup(setup, CASTLING));
    position.map_err(|error| FenError::Illegal {
        fen: text.to_owned(),
        reason: illegal_because(error.kinds()),
    })
}

/// The fields without the EPD behind them: operations (`bm Nf3;`), which begin with a letter, or a
/// comment. In old test suites the fourth field is found glued to the fifth (`-0 1`).
fn fields_of(text: &str) -> Result<Vec<&str>, FenError> {
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
        let operations = fields.split_off(4 + first);
        // Files have EPD without the last semicolon; it must look like EPD.
        let opcode = operations.first().copied().unwrap_or_default();
        let is_epd = text.contains(';') || is_opcode(opcode);
        // Behind one clock alone, fields are missing.
        if first != 1 && (!is_epd || leads_elsewhere(&operations)) {
            return Err(FenError::More { fen: text.to_owned(), more: operations.join(" ") });
        }
    }
    if let Some(last) = fields.last_mut() {
        *last = last.trim_end_matches(';');
    }
    Ok(fields)
}

/// True if operations have moves, which lead to another position, or a second position.
fn leads_elsewhere(operations: &[&str]) -> bool {
    let text = operations.join(" ");
    // Quoted text has no moves.
    let outside: String = text.split('"').step_by(2).collect();
    let is_board = |word: &str| word.matches('/').count() > 6;
    let is_move = |operation: &str| {
        let opcode = operation.split_whitespace().next().unwrap_or_default();
        opcode.to_ascii_lowercase().starts_with("moves") || parse_uci(opcode).is_some()
    };
    outside.split_whitespace().any(is_board) || outside.split(';').any(is_move)
}

/// True if a word is an EPD operation found in test suites.
fn is_opcode(word: &str) -> bool {
    const OPCODES: [&str; 14] = [
        "acd", "acn", "acs", "am", "bm", "ce", "dm", "eco", "fmvn", "hmvc", "id", "noop", "pm",
        "pv",
    ];
    let numbered = word.strip_prefix(['c', 'D', 'v']).unwrap_or_default();
    OPCODES.contains(&word) || (numbered.len() == 1 && numbered.bytes().all(|b| b.is_ascii_digit()))
}

/// Drops rights that cannot be used, and takes a check that cannot have come about: such positions
/// are composed, and can be played from.
#[expect(clippy::result_large_err, reason = "shakmaty's error holds the position")]
pub(super) fn lenient(
    result: Result<Chess, PositionError<Chess>>,
) -> Result<Chess, PositionError<Chess>> {
    result
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
}

/// The reason why a position is illegal, in a player's words.
fn illegal_because(kinds: PositionErrorKinds) -> String {
    let words = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has several kings"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side to move can take the king"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "a side has more pieces than a game allows"),
    ];
    let reasons: Vec<&str> =
        words.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, words)| *words).collect();
    reasons.join(", ")
}

/// The position's four EPD fields: the en passant square only if a capture is legal. Castling
/// rights are `KQkq`; in a position of [Chess960](super::is_chess960), the files of the rooks
/// (`HAha`).
pub fn epd_of(position: &Chess) -> String {
    with_rights(position, Epd::from_position(position, EnPassantMode::Legal).to_string())
}

/// The position's six-field FEN with its own clocks, castling rights as [`epd_of`] has them.
pub fn fen_of(position: &Chess) -> String {
    with_rights(position, Fen::from_position(position, EnPassantMode::Legal).to_string())
}

/// The fields of a position with the rights as this program writes them.
fn with_rights(position: &Chess, text: String) -> String {
    let Some(rights) = rights_by_file(position) else { return text };
    let mut fields: Vec<&str> = text.split(' ').collect();
    if let Some(field) = fields.get_mut(2) {
        *field = &rights;
    }
    fields.join(" ")
}

/// The legal moves in UCI notation, castling as [`uci_of`] has it, in an order that depends on the position
/// alone.
pub fn legal_uci(position: &Chess) -> Vec<UciMove> {
    position.legal_moves().iter().map(|m| uci_of(position, *m)).collect()
}

/// Moves behind a position, as far as the rules of chess allow them, in this program's spelling.
pub fn playable(position: &Chess, moves: impl IntoIterator<Item = UciMove>) -> Vec<UciMove> {
    let mut position = position.clone();
    let play = |uci: UciMove| {
        let legal = uci.to_move(&position).ok()?;
        let uci = uci_of(&position, legal);
        position.play_unchecked(legal);
        Some(uci)
    };
    moves.into_iter().map_while(play).collect()
}

/// The fault in the board of a FEN: the rank and the character, or the number of squares.
fn fault_of(board: &str) -> String {
    let ranks: Vec<&str> = board.split('/').collect();
    let fault =
        (1..=8_usize).rev().zip(&ranks).find_map(|(number, rank)| fault_of_rank(number, rank));
    match (fault, ranks.len()) {
        (Some(fault), _) => fault,
        (None, count) => format!("the board has {count} ranks, not 8"),
    }
}

fn fault_of_rank(number: usize, rank: &str) -> Option<String> {
    let is_square = |c: &char| "pnbrqkPNBRQK12345678~".contains(*c);
    if let Some(other) = rank.chars().find(|c| !is_square(c)) {
        return Some(format!("rank {number} ({rank}) has the character {other:?}"));
    }
    let width = |c: char| c.to_digit(10).unwrap_or(u32::from(c != '~'));
    let squares: u32 = rank.chars().map(width).sum();
    (squares != 8).then(|| format!("rank {number} ({rank}) has {squares} squares, not 8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_played_as_far_as_it_is_legal() {
        let moves = |text: &str| -> Vec<UciMove> {
            text.split(' ').filter_map(|uci| uci.parse().ok()).collect()
        };
        let played = |text: &str| playable(&Chess::default(), moves(text));
        assert_eq!(played("e2e4 e7e5 e4e5 g1f3"), moves("e2e4 e7e5"));
        assert_eq!(played("e2e4 e7e5 g1f3"), moves("e2e4 e7e5 g1f3"));
        assert_eq!(played("e2e5 e7e5"), []);
    }

    #[test]
    fn unusable_rights_are_no_part_of_a_position() {
        let position =
            parse_fen("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq a6 3 9").unwrap();
        assert_eq!(epd_of(&position), "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk -");
        assert_eq!(fen_of(&position), "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 3 9");
        // The kings have left the first rank.
        let position = parse_fen("r6r/4k3/8/8/8/8/4K3/R6R w KQkq - 0 1").unwrap();
        assert_eq!(epd_of(&position), "r6r/4k3/8/8/8/8/4K3/R6R w - -");
    }

    #[test]
    fn rights_that_only_chess960_has_are_written_by_file() {
        for (fen, rights) in [
            ("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "HAhb"),
            ("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1", "GEge"),
            ("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w eGEg - 0 1", "GEge"),
            ("4k3/8/8/8/8/8/8/R2K3R w K - 0 1", "H"),
            // An inner rook, and the outermost one.
            ("4k3/8/8/8/8/8/8/1R2K1RR w G - 0 1", "G"),
            ("4k3/8/8/8/8/8/8/1R2K1RR w K - 0 1", "K"),
            ("rr2k1r1/8/8/8/8/8/8/4K3 w kb - 0 1", "gb"),
            // One rook at home is not enough for White to be written as in chess.
            ("r3k2r/8/8/8/8/8/8/RR2K2R w KBkq - 0 1", "HBha"),
            // A second rook on one side does not fit, and is dropped.
            ("4k3/8/8/8/8/8/8/4K1RR w GH - 0 1", "K"),
        ] {
            let position = parse_fen(fen).unwrap_or_else(|error| panic!("{error}"));
            let written = epd_of(&position);
            assert_eq!(written.split(' ').nth(2), Some(rights), "{fen}");
            assert_eq!(epd_of(&parse_fen(&written).unwrap()), written);
            assert_eq!(fen_of(&position), format!("{written} 0 1"));
        }
        let without = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w - - 0 1";
        assert_eq!(fen_of(&parse_fen(without).unwrap()), without);
        let shredder = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1").unwrap();
        assert_eq!(epd_of(&shredder), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -");
    }

    #[test]
    fn epd_operations_are_no_part_of_a_position() {
        for fen in [
            "4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"castle\";",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1; castle",
            "4k3/8/8/8/8/8/8/4K2R w K -0 1 bm e1g1;",
            "  4k3/8/8/8/8/8/8/4K2R  w   K -  ",
            "4k3/8/8/8/8/8/8/4K2R w K - id castle",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1 bm e1g1",
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
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 hello", "\"hello\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e2", "\"moves e1e2\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - moves e1e2", "\"moves e1e2\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - Moves: e1e2;", "\"Moves: e1e2;\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 e1e2 e8e7;", "\"e1e2 e8e7;\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - id \"a\"; moves e1e2", "behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - bm Ke2; 4k3/8/8/8/8/8/8/4K3 b - - bm Kd7;", "behind its"),
            ("4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1", "another variant"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 4294967297", "no game is so long"),
            ("4k3/8/8/8/8/8/8/4K3 w - - hmvc 999999999;", "no game is so long"),
            ("4k3/8/8/8/8/8/8/4K3 w - - hello", "\"hello\" behind its fields"),
            ("4k3/8/8/8/8/8/8/4K3 w - - hmvc -3;", "halfmove clock"),
            ("4k3/8/8/8/7/8/8/4K3 w - - 0 1", "rank 4 (7) has 7 squares"),
            ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "can take the king"),
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", "king is missing"),
            ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "pawn stands on"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "turn"),
            ("rnbqkbnr/ppppNNpp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "more pieces"),
        ] {
            let error = parse_fen(fen).unwrap_err().to_string();
            assert!(
                error.contains(reason) && error.contains(&format!("{fen:?}")),
                "{fen}: {error}"
            );
        }
    }

    #[test]
    fn the_rank_is_named() {
        for (board, fault) in [
            (
                "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
                "rank 7 (ppppppppp) has 9 squares, not 8",
            ),
            ("rnbqkbnr/pppppppp/8/8/4P2/8/PPPPPPPP/RNBQKBNR", "rank 4 (4P2) has 7 squares, not 8"),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKSNR",
                "rank 1 (RNBQKSNR) has the character 'S'",
            ),
            ("rnbqkbnr/pppppppp/44/8/8/8/PPPP9/RNBQKBNR", "rank 2 (PPPP9) has the character '9'"),
            ("8/8/8/8/8/8/8", "the board has 7 ranks, not 8"),
            ("8/8/8/8/8/8/8/8/8", "the board has 9 ranks, not 8"),
            ("8/8/8/8//8/8/8", "rank 4 () has 0 squares, not 8"),
        ] {
            assert_eq!(fault_of(board), fault, "{board}");
        }
    }
}
