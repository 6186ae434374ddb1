//! Opening books in Polyglot's format: sorted entries of sixteen bytes, keyed by Zobrist.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

use super::board::Board;
use super::moves::Move;
use deepanalyze_core::reading::{MIB, read_file};

const ENTRY: usize = 16;
/// The longest book that is read, in bytes.
const LONGEST: u64 = 1024 * MIB;

/// A book, read whole.
pub struct Book {
    /// Key, move, weight.
    entries: Vec<(u64, u16, u16)>,
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no sequence of entries.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Book> {
        Book::from_bytes(&read_file(path.as_ref(), LONGEST)?)
    }

    fn from_bytes(bytes: &[u8]) -> io::Result<Book> {
        if bytes.is_empty() || !bytes.len().is_multiple_of(ENTRY) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a Polyglot book: its size is no multiple of 16 bytes",
            ));
        }
        let mut entries: Vec<(u64, u16, u16)> = bytes
            .chunks_exact(ENTRY)
            .map(|entry| {
                let number = |range: std::ops::Range<usize>| {
                    entry[range].iter().fold(0u64, |n, &byte| n << 8 | u64::from(byte))
                };
                (number(0..8), number(8..10) as u16, number(10..12) as u16)
            })
            .collect();
        // Books are usually sorted; an unsorted one works too.
        entries.sort_by_key(|entry| entry.0);
        Ok(Book { entries })
    }

    /// The legal book moves of a position with their weights.
    fn moves(&self, board: &Board) -> Vec<(Move, u16)> {
        let start = self.entries.partition_point(|entry| entry.0 < board.key());
        let legal = board.legal_moves();
        self.entries[start..]
            .iter()
            .take_while(|entry| entry.0 == board.key())
            .filter_map(|&(_, bits, weight)| {
                let text = decode(board, bits);
                let m = legal.iter().find(|m| m.to_string() == text)?;
                Some((*m, weight))
            })
            .collect()
    }

    /// The heaviest move, or one drawn by weight.
    pub fn choose(&self, board: &Board, heaviest: bool) -> Option<Move> {
        let moves = self.moves(board);
        if heaviest {
            let most = moves.iter().map(|&(_, weight)| weight).max()?;
            return moves.iter().find(|&&(_, weight)| weight == most).map(|&(m, _)| m);
        }
        // The standard library's hash seeds differ from run to run: chance enough for a book.
        draw(&moves, RandomState::new().hash_one(board.key()))
    }
}

fn draw(moves: &[(Move, u16)], chance: u64) -> Option<Move> {
    let total: u64 = moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
    if total == 0 {
        return moves.first().map(|&(m, _)| m);
    }
    let mut left = chance % total;
    for &(m, weight) in moves {
        match left.checked_sub(u64::from(weight)) {
            None => return Some(m),
            Some(rest) => left = rest,
        }
    }
    None
}

/// A book move in UCI notation. Polyglot castles by taking the own rook.
fn decode(board: &Board, bits: u16) -> String {
    use shakmaty::{File, Rank, Role, Square};
    let square = |bits: u16| {
        Square::from_coords(File::new(u32::from(bits & 7)), Rank::new(u32::from(bits >> 3 & 7)))
    };
    let (to, from) = (square(bits), square(bits >> 6));
    let castles = !board.is_chess960()
        && board.role_at(from) == Some(Role::King)
        && from.file() == File::E
        && board.by_color(board.turn()).contains(to);
    let to = match to.file() {
        File::H if castles => Square::from_coords(File::G, to.rank()),
        File::A if castles => Square::from_coords(File::C, to.rank()),
        _ => to,
    };
    let promotion = match bits >> 12 & 7 {
        1 => "n",
        2 => "b",
        3 => "r",
        4 => "q",
        _ => "",
    };
    format!("{from}{to}{promotion}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    fn entry(key: u64, from: u16, to: u16, promotion: u16, weight: u16) -> Vec<u8> {
        let bits = promotion << 12 | from << 6 | to;
        let mut bytes = key.to_be_bytes().to_vec();
        bytes.extend(bits.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    fn board(fen: &str) -> Board {
        Board::new(&parse_fen(fen).unwrap())
    }

    #[test]
    fn the_initial_position_has_polyglots_key() {
        let start = Board::new(&shakmaty::Chess::default());
        assert_eq!(start.key(), 0x463b_9618_1691_fc9c);
    }

    #[test]
    fn moves_are_found_by_key_and_drawn_by_weight() {
        let start = Board::new(&shakmaty::Chess::default());
        let mut bytes = entry(start.key(), 12, 28, 0, 3);
        bytes.extend(entry(start.key(), 11, 27, 0, 1));
        bytes.extend(entry(start.key(), 0, 63, 0, 9)); // illegal: left out
        bytes.extend(entry(start.key() ^ 1, 1, 18, 0, 9));
        let book = Book::from_bytes(&bytes).unwrap();
        assert_eq!(book.choose(&start, true).unwrap().to_string(), "e2e4");
        let moves = book.moves(&start);
        assert_eq!(moves.len(), 2);
        let drawn: Vec<String> = (0..4).map(|n| draw(&moves, n).unwrap().to_string()).collect();
        assert_eq!(drawn, ["e2e4", "e2e4", "e2e4", "d2d4"]);
        assert!(book.choose(&board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), false).is_none());
    }

    #[test]
    fn castling_and_promotions_are_polyglots() {
        let castle = board("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1");
        let mut bytes = entry(castle.key(), 4, 7, 0, 1);
        assert_eq!(
            Book::from_bytes(&bytes).unwrap().choose(&castle, true).unwrap().to_string(),
            "e1g1"
        );
        bytes.extend(entry(castle.key(), 48, 56, 1, 7));
        assert_eq!(
            Book::from_bytes(&bytes).unwrap().choose(&castle, true).unwrap().to_string(),
            "a7a8n"
        );
    }

    #[test]
    fn a_file_that_is_no_book_is_refused() {
        assert!(Book::from_bytes(b"").is_err());
        assert!(Book::from_bytes(b"hello").is_err());
        assert!(Book::open("/nowhere/at/all").is_err());
    }
}
