//! A file's first bytes, read before SQLite touches it: opening a database with a pending journal
//! or log is a write, and a foreign file must not change.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::files::{has_log, journal_of, wal_of};
use super::schema;

const MAGIC: &[u8] = b"SQLite format 3\0";
/// Length of SQLite's file header, and of the beginning of the page behind it.
const LENGTH: usize = 108;
/// The length of a page.
const PAGE: u64 = 4096;
/// First byte of a page that has rows, and no pages below it.
const LEAF: u8 = 13;

/// Kinds of a file's first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// None: a database yet to be made.
    Empty,
    /// Zeros, or less than a header: a first page that was not written.
    Unwritten,
    /// Not a database.
    Other,
    /// A database of SQLite without a name and without tables.
    Blank {
        /// True if it has only its first page.
        one_page: bool,
    },
    /// A database of SQLite.
    Sqlite {
        /// `PRAGMA application_id`.
        application: i64,
        /// `PRAGMA user_version`.
        version: i64,
    },
}

impl Header {
    /// Reads the header of a file.
    pub(super) fn read(path: &Path) -> Result<Header, StoreError> {
        let failed = |source| StoreError::Io { path: path.to_owned(), source };
        let metadata = path.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            // Reading a pipe would wait for its other end.
            return Ok(Header::Other);
        }
        let mut bytes = Vec::with_capacity(LENGTH);
        let file = File::open(path).map_err(failed)?;
        file.take(LENGTH as u64).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Header::of(&bytes, metadata.len()))
    }

    fn of(bytes: &[u8], length: u64) -> Header {
        if bytes.is_empty() {
            return Header::Empty;
        }
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4)?;
            Some(i64::from(u32::from_be_bytes(bytes.try_into().ok()?)))
        };
        let page = bytes.get(16..18).map_or(0, |size| match size {
            [0, 1] => 65_536,
            size => size.iter().fold(0, |size, byte| size << 8 | u64::from(*byte)),
        });
        let has_rows = bytes.get(100) != Some(&LEAF) || bytes.get(103..105) != Some(&[0, 0]);
        match (number(68), number(60)) {
            (Some(0), Some(0)) if bytes.starts_with(MAGIC) && !has_rows => {
                Header::Blank { one_page: length <= page }
            }
            (Some(0) | None, Some(0) | None) if is_unwritten(bytes) => Header::Unwritten,
            (Some(application), Some(version)) if bytes.starts_with(MAGIC) => {
                Header::Sqlite { application, version }
            }
            _ => Header::Other,
        }
    }

    /// Refuses a file that cannot be ours. After a power cut a first page may not have been
    /// written, though its contents are in the log: then the log decides.
    pub(super) fn refuse_others(self, path: &Path) -> Result<(), StoreError> {
        let foreign = || Err(StoreError::Foreign(path.to_owned()));
        match self {
            Header::Sqlite { application, version } => {
                schema::refuse_others(path, application, version)
            }
            Header::Other => foreign(),
            Header::Empty | Header::Unwritten | Header::Blank { .. } => {
                match LogPlayed::of(path)? {
                    LogPlayed::Database { application, version } => {
                        schema::refuse_others(path, application, version)?;
                        give_page(path)
                    }
                    LogPlayed::Empty => Ok(()),
                    LogPlayed::Nothing => match self {
                        Header::Empty | Header::Blank { one_page: true } => Ok(()),
                        _ => foreign(),
                    },
                }
            }
        }
    }
}

fn is_unwritten(bytes: &[u8]) -> bool {
    let is_cut = bytes.len() < LENGTH && bytes.iter().zip(MAGIC).all(|(byte, magic)| byte == magic);
    is_cut || bytes.iter().all(|byte| *byte == 0)
}

/// SQLite deletes the log of a file without pages, and plays it over an unwritten page.
fn give_page(path: &Path) -> Result<(), StoreError> {
    let give = || match path.metadata()?.len() {
        PAGE.. => Ok(()),
        _ => OpenOptions::new().write(true).open(path)?.set_len(PAGE),
    };
    give().map_err(|source| StoreError::Io { path: path.to_owned(), source })
}

/// The largest page that SQLite has; the least that makes it look at a log.
const LARGEST_PAGE: u64 = 65_536;
const LEAST_FILE: u64 = 4096;

/// State of a file once SQLite has played the log beside it. Opening a database with a pending log
/// is a write, so a copy is used, with only the first page of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogPlayed {
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

impl LogPlayed {
    /// Plays the log of a file without a usable header.
    pub(super) fn of(path: &Path) -> Result<LogPlayed, StoreError> {
        if !has_log(path) {
            return Ok(LogPlayed::Nothing);
        }
        let folder = tempfile::tempdir().map_err(|source| {
            let path = std::env::temp_dir();
            StoreError::Io { path, source }
        })?;
        let copy = folder.path().join("database");
        copied(path, &copy).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        Ok(named(&copy).unwrap_or(LogPlayed::Nothing))
    }
}

/// Copies the first page, in a file of the same length, and the logs.
fn copied(path: &Path, to: &Path) -> std::io::Result<()> {
    let (from, mut copy) = (File::open(path)?, File::create(to)?);
    let length = from.metadata()?.len();
    std::io::copy(&mut from.take(LARGEST_PAGE), &mut copy)?;
    // Beside a file without a page SQLite deletes the log.
    copy.set_len(length.max(LEAST_FILE))?;
    for part in [wal_of, journal_of] {
        match std::fs::copy(part(path), part(to)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn named(copy: &Path) -> rusqlite::Result<LogPlayed> {
    let db = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    Ok(match (application, version, number("schema_version")?) {
        (0, 0, 0) => LogPlayed::Empty,
        _ => LogPlayed::Database { application, version },
    })
}

#[cfg(test)]
mod tests;
