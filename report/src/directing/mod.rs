//! Giving directives along lines: what each action does to a set, the words for it, and lines to what is
//! said. What the command line and the page have in common.
#![deny(clippy::indexing_slicing)]

mod actions;
mod error;
mod find;
mod line;

pub use actions::{apply, exclude, include, note, refused, stop, undo, undo_all, value};
pub use error::DirectError;
pub use find::Lines;
pub use line::Line;
