//! PGN files: the main lines of their games with what is said of the moves, or every move of every variation.

mod error;
mod game;
mod main_line;
mod notation;
mod remarks;
mod tags;
mod variations;
mod words;

pub use error::PgnError;
pub use game::{
    GameRead, WrittenGame, game_from_pgn, read_game, read_games, written_game, written_games,
};
pub use remarks::Remark;
pub use tags::Heading;
pub use variations::{Listener, play_games};
