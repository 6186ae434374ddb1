//! PGN files: the main lines of their games with all remarks, or every move of every variation. One
//! reader takes all of them apart; either the moves are those that a careful reader finds in the
//! file, or there is an error that names the game and the line.

mod game;
mod games;
mod lines;
mod text;
mod variations;
mod words;

pub use game::{Heading, Remark, WrittenGame, written_game};
pub use games::Games;
pub use lines::text_of;
pub use text::GameText;
pub use variations::MoveListener;

use crate::chess::line::GameError;

/// Error in a game of a PGN file.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The file has fewer games.
    #[error("there is no game {number}: the file has {found}")]
    NoSuchGame {
        /// The game that was asked for, from 1.
        number: usize,
        /// The number of games in the file.
        found: usize,
    },
    /// The game is shorter.
    #[error("game {number} has no ply {ply}: it has {found}")]
    NoSuchPly {
        /// The game, from 1.
        number: usize,
        /// The ply that was asked for.
        ply: usize,
        /// The number of plies in the game.
        found: usize,
    },
    /// Neither tags nor moves: the file is something else.
    #[error("no game in PGN format")]
    NotPgn,
    /// Not the rules of chess.
    #[error("game {number} is of the variant {variant:?}: only chess and Chess960 are supported")]
    Variant {
        /// The game, from 1.
        number: usize,
        /// Its `Variant` tag.
        variant: String,
    },
    /// The moves are uncertain: brackets do not match, or moves stand behind the result.
    #[error("game {number}, line {line}: {what}")]
    Malformed {
        /// The game, from 1.
        number: usize,
        /// The line of the file, from 1.
        line: usize,
        /// The fault.
        what: &'static str,
    },
    /// Its FEN tag or a move is wrong.
    #[error("game {number}, line {line}: {source}")]
    Game {
        /// The game, from 1.
        number: usize,
        /// The line of the file, from 1.
        line: usize,
        /// The fault.
        source: GameError,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
