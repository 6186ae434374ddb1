//! The words of chess that the other rooms share: scores, position keys, endings and lines,
//! on top of shakmaty's rules.
#![deny(clippy::indexing_slicing)]

mod board_field;
mod ending;
mod epd;
mod fen;
mod key;
mod line;
mod notation;
mod openings;
mod pgn;
mod score;
mod tables;
mod text;
mod written;

pub use ending::Ending;
pub use epd::{EpdRecord, Task, TaskError, read_epd};
pub use fen::{FenError, epd_of, fen_of, legal_uci, parse_fen, playable};
pub use key::PositionKey;
pub use line::{Game, GameError, LONGEST_SAN, parse_uci, push_san, san_of};
pub use openings::{Opening, opening_of, openings};
pub use pgn::{GameText, Games, Heading, Listener, PgnError, Remark, WrittenGame, written_game};
pub use score::{Score, Value};
pub use tables::{
    FiftyMoves, TableEnd, TableFiles, TableMove, Tables, TablesError, Wdl, three_men,
};
pub use text::text_of;
pub use written::parse_epd;
