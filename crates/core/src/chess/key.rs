//! Position keys.

use std::fmt;

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Chess, Color, EnPassantMode, FromSetup, Position, Setup,
    Square,
};

use super::chess960::CASTLING;
use super::fen::{epd_of, lenient};

/// The identity of a position: board, side to move, castling rights and legal en passant square,
/// without the clocks. Exact (no hash), 24 bytes.
///
/// The bytes are those of [`shakmaty::packed::PackedSetup`], which spells them one man after the
/// other: the occupied squares, and four bits for the man on each of them. Here, a bitboard for
/// each of the four bits is made first, which takes a third of the time.
///
/// ```
/// use deepanalyze_core::chess::{PositionKey, parse_fen};
///
/// let a = parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
/// let b = parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 9")?;
/// assert_eq!(PositionKey::of(&a), PositionKey::of(&b)); // no pawn can take on e3
/// # Ok::<(), deepanalyze_core::chess::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PositionKey([u8; PositionKey::BYTES]);

/// The most men that a key has room for.
const MEN: u32 = 32;

impl PositionKey {
    /// The size of a key.
    pub const BYTES: usize = 24;

    /// The key of a position.
    ///
    /// # Panics
    ///
    /// If the position has more than 32 men. [`parse_fen`](super::parse_fen) lets no such position
    /// in, and no move leads to one.
    pub fn of(position: &Chess) -> PositionKey {
        let occupied = u64::from(position.board().occupied());
        if occupied.count_ones() > MEN {
            unreachable!("no key for {}", epd_of(position));
        }
        let bits = bits_of(position);
        let mut squares = occupied;
        // In two halves: a shift of 128 bits is several steps.
        let (low, high) = (sixteen(&mut squares, bits), sixteen(&mut squares, bits));
        let men = u128::from(high) << 64 | u128::from(low);
        let mut key = [0; PositionKey::BYTES];
        let (head, tail) = key.split_at_mut(8);
        head.copy_from_slice(&occupied.to_be_bytes());
        tail.copy_from_slice(&men.to_le_bytes());
        PositionKey(key)
    }

    /// The position, with its clocks at the start.
    ///
    /// # Panics
    ///
    /// Never: [`PositionKey::of`] alone makes keys.
    pub fn position(&self) -> Chess {
        let position =
            self.setup().and_then(|setup| lenient(Chess::from_setup(setup, CASTLING)).ok());
        let Some(position) = position else {
            unreachable!("{:02x?} is the key of no position", self.0)
        };
        position
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        // The number of the black king if Black is to move.
        const MOVING: u128 = 15;
        let (_, men) = self.0.split_at(8);
        let men = men.try_into().map_or(0, u128::from_le_bytes);
        let is_black = (0..MEN).any(|man| men >> (4 * man) & MOVING == MOVING);
        Color::from_white(!is_black)
    }

    fn setup(&self) -> Option<Setup> {
        let (head, tail) = self.0.split_first_chunk::<8>()?;
        let occupied = u64::from_be_bytes(*head);
        let men = u128::from_le_bytes(tail.try_into().ok()?);
        if occupied.count_ones() > MEN {
            return None;
        }
        let (mut one, mut two, mut four, mut eight) = (0, 0, 0, 0);
        let (mut men, mut squares) = (men, occupied);
        while squares != 0 {
            let (man, square) = (men as u64, squares.trailing_zeros());
            one |= (man & 1) << square;
            two |= (man >> 1 & 1) << square;
            four |= (man >> 2 & 1) << square;
            eight |= (man >> 3 & 1) << square;
            men >>= 4;
            squares &= squares - 1;
        }
        let bits = [Bitboard(one), Bitboard(two), Bitboard(four), Bitboard(eight)];
        setup_of(Bitboard(occupied), bits)
    }
}

impl fmt::Debug for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PositionKey({})", epd_of(&self.position()))
    }
}

/// The men by the four bits of their numbers: twice the role, from the pawn's 0 to the king's 10,
/// one more for black; 12 is a pawn that can be taken en passant, 13 and 14 are rooks that can
/// castle, 15 is the king of black if it is to move.
fn bits_of(position: &Chess) -> [u64; 4] {
    let board = position.board();
    let (white, black) = (board.white(), board.black());
    let castling = position.castles().castling_rights() & board.rooks();
    let taken = position.ep_square(EnPassantMode::Legal).map(|square| square.xor(Square::A2));
    let taken = taken.map_or(Bitboard::EMPTY, Bitboard::from);
    let moving = position.turn().fold_wb(Bitboard::EMPTY, board.kings() & black);
    let one = (black & !castling & !taken) | (castling & white);
    let two = (board.knights() | board.rooks() | board.kings()) & !(castling & white);
    let four = board.bishops() | board.rooks() | taken | moving;
    let eight = board.queens() | board.kings() | castling | taken;
    [one.into(), two.into(), four.into(), eight.into()]
}

