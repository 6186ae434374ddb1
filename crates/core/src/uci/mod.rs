//! The engine's side of UCI as text: commands of a GUI, and an engine's introduction, search lines
//! and answers. No process, no thread, no clock; `engine/uci/` has the other side.
#![deny(clippy::indexing_slicing)]

mod allotment;
mod castling;
mod command;
mod info;
mod lines;

pub use allotment::Allotment;
pub use castling::king_takes_rook;
pub use command::{Command, Go, Position, parse};
pub use info::{Info, OptionKind, OptionLine, best_move, note};
pub use lines::for_each_line;
