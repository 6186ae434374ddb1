//! The one connection of this process that writes to a database, and the thread that stores answers
//! during runs.
//!
//! SQLite lets one connection write, and those waiting retry now and then, up to a tenth of a
//! second apart: with many connections there is always one that comes between, and some wait for
//! long. So this process has one writing connection, used in turn; waits for each other happen
//! here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use deepanalyze_core::chess::PositionKey;
use hashbrown::HashMap;
use rusqlite::Connection;

use super::error::StoreError;
use super::files::Identity;
use super::log::{LONGEST, close};
use super::memo::PositionIds;
use super::patience::Patience;

/// Cache of the writing connection, in KiB. More is no gain: pages that are split pass through a
/// number behind the last one, and the commit that follows searches the whole cache for such
/// numbers. That took a millisecond with 256 MiB and a million answers; rereading a page from the
/// system's memory takes two microseconds.
const CACHE_KIB: i64 = 32 * 1024;

/// Wait of a statement for another process's transaction. Those take milliseconds; writes wait
/// longer (`patience.rs`).
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Up to this many runs have the full budget each.
const ALIKE: usize = 2;
/// The least share is one in this many.
const LEAST: usize = 16;

/// Writers of all databases that this process has open.
static ALL: Mutex<BTreeMap<PathBuf, Weak<SharedWriter>>> = Mutex::new(BTreeMap::new());

/// The writer of a database, shared by all that have it open in this process.
#[derive(Debug)]
pub(super) struct SharedWriter {
    path: PathBuf,
    /// Identity of the file when opened.
    pub identity: Identity,
    state: Mutex<WriterState>,
    is_free: Condvar,
    /// True if another program kept the database locked at the last attempt.
    is_locked: AtomicBool,
    queue: OnceLock<Sender<QueuedWrite>>,
    /// Rows of positions.
    pub ids: PositionIds,
}

#[derive(Debug, Default)]
struct WriterState {
    /// `None` during a write.
    connection: Option<WritingConnection>,
    /// Number of stores that may write. Without any, there is no connection either.
    members: usize,
}

/// The connection, and what is known of its file.
#[derive(Debug)]
pub(super) struct WritingConnection {
    pub db: Connection,
    /// Identity of the log after the last commit.
    pub log: Identity,
    /// Target length of the log.
    pub longest_log: u64,
    /// No wait for readers to shorten the log before this time.
    pub log_rests_until: Option<Instant>,
}

/// Keeps the database open to write; the last one closes the connection.
#[derive(Debug)]
pub(super) struct WriterMember(Arc<SharedWriter>);

/// The connection, lent for a write.
struct Lent<'w> {
    writer: &'w SharedWriter,
    /// `None` only after its return.
    connection: Option<WritingConnection>,
}

/// A transaction that is being written.
pub(super) struct Write<'w> {
    db: &'w Connection,
    pub path: &'w Path,
    pub ids: &'w PositionIds,
    /// Rows of positions that exist only once all is written.
    pub made: RefCell<HashMap<PositionKey, i64>>,
}

type QueuedWrite = Box<dyn FnOnce() + Send>;

/// The result of a queued write. Dropping it waits for it.
#[derive(Debug)]
pub struct WriteTicket<T> {
    path: PathBuf,
    done: Receiver<Result<T, StoreError>>,
}

impl SharedWriter {
    /// The writer of a database, a new one if not open here.
    pub fn of(path: &Path) -> Arc<SharedWriter> {
        SharedWriter::here(path).unwrap_or_else(|| {
            let new = Arc::new(SharedWriter::new(path));
            held(&ALL).insert(full(path), Arc::downgrade(&new));
            new
        })
    }

    /// The writer of a database that this process has open.
    pub fn here(path: &Path) -> Option<Arc<SharedWriter>> {
        let mut all = held(&ALL);
        all.retain(|_, writer| writer.strong_count() > 0);
        let there = all.get(&full(path)).and_then(Weak::upgrade);
        // A new file may have replaced one that is still open.
        there.filter(|writer| writer.identity == Identity::of(path))
    }

