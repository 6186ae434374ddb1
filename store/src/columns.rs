//! Counts, as columns have them.

use rusqlite::Row;

/// A count as SQLite has it.
pub(super) fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// SQLite's total() cannot overflow, and is a float.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
pub(super) fn whole(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(|total: f64| total.max(0.0) as u64)
}
