//! What endgame tables say of positions: Syzygy's results, and the files that have them.

mod disk;
mod error;
mod files;
mod opened;
mod result;

pub use error::TablesError;
pub use files::{TableFiles, TableMove};
pub use result::{FiftyMoves, TableEnd, Tables, Wdl};
