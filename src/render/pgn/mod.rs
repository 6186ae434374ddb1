//! PGN: a tree as one game with variations, and a played game with annotations.

mod annotated;
mod movetext;
mod nag;
mod own;
mod tree;

pub use annotated::{AnnotatedGame, write_annotated};
pub use tree::write_pgn;
