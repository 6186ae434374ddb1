//! What endgame tables say of positions: Syzygy's results, and the files that have them.

mod files;
mod result;

pub use files::{TableFiles, TableMove, TablesError};
pub use result::{FiftyMoves, TableEnd, Tables, Wdl};
