//! Chess960: castling with kings and rooks that do not begin at home, and the
//! numbers of its starting positions.
//!
//! Positions carry no variant. One is Chess960 while a side has castling rights that standard chess
//! lacks; every other is chess, whatever game it comes from.

use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Move, Piece, Position, Rank, Role,
    Setup, Square,
};

/// Mode for reading castling rights: those of chess are valid in Chess960 and mean the same.
pub(super) const CASTLING: CastlingMode = CastlingMode::Chess960;

/// The number of the starting position of chess among those of Chess960.
const STANDARD_START: u16 = 518;

/// True if a side may castle that could not in standard chess: with a king or rook not at home.
///
/// ```
/// use deepanalyze_core::chess::{is_chess960, parse_fen};
///
/// assert!(!is_chess960(&parse_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")?));
/// assert!(is_chess960(&parse_fen("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1")?));
/// assert!(!is_chess960(&parse_fen("4k3/8/8/8/8/8/8/R2K3R w - - 0 1")?));
/// # Ok::<(), deepanalyze_core::chess::FenError>(())
/// ```
pub fn is_chess960(position: &Chess) -> bool {
    let rights = position.castles().castling_rights();
    rights.any() && !rights.is_subset(rooks_at_home(position.board()))
}

/// The reason why a position is Chess960, for people: a right left over by a board editor may be
/// one. None if it is chess, or a starting position.
///
/// ```
/// use deepanalyze_core::chess::{parse_fen, reason_for_chess960};
///
/// let edited = parse_fen("r1bq1rk1/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b Kq - 0 1")?;
/// let reason = reason_for_chess960(&edited);
/// assert_eq!(reason.as_deref(), Some("Black's king on g8 has a right with the rook on a8"));
/// # Ok::<(), deepanalyze_core::chess::FenError>(())
/// ```
pub fn reason_for_chess960(position: &Chess) -> Option<String> {
    if number_in_chess960(position).is_some() {
        return None;
    }
    let board = position.board();
    let rights = position.castles().castling_rights();
    let rook = (rights & !rooks_at_home(board)).first()?;
    let color = board.color_at(rook)?;
    let (side, king) = (color.fold_wb("White", "Black"), board.king_of(color)?);
    Some(format!("{side}'s king on {king} has a right with the rook on {rook}"))
}

/// The squares of the rooks that standard chess lets castle, occupied or not.
fn rooks_at_home(board: &Board) -> Bitboard {
    let of = |color: Color, king, rooks: [Square; 2]| {
        if board.king_of(color) == Some(king) {
            rooks.into_iter().collect()
        } else {
            Bitboard::EMPTY
        }
    };
    of(Color::White, Square::E1, [Square::A1, Square::H1])
        | of(Color::Black, Square::E8, [Square::A8, Square::H8])
}

/// A legal move in UCI notation. Castling is the king's move (e1g1), or, in a position of Chess960, the king's move
/// onto its rook (f1h1).
///
/// ```
/// use deepanalyze_core::chess::{Game, uci_of};
///
/// let game = Game::from_start("4k3/8/8/8/8/8/8/5K1R w K - 0 1")?;
/// let castling = game.root().legal_moves().into_iter().find(|m| m.is_castle());
/// # use shakmaty::Position;
/// assert_eq!(uci_of(game.root(), castling.expect("a rook")).to_string(), "f1h1");
/// # Ok::<(), deepanalyze_core::chess::GameError>(())
/// ```
pub fn uci_of(position: &Chess, m: Move) -> UciMove {
    m.to_uci(CastlingMode::from_chess960(m.is_castle() && is_chess960(position)))
}

/// A Chess960 position's castling rights by the rooks' files (`HAha`); None for chess.
pub(super) fn rights_by_file(position: &Chess) -> Option<String> {
    if !is_chess960(position) {
        return None;
    }
    let rights = position.castles().castling_rights();
    let letters = Color::ALL.into_iter().flat_map(|color| {
        let files = (rights & color.backrank()).into_iter().rev().map(|rook| rook.file());
        files.map(move |file| match color {
            Color::White => file.upper_char(),
            Color::Black => file.char(),
        })
    });
    Some(letters.collect())
}

