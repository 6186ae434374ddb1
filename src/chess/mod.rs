//! The words of chess that the other rooms share: scores, position keys, endings and lines,
//! on top of shakmaty's rules.
#![deny(clippy::indexing_slicing)]

mod epd;
mod line;
mod openings;
mod pgn;
mod position;
mod score;
mod tags;

pub use epd::{EpdRecord, read_epd};
pub use line::{Game, GameError, parse_uci, san_of};
pub use openings::{Opening, Openings, opening_of};
pub use pgn::{PgnError, game_from_pgn, read_game};
pub use position::{Ending, FenError, PositionKey, epd_of, fen_of, legal_uci, parse_fen};
pub use score::{Score, Value};
pub use tags::Heading;
