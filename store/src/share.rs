//! What the connections of this process that write to one database may keep in memory together.
//!
//! A run alone is quicker with much of it. With sixteen side by side, sixteen times as much was most of what a server
//! took: 32 MiB of pages each, and as much again of lists and rows of positions.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::open::Store;
use super::writers::Writers;

/// Of how many connections each has what one alone has.
const ALIKE: usize = 2;
/// The least of a share is one part in so many.
const LEAST: usize = 16;

/// The share of a connection that writes; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    writers: Arc<Writers>,
    /// What SQLite was told last that it may keep, in KiB.
    told: Cell<i64>,
}

impl Share {
    /// One more connection.
    pub fn of(writers: &Arc<Writers>) -> Share {
        writers.writing.fetch_add(1, Ordering::SeqCst);
        Share { writers: Arc::clone(writers), told: Cell::default() }
    }

    /// Of what one connection alone may have, what each may have now.
    pub fn part(&self, of_one: usize) -> usize {
        part(of_one, self.writers.writing.load(Ordering::SeqCst))
    }

    /// Whether no other connection is there that writes.
    pub fn is_last(&self) -> bool {
        self.writers.writing.load(Ordering::SeqCst) == 1
    }

    /// Tells SQLite how much it may keep of pages, where that is another share than before.
    pub fn tell(&self, db: &Connection, kib_of_one: usize) -> rusqlite::Result<()> {
        let kib = i64::try_from(self.part(kib_of_one)).unwrap_or(i64::MAX);
        if self.told.replace(kib) == kib {
            return Ok(());
        }
        db.pragma_update(None, "cache_size", -kib)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.writers.writing.fetch_sub(1, Ordering::SeqCst);
    }
}

fn part(of_one: usize, connections: usize) -> usize {
    (of_one * ALIKE / connections.max(ALIKE)).max(of_one / LEAST)
}

impl Store {
    /// What this connection may keep in memory, beside others of this process, of what one alone may.
    pub fn share_of(&self, of_one: usize) -> usize {
        self.share.as_ref().map_or(of_one, |share| share.part(of_one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_connections_share_what_two_may_have_as_long_as_that_is_something() {
        let parts = [0, 1, 2, 3, 8, 19, 1000].map(|connections| part(32_768, connections));
        assert_eq!(parts, [32_768, 32_768, 32_768, 21_845, 8_192, 3_449, 2_048]);
    }

    #[test]
    fn a_connection_keeps_less_once_others_have_come_and_more_once_they_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let kept = |store: &mut Store| {
            drop(store.write().unwrap());
            let pages: i64 =
                store.db.pragma_query_value(None, "cache_size", |row| row.get(0)).unwrap();
            (-pages, store.share_of(800))
        };
        assert_eq!(kept(&mut store), (32_768, 800));
        let others: Vec<Store> = (0..7).map(|_| Store::open(&path).unwrap()).collect();
        let reader = Store::open_to_read(&path).unwrap();
        assert_eq!(kept(&mut store), (8_192, 200));
        drop((others, reader));
        assert_eq!(kept(&mut store), (32_768, 800));
    }
}
