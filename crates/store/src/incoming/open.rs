//! Opening.

use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;

use super::Incoming;
use crate::check::schema_of;
use crate::error::StoreError;
use crate::files::{FileStamp, Identity, has_log, is_shared};
use crate::header::Header;
use crate::open::{Store, looking};
use crate::schema::{model, refuse_others};

/// The longest text of a row, in bytes: no program has written a longer one.
const LONGEST: i32 = 1 << 16;
/// Cache limit in KiB, whatever the file's size.
const CACHE_KIB: i64 = 16 * 1024;

impl Incoming {
    /// Opens a database other than `own`. Nothing is written, neither to it nor to its folder,
    /// unless a program has it open, or had when it died: then SQLite makes an index of its log.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it is `own` itself, or no database that this program can read, or a table
    /// of it is not as the program makes it.
    pub fn open(path: &Path, own: &Path) -> Result<Incoming, StoreError> {
        let path = &real_path(path)?;
        if is_same(path, own) {
            return Err(StoreError::Same(path.clone()));
        }
        let _looking = looking();
        refuse_header(path)?;
        let stamp = FileStamp::of(path);
        let store = connect(path)?;
        guard(&store).map_err(StoreError::sqlite(path))?;
        let version = store.read_version()?;
        if version < 1 {
            // No version of the program has written it, unless a process is just making it.
            return Err(if schema_of(&store.db).map_err(StoreError::sqlite(path))?.is_empty() {
                StoreError::Empty(path.clone())
            } else {
                store.damaged("it has no format number".to_owned())
            });
        }
        refuse_tables(&store, version)?;
        store.show_as_newest(version)?;
        // Temporary views of the connection still work.
        let no_views = store.db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false);
        no_views.map_err(StoreError::sqlite(path))?;
        Ok(Incoming { store, stamp })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.store.path
    }

    /// Refuses a file that was changed since it was opened as immutable.
    ///
    /// # Errors
    ///
    /// [`StoreError::Changed`].
    pub fn refuse_changed(&self) -> Result<(), StoreError> {
        if self.stamp == FileStamp::of(self.path()) || has_log(self.path()) {
            Ok(())
        } else {
            Err(StoreError::Changed(self.path().to_owned()))
        }
    }
}

/// Resolves links.
fn real_path(path: &Path) -> Result<PathBuf, StoreError> {
    path.canonicalize().map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => StoreError::NoSuchFile(path.to_owned()),
        _ => StoreError::Io { path: path.to_owned(), source },
    })
}

/// True if two paths lead to one file, by whatever links.
fn is_same(path: &Path, own: &Path) -> bool {
    let identity = Identity::of(path);
    let is_one_file = identity != Identity::default() && identity == Identity::of(own);
    is_one_file || own.canonicalize().is_ok_and(|own| own == path)
}

/// Does not play a log on a copy to identify a foreign file.
fn refuse_header(path: &Path) -> Result<(), StoreError> {
    match Header::read(path)? {
        Header::Sqlite { application, version } => refuse_others(path, application, version),
        // A new one that is in use, or was: it is identified once it is open.
        Header::Blank { .. } if has_log(path) && is_shared(path) => Ok(()),
        Header::Empty | Header::Unwritten | Header::Blank { .. } if has_log(path) => {
            Err(StoreError::InLog(path.to_owned()))
        }
        Header::Empty => Err(StoreError::Empty(path.to_owned())),
        Header::Other | Header::Unwritten | Header::Blank { .. } => {
            Err(StoreError::Foreign(path.to_owned()))
        }
    }
}

/// Opens a file that is not in use as immutable: without a lock, and without a file beside it.
fn connect(path: &Path) -> Result<Store, StoreError> {
    if has_log(path) || is_shared(path) {
        return Store::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    }
    Store::connect_still(path)
}

/// SQLite's defences against malicious files.
fn guard(store: &Store) -> rusqlite::Result<()> {
    let db = &store.db;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "mmap_size", 0)?;
    db.pragma_update(None, "cache_size", -CACHE_KIB)
}

/// Every table must exist as the program makes it: no view in its place, no computed column.
fn refuse_tables(store: &Store, version: i64) -> Result<(), StoreError> {
    let named = StoreError::sqlite(&store.path);
    let right = schema_of(&model(version).map_err(&named)?).map_err(&named)?;
    let kept = schema_of(&store.db).map_err(&named)?;
    let is_other = |(object, sql): &(&String, &Option<String>)| {
        object.starts_with("table ") && kept.get(*object) != Some(sql)
    };
    match right.iter().find(is_other) {
        None => Ok(()),
        Some((object, _)) => {
            Err(store.damaged(format!("its {object} is not as the program makes it")))
        }
    }
}
