//! Opening a database file: ours or refused, never guessed.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};

use super::error::StoreError;
use super::files::{has_log, is_shared};
use super::header::Header;
use super::patience::Patience;
use super::schema::NEWEST;
use super::writer::{BUSY_TIMEOUT, SharedWriter, Write, WriterMember, WritingConnection, held};

/// Pause between attempts while several processes make a database: if two of them want the
/// write-ahead log, SQLite reports busy at once.
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

const TO_WRITE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_CREATE);

/// An open database: a connection that reads, and the shared one that writes, if opened to write.
#[derive(Debug)]
pub struct Store {
    // In this order: the writing connection is closed last, with all that SQLite does then.
    pub(super) db: Connection,
    /// Only if opened to write.
    member: Option<WriterMember>,
    pub(super) writer: Arc<SharedWriter>,
    pub(super) path: PathBuf,
    pub(super) patience: Patience,
    /// Copy of the file before its schema was updated.
    pub(super) copy: Option<PathBuf>,
}

impl Store {
    /// Opens a database for growing, makes it if missing, and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the file cannot be opened, is not ours, or is newer than the program; it
    /// is untouched then.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Store::open_with(path, Patience::default())
    }

    /// Opens it with this patience for a locked database, now and at every write.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_with(path: &Path, patience: Patience) -> Result<Store, StoreError> {
        let path = &behind_links(path);
        refuse_missing_folder(path)?;
        let mut store = patience.wait(|| Store::connect_to_write(path))?;
        store.patience = patience.clone();
        let named = StoreError::sqlite(path);
        store.db.busy_timeout(patience.attempt).map_err(&named)?;
        patience.wait(|| store.prepare_soon())?;
        store.db.busy_timeout(BUSY_TIMEOUT).map_err(&named)?;
        let connect = || Store::connection(path, TO_WRITE);
        store.member = Some(store.writer.join(connect)?);
        Ok(store)
    }

    /// Opens it for use until the program's end only: nothing waits for the disk.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_for_now(path: &Path) -> Result<Store, StoreError> {
        let store = Store::open(path)?;
        let off =
            |writing: &mut WritingConnection| writing.db.pragma_update(None, "synchronous", "OFF");
        let is_off = store.writer.with_connection(BUSY_TIMEOUT, off).unwrap_or(Ok(()));
        is_off.map_err(StoreError::sqlite(path)).map(|()| store)
    }

    /// Checks the file, if not open in this process, and connects to it.
    fn connect_to_write(path: &Path) -> Result<Store, StoreError> {
        let _looking = looking();
        if SharedWriter::here(path).is_none() {
            if path.exists() {
                Header::read(path)?.refuse_others(path)?;
            }
            // The system's error says more than SQLite's "unable to open database file".
            OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(path)
                .map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        }
        Store::connect(path, TO_WRITE)
    }

    /// One attempt to prepare it.
    fn prepare_soon(&mut self) -> Result<(), StoreError> {
        let began = Instant::now();
        loop {
            match self.prepare() {
                Err(error) if error.is_busy() && began.elapsed() < self.patience.attempt => {
                    std::thread::sleep(BETWEEN_TRIES);
                }
                result => return result,
            }
        }
    }

    /// Brings up to date a database that is ours or empty.
    fn prepare(&mut self) -> Result<(), StoreError> {
        let version = self.read_version()?;
        self.configure().map_err(StoreError::sqlite(&self.path))?;
        if version < NEWEST {
            self.migrate(version)?;
        }
        Ok(())
    }

    /// Opens a database for reading, while others may grow it. It may be on a read-only medium, or
    /// of an older version, which stays as it is.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the file is missing, or this program cannot read it.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        let path = &behind_links(path);
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let _looking = looking();
        if SharedWriter::here(path).is_none() {
            let header = Header::read(path)?;
            // A new database that is in use has an empty page until its log is long: it is
            // identified once open.
            if !(header == Header::Blank { one_page: true } && is_shared(path)) {
                header.refuse_others(path)?;
            }
            if path.metadata().is_ok_and(|file| file.len() == 0) {
                return Err(StoreError::Empty(path.to_owned()));
            }
        }
        let opened =
            Store::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(Store::unless_empty);
        match opened {
            Err(error) if error.is_unwritable() => Store::open_still(path, error)?,
            other => other?,
        }
        .ok_or_else(|| StoreError::Empty(path.to_owned()))
    }

    /// SQLite cannot read a database in WAL mode unless it can make its `-shm` file, or the file is
    /// immutable. It is if the folder is read-only and no log is pending.
    fn open_still(path: &Path, error: StoreError) -> Result<Option<Store>, StoreError> {
        if has_log(path) {
            return Err(error);
        }
        Store::connect_still(path)?.unless_empty()
    }

    /// Connects to a file as immutable: SQLite takes no lock and makes no file beside it.
    pub(super) fn connect_still(path: &Path) -> Result<Store, StoreError> {
        let unwritable = || rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
        let uri = path.to_str().map(immutable_uri).ok_or_else(|| {
            StoreError::sqlite(path)(rusqlite::Error::SqliteFailure(unwritable(), None))
        })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut store = Store::connect(Path::new(&uri), flags)?;
        store.path = path.to_owned();
        Ok(store)
    }

    /// A reading one, unless the file is empty.
    fn unless_empty(self) -> Result<Option<Store>, StoreError> {
        match self.read_version()? {
            0 => Ok(None),
            version => self.show_as_newest(version).map(|()| Some(self)),
        }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that changes whenever another connection has written.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.only_row("PRAGMA data_version", [], |row| row.get(0))
    }

    pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        let named = StoreError::sqlite(path);
        let db = Store::connection(path, flags)?;
        // Until the file is known as ours, closing it must not move its log into it.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(&named)?;
        Ok(Store {
            db,
            member: None,
            writer: SharedWriter::of(path),
            path: path.to_owned(),
            patience: Patience::default(),
            copy: None,
        })
    }

    fn connection(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
        let open = || -> rusqlite::Result<Connection> {
            let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            db.busy_timeout(BUSY_TIMEOUT)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
            db.set_prepared_statement_cache_capacity(64);
            Ok(db)
        };
        open().map_err(StoreError::sqlite(path))
    }

    /// Settings of a database that is written.
    fn configure(&self) -> rusqlite::Result<()> {
        // If the file system cannot share memory, SQLite keeps and reports the old mode.
        let mode: String =
            self.db.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case("wal") {
            tracing::warn!(mode, "no write-ahead log: readers wait while a tree grows");
        }
        self.db.pragma_update(None, "synchronous", "FULL")
    }

    /// This one's part of a memory budget, beside others of this process.
    pub fn share_of(&self, of_one: usize) -> usize {
        self.writer.share_of(of_one)
    }

    /// Writes something in one transaction that is durable when this returns, as [`SharedWriter::write`] does.
    pub(super) fn write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Write<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.writer.write(&self.patience, work)
    }

    /// Maps each row of a statement.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            self.db.prepare_cached(sql)?.query_map(parameters, read)?.collect()
        };
        rows().map_err(StoreError::sqlite(&self.path))
    }

    /// Maps the first row of a statement, if any.
    pub(super) fn first_row<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let row = || self.db.prepare_cached(sql)?.query_row(parameters, read).optional();
        row().map_err(StoreError::sqlite(&self.path))
    }

    /// Maps the row of a statement that always has one.
    pub(super) fn only_row<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let row = || self.db.prepare_cached(sql)?.query_row(parameters, read);
        row().map_err(StoreError::sqlite(&self.path))
    }

    pub(super) fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what }
    }
}

