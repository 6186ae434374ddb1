//! PGN files: the main lines of their games with what is said of the moves, or every move of every variation. One
//! reader takes all of them apart; either the moves are those that a careful reader finds in the file, or there is an
//! error that names the game and the line.

mod error;
mod game;
mod games;
mod lines;
mod tags;
mod variations;
mod words;

pub use error::PgnError;
pub use game::{Remark, WrittenGame, written_game};
pub use games::{GameText, Games};
pub use tags::Heading;
pub use variations::Listener;
