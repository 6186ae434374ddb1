//! The words of chess that the other rooms share: scores, position keys, endings and lines,
//! on top of shakmaty's rules.
#![deny(clippy::indexing_slicing)]

mod board_field;
mod ending;
mod epd;
mod fen;
mod key;
mod line;
mod openings;
mod pgn;
mod pgn_words;
mod remarks;
mod score;
mod tags;
mod variations;
mod written;

pub use ending::Ending;
pub use epd::{EpdRecord, Task, read_epd};
pub use fen::{FenError, epd_of, fen_of, legal_uci, parse_fen};
pub use key::PositionKey;
pub use line::{Game, GameError, LONGEST_SAN, parse_uci, san_of};
pub use openings::{Opening, opening_of, openings};
pub use pgn::{PgnError, game_from_pgn, read_game};
pub use remarks::{Remark, remarks};
pub use score::{Score, Value};
pub use tags::Heading;
pub use variations::{Listener, play_games};
pub use written::parse_epd;
