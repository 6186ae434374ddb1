//! Keeping the write-ahead log short.
//!
//! SQLite begins it anew only at a moment when nobody reads from it. Where many connections read and write, as in
//! a run of many roots, there is no such moment: the log grew by 40 MB a minute. So whoever writes when it has
//! grown long waits for the readers to end, while nobody else begins to write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::parts::wal_of;

/// How long the log may be, in bytes: twice what it has when it is copied into the file.
const LONGEST: u64 = 64 << 20;
/// How long the readers are waited for; those of runs take milliseconds. On a machine with too much to do that may
/// not be enough: a log twice as long is worth twice the time.
const PATIENCE: Duration = Duration::from_millis(100);
/// The most of it.
const MOST: u64 = 20;
/// Where somebody reads for long, waiting takes one part in so many of the time.
const ONE_IN: u32 = 20;

/// Until when nobody in this process waits again, by database: the readers are the same for all its connections.
static IN_VAIN: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());

/// When the log is begun anew.
#[derive(Debug)]
pub(super) struct LogLength {
    longest: u64,
}

impl Default for LogLength {
    fn default() -> LogLength {
        LogLength { longest: LONGEST }
    }
}

impl LogLength {
    /// Copies a log that is too long into the file and lets the next writer begin it anew, where no reader holds on
    /// to it for long. `patience` is what statements have otherwise. What goes wrong here shows at the next write.
    pub(super) fn keep_short(&self, db: &Connection, path: &Path, patience: Duration) {
        let length = std::fs::metadata(wal_of(path)).map_or(0, |log| log.len());
        if length <= self.longest {
            return;
        }
        // Somebody is at it.
        let Ok(mut in_vain) = IN_VAIN.try_lock() else { return };
        let began = Instant::now();
        if in_vain.get(path).is_some_and(|until| began < *until) {
            return;
        }
        let restarted = db
            .busy_timeout(PATIENCE * times(length, self.longest))
            .and_then(|()| db.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get(0)));
        let waited = began.elapsed();
        // Where another process is just copying, SQLite says so at once: the next write tries again.
        if restarted != Ok(0) && waited >= PATIENCE {
            in_vain.insert(path.to_owned(), Instant::now() + waited * ONE_IN);
        }
        if let Err(error) = restarted.map(|_: i64| ()).and(db.busy_timeout(patience)) {
            tracing::debug!(%error, "the write-ahead log stays long");
        }
    }
}

/// How many times as long a log is as it may be.
fn times(length: u64, longest: u64) -> u32 {
    u32::try_from((length / longest.max(1)).clamp(1, MOST)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    /// Ends a reader once somebody else keeps others from writing; ends itself, too, where nobody ever does.
    fn end_when_wanted(reader: Connection, path: &Path) {
        let other = Connection::open(path).unwrap();
        other.busy_timeout(Duration::ZERO).unwrap();
        let began = Instant::now();
        while other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok() {
            assert!(began.elapsed() < Duration::from_secs(30), "nobody waits for the reader");
            std::thread::yield_now();
        }
        drop(reader);
    }

    /// As if the last try had been long ago.
    fn forget(path: &Path) {
        IN_VAIN.lock().unwrap().remove(path);
    }

    fn write(store: &mut Store) {
        let transaction = store.write().unwrap();
        transaction.execute("INSERT INTO noise VALUES (zeroblob(8192))", []).unwrap();
        transaction.commit().unwrap();
    }

    #[test]
    fn a_log_that_is_too_long_is_begun_anew_once_its_reader_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        store.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        store.db.pragma_update(None, "journal_size_limit", 0).unwrap();
        store.log_length.longest = u64::MAX;
        let length = || std::fs::metadata(wal_of(&path)).unwrap().len();
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM noise").unwrap();
        (0..50).for_each(|_| write(&mut store));
        let long = length();
        store.log_length.longest = long / 2;
        std::thread::scope(|scope| {
            let ends = scope.spawn(|| end_when_wanted(reader, &path));
            while !ends.is_finished() {
                forget(&path);
                store.log_length.keep_short(&store.db, &path, Duration::from_secs(5));
            }
        });
        forget(&path);
        write(&mut store);
        assert!(length() < long / 4, "{} of {long}", length());
    }

    #[test]
    fn a_longer_log_is_worth_more_time_but_not_any() {
        let of = |length| times(length, LONGEST);
        assert_eq!((of(LONGEST), of(2 * LONGEST - 1), of(2 * LONGEST)), (1, 1, 2));
        assert_eq!((of(1000 * LONGEST), times(5, 0)), (20, 5));
    }

    #[test]
    fn a_reader_that_stays_holds_nobody_up_for_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        store.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        store.log_length.longest = std::fs::metadata(wal_of(&path)).unwrap().len();
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM noise").unwrap();
        let mut writes = 0;
        // Another test may be at its own log.
        while !IN_VAIN.lock().unwrap().contains_key(&path) {
            write(&mut store);
            writes += 1;
        }
        let pause = Instant::now() + Duration::from_secs(3600);
        IN_VAIN.lock().unwrap().insert(path.clone(), pause);
        (0..20).for_each(|_| write(&mut store));
        assert_eq!(IN_VAIN.lock().unwrap().get(&path), Some(&pause), "nobody waited again");
        let patience: u32 =
            store.db.query_row("PRAGMA busy_timeout", [], |row| row.get(0)).unwrap();
        assert_eq!(patience, 5000, "statements wait as long as before");
        let written: u32 =
            store.db.query_row("SELECT count(*) FROM noise", [], |row| row.get(0)).unwrap();
        assert_eq!(written, writes + 20);
    }
}