/// Held from the first look at a file to its connection. Closing a file gives up all locks of the
/// process on it, those of SQLite's connections, too (POSIX), and another program that closes the
/// database then removes its log under them. So a file is looked at only while no connection of
/// this process has it open.
pub(super) fn looking() -> MutexGuard<'static, ()> {
    static LOOKING: Mutex<()> = Mutex::new(());
    held(&LOOKING)
}

/// The target of a symbolic link: lock and log lie beside it, whatever name it was opened by.
fn behind_links(path: &Path) -> PathBuf {
    match path.canonicalize() {
        Ok(target) if path.is_symlink() => target,
        _ => path.to_owned(),
    }
}

/// Refuses a missing folder, which may be a typing error.
fn refuse_missing_folder(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(StoreError::NoFolder(folder.to_owned()))
        }
        _ => Ok(()),
    }
}

/// The path as a URI that tells SQLite that the file is immutable.
fn immutable_uri(path: &str) -> String {
    let escaped = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_making_one_database_all_open_it() {
        for _ in 0..40 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tree.db");
            let start = std::sync::Barrier::new(6);
            std::thread::scope(|scope| {
                let open = || {
                    start.wait();
                    Store::open(&path).map(drop)
                };
                let opened = [(); 6].map(|()| scope.spawn(open));
                for opened in opened.map(|thread| thread.join().unwrap()) {
                    assert!(opened.is_ok(), "{opened:?}");
                }
            });
        }
    }
}
