//! Keeping the write-ahead log short.
//!
//! SQLite begins it anew only at a moment when all of it is copied into the file and nobody reads from it. Where
//! many connections read and write, as in a run of many roots, there is no such moment: copying by itself after
//! commits, as SQLite does it, let the log grow by 40 MB a minute. So one of the connections copies what it can
//! while others write, then the rest while nobody else does, and waits for the readers to end.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::hurry;
use super::open::{BUSY_TIMEOUT, Store};
use super::parts::wal_of;
use super::share::Share;
use super::writers::Writers;

/// How long the log may be, in bytes. Answers come at random places, so a longer log copies most of its pages once
/// instead of again and again.
pub(super) const LONGEST: u64 = 32 << 20;
/// How long the readers are waited for; those of runs take milliseconds, but on a machine with too much to do each
/// waits for its turn on a processor. A log twice as long is worth twice the time.
const PATIENCE: Duration = Duration::from_millis(250);
/// The most of it.
const MOST: u64 = 4;
/// After readers were waited for in vain, nobody does so again for so many times as long.
const PAUSE: u32 = 4;

/// When the log is copied into the file.
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
    pub(super) fn keep_short(
        &self,
        db: &Connection,
        path: &Path,
        writers: &Writers,
        patience: Duration,
    ) {
        let length = std::fs::metadata(wal_of(path)).map_or(0, |log| log.len());
        if length <= self.longest || hurry::is_near() {
            return;
        }
        // Somebody is at it.
        let Ok(mut pause) = writers.log.try_lock() else { return };
        if pause.is_some_and(|until| Instant::now() < until) {
            return;
        }
        let keep = || {
            copy(db, "PASSIVE")?;
            let _turn = writers.turn(patience);
            db.busy_timeout(PATIENCE * times(length, self.longest))?;
            *pause = begin_anew(db);
            db.busy_timeout(patience)
        };
        if let Some(Err(error)) = hurry::in_time(db, keep) {
            tracing::debug!(%error, "the write-ahead log stays long");
        }
    }
}

impl Store {
    /// Copies the log into the file and empties it, as far as readers let it and there is time: the program ends.
    pub fn leave_short(&self) {
        if let Some(Err(error)) = hurry::in_time(&self.db, || self.empty_log()) {
            tracing::debug!(%error, "the write-ahead log stays");
        }
    }

    fn empty_log(&self) -> rusqlite::Result<bool> {
        self.db.busy_timeout(PATIENCE)?;
        let is_done = copy(&self.db, "TRUNCATE");
        self.db.busy_timeout(BUSY_TIMEOUT)?;
        is_done
    }

    /// What SQLite would copy when the connection is closed, nobody could break off.
    fn close_soon(&self) {
        let emptied = self.share.as_ref().is_some_and(Share::is_last)
            && matches!(hurry::in_time(&self.db, || self.empty_log()), Some(Ok(_)));
        if !emptied {
            // It fails where there is no log.
            let _ = self.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if hurry::is_near() {
            self.close_soon();
        }
    }
}

/// Lets the next writer begin the log anew. Where readers were waited for in vain: until when nobody does so again.
/// (Where another process is just copying, SQLite says so at once: the next write tries again.)
fn begin_anew(db: &Connection) -> Option<Instant> {
    let began = Instant::now();
    let is_done = matches!(copy(db, "RESTART"), Ok(true));
    let waited = began.elapsed();
    (!is_done && waited >= PATIENCE).then(|| Instant::now() + waited * PAUSE)
}

/// Copies the log into the file; whether all that this way of it promises was done.
fn copy(db: &Connection, way: &str) -> rusqlite::Result<bool> {
    db.query_row(&format!("PRAGMA wal_checkpoint({way})"), [], |row| {
        row.get(0).map(|busy: i64| busy == 0)
    })
}

/// How many times as long a log is as it may be.
fn times(length: u64, longest: u64) -> u32 {
    u32::try_from((length / longest.max(1)).clamp(1, MOST)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn forget(store: &Store) {
        *store.writers.log.lock().unwrap() = None;
    }

    fn keep_short(store: &Store) {
        store.log_length.keep_short(&store.db, &store.path, &store.writers, Duration::from_secs(5));
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
                forget(&store);
                keep_short(&store);
            }
        });
        forget(&store);
        write(&mut store);
        assert!(length() < long / 4, "{} of {long}", length());
    }

    #[test]
    fn a_longer_log_is_worth_more_time_but_not_any() {
        let of = |length| times(length, LONGEST);
        assert_eq!((of(LONGEST), of(2 * LONGEST - 1), of(2 * LONGEST)), (1, 1, 2));
        assert_eq!((of(1000 * LONGEST), times(3, 0)), (4, 3));
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
        while store.writers.log.lock().unwrap().is_none() {
            write(&mut store);
            writes += 1;
        }
        let pause = Instant::now() + Duration::from_secs(3600);
        *store.writers.log.lock().unwrap() = Some(pause);
        (0..20).for_each(|_| write(&mut store));
        assert_eq!(*store.writers.log.lock().unwrap(), Some(pause), "nobody waited again");
        let patience: u32 =
            store.db.query_row("PRAGMA busy_timeout", [], |row| row.get(0)).unwrap();
        assert_eq!(patience, 5000, "statements wait as long as before");
        let written: u32 =
            store.db.query_row("SELECT count(*) FROM noise", [], |row| row.get(0)).unwrap();
        assert_eq!(written, writes + 20);
    }

    #[test]
    fn with_many_writers_and_readers_the_log_stays_as_short_as_it_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let first = Store::open(&path).unwrap();
        first.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        first.db.pragma_update(None, "journal_size_limit", 0).unwrap();
        let grow = || {
            let mut store = Store::open(&path).unwrap();
            store.db.pragma_update(None, "journal_size_limit", 0).unwrap();
            store.log_length.longest = 1 << 18;
            (0..200).for_each(|_| {
                forget(&store);
                write(&mut store);
                store.db.query_row("SELECT max(rowid) FROM noise", [], |_| Ok(())).unwrap();
            });
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(grow)));
        });
        let length = std::fs::metadata(wal_of(&path)).unwrap().len();
        // 1600 writes of three pages would be twenty megabytes.
        assert!(length < 1 << 20, "{length}");
    }
}
