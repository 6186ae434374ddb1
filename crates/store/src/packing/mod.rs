//! Packs rows: positions and lines in few bytes that SQL can read again (`migrations/schema.sql`).
//!
//! Values that packing would not reproduce exactly stay text.

mod line;
mod position;

pub(super) use line::{line_behind, read_line};
pub(super) use position::{PackedEpd, hash_of, read_epd};

#[cfg(test)]
mod tests;
