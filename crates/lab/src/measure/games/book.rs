//! Polyglot books that players have before they think.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::legal_uci;
use deepanalyze_report::{polyglot_key, polyglot_move};

use crate::failure::LabFailure;

/// The bytes of an entry.
const ENTRY: usize = 16;

/// For each side the moves by position, as encoded, of the greatest weight.
#[derive(Debug, Default)]
pub struct Book {
    sides: [HashMap<u64, (u16, u16)>; 2],
}

impl Book {
    /// The books of a folder, each for the side in its name (`001-white.bin`), in the order of their
    /// names.
    pub fn read(folder: &Path) -> Result<Book, LabFailure> {
        let mut book = Book::default();
        let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
        let mut paths: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for (side, moves) in Color::ALL.into_iter().zip(&mut book.sides) {
                if name.ends_with(&format!("-{side}.bin")) {
                    take(moves, &std::fs::read(&path)?);
                }
            }
        }
        if book.sides.iter().all(HashMap::is_empty) {
            return Err(LabFailure::usage(format!("{} has no books", folder.display())));
        }
        Ok(book)
    }

    /// The book's move for the side to move.
    pub fn best(&self, position: &Chess) -> Option<UciMove> {
        let [white, black] = &self.sides;
        let moves = position.turn().fold_wb(white, black);
        let (_, wanted) = moves.get(&polyglot_key(position))?;
        legal_uci(position).into_iter().find(|uci| polyglot_move(position, *uci) == Some(*wanted))
    }
}

/// Takes entries: of one position, the first of the greatest weight stays.
fn take(moves: &mut HashMap<u64, (u16, u16)>, bytes: &[u8]) {
    for entry in bytes.chunks_exact(ENTRY) {
        let number = |from: usize, to: usize| {
            let bytes = entry.get(from..to).unwrap_or_default();
            bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let small = |from| u16::try_from(number(from, from + 2)).unwrap_or_default();
        let (key, m, weight) = (number(0, 8), small(8), small(10));
        let known = moves.entry(key).or_insert((weight, m));
        if weight > known.0 {
            *known = (weight, m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_plays_the_heaviest_move_of_its_own_book() {
        let folder = tempfile::tempdir().unwrap();
        let start = Chess::default();
        let entry = |uci: &str, weight: u16| {
            let mut bytes = polyglot_key(&start).to_be_bytes().to_vec();
            let m = polyglot_move(&start, uci.parse().unwrap()).unwrap();
            bytes.extend([m.to_be_bytes(), weight.to_be_bytes(), [0; 2], [0; 2]].concat());
            bytes
        };
        let write = |name: &str, entries: &[Vec<u8>]| {
            std::fs::write(folder.path().join(name), entries.concat()).unwrap();
        };
        write("001-white.bin", &[entry("e2e4", 5), entry("d2d4", 9)]);
        write("002-white.bin", &[entry("c2c4", 9)]);
        write("001-black.bin", &[entry("a2a3", 65_535)]);
        let book = Book::read(folder.path()).unwrap();
        assert_eq!(book.best(&start), "d2d4".parse().ok());
        let none = tempfile::tempdir().unwrap();
        assert!(Book::read(none.path()).is_err());
    }
}