/// Takes the men off the next sixteen squares.
fn sixteen(squares: &mut u64, [one, two, four, eight]: [u64; 4]) -> u64 {
    let (mut men, mut shift) = (0, 0);
    while *squares != 0 && shift < u64::BITS {
        let square = squares.trailing_zeros();
        let man = (one >> square & 1)
            | (two >> square & 1) << 1
            | (four >> square & 1) << 2
            | (eight >> square & 1) << 3;
        men |= man << shift;
        shift += 4;
        *squares &= *squares - 1;
    }
    men
}

/// Inverse of [`bits_of`].
fn setup_of(occupied: Bitboard, [one, two, four, eight]: [Bitboard; 4]) -> Option<Setup> {
    let special = four & eight;
    let taken = special & !two & !one;
    let (white_castling, black_castling) = (special & !two & one, special & two & !one);
    let moving = special & two & one;
    let by_role = ByRole {
        pawn: (occupied & !eight & !four & !two) | taken,
        knight: !eight & !four & two,
        bishop: !eight & four & !two,
        rook: (!eight & four & two) | white_castling | black_castling,
        queen: eight & !four & !two,
        king: (eight & !four & two) | moving,
    };
    let black = (one & !special) | black_castling | moving | (taken & !Bitboard::SOUTH);
    let by_color = ByColor { white: occupied & !black, black };
    let turn = if moving.any() { Color::Black } else { Color::White };
    Some(Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn,
        castling_rights: white_castling | black_castling,
        ep_square: taken.first().map(|square| square.xor(Square::A2)),
        ..Setup::empty()
    })
}

#[cfg(test)]
mod tests {
    use shakmaty::PositionError;
    use shakmaty::fen::Fen;
    use shakmaty::packed::PackedSetup;

    use super::*;
    use crate::chess::{legal_uci, parse_fen};

    /// Positions of games in which every move is as likely as any other, and of the suites.
    fn positions() -> Vec<Chess> {
        let suites = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/suites");
        let files = std::fs::read_dir(suites).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "epd"));
        let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut all: Vec<Chess> =
            lines.filter_map(|line| parse_fen(line.split(';').next().unwrap()).ok()).collect();
        assert!(all.len() > 2000, "{}", all.len());
        let mut random = 1_u64;
        for _ in 0..50 {
            let mut position = Chess::default();
            for _ in 0..150 {
                all.push(position.clone());
                let moves = legal_uci(&position);
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let Some(uci) = moves.get((random >> 33) as usize % moves.len().max(1)) else {
                    break;
                };
                position.play_unchecked(uci.to_move(&position).unwrap());
            }
        }
        all
    }

    #[test]
    fn keys_have_shakmatys_bytes_and_give_positions_back() {
        for position in positions() {
            let setup = position.to_setup(EnPassantMode::Legal);
            let packed = PackedSetup::pack_standard_normalized(&setup).unwrap();
            let mut bytes = [0; PositionKey::BYTES];
            bytes[..packed.as_bytes().len()].copy_from_slice(packed.as_bytes());
            let key = PositionKey::of(&position);
            assert_eq!(key.0, bytes, "{}", epd_of(&position));
            assert_eq!(epd_of(&key.position()), epd_of(&position));
            assert_eq!(key.turn(), position.turn());
        }
    }

    #[test]
    fn a_key_gives_its_position_back() {
        for epd in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq -",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
            "rnbqkbnr/ppp1pppp/8/8/2PpP3/8/PP1P1PPP/RNBQKBNR b KQkq c3",
        ] {
            let position = parse_fen(epd).unwrap();
            assert_eq!(epd_of(&PositionKey::of(&position).position()), epd);
        }
    }

    #[test]
    #[should_panic(expected = "is the key of no position")]
    fn key_of_no_position_is_not_the_starting_position() {
        let _ = PositionKey([0xff; PositionKey::BYTES]).position();
    }

    #[test]
    #[should_panic(expected = "no key for k7/")]
    fn a_position_that_no_key_can_hold_gets_none() {
        let crowded = "k7/pppppppp/pppppppp/pppppppp/8/PPPPPPPP/PPPPPPPP/K7 w - - 0 1";
        let setup = crowded.parse::<Fen>().unwrap().into_setup();
        let position =
            Chess::from_setup(setup, CASTLING).or_else(PositionError::ignore_too_much_material);
        let _ = PositionKey::of(&position.unwrap());
    }
}
