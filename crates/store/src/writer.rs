//! The one connection of this process that writes to a database, and the thread that keeps answers while runs go on.
//!
//! SQLite lets one connection write, and whoever has to wait looks again every now and then, up to a tenth of a
//! second apart: with many connections there is always one that comes between, and some wait for long. So this
//! process has one that writes; whoever has something to write has it in turn, and waits here for another process.

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

/// What the connection that writes may keep in memory, in KiB. More is no gain: pages that are split
/// pass through a number behind the last one, and the commit that follows looks through all that is kept for
/// such numbers. That took a millisecond with 256 MiB and a million answers; to read a page again from the
/// system's memory takes two microseconds.
const CACHE_KIB: i64 = 32 * 1024;

/// How long a statement waits for another process's transaction. Those take milliseconds; what writes waits on
/// (`patience.rs`).
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Of how many runs each may keep in memory what one alone may.
const ALIKE: usize = 2;
/// The least of it is one part in so many.
const LEAST: usize = 16;

/// Those of all databases that this process has open.
static ALL: Mutex<BTreeMap<PathBuf, Weak<SharedWriter>>> = Mutex::new(BTreeMap::new());

/// What writes to a database. All that have it open in this process share it.
#[derive(Debug)]
pub(super) struct SharedWriter {
    path: PathBuf,
    /// Which file it was when it was opened.
    pub identity: Identity,
    state: Mutex<WriterState>,
    is_free: Condvar,
    /// Whether another program kept the database locked at the last attempt.
    is_locked: AtomicBool,
    queue: OnceLock<Sender<QueuedWrite>>,
    /// Rows of positions.
    pub ids: PositionIds,
}

#[derive(Debug, Default)]
struct WriterState {
    /// None while somebody writes.
    connection: Option<WritingConnection>,
    /// How many have the database open to write. While there are none, there is no connection either.
    members: usize,
}

/// The connection, and what is known of its file.
#[derive(Debug)]
pub(super) struct WritingConnection {
    pub db: Connection,
    /// Which file the log was after the last commit.
    pub log: Identity,
    /// How long the log may be.
    pub longest_log: u64,
    /// Until when nobody waits for readers to make it shorter.
    pub log_rests_until: Option<Instant>,
}

/// Who has the database open to write; the last one closes the connection.
#[derive(Debug)]
pub(super) struct WriterMember(Arc<SharedWriter>);

/// The connection while somebody writes.
struct Lent<'w> {
    writer: &'w SharedWriter,
    /// None only when it has been given back.
    connection: Option<WritingConnection>,
}

/// A transaction that is being written.
pub(super) struct Write<'w> {
    db: &'w Connection,
    pub path: &'w Path,
    pub ids: &'w PositionIds,
    /// Rows of positions that are there only once all is written.
    pub made: RefCell<HashMap<PositionKey, i64>>,
}

type QueuedWrite = Box<dyn FnOnce() + Send>;

/// What will come of something that the writing thread was given. Dropped, it waits for it.
#[derive(Debug)]
pub struct WriteTicket<T> {
    path: PathBuf,
    done: Receiver<Result<T, StoreError>>,
}

impl SharedWriter {
    /// That of a database; of one that nobody here has open, a new one.
    pub fn of(path: &Path) -> Arc<SharedWriter> {
        SharedWriter::here(path).unwrap_or_else(|| {
            let new = Arc::new(SharedWriter::new(path));
            held(&ALL).insert(full(path), Arc::downgrade(&new));
            new
        })
    }

    /// That of a database that this process has open, if it has.
    pub fn here(path: &Path) -> Option<Arc<SharedWriter>> {
        let mut all = held(&ALL);
        all.retain(|_, writer| writer.strong_count() > 0);
        let there = all.get(&full(path)).and_then(Weak::upgrade);
        // Another file may have taken the place of one that is still open.
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

    /// One more that writes; the first one opens the connection.
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
        // Answers come at random places of the file: with SQLite's own 2 MB, a run on a large database
        // reads most pages again for each of them.
        db.pragma_update(None, "cache_size", -CACHE_KIB)?;
        // The log is copied into the file by our own rule; what it has beyond that length is given back to the
        // system when it is begun anew.
        db.pragma_update(None, "wal_autocheckpoint", 0)?;
        db.pragma_update(None, "journal_size_limit", LONGEST)?;
        db.pragma_update(None, "foreign_keys", true)?;
        let log = Identity::default();
        Ok(WritingConnection { db, log, longest_log: LONGEST, log_rests_until: None })
    }

    /// Of what one alone may keep in memory, what each that writes may keep now.
    pub fn share_of(&self, of_one: usize) -> usize {
        share(of_one, held(&self.state).members)
    }

    /// Writes something in one transaction that is durable when this returns: it waits for others here, as long
    /// as it takes, and not at its first write. After an error nothing of it is written, except where the file
    /// was replaced.
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
        // Where there is no write-ahead log, others may still read what is to be overwritten: they are waited
        // for, too.
        let commit = || db.execute_batch("COMMIT").map_err(StoreError::sqlite(&self.path));
        patience.wait(|| self.note(commit()))?;
        self.ids.remember(made);
        connection.still_there(&self.path, self.identity)?;
        Ok(done)
    }

    /// Does something with the connection, where it is free within this time.
    pub fn with_connection<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&mut WritingConnection) -> T,
    ) -> Option<T> {
        self.lend(patience)?.connection.as_mut().map(work)
    }

    /// The same as [`SharedWriter::write`] in the writing thread: in the order in which it is given.
    pub fn write_soon<T: Send + 'static>(
        self: &Arc<SharedWriter>,
        patience: &Patience,
        work: impl FnOnce(&Write<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> WriteTicket<T> {
        let (tell, done) = channel();
        let (writer, patience) = (Arc::clone(self), patience.clone());
        let queued = Box::new(move || {
            // Who does not want to know has dropped its ticket.
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
        // Whoever has the connection may be waiting for another program himself.
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

    /// Waits for the connection. While others of this process write, that comes to its end by itself; none where
    /// another program keeps the database locked, and it takes longer than `patience`.
    fn lend_before(&self, patience: Duration) -> Option<Lent<'_>> {
        loop {
            let lent = self.lend(patience);
            if lent.is_some() || self.is_locked.load(Ordering::Relaxed) {
                return lent;
            }
        }
    }

    /// Waits for the connection. None where that takes longer than `patience`.
    fn lend(&self, patience: Duration) -> Option<Lent<'_>> {
        let is_lent = |state: &mut WriterState| state.connection.is_none();
        let free = self.is_free.wait_timeout_while(held(&self.state), patience, is_lent);
        let (mut state, _) = free.unwrap_or_else(PoisonError::into_inner);
        let connection = state.connection.take()?;
        Some(Lent { writer: self, connection: Some(connection) })
    }

    /// Notes what came of an attempt to write.
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
            // Where even that fails, SQLite has done it already.
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
    /// What came of it, once it is durable.
    ///
    /// # Errors
    ///
    /// Those of the write.
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

/// A thread that does what it is given, one after the other, until nobody can give it anything any more.
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

/// What is behind these locks is right whatever happened to who held them.
pub(super) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
