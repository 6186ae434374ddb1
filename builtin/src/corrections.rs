//! What searches of like positions found the evaluation to lack.

use super::board::{Board, PARTS};

/// Slots of a table: positions whose keys fall together share one.
const SLOTS: usize = 1 << 14;
/// A correction is kept in this fraction of a centipawn.
const GRAIN: i32 = 128;
/// No table corrects more.
const LIMIT: i32 = 64 * GRAIN;
/// How much of each table's correction counts, in 128ths: that of the pawns, of Black's and of White's pieces.
const WEIGHTS: [i32; PARTS] = [128, 48, 48];

/// For each part of a position and each side to move, what the evaluation lacked where that part was the same. They
/// belong to one search thread.
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

    /// What the evaluation of a position lacks, in centipawns for the side to move.
    pub fn of(&self, board: &Board) -> i32 {
        let side = board.turn() as usize;
        let parts = self.tables.iter().zip(board.part_keys()).zip(WEIGHTS);
        let sum: i32 =
            parts.map(|((table, key), weight)| i32::from(table[side][slot(key)]) * weight).sum();
        sum / (128 * GRAIN)
    }

    /// A search found so many centipawns more than the evaluation; the deeper it was, the more that counts.
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