    fn new(path: &Path) -> SharedWriter {
        SharedWriter {
            path: path.to_owned(),
            identity: Identity::of(path),
            state: Mutex::default(),
            is_free: Condvar::new(),
            is_locked: AtomicBool::new(false),
            queue: OnceLock::new(),
            ids: PositionIds::default(),
        }
    }

    /// Adds a member; the first one opens the connection.
    pub fn join(
        self: &Arc<SharedWriter>,
        open: impl Fn() -> Result<Connection, StoreError>,
    ) -> Result<WriterMember, StoreError> {
        let mut opened = None;
        loop {
            let mut state = held(&self.state);
            if state.members > 0 || opened.is_some() {
                if state.members == 0 {
                    state.connection = opened.take();
                }
                state.members += 1;
                return Ok(WriterMember(Arc::clone(self)));
            }
            drop(state);
            opened = Some(self.configured(open()?).map_err(StoreError::sqlite(&self.path))?);
        }
    }

    fn configured(&self, db: Connection) -> rusqlite::Result<WritingConnection> {
        // An answer must survive a power cut once it is committed: FULL, not NORMAL.
        db.pragma_update(None, "synchronous", "FULL")?;
        // Answers come at random places of the file: with SQLite's own 2 MB, a run on a large
        // database reads most pages again for each of them.
        db.pragma_update(None, "cache_size", -CACHE_KIB)?;
        // The log is copied into the file by our own rule; its excess over that length is freed
        // when it is restarted.
        db.pragma_update(None, "wal_autocheckpoint", 0)?;
        db.pragma_update(None, "journal_size_limit", LONGEST)?;
        db.pragma_update(None, "foreign_keys", true)?;
        let log = Identity::default();
        Ok(WritingConnection { db, log, longest_log: LONGEST, log_rests_until: None })
    }

    /// Cache budget per writer.
    pub fn share_of(&self, of_one: usize) -> usize {
        share(of_one, held(&self.state).members)
    }