/// A starting position of Chess960 by its number from 0 to 959, as Scharnagl has counted them; 518 is
/// chess.
///
/// ```
/// use deepanalyze_core::chess::{fen_of, start_of_chess960};
///
/// let start = start_of_chess960(0).expect("a number below 960");
/// assert_eq!(fen_of(&start), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1");
/// ```
pub fn start_of_chess960(number: u16) -> Option<Chess> {
    if number == STANDARD_START {
        return Some(Chess::default());
    }
    let rank = first_rank(number)?;
    let rooks = rank.iter().zip(0_u32..).filter(|(role, _)| **role == Role::Rook);
    let rooks: Bitboard = rooks.map(|(_, file)| Square::new(file)).collect();
    let mut board = Board::empty();
    for (role, file) in rank.into_iter().zip(0_u32..) {
        for color in Color::ALL {
            let at = |square: Square| color.fold_wb(square, square.flip_vertical());
            let pawn = Square::new(file + 8);
            board.set_piece_at(at(Square::new(file)), Piece { color, role });
            board.set_piece_at(at(pawn), color.pawn());
        }
    }
    let castling_rights = rooks | rooks.flip_vertical();
    Chess::from_setup(Setup { board, castling_rights, ..Setup::empty() }, CASTLING).ok()
}

/// The number of a Chess960 starting position, if any.
pub fn number_in_chess960(position: &Chess) -> Option<u16> {
    let number = number_of(position.board())?;
    (start_of_chess960(number).as_ref() == Some(position)).then_some(number)
}

/// The number of the starting position that has White's bishops, queen and knights on the first rank where they stand.
fn number_of(board: &Board) -> Option<u16> {
    let first_rank = Bitboard::from_rank(Rank::First);
    let men = |role: Role| board.by_piece(role.of(Color::White)) & first_rank;
    let (bishops, queen) = (men(Role::Bishop), men(Role::Queen).first()?);
    let [light, dark] = [Bitboard::LIGHT_SQUARES, Bitboard::DARK_SQUARES]
        .map(|squares| Some(usize::from((bishops & squares).first()?.file()) / 2));
    // The queen and the knights are counted on what the men before them have left.
    let free = first_rank & !bishops;
    let left = free.without(queen);
    let mut knights = men(Role::Knight).into_iter().map(|knight| place_among(left, knight));
    let knights = (knights.next()??, knights.next()??);
    let knights = KNIGHTS.iter().position(|places| *places == knights)?;
    let number = light? + 4 * dark? + 16 * place_among(free, queen)? + 96 * knights;
    u16::try_from(number).ok()
}

/// The index of a square among some squares.
fn place_among(squares: Bitboard, square: Square) -> Option<usize> {
    squares.into_iter().position(|other| other == square)
}

/// The men of White from a1 to h1.
fn first_rank(number: u16) -> Option<[Role; 8]> {
    if number >= 960 {
        return None;
    }
    let mut rank = [None; 8];
    // Bishops on squares of either colour, then the queen and the knights on what is left.
    let number = usize::from(number);
    put(&mut rank, Role::Bishop, 2 * (number % 4) + 1)?;
    put(&mut rank, Role::Bishop, 2 * (number / 4 % 4))?;
    put_free(&mut rank, Role::Queen, number / 16 % 6)?;
    let (first, second) = KNIGHTS.get(number / 96).copied()?;
    // From the right, so that the first does not move what the second counts.
    put_free(&mut rank, Role::Knight, second)?;
    put_free(&mut rank, Role::Knight, first)?;
    for role in [Role::Rook, Role::King, Role::Rook] {
        put_free(&mut rank, role, 0)?;
    }
    let mut men = [Role::Pawn; 8];
    for (man, role) in men.iter_mut().zip(rank) {
        *man = role?;
    }
    Some(men)
}

/// The knights' places among five free squares.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

fn put(rank: &mut [Option<Role>; 8], role: Role, file: usize) -> Option<()> {
    *rank.get_mut(file)? = Some(role);
    Some(())
}

/// Puts a man on one of the free squares, counted from the left.
fn put_free(rank: &mut [Option<Role>; 8], role: Role, free: usize) -> Option<()> {
    let place = rank.iter_mut().filter(|place| place.is_none()).nth(free)?;
    *place = Some(role);
    Some(())
}

#[cfg(test)]
mod tests;
