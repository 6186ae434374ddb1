//! The engine's side of UCI as text: commands of a GUI, and an engine's introduction, search lines
//! and answers. No process, no thread, no clock; `engine/uci/` has the other side.
#![deny(clippy::indexing_slicing)]

mod allotment;
mod command;
mod info;
mod lines;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position as _};

pub use allotment::Allotment;
pub use command::{Command, Go, Position, parse};
pub use info::{Info, OptionKind, OptionLine, best_move, note};
pub use lines::for_each_line;

/// The legal part of a line, with castling as the king takes the rook, in chess and Chess960.
///
/// ```
/// use deepanalyze_core::chess::parse_fen;
/// use deepanalyze_core::uci::king_takes_rook;
///
/// let root = parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")?;
/// let line = ["e1g1".parse().expect("a move")];
/// assert_eq!(king_takes_rook(&root, &line)[0].to_string(), "e1h1");
/// # Ok::<(), deepanalyze_core::chess::FenError>(())
/// ```
pub fn king_takes_rook(root: &Chess, line: &[UciMove]) -> Vec<UciMove> {
    let mut position = root.clone();
    let played = line.iter().map_while(|uci| {
        let m = uci.to_move(&position).ok()?;
        position.play_unchecked(m);
        Some(m.to_uci(CastlingMode::Chess960))
    });
    played.collect()
}
