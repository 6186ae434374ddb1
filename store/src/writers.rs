//! One connection of this process writes at a time.
//!
//! SQLite lets one connection write, and whoever has to wait looks again every now and then, up to a tenth of a
//! second apart: with many connections there is always one that comes between, and some wait for long. So those of
//! one process wait for each other here, and SQLite's own waiting is left for other processes.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rusqlite::Transaction;

use super::error::StoreError;
use super::identity::Identity;
use super::patience::Patience;

/// Those of all databases that this process has open.
static ALL: Mutex<BTreeMap<PathBuf, Weak<Writers>>> = Mutex::new(BTreeMap::new());

/// What the connections of this process to one database share.
#[derive(Debug)]
pub(super) struct Writers {
    identity: Identity,
    is_taken: Mutex<bool>,
    is_free: Condvar,
    /// Whether another program kept the database locked when one of them tried last.
    is_locked: AtomicBool,
    /// Held by who shortens the log; until when nobody tries again.
    pub log: Mutex<Option<Instant>>,
    /// How many of them have been opened to write.
    pub writing: AtomicUsize,
}

/// While it lives, no other connection of this process writes.
#[derive(Debug)]
pub(super) struct Turn<'w>(&'w Writers);

/// A transaction that writes, and the turn that it was begun in.
#[derive(Debug)]
pub(super) struct Write<'w> {
    // In this order: what is not committed is rolled back before the turn ends.
    pub transaction: Transaction<'w>,
    pub path: &'w Path,
    pub patience: &'w Patience,
    pub _turn: Turn<'w>,
}

impl Writers {
    /// Those of a database; of one that nobody here has open, new ones.
    pub(super) fn of(path: &Path) -> Arc<Writers> {
        Writers::here(path).unwrap_or_else(|| {
            let new = Arc::new(Writers::new(Identity::of(path)));
            held(&ALL).insert(full(path), Arc::downgrade(&new));
            new
        })
    }

    /// Those of a database that this process has open, if it has.
    pub(super) fn here(path: &Path) -> Option<Arc<Writers>> {
        let mut all = held(&ALL);
        all.retain(|_, writers| writers.strong_count() > 0);
        let there = all.get(&full(path)).and_then(Weak::upgrade);
        // Another file may have taken the place of one that is still open.
        there.filter(|writers| writers.identity == Identity::of(path))
    }

    fn new(identity: Identity) -> Writers {
        let (is_taken, is_free, is_locked, log, writing) = Default::default();
        Writers { identity, is_taken, is_free, is_locked, log, writing }
    }

    /// Waits for the turn. While others of this process write, that comes to its end by itself; none where another
    /// program keeps the database locked, and it takes longer than `patience`.
    pub(super) fn turn_before(&self, patience: Duration) -> Option<Turn<'_>> {
        loop {
            let turn = self.turn(patience);
            if turn.is_some() || self.is_locked.load(Ordering::Relaxed) {
                return turn;
            }
        }
    }

    /// Notes what came of an attempt to write.
    pub(super) fn note<T>(&self, attempt: Result<T, StoreError>) -> Result<T, StoreError> {
        let is_locked = attempt.as_ref().is_err_and(StoreError::is_busy);
        self.is_locked.store(is_locked, Ordering::Relaxed);
        attempt
    }

    /// Waits for the turn. None where that takes longer than `patience`.
    pub(super) fn turn(&self, patience: Duration) -> Option<Turn<'_>> {
        let free = self.is_free.wait_timeout_while(held(&self.is_taken), patience, |taken| *taken);
        let (mut is_taken, waited) = free.unwrap_or_else(PoisonError::into_inner);
        (!waited.timed_out()).then(|| {
            *is_taken = true;
            Turn(self)
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *held(&self.0.is_taken) = false;
        self.0.is_free.notify_one();
    }
}

impl<'w> Deref for Write<'w> {
    type Target = Transaction<'w>;

    fn deref(&self) -> &Transaction<'w> {
        &self.transaction
    }
}

impl Write<'_> {
    /// Makes durable what was written. Where there is no write-ahead log, others may still read what is to be
    /// overwritten: they are waited for, too.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        let named = StoreError::sqlite(self.path);
        let commit = || self.transaction.execute_batch("COMMIT").map_err(&named);
        self.patience.wait(|| self._turn.0.note(commit()))
    }
}

fn full(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What is behind these locks is right whatever happened to who held them.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn one_has_the_turn_and_the_next_gets_it_when_it_ends() {
        let writers = Writers::new(Identity::default());
        let turn = writers.turn(Duration::ZERO);
        assert!(turn.is_some());
        assert!(writers.turn(Duration::ZERO).is_none());
        std::thread::scope(|scope| {
            let next = scope.spawn(|| writers.turn(Duration::from_secs(60)).is_some());
            drop(turn);
            assert!(next.join().unwrap());
        });
        assert!(writers.turn(Duration::ZERO).is_some(), "it has ended, too");
    }

    /// Waiting for each other is no vain attempt, however long it takes.
    #[test]
    fn the_turn_is_given_up_only_where_another_program_is_in_the_way() {
        let writers = Writers::new(Identity::default());
        let turn = writers.turn(Duration::ZERO);
        let (asked, has_asked) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| {
                asked.send(()).unwrap();
                writers.turn_before(Duration::ZERO).is_some()
            });
            has_asked.recv().unwrap();
            drop(turn);
            assert!(next.join().unwrap());
        });
        let _turn = writers.turn(Duration::ZERO);
        let locked = StoreError::locked(Path::new("tree.db"));
        assert!(writers.note::<()>(Err(locked)).is_err());
        assert!(writers.turn_before(Duration::ZERO).is_none());
    }

    #[test]
    fn connections_to_one_database_share_their_turns_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let other_name = folder.path().join(".").join("tree.db");
        let (one, other) = (Store::open(&path).unwrap(), Store::open(&other_name).unwrap());
        let apart = Store::open(&folder.path().join("other.db")).unwrap();
        let write = one.write().unwrap();
        assert!(other.writers.turn(Duration::ZERO).is_none());
        assert!(apart.writers.turn(Duration::ZERO).is_some());
        write.commit().unwrap();
        assert!(other.writers.turn(Duration::ZERO).is_some());
        drop(one.write().unwrap());
        assert!(
            other.writers.turn(Duration::ZERO).is_some(),
            "what is rolled back ends its turn, too"
        );
    }

    #[test]
    fn many_connections_write_without_one_being_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let first = Store::open(&path).unwrap();
        first.db.execute_batch("CREATE TABLE noise (n)").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let told = |why: &str| std::panic::panic_any(why.to_owned());
                    let patience = Patience::new(|| true, told);
                    let store = Store::open_with(&path, patience).unwrap();
                    for _ in 0..20 {
                        let write = store.write().unwrap();
                        write.execute("INSERT INTO noise VALUES (1)", []).unwrap();
                        write.commit().unwrap();
                    }
                });
            }
        });
        let written: u32 =
            first.db.query_row("SELECT count(*) FROM noise", [], |row| row.get(0)).unwrap();
        assert_eq!(written, 320);
    }
}