    /// Writes in one transaction that is durable when this returns: it waits for others here,
    /// without limit, and not at its first write. After an error nothing of it is written, unless
    /// the file was replaced.
    pub fn write<T, E: From<StoreError>>(
        &self,
        patience: &Patience,
        work: impl FnOnce(&Write<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut lent = patience.wait(|| self.begin(patience.attempt))?;
        let Some(connection) = &mut lent.connection else {
            return Err(StoreError::locked(&self.path).into());
        };
        let db = &connection.db;
        let write = Write { db, path: &self.path, ids: &self.ids, made: RefCell::default() };
        let done = work(&write)?;
        let made = write.made.into_inner();
        // Without a write-ahead log, others may still read what is to be overwritten: wait for
        // them, too.
        let commit = || db.execute_batch("COMMIT").map_err(StoreError::sqlite(&self.path));
        patience.wait(|| self.note(commit()))?;
        self.ids.remember(made);
        connection.still_there(&self.path, self.identity)?;
        Ok(done)
    }

    /// Calls `work` with the connection, if it is free within this time.
    pub fn with_connection<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&mut WritingConnection) -> T,
    ) -> Option<T> {
        self.lend(patience)?.connection.as_mut().map(work)
    }

    /// [`SharedWriter::write`] in the writing thread: in the order of the calls.
    pub fn write_soon<T: Send + 'static>(
        self: &Arc<SharedWriter>,
        patience: &Patience,
        work: impl FnOnce(&Write<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> WriteTicket<T> {
        let (tell, done) = channel();
        let (writer, patience) = (Arc::clone(self), patience.clone());
        let queued = Box::new(move || {
            // The receiver is gone if its ticket was dropped.
            let _ = tell.send(writer.write(&patience, work));
        });
        // Without a thread it is written at once.
        if let Err(refused) = self.queue.get_or_init(start_queue).send(queued) {
            (refused.0)();
        }
        WriteTicket { path: self.path.clone(), done }
    }

    /// One attempt to begin a transaction.
    fn begin(&self, attempt: Duration) -> Result<Lent<'_>, StoreError> {
        // The holder of the connection may itself be waiting for another program.
        let mut lent = self.lend_before(attempt).ok_or_else(|| StoreError::locked(&self.path))?;
        if let Some(connection) = &mut lent.connection {
            connection.keep_log_short(&self.path);
            let begin = |db: &Connection| {
                db.busy_timeout(attempt)?;
                let begun = db.execute_batch("BEGIN IMMEDIATE");
                db.busy_timeout(BUSY_TIMEOUT)?;
                begun
            };
            self.note(begin(&connection.db).map_err(StoreError::sqlite(&self.path)))?;
        }
        Ok(lent)
    }

    /// Waits for the connection, without limit while others of this process write; `None` if
    /// another program keeps the database locked, and it takes longer than `patience`.
    fn lend_before(&self, patience: Duration) -> Option<Lent<'_>> {
        loop {
            let lent = self.lend(patience);
            if lent.is_some() || self.is_locked.load(Ordering::Relaxed) {
                return lent;
            }
        }
    }

    /// Waits for the connection; `None` after `patience`.
    fn lend(&self, patience: Duration) -> Option<Lent<'_>> {
        let is_lent = |state: &mut WriterState| state.connection.is_none();
        let free = self.is_free.wait_timeout_while(held(&self.state), patience, is_lent);
        let (mut state, _) = free.unwrap_or_else(PoisonError::into_inner);
        let connection = state.connection.take()?;
        Some(Lent { writer: self, connection: Some(connection) })
    }

    /// Notes if an attempt met a lock.
    fn note<T>(&self, attempt: Result<T, StoreError>) -> Result<T, StoreError> {
        let is_locked = attempt.as_ref().is_err_and(StoreError::is_busy);
        self.is_locked.store(is_locked, Ordering::Relaxed);
        attempt
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !connection.db.is_autocommit() {
            // If even that fails, SQLite has done it already.
            let _ = connection.db.execute_batch("ROLLBACK");
        }
        let mut state = held(&self.writer.state);
        if state.members > 0 {
            state.connection = Some(connection);
            self.writer.is_free.notify_one();
            return;
        }
        drop(state);
        close(connection);
    }
}

impl Drop for WriterMember {
    fn drop(&mut self) {
        let mut state = held(&self.0.state);
        state.members -= 1;
        let last = if state.members == 0 { state.connection.take() } else { None };
        drop(state);
        last.into_iter().for_each(close);
    }
}

impl Deref for Write<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

impl Write<'_> {
    /// Names the file in an error of SQLite.
    pub fn named(&self) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        StoreError::sqlite(self.path)
    }
}

impl<T> WriteTicket<T> {
    /// The result, once durable.
    ///
    /// # Errors
    ///
    /// The write's error.
    pub fn wait(self) -> Result<T, StoreError> {
        self.done.recv().unwrap_or_else(|_| {
            let source = std::io::Error::other("the thread that writes has failed");
            Err(StoreError::Io { path: self.path.clone(), source })
        })
    }
}

impl<T> Drop for WriteTicket<T> {
    fn drop(&mut self) {
        let _ = self.done.recv();
    }
}

/// A thread that runs queued writes in order, until all senders are gone.
fn start_queue() -> Sender<QueuedWrite> {
    let (sender, queued) = channel::<QueuedWrite>();
    let write = move || queued.into_iter().for_each(|write| write());
    if let Err(error) = std::thread::Builder::new().name("writer".to_owned()).spawn(write) {
        tracing::warn!(%error, "no thread to write with: runs wait while they write");
    }
    sender
}

fn share(of_one: usize, members: usize) -> usize {
    (of_one * ALIKE / members.max(ALIKE)).max(of_one / LEAST)
}

fn full(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Data behind these locks is valid even if a holder panicked.
pub(super) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
