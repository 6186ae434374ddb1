//! The first bytes of a file, read before SQLite gets hold of it: opening a database is a write where
//! a journal or a log is pending, and a file that is not ours stays as it is.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::StoreError;
use super::schema::{APPLICATION_ID, known_version};

const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of SQLite's file header.
const LENGTH: usize = 100;

/// What a file's first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// There are none: a database that is yet to be made.
    Empty,
    /// Not a database.
    Other,
    /// A database of SQLite.
    Sqlite {
        /// `PRAGMA application_id`.
        application: i64,
        /// `PRAGMA user_version`.
        version: i64,
        /// Whether it has its first page alone.
        one_page: bool,
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
        match (number(68), number(60)) {
            (Some(application), Some(version)) if bytes.starts_with(MAGIC) => {
                Header::Sqlite { application, version, one_page: length <= page }
            }
            _ => Header::Other,
        }
    }

    /// Whether the file may be ours; a database whose first transaction is still in its log has one
    /// page without a name.
    pub(super) fn refuse_others(self, path: &Path) -> Result<(), StoreError> {
        match self {
            Header::Empty => Ok(()),
            Header::Sqlite { application: APPLICATION_ID, version, .. } => {
                let (path, known) = (path.to_owned(), known_version());
                match version > known {
                    true => Err(StoreError::Newer { path, found: version, known }),
                    false => Ok(()),
                }
            }
            Header::Sqlite { application: 0, version: 0, one_page: true } => Ok(()),
            _ => Err(StoreError::Foreign(path.to_owned())),
        }
    }
}
