//! The words of chess that the other rooms share: scores, position keys, endings and lines,
//! on top of shakmaty's rules.
#![deny(clippy::indexing_slicing)]

mod chess960;
mod dates;
mod draw_value;
mod ending;
mod epd;
mod fen;
mod key;
mod line;
mod notation;
mod openings;
mod pgn;
mod players;
mod score;
mod tables;
mod written;

pub use chess960::{
    is_chess960, number_in_chess960, reason_for_chess960, start_of_chess960, uci_of,
};
pub use dates::date_of;
pub use draw_value::{DrawValue, DrawValueError, GivenValue};
pub use ending::Ending;
pub use epd::{EpdRecord, EpdTask, TaskError, read_epd};
pub use fen::{FenError, epd_of, fen_of, legal_uci, parse_fen, playable};
pub use key::PositionKey;
pub use line::{Game, GameError, LONGEST_SAN, after, parse_uci, play, push_san, read_move, san_of};
pub use openings::{Opening, opening_of, openings};
pub use pgn::{
    GameText, Games, Heading, MoveListener, PgnError, Remark, WrittenGame, text_of, written_game,
};
pub use players::{
    AskedPlayer, folded, is_handle, is_unknown_player, may_be_the_same, name_likeness,
    normalised_name,
};
pub use score::{Score, Value, centipawns_in};
pub use tables::{
    FiftyMoves, TableEnd, TableFiles, TableMove, Tables, TablesError, Wdl, three_men,
};
pub use written::parse_epd;
