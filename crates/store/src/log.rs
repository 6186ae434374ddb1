//! The write-ahead log: kept short, but left alone when the program is about to end.
//!
//! SQLite restarts it only at a moment when all of it is copied into the file and no connection
//! reads from it. With many readers, as in a run of many roots, that moment never comes: SQLite's
//! own copying after commits let the log grow by 40 MB a minute. So the writing connection copies
//! what it can, then the rest while writes are blocked, and waits for the readers to end.
//!
//! Copying half a gigabyte takes a slow disk many seconds, and SQLite does it whenever the last
//! connection is closed. Skipping it loses nothing: the log is as durable as the file, and the next
//! start copies it. So nothing waits for it once the end of the program is near.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, InterruptHandle};

use super::files::wal_of;
use super::open::Store;
use super::writer::{BUSY_TIMEOUT, WritingConnection, held};

/// Target length of the log, in bytes. Answers come at random places, so a longer log copies most
/// of its pages once instead of again and again.
pub(super) const LONGEST: u64 = 32 << 20;
/// Wait for the readers; those of runs take milliseconds, but on an overloaded machine each waits
/// for its turn on a processor. A log twice as long is worth twice the time.
const PATIENCE: Duration = Duration::from_millis(250);
/// Largest factor.
const MOST: u64 = 4;
/// After readers were waited for in vain, the pause before the next wait, as a multiple.
const PAUSE: u32 = 4;

/// Copying stops this long after the first call of [`hurry`].
const LAST: Duration = Duration::from_millis(1200);
/// An interrupt before its statement has begun is lost, so it is repeated.
const AGAIN: Duration = Duration::from_millis(50);

impl WritingConnection {
    /// Copies a log that is too long into the file and lets the next write restart it, if no reader
    /// holds it for long. Errors here show at the next write.
    pub(super) fn keep_log_short(&mut self, path: &Path) {
        let length = std::fs::metadata(wal_of(path)).map_or(0, |log| log.len());
        let rests = self.log_rests_until.is_some_and(|until| Instant::now() < until);
        if length <= self.longest_log || rests || HURRY.is_near() {
            return;
        }
        let keep = || {
            copy(&self.db, "PASSIVE")?;
            self.db.busy_timeout(PATIENCE * times(length, self.longest_log))?;
            self.log_rests_until = begin_anew(&self.db);
            self.db.busy_timeout(BUSY_TIMEOUT)
        };
        if let Some(Err(error)) = HURRY.in_time(&self.db, keep) {
            tracing::debug!(%error, "the write-ahead log stays long");
        }
    }
}

impl Store {
    /// Copies the log into the file and empties it, as far as readers and time allow: the program
    /// ends.
    pub fn leave_short(&self) {
        let leave = |connection: &mut WritingConnection| {
            HURRY.in_time(&connection.db, || empty(&connection.db))
        };
        if let Some(Some(Err(error))) = self.writer.with_connection(BUSY_TIMEOUT, leave) {
            tracing::debug!(%error, "the write-ahead log stays");
        }
    }
}

