//! What endgame tables say of positions: Syzygy's results, and the files that have them; those of three men are
//! part of the program.

mod disk;
mod embedded;
mod error;
mod files;
mod opened;
mod result;

pub use embedded::three_men;
pub use error::TablesError;
pub use files::{TableFiles, TableMove};
pub use result::{FiftyMoves, TableEnd, Tables, Wdl};
