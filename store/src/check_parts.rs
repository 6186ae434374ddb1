//! Rows that are checked part by part, each part at a moment of its own: as long as one moment is read, the
//! write-ahead log cannot be begun anew, and whoever grows the database makes it longer.

use rusqlite::ToSql;

use super::error::StoreError;
use super::open::Store;
use super::profiles::ProfileId;

/// About so many rows are a part.
const ROWS: i64 = 50_000;

/// Rows that are checked in the order of their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedRows {
    /// The positions themselves.
    Positions,
    /// Where their moves lead.
    Links,
    /// The answers of a profile.
    Answers(ProfileId),
    /// What endgame tables said of them.
    Facts,
}

/// The rows of the positions above one number and up to another, that one included: a list is never cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOfRows {
    pub(super) above: i64,
    pub(super) up_to: i64,
}

/// How far the parts of rows go: to the last position that was there at the beginning. Others may write on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPosition(i64);

impl CheckedRows {
    /// The position of a row that lies so many rows behind a number.
    fn later(self) -> &'static str {
        match self {
            CheckedRows::Positions => {
                "SELECT id FROM position WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Links => {
                "SELECT position FROM link WHERE position > ?1 ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Answers(_) => {
                "SELECT position FROM search WHERE position > ?1 AND profile = ?3
                ORDER BY position LIMIT 1 OFFSET ?2"
            }
            CheckedRows::Facts => {
                "SELECT position FROM fact WHERE position > ?1 ORDER BY position LIMIT 1 OFFSET ?2"
            }
        }
    }
}

impl PartOfRows {
    /// Before the first part.
    pub const NONE: PartOfRows = PartOfRows { above: i64::MIN, up_to: i64::MIN };

    /// Whether nothing lies behind it.
    pub fn is_last(self, last: LastPosition) -> bool {
        self.up_to >= last.0
    }
}

impl Store {
    /// The last position by now.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn last_position(&self) -> Result<LastPosition, StoreError> {
        let sql = "SELECT coalesce(max(id), 0) FROM position";
        self.only_row(sql, [], |row| row.get(0).map(LastPosition))
    }

    /// The part of some rows that comes behind another.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn part_behind(
        &self,
        rows: CheckedRows,
        before: PartOfRows,
        last: LastPosition,
    ) -> Result<PartOfRows, StoreError> {
        self.part_of(rows, before, (last, ROWS))
    }

    fn part_of(
        &self,
        rows: CheckedRows,
        before: PartOfRows,
        (last, count): (LastPosition, i64),
    ) -> Result<PartOfRows, StoreError> {
        let above = before.up_to;
        let whole = PartOfRows { above, up_to: last.0 };
        let behind = count - 1;
        let mut parameters: Vec<&dyn ToSql> = vec![&above, &behind];
        if let CheckedRows::Answers(ProfileId(profile)) = &rows {
            parameters.push(profile);
        }
        let later: Option<i64> = self.first_row(rows.later(), &*parameters, |row| row.get(0))?;
        Ok(later.map_or(whole, |later| PartOfRows { above, up_to: later.min(last.0) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_part_and_no_list_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_for_now(&folder.path().join("tree.db")).unwrap();
        let rows = "PRAGMA foreign_keys = OFF;
            INSERT INTO position (id, epd) VALUES (1, 'a'), (2, 'b'), (5, 'c'), (9, 'd');
            INSERT INTO link VALUES (1, 'x', 2), (1, 'y', 2), (1, 'z', 2), (5, 'x', 2), (5, 'y', 2);";
        store.db.execute_batch(rows).unwrap();
        let last = store.last_position().unwrap();
        store.db.execute("INSERT INTO position (id, epd) VALUES (12, 'e')", []).unwrap();
        for count in 1..9 {
            for (rows, right) in [
                (CheckedRows::Positions, vec![1, 2, 5, 9]),
                (CheckedRows::Links, vec![1, 1, 1, 5, 5]),
            ] {
                let (mut part, mut found) = (PartOfRows::NONE, Vec::new());
                while !part.is_last(last) {
                    let next = store.part_of(rows, part, (last, count)).unwrap();
                    assert_eq!(next.above, part.up_to);
                    part = next;
                    let of_it = |id: &&i64| **id > part.above && **id <= part.up_to;
                    let there: Vec<i64> = right.iter().filter(of_it).copied().collect();
                    assert!(part.is_last(last) || there.len() >= count as usize);
                    found.extend(there);
                }
                assert_eq!(found, right, "{rows:?} by {count}");
            }
        }
    }
}
