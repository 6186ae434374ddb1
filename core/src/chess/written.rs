//! Reading what [`epd_of`](super::epd_of) has written, in a part of the time of a FEN from anywhere.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, Setup, Square,
};

use super::fen::{FenError, parse_fen};

/// Reads a position from its four EPD fields. What `epd_of` would have written differently takes
/// the way of every FEN.
///
/// # Errors
///
/// [`FenError`] where a field cannot be read, or the position is not legal.
pub fn parse_epd(text: &str) -> Result<Chess, FenError> {
    let strict =
        setup_of(text).and_then(|setup| Chess::from_setup(setup, CastlingMode::Standard).ok());
    strict.map_or_else(|| parse_fen(text), Ok)
}

fn setup_of(text: &str) -> Option<Setup> {
    let mut fields = text.split(' ');
    let board = board_of(fields.next()?)?;
    let turn = match fields.next()? {
        "w" => Color::White,
        "b" => Color::Black,
        _ => return None,
    };
    let castling_rights = castling_of(fields.next()?, &board)?;
    let ep_square = match fields.next()? {
        "-" => None,
        square => Some(square.parse().ok()?),
    };
    let setup = Setup { board, turn, castling_rights, ep_square, ..Setup::empty() };
    fields.next().is_none().then_some(setup)
}

fn board_of(field: &str) -> Option<Board> {
    let mut men = [Bitboard::EMPTY; 12];
    let (mut rank, mut file) = (7, 0);
    for byte in field.bytes() {
        match byte {
            b'/' if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
            b'1'..=b'8' => file += u32::from(byte - b'0'),
            _ => {
                let square = Square::try_from(rank * 8 + file).ok().filter(|_| file < 8)?;
                men.get_mut(man_of(byte)?)?.add(square);
                file += 1;
            }
        }
        if file > 8 {
            return None;
        }
    }
    let whole = rank == 0 && file == 8;
    let [pawn, black_pawn, knight, black_knight, bishop, black_bishop, ..] = men;
    let [.., rook, black_rook, queen, black_queen, king, black_king] = men;
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
    Board::try_from_bitboards(by_role, ByColor { black, white }).ok().filter(|_| whole)
}

/// The number of a man by its letter: White's have even ones.
fn man_of(letter: u8) -> Option<usize> {
    Some(match letter {
        b'P' => 0,
        b'p' => 1,
        b'N' => 2,
        b'n' => 3,
        b'B' => 4,
        b'b' => 5,
        b'R' => 6,
        b'r' => 7,
        b'Q' => 8,
        b'q' => 9,
        b'K' => 10,
        b'k' => 11,
        _ => return None,
    })
}

/// The squares of the rooks that can castle, king and rooks being at home.
fn castling_of(field: &str, board: &Board) -> Option<Bitboard> {
    let mut rights = Bitboard::EMPTY;
    if field == "-" {
        return Some(rights);
    }
    for letter in field.bytes() {
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

    /// What is read of a text is what every FEN is read as, or the same fault.
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
    fn what_epd_of_would_not_have_written_is_read_as_every_fen_is() {
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
