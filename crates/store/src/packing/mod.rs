//! Packs rows: positions and lines in few bytes that SQL can read again (`migrations/07-answers`).
//!
//! Values that packing would not reproduce exactly stay text; older versions have only text.

mod line;
mod position;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

pub(super) use line::{line_behind, read_line};
pub(super) use position::{PackedEpd, hash_of, read_epd};

/// Adds the functions used by steps between versions, and by views of older files.
pub(super) fn add_functions(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let of_epd = |name, function: fn(&str) -> Value| {
        db.create_scalar_function(name, 1, flags, move |context| {
            Ok(function(context.get_raw(0).as_str()?))
        })
    };
    of_epd("epd_hash", |epd| hash_of(epd).into())?;
    of_epd("epd_board", |epd| PackedEpd::of(epd).board)?;
    of_epd("epd_state", |epd| PackedEpd::of(epd).state.into())?;
    db.create_scalar_function("line_behind", 2, flags, |context| {
        Ok(line_behind(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })
}

#[cfg(test)]
mod tests;