/// Closes the connection. SQLite's own copy on close could not be interrupted.
pub(super) fn close(WritingConnection { db, .. }: WritingConnection) {
    if HURRY.is_near() && !matches!(HURRY.in_time(&db, || empty(&db)), Some(Ok(_))) {
        // Fails without a log.
        let _ = db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}

/// Copies the log and empties it; true if all of it is copied.
fn empty(db: &Connection) -> rusqlite::Result<bool> {
    db.busy_timeout(PATIENCE)?;
    let is_done = copy(db, "TRUNCATE");
    db.busy_timeout(BUSY_TIMEOUT)?;
    is_done
}

/// Lets the next write restart the log. After a vain wait for readers, the time until which not to
/// wait again. (While another process copies, SQLite fails at once: the next write tries again.)
fn begin_anew(db: &Connection) -> Option<Instant> {
    let began = Instant::now();
    let is_done = matches!(copy(db, "RESTART"), Ok(true));
    let waited = began.elapsed();
    (!is_done && waited >= PATIENCE).then(|| Instant::now() + waited * PAUSE)
}

/// Copies the log into the file; true if this checkpoint mode was completed.
fn copy(db: &Connection, way: &str) -> rusqlite::Result<bool> {
    db.query_row(&format!("PRAGMA wal_checkpoint({way})"), [], |row| {
        row.get(0).map(|busy: i64| busy == 0)
    })
}

/// Log length in multiples of its target.
fn times(length: u64, longest: u64) -> u32 {
    u32::try_from((length / longest.max(1)).clamp(1, MOST)).unwrap_or(1)
}

/// Process-wide.
static HURRY: Hurry = Hurry::new();

/// Copies under way, and whether there is still time.
struct Hurry {
    /// The end is near: writes do not copy any more.
    is_near: AtomicBool,
    copies: Mutex<Copies>,
}

struct Copies {
    /// There is no time left.
    is_over: bool,
    /// Copies under way, each with its number.
    under_way: Vec<(u64, InterruptHandle)>,
    next: u64,
}

/// Announces the end of the program: copies under way are interrupted, and the last ones may take a
/// second.
pub fn hurry() {
    if HURRY.is_near.swap(true, Ordering::SeqCst) {
        return;
    }
    HURRY.break_off(false);
    let last = || {
        std::thread::sleep(LAST);
        loop {
            HURRY.break_off(true);
            std::thread::sleep(AGAIN);
        }
    };
    // Without a thread the end takes as long as it takes.
    let _ = std::thread::Builder::new().name("hurry".to_owned()).spawn(last);
}

impl Hurry {
    const fn new() -> Hurry {
        let copies = Copies { is_over: false, under_way: Vec::new(), next: 0 };
        Hurry { is_near: AtomicBool::new(false), copies: Mutex::new(copies) }
    }

    /// True if the program is about to end.
    fn is_near(&self) -> bool {
        self.is_near.load(Ordering::SeqCst)
    }

    /// Copies the log of a connection; `None` if there is no time left.
    fn in_time<T>(&self, db: &Connection, copy: impl FnOnce() -> T) -> Option<T> {
        let mut copies = held(&self.copies);
        if copies.is_over {
            return None;
        }
        let number = copies.next;
        copies.next += 1;
        copies.under_way.push((number, db.get_interrupt_handle()));
        drop(copies);
        let copied = copy();
        held(&self.copies).under_way.retain(|(other, _)| *other != number);
        Some(copied)
    }

    /// Interrupts copies under way; if `is_over`, none may begin any more.
    fn break_off(&self, is_over: bool) {
        let mut copies = held(&self.copies);
        copies.is_over |= is_over;
        copies.under_way.iter().for_each(|(_, copy)| copy.interrupt());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends a reader once a writer blocks others, or after a timeout.
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

    /// Reads or changes the writing connection.
    fn with<T>(store: &Store, work: impl FnOnce(&mut WritingConnection) -> T) -> T {
        store.writer.with_connection(Duration::from_secs(60), work).unwrap()
    }

    /// Dates the last try long ago.
    fn forget(store: &Store) {
        with(store, |writing| writing.log_rests_until = None);
    }

    fn write(store: &Store) {
        let insert = "INSERT INTO noise VALUES (zeroblob(8192))";
        store.write(|write| write.execute(insert, []).map_err(write.named())).unwrap();
    }

    fn give_back_at_once(store: &Store) {
        with(store, |writing| writing.db.pragma_update(None, "journal_size_limit", 0)).unwrap();
    }

    #[test]
    fn a_long_log_restarts_once_its_reader_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let store = Store::open(&path).unwrap();
        store.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        give_back_at_once(&store);
        with(&store, |writing| writing.longest_log = u64::MAX);
        let length = || std::fs::metadata(wal_of(&path)).unwrap().len();
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM noise").unwrap();
        (0..50).for_each(|_| write(&store));
        let long = length();
        with(&store, |writing| writing.longest_log = long / 2);
        std::thread::scope(|scope| {
            let ends = scope.spawn(|| end_when_wanted(reader, &path));
            while !ends.is_finished() {
                forget(&store);
                with(&store, |writing| writing.keep_log_short(&path));
            }
        });
        forget(&store);
        write(&store);
        assert!(length() < long / 4, "{} of {long}", length());
    }

    #[test]
    fn a_longer_log_is_worth_more_time_but_not_any() {
        let of = |length| times(length, LONGEST);
        assert_eq!((of(LONGEST), of(2 * LONGEST - 1), of(2 * LONGEST)), (1, 1, 2));
        assert_eq!((of(1000 * LONGEST), times(3, 0)), (4, 3));
    }

    #[test]
    fn stuck_reader_delays_only_briefly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let store = Store::open(&path).unwrap();
        store.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        let now = std::fs::metadata(wal_of(&path)).unwrap().len();
        with(&store, |writing| writing.longest_log = now);
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM noise").unwrap();
        let mut writes = 0;
        let rests_until = || with(&store, |writing| writing.log_rests_until);
        while rests_until().is_none() {
            write(&store);
            writes += 1;
        }
        let pause = Instant::now() + Duration::from_secs(3600);
        with(&store, |writing| writing.log_rests_until = Some(pause));
        (0..20).for_each(|_| write(&store));
        assert_eq!(rests_until(), Some(pause), "nobody waited again");
        let timeout = |writing: &mut WritingConnection| {
            writing.db.query_row("PRAGMA busy_timeout", [], |row| row.get(0))
        };
        assert_eq!(with(&store, timeout), Ok(5000), "statements wait as long as before");
        let written: u32 =
            store.db.query_row("SELECT count(*) FROM noise", [], |row| row.get(0)).unwrap();
        assert_eq!(written, writes + 20);
    }

    #[test]
    fn many_writers_and_readers_keep_the_log_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let first = Store::open(&path).unwrap();
        first.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        give_back_at_once(&first);
        with(&first, |writing| writing.longest_log = 1 << 18);
        let grow = || {
            let store = Store::open(&path).unwrap();
            (0..200).for_each(|_| {
                forget(&store);
                write(&store);
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

    const ENDLESS: &str =
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
        SELECT count(*) FROM number";

    fn forever(db: &Connection) -> rusqlite::Result<i64> {
        db.query_row(ENDLESS, [], |row| row.get(0))
    }

    #[test]
    fn hurry_interrupts_copies_and_starts_no_more() {
        let hurry = Hurry::new();
        let last = std::thread::scope(|scope| {
            let copier = scope.spawn(|| {
                let db = Connection::open_in_memory().unwrap();
                let first = hurry.in_time(&db, || forever(&db));
                assert!(matches!(first, Some(Err(_))), "{first:?}");
                assert_eq!(db.query_row("SELECT 7", [], |row| row.get(0)), Ok(7), "as before");
                while hurry.in_time(&db, || forever(&db)).is_some() {}
                hurry.in_time(&db, || ())
            });
            while held(&hurry.copies).next < 2 {
                hurry.break_off(false);
                std::thread::yield_now();
            }
            while !copier.is_finished() {
                hurry.break_off(true);
                std::thread::yield_now();
            }
            copier.join().unwrap()
        });
        assert_eq!(last, None);
        assert!(held(&hurry.copies).under_way.is_empty());
    }
}
