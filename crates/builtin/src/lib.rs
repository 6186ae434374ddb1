//! The built-in engine: a complete UCI engine that runs as a process of its own.
//!
//! `docs/engine.md` describes the search, the net, the options, how the net was made and what was measured.
// Board, tables and stack are indexed by squares, roles and plies, all in range by their types.
#![allow(clippy::indexing_slicing, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

pub mod bench;
pub mod board;
mod book;
pub mod evaluation;
mod exchange;
mod history;
pub mod moves;
pub mod options;
mod ordering;
pub mod score;
pub mod search;
pub mod table;
pub mod time;
pub mod uci;
