//! Which rows positions have.

use std::cell::RefCell;

use hashbrown::HashMap;
use rusqlite::{Connection, OptionalExtension, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{Ending, PositionKey, epd_of};

/// Positions whose rows the connection that writes remembers: those of the last passes. 4 MB.
const OF_WRITER: usize = 1 << 16;
/// The same of one that reads: there are many of them.
const OF_READER: usize = 1 << 14;

/// Rows of `position` that were found or made last. A row stays for good, and a run asks for it several times:
/// when it looks for answers, when it keeps one, when that makes the position a node, and once more for
/// each move that leads there.
#[derive(Debug)]
pub(super) struct PositionIds {
    known: RefCell<HashMap<PositionKey, i64>>,
    capacity: usize,
}

impl PositionIds {
    /// None yet.
    pub fn of_writer() -> PositionIds {
        PositionIds { known: RefCell::default(), capacity: OF_WRITER }
    }

    /// None yet.
    pub fn of_reader() -> PositionIds {
        PositionIds { known: RefCell::default(), capacity: OF_READER }
    }

    /// The row of a position, if there is one.
    pub fn find(&self, db: &Connection, position: &Chess) -> rusqlite::Result<Option<i64>> {
        let key = PositionKey::of(position);
        if let Some(id) = self.known.borrow().get(&key) {
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
        let mut ids = self.known.borrow_mut();
        if ids.len() >= self.capacity {
            *ids = HashMap::new();
        }
        ids.insert(key, id);
    }
}
