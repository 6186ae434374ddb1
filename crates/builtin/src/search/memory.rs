//! Memory kept from search to search; with it the correction history: evaluation errors seen in
//! similar positions.

use crate::board::{Board, PARTS};
use crate::evaluation::Evaluator;
use crate::history::Histories;
use crate::table::TranspositionTable;

use super::EndTables;

/// Memory shared by the search threads, and that of each.
pub struct Memory {
    /// The transposition table.
    pub table: TranspositionTable,
    /// Tablebases.
    pub tables: EndTables,
    /// The memory of the thread whose answer counts.
    pub(super) first: ThreadMemory,
    /// The memory of each helper.
    pub(super) helpers: Vec<ThreadMemory>,
}

/// Memory of one search thread.
#[derive(Default)]
pub struct ThreadMemory {
    /// Killers and histories.
    pub histories: Histories,
    /// Corrections to the evaluation.
    pub corrections: Corrections,
    /// The evaluation.
    pub evaluator: Evaluator,
}

impl Memory {
    /// Fresh memory, with a table of `hash` mebibytes.
    pub fn new(hash: usize) -> Memory {
        Memory {
            table: TranspositionTable::new(hash),
            tables: EndTables::default(),
            first: ThreadMemory::default(),
            helpers: Vec::new(),
        }
    }

    /// Cleared memory with a table of another size.
    pub fn resize(&mut self, hash: usize) {
        // The old table goes first: both might not fit.
        self.table = TranspositionTable::new(1);
        self.table = TranspositionTable::new(hash);
        self.clear();
    }

    /// Forgets all searches.
    pub fn clear(&mut self) {
        self.table.clear();
        self.first.histories.clear();
        self.first.corrections.clear();
        self.helpers.clear();
    }
}

/// Slots of a table: positions whose keys fall together share one.
const SLOTS: usize = 1 << 14;
/// A correction is kept in this fraction of a centipawn.
const GRAIN: i32 = 128;
/// Limit of each table's correction.
const LIMIT: i32 = 64 * GRAIN;
/// Weight of each table's correction, in 128ths: pawns, Black's pieces, White's pieces.
const WEIGHTS: [i32; PARTS] = [128, 48, 48];

/// Evaluation errors by part of the position and side to move. Belongs to one search thread.
pub struct Corrections {
    tables: Vec<[[i16; SLOTS]; 2]>,
}

impl Default for Corrections {
    fn default() -> Corrections {
        Corrections { tables: vec![[[0; SLOTS]; 2]; PARTS] }
    }
}

impl Corrections {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tables.fill([[0; SLOTS]; 2]);
    }

    /// Correction to a position's evaluation, in centipawns for the side to move.
    pub fn of(&self, board: &Board) -> i32 {
        let side = board.turn() as usize;
        let parts = self.tables.iter().zip(board.part_keys()).zip(WEIGHTS);
        let sum: i32 =
            parts.map(|((table, key), weight)| i32::from(table[side][slot(key)]) * weight).sum();
        sum / (128 * GRAIN)
    }

    /// Learns that a search found `difference` centipawns more than the evaluation; depth adds
    /// weight.
    pub fn learn(&mut self, board: &Board, difference: i32, depth: i32) {
        let side = board.turn() as usize;
        let (weight, goal) = ((depth + 1).min(16), difference * GRAIN);
        for (table, key) in self.tables.iter_mut().zip(board.part_keys()) {
            let value = &mut table[side][slot(key)];
            let new = (i32::from(*value) * (256 - weight) + goal * weight) / 256;
            *value = new.clamp(-LIMIT, LIMIT) as i16;
        }
    }
}

fn slot(key: u64) -> usize {
    key as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use deepanalyze_core::chess::parse_fen;

    use super::*;

    fn board(fen: &str) -> Board {
        Board::new(&parse_fen(fen).unwrap())
    }

    #[test]
    fn corrections_count_by_shared_parts_and_side() {
        let mut corrections = Corrections::default();
        let learnt = board("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        for _ in 0..200 {
            corrections.learn(&learnt, 40, 20);
        }
        // Pawns and both sides' pieces: 40 × (128 + 48 + 48) / 128, less rounding.
        assert!((65..=70).contains(&corrections.of(&learnt)));
        let same_pawns_and_their_king = board("4k3/pp6/8/8/8/8/PP6/1R2K3 w - - 0 1");
        assert!((50..=55).contains(&corrections.of(&same_pawns_and_their_king)));
        let other_side = board("4k3/pp6/8/8/8/8/PP6/R3K3 b - - 0 1");
        assert_eq!(corrections.of(&other_side), 0);
        corrections.clear();
        assert_eq!(corrections.of(&learnt), 0);
    }

    #[test]
    fn no_table_corrects_more_than_its_limit() {
        let mut corrections = Corrections::default();
        let position = board("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 1");
        for _ in 0..500 {
            corrections.learn(&position, -400, 20);
        }
        assert_eq!(corrections.of(&position), -64 * (128 + 48 + 48) / 128);
    }
}
