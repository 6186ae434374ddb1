//! What a file is once SQLite has played the log beside it. To open a database is a write where a log is pending, so
//! it is seen on a copy; of the file that takes the first page alone.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::parts::{has_log, journal_of, wal_of};

/// The largest page that SQLite has; the least that makes it look at a log.
const PAGE: u64 = 65_536;
const LEAST: u64 = 4096;

/// What a file is with its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Played {
    /// There is no log, or none that SQLite can play.
    Nothing,
    /// A database without a name and without tables.
    Empty,
    /// A database with these numbers.
    Database {
        /// `PRAGMA application_id`.
        application: i64,
        /// `PRAGMA user_version`.
        version: i64,
    },
}

impl Played {
    /// Plays the log of a file that says nothing of itself.
    pub(super) fn of(path: &Path) -> Result<Played, StoreError> {
        if !has_log(path) {
            return Ok(Played::Nothing);
        }
        let folder = tempfile::tempdir().map_err(|source| {
            let path = std::env::temp_dir();
            StoreError::Io { path, source }
        })?;
        let copy = folder.path().join("database");
        copied(path, &copy).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        Ok(named(&copy).unwrap_or(Played::Nothing))
    }
}

/// Copies the first page, in a file of the same length, and the logs.
fn copied(path: &Path, to: &Path) -> std::io::Result<()> {
    let (from, mut copy) = (File::open(path)?, File::create(to)?);
    let length = from.metadata()?.len();
    std::io::copy(&mut from.take(PAGE), &mut copy)?;
    // Beside a file without a page SQLite deletes the log.
    copy.set_len(length.max(LEAST))?;
    for part in [wal_of, journal_of] {
        match std::fs::copy(part(path), part(to)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn named(copy: &Path) -> rusqlite::Result<Played> {
    let db = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    Ok(match (application, version, number("schema_version")?) {
        (0, 0, 0) => Played::Empty,
        _ => Played::Database { application, version },
    })
}
