//! PGN: a tree as one game with variations, and a played game with annotations.

mod annotated;
mod movetext;
mod nag;
mod ours;
mod own;
mod tree;

pub(super) use annotated::glyph_of;
pub use annotated::write_annotated;
pub use tree::write_pgn;
