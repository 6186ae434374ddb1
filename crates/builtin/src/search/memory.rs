//! Memory kept from search to search.

use super::EndTables;
use crate::corrections::Corrections;
use crate::evaluation::Evaluator;
use crate::history::Histories;
use crate::table::TranspositionTable;

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
