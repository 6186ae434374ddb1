//! Which rows positions have.

use std::cell::RefCell;

use hashbrown::HashMap;
use rusqlite::{Connection, OptionalExtension, params};
use shakmaty::Chess;

use crate::chess::{Ending, PositionKey, epd_of};

/// Positions whose rows are remembered: those of the last passes. 4 MB.
const CAPACITY: usize = 1 << 16;

/// Rows of `position` that were found or made last. A row stays for good, and a run asks for it several times:
/// when it looks for answers, when it keeps one, when that makes the position a node, and once more for
/// each move that leads there.
#[derive(Debug, Default)]
pub(super) struct PositionIds(RefCell<HashMap<PositionKey, i64>>);

impl PositionIds {
    /// The row of a position, if there is one.
    pub fn find(&self, db: &Connection, position: &Chess) -> rusqlite::Result<Option<i64>> {
        let key = PositionKey::of(position);
        if let Some(id) = self.0.borrow().get(&key) {
            return Ok(Some(*id));
        }
        let mut query = db.prepare_cached("SELECT id FROM position WHERE epd = ?1")?;
        let found = query.query_row([epd_of(position)], |row| row.get(0)).optional()?;
        if let Some(id) = found {
            self.remember(key, id);
        }
        Ok(found)
    }

    /// The row of a position, a new one where there is none. Where the transaction around it fails,
    /// nothing that was remembered may be used again.
    pub fn find_or_make(&self, write: &Connection, position: &Chess) -> rusqlite::Result<i64> {
        if let Some(id) = self.find(write, position)? {
            return Ok(id);
        }
        let insert = "INSERT INTO position (epd, ending) VALUES (?1, ?2)";
        let ending = Ending::of(position).map(Ending::name);
        let id = write.prepare_cached(insert)?.insert(params![epd_of(position), ending])?;
        self.remember(PositionKey::of(position), id);
        Ok(id)
    }

    fn remember(&self, key: PositionKey, id: i64) {
        let mut ids = self.0.borrow_mut();
        if ids.len() >= CAPACITY {
            ids.clear();
        }
        ids.insert(key, id);
    }
}
