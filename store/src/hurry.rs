//! The end of the program is near: nobody waits until a long write-ahead log is copied into the file.
//!
//! To copy half a gigabyte takes a slow disk many seconds, and SQLite does it whenever the last connection is closed.
//! Nothing is lost where it is left: the log is as durable as the file, and the next start copies it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, InterruptHandle};

/// So long after the first word of it, nothing is copied any more.
const LAST: Duration = Duration::from_millis(1200);
/// An interruption that comes before its statement has begun is none, so it is told again.
const AGAIN: Duration = Duration::from_millis(50);

/// Of this process.
static HURRY: Hurry = Hurry::new();

/// Who copies, and whether there is still time for it.
struct Hurry {
    /// The end is near: runs do not copy any more.
    is_near: AtomicBool,
    copies: Mutex<Copies>,
}

struct Copies {
    /// There is no time left.
    is_over: bool,
    /// Those under way, each with its number.
    under_way: Vec<(u64, InterruptHandle)>,
    next: u64,
}

/// Tells that the program is about to end: copies that are under way are broken off, and the last ones may take a
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

/// Whether the program is about to end.
pub(super) fn is_near() -> bool {
    HURRY.is_near.load(Ordering::SeqCst)
}

/// Copies the log of a connection, as long as there is time; none where there is none left.
pub(super) fn in_time<T>(db: &Connection, copy: impl FnOnce() -> T) -> Option<T> {
    HURRY.in_time(db, copy)
}

impl Hurry {
    const fn new() -> Hurry {
        let copies = Copies { is_over: false, under_way: Vec::new(), next: 0 };
        Hurry { is_near: AtomicBool::new(false), copies: Mutex::new(copies) }
    }

    fn in_time<T>(&self, db: &Connection, copy: impl FnOnce() -> T) -> Option<T> {
        let mut copies = self.lock();
        if copies.is_over {
            return None;
        }
        let number = copies.next;
        copies.next += 1;
        copies.under_way.push((number, db.get_interrupt_handle()));
        drop(copies);
        let copied = copy();
        self.lock().under_way.retain(|(other, _)| *other != number);
        Some(copied)
    }

    /// Interrupts what is under way; where that is the end of it, nothing may begin any more.
    fn break_off(&self, is_over: bool) {
        let mut copies = self.lock();
        copies.is_over |= is_over;
        copies.under_way.iter().for_each(|(_, copy)| copy.interrupt());
    }

    fn lock(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str =
        "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
        SELECT count(*) FROM number";

    fn forever(db: &Connection) -> rusqlite::Result<i64> {
        db.query_row(ENDLESS, [], |row| row.get(0))
    }

    #[test]
    fn what_is_copied_is_broken_off_and_nothing_begins_once_it_is_over() {
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
            while hurry.lock().next < 2 {
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
        assert!(hurry.lock().under_way.is_empty());
    }
}
