//! What can go wrong with a database file.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a database operation failed. Messages name the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no file to read.
    #[error("there is no database at {}", .0.display())]
    Missing(PathBuf),
    /// The file is something else.
    #[error("{} is not a deepanalyze database, and is left untouched", .0.display())]
    Foreign(PathBuf),
    /// The file was written by a newer program.
    #[error(
        "database {} has schema version {found}, this program knows {known}: it is left untouched",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The greatest version that this program knows.
        known: i64,
    },
    /// The file has an older schema and was opened for reading only.
    #[error("database {} has the older schema version {found}", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// Another process grows the same analysis.
    #[error("analysis {analysis} in {} is being grown by another process", path.display())]
    Growing {
        /// The file.
        path: PathBuf,
        /// The analysis.
        analysis: i64,
    },
    /// SQLite failed.
    #[error("database {}: {}", path.display(), explain(source))]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// A row that the program cannot have written.
    #[error("database {}: {what} (run `deepanalyze verify`)", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The row and what is wrong with it.
        what: String,
    },
    /// A file operation beside SQLite failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl StoreError {
    /// Names the file in an error of SQLite.
    pub(super) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        |source| match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
            _ => StoreError::Sqlite { path: path.to_owned(), source },
        }
    }

    /// What the user can do about it, where that is clear.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Missing(_) => {
                Some("`deepanalyze grow` makes one; --db or DEEPANALYZE_DB names another place")
            }
            StoreError::Foreign(_) => Some("--db or DEEPANALYZE_DB names another file"),
            StoreError::Newer { .. } => Some("use the newer program that wrote it"),
            StoreError::Older { .. } => {
                Some("`deepanalyze grow` with write access brings it up to date")
            }
            StoreError::Growing { .. } => Some(
                "wait for it or stop it; `deepanalyze show` works meanwhile, and so do other roots",
            ),
            StoreError::Sqlite { source, .. } => hint(source),
            StoreError::Damaged { .. } | StoreError::Io { .. } => None,
        }
    }
}

/// SQLite's message, in words for the cases that users meet.
fn explain(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly) => "it is read-only".to_owned(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program keeps it locked".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt) => format!("the file is damaged ({error})"),
        Some(ErrorCode::CannotOpen) => "it cannot be opened".to_owned(),
        _ => error.to_string(),
    }
}

fn hint(error: &rusqlite::Error) -> Option<&'static str> {
    match error.sqlite_error_code()? {
        ErrorCode::DiskFull => Some("make room and run the same command again: it goes on there"),
        ErrorCode::ReadOnly | ErrorCode::CannotOpen => {
            Some("the file and its folder must be writable; --db names another place")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("close the program that holds it and run the same command again")
        }
        ErrorCode::DatabaseCorrupt => Some("`deepanalyze verify` says what is damaged"),
        _ => None,
    }
}
