//! Fast reader of EPDs that [`epd_of`](super::epd_of) has written.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Chess, Color, FromSetup, Setup, Square};

use super::chess960::CASTLING;
use super::fen::{FenError, parse_fen};

/// Reads a position from its four EPD fields. Text that `epd_of` would have written differently is
/// read as any FEN.
///
/// # Errors
///
/// [`FenError`] if a field cannot be read, or the position is not legal.
pub fn parse_epd(text: &str) -> Result<Chess, FenError> {
    let strict = setup_of(text).and_then(|setup| Chess::from_setup(setup, CASTLING).ok());
    strict.map_or_else(|| parse_fen(text), Ok)
}

fn setup_of(text: &str) -> Option<Setup> {
    let (board, rest) = board_of(text.as_bytes())?;
    let (turn, rest) = match rest {
        [b'w', b' ', rest @ ..] => (Color::White, rest),
        [b'b', b' ', rest @ ..] => (Color::Black, rest),
        _ => return None,
    };
    let end = rest.iter().position(|byte| *byte == b' ')?;
    let (castling, ep_square) = (rest.get(..end)?, rest.get(end + 1..)?);
    let castling_rights = castling_of(castling, &board)?;
    let ep_square = match ep_square {
        b"-" => None,
        square => Some(Square::from_ascii(square).ok()?),
    };
    Some(Setup { board, turn, castling_rights, ep_square, ..Setup::empty() })
}

/// Meaning of a byte of a board, by table look-up: branches that tell digits from letters would
/// mostly be mispredicted.
#[derive(Clone, Copy)]
struct Letter {
    /// The number of a man, White's even; 12 for any other byte.
    man: u8,
    /// Number of squares it stands for; more than a board has if no board has it.
    squares: u8,
}

#[expect(clippy::indexing_slicing, reason = "it is made when the program is")]
const LETTERS: [Letter; 256] = {
    let mut letters = [Letter { man: 12, squares: 65 }; 256];
    let mut men: &[u8] = b"PpNnBbRrQqKk";
    let mut man = 0;
    while let [letter, rest @ ..] = men {
        letters[*letter as usize] = Letter { man, squares: 1 };
        (men, man) = (rest, man + 1);
    }
    let mut empty = 1;
    while empty <= 8 {
        letters[(b'0' + empty) as usize].squares = empty;
        empty += 1;
    }
    letters
};

/// The board that a text begins with, and the text behind the space after it.
fn board_of(text: &[u8]) -> Option<(Board, &[u8])> {
    // One for each number of a man, and for other bytes.
    let mut men = [0_u64; 16];
    // Squares in the order of the text: from a8 to h8, then from a7 on.
    let (mut square, mut ranks) = (0_u32, 0);
    let mut bytes = text.iter();
    for byte in bytes.by_ref() {
        if *byte == b'/' || *byte == b' ' {
            ranks += 1;
            if square != 8 * ranks {
                return None;
            }
            if *byte == b' ' {
                break;
            }
            continue;
        }
        let Letter { man, squares } = *LETTERS.get(usize::from(*byte))?;
        *men.get_mut(usize::from(man))? |= 1_u64.rotate_left(square);
        square += u32::from(squares);
        if square > 64 {
            return None;
        }
    }
    (ranks == 8).then_some(())?;
    Some((board_with(men.map(|squares| Bitboard(squares.swap_bytes())))?, bytes.as_slice()))
}

/// The board with men on these squares, by their numbers.
fn board_with(men: [Bitboard; 16]) -> Option<Board> {
    let [pawn, black_pawn, knight, black_knight, bishop, black_bishop, ..] = men;
    let [.., rook, black_rook, queen, black_queen, king, black_king, _, _, _, _] = men;
    let white = pawn | knight | bishop | rook | queen | king;
    let black = black_pawn | black_knight | black_bishop | black_rook | black_queen | black_king;
    let by_role = ByRole {
        pawn: pawn | black_pawn,
        knight: knight | black_knight,
        bishop: bishop | black_bishop,
        rook: rook | black_rook,
        queen: queen | black_queen,
        king: king | black_king,
    };
    Board::try_from_bitboards(by_role, ByColor { black, white }).ok()
}

/// The squares of the rooks that can castle, king and rooks being at home.
fn castling_of(field: &[u8], board: &Board) -> Option<Bitboard> {
    let mut rights = Bitboard::EMPTY;
    if field == b"-" {
        return Some(rights);
    }
    for letter in field {
        let (king, rook, color) = match letter {
            b'K' => (Square::E1, Square::H1, Color::White),
            b'Q' => (Square::E1, Square::A1, Color::White),
            b'k' => (Square::E8, Square::H8, Color::Black),
            b'q' => (Square::E8, Square::A8, Color::Black),
            _ => return None,
        };
        let at_home = board.piece_at(king) == Some(color.king());
        if !at_home || board.piece_at(rook) != Some(color.rook()) {
            return None;
        }
        rights.add(rook);
    }
    Some(rights)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Position;

    use super::*;
    use crate::chess::{epd_of, legal_uci};

    /// The EPDs of a game with these choices among the legal moves.
    fn game(choices: &[u8]) -> Vec<String> {
        let mut position = Chess::default();
        let mut epds = Vec::new();
        for choice in choices {
            epds.push(epd_of(&position));
            let moves = legal_uci(&position);
            let Some(uci) = moves.get(usize::from(*choice) % moves.len().max(1)) else { break };
            let m = uci.to_move(&position).unwrap();
            position.play_unchecked(m);
        }
        epds
    }

    /// Both readers give the same position, or the same fault.
    fn assert_read_alike(text: &str) {
        let told = |read: Result<Chess, FenError>| read.map(|position| epd_of(&position));
        assert_eq!(told(parse_epd(text)), told(parse_fen(text)), "{text}");
    }

    proptest! {
        #[test]
        fn positions_of_games_are_read_as_every_fen_is(
            choices in proptest::collection::vec(any::<u8>(), 0..120)
        ) {
            for epd in game(&choices) {
                prop_assert!(setup_of(&epd).is_some(), "{epd}");
                prop_assert_eq!(epd_of(&parse_epd(&epd).unwrap()), epd);
            }
        }

        #[test]
        fn damaged_ones_too(
            choices in proptest::collection::vec(any::<u8>(), 1..60),
            at in any::<prop::sample::Index>(),
            byte in prop::sample::select(b"/1289KQkqpPRw-b e3x".to_vec()),
        ) {
            let epds = game(&choices);
            let mut bytes = epds.last().unwrap().clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            assert_read_alike(&String::from_utf8(bytes).unwrap());
        }
    }

    #[test]
    fn text_not_from_epd_of_is_read_as_any_fen() {
        for text in [
            "4k3/8/8/8/8/8/8/4K2R w KQ -",
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "4k3/8/8/8/8/8/8/R3K2R w QK -",
            "4k3/8/8/8/8/8/8/4K2R w KK -",
            "4k3/8/8/8/4P3/8/8/4K3 b - e3",
            "4k3/8/8/8/8/8/8/4K3 w - e3",
            "4k3/8/8/8/8/8/8/4K3  w - -",
            "4k3/8/8/8/8/8/4K3 w - -",
            "4k3/8/8/8/8/8/8/4K3/8 w - -",
            "4k21/8/8/8/8/8/8/4K3 w - -",
            "4k3/4Q3/8/8/8/8/8/4K3 w - -",
            "",
            "9/8/8/8/8/8/8/8 w - -",
            "é/8/8/8/8/8/8/8 w - -",
        ] {
            assert_read_alike(text);
        }
    }
}
