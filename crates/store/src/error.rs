//! Errors of a database file.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Wdl;

/// Error of a database operation. Messages name the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is missing.
    #[error("there is no database at {}", .0.display())]
    Missing(PathBuf),
    /// The file is still empty.
    #[error("database {} is empty", .0.display())]
    Empty(PathBuf),
    /// The file to merge does not exist.
    #[error("there is no file {}", .0.display())]
    NoSuchFile(PathBuf),
    /// The database to merge is this one.
    #[error("{} is the database itself", .0.display())]
    Same(PathBuf),
    /// The program that wrote the file has died, and all of it is still in the log.
    #[error("all of {} is in the write-ahead log (-wal) beside it", .0.display())]
    InLog(PathBuf),
    /// The file was changed while it was read as immutable.
    #[error("{} was changed while it was read", .0.display())]
    Changed(PathBuf),
    /// A source with invalidated answers; it can no longer be merged.
    #[error("answers of {name} were removed here: {why}")]
    Invalidated {
        /// Its name.
        name: String,
        /// The reason.
        why: String,
    },
    /// A database to be merged has the name of a fleet worker.
    #[error("database {}: a worker of a fleet is called {name}", path.display())]
    NameTaken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// The folder of the file is missing.
    #[error("cannot make a database in {}: no such folder", .0.display())]
    NoFolder(PathBuf),
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
    /// The file has a schema of before the first release.
    #[error(
        "database {} is of a deepanalyze before 0.1.0 (its schema {version}), and is left untouched",
        path.display()
    )]
    Former {
        /// The file.
        path: PathBuf,
        /// Its version there.
        version: i64,
    },
    /// Another process grows the same analysis.
    #[error("analysis {analysis} in {} is being grown by another process", path.display())]
    Growing {
        /// The file.
        path: PathBuf,
        /// The analysis.
        analysis: i64,
    },
    /// A file of an older version needs an update, while an older program grows a tree of it.
    #[error(
        "database {} keeps schema version {version} while another process grows analysis {analysis}",
        path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The analysis.
        analysis: i64,
    },
    /// A directive would give a value to or stop a position that tablebases know.
    #[error(
        "{epd} is {} for the side to move by the tablebases; it cannot be given a value or stopped",
        known.words()
    )]
    Known {
        /// The position.
        epd: String,
        /// Its result for the side to move.
        known: Wdl,
    },
    /// The file is no longer where it was when opened.
    #[error(
        "database {} was moved, deleted or replaced while it was in use; {}",
        path.display(), rescue(rescued.as_deref(), why.as_deref())
    )]
    Replaced {
        /// Its old path.
        path: PathBuf,
        /// The copy of its whole contents.
        rescued: Option<PathBuf>,
        /// Why the copy failed.
        why: Option<String>,
    },
    /// SQLite failed.
    #[error("database {}: {}", path.display(), explain(error))]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's error; the message has it, so it is no source.
        error: rusqlite::Error,
    },
    /// A copy cannot be written.
    #[error("cannot copy the database to {}: {}", path.display(), explain(error))]
    NotCopied {
        /// The file to be made.
        path: PathBuf,
        /// SQLite's error.
        error: rusqlite::Error,
    },
    /// A row that the program cannot have written.
    #[error("database {}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The row and what is wrong with it.
        what: String,
    },
    /// An answer to be stored has an illegal move: a fault of this program.
    #[error("database {}: {uci} is not legal in {epd}, and is not kept", path.display())]
    Illegal {
        /// The file.
        path: PathBuf,
        /// The position.
        epd: String,
        /// The move.
        uci: UciMove,
    },
    /// A file operation beside SQLite failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl StoreError {
    /// Names the file in an error of SQLite.
    pub(super) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        |error| StoreError::Sqlite { path: path.to_owned(), error }
    }

    /// The error for a file that another program keeps locked.
    pub(super) fn locked(path: &Path) -> StoreError {
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        StoreError::sqlite(path)(rusqlite::Error::SqliteFailure(error, None))
    }

    /// True if SQLite would have to write where it cannot.
    pub(super) fn is_unwritable(&self) -> bool {
        matches!(self.sqlite_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
    }

    /// True if another program keeps the file locked: trying again may help.
    pub fn is_busy(&self) -> bool {
        matches!(self.sqlite_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    fn sqlite_code(&self) -> Option<ErrorCode> {
        match self {
            StoreError::Sqlite { error, .. } => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// The flaw of the database, for a reader who knows its name.
    pub fn flaw(&self) -> String {
        match self {
            StoreError::Sqlite { error, .. } => explain(error),
            StoreError::Damaged { what, .. } => what.clone(),
            other => other.to_string(),
        }
    }

    /// True if the file's contents are wrong, not just unreachable.
    pub fn is_damage(&self) -> bool {
        match self {
            StoreError::Damaged { .. } => true,
            StoreError::Sqlite { error, .. } if is_cut_short(error) => true,
            StoreError::Sqlite { error, .. } => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
                Some(ErrorCode::Unknown) | None => true,
                Some(_) => false,
            },
            _ => false,
        }
    }

    /// Advice to the user, if there is a clear one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Empty(_) => Some("`deepanalyze grow` fills it"),
            StoreError::NoFolder(_) => {
                Some("make the folder, or name another place with --db or DEEPANALYZE_DB")
            }
            StoreError::Missing(_) => {
                Some("`deepanalyze grow` makes one; --db or DEEPANALYZE_DB names another place")
            }
            StoreError::NoSuchFile(_) | StoreError::Same(_) => None,
            StoreError::InLog(_) => {
                Some("`deepanalyze copy --db FILE COPY` makes one file of both, which can be read")
            }
            StoreError::Invalidated { .. } | StoreError::NameTaken { .. } => {
                Some("--as NAME gives the other database another name")
            }
            StoreError::Changed(_) => Some("run the same command again to go on"),
            StoreError::Foreign(_) => Some("--db or DEEPANALYZE_DB names another file"),
            StoreError::Newer { .. } => Some("use the newer program that wrote it"),
            StoreError::Former { .. } => Some("deepanalyze 0.2.0 brings it up to date"),
            StoreError::InUse { .. } => {
                Some("stop the older program; `deepanalyze show` works meanwhile")
            }
            StoreError::Growing { .. } => Some(
                "wait for it or stop it; `deepanalyze show` works meanwhile, and so do other roots",
            ),
            StoreError::Replaced { .. } => {
                Some("put the copy where the database was, or name it with --db, and go on")
            }
            StoreError::Sqlite { error, .. } => hint(error),
            StoreError::NotCopied { .. } => {
                Some("the partial copy was removed; choose a place with more room, or free some")
            }
            StoreError::Damaged { .. } => Some("`deepanalyze verify` shows what is damaged"),
            StoreError::Known { .. } => Some(
                "exclude the move that leads there, or grow without --tables: that is another analysis",
            ),
            StoreError::Illegal { .. } => None,
            StoreError::Io { .. } => {
                Some("the file and its folder must be readable and, to grow, writable")
            }
        }
    }
}

fn rescue(copy: Option<&Path>, why: Option<&str>) -> String {
    match copy {
        Some(copy) => format!("all that was in it is in {}", copy.display()),
        None => format!("what was in it could not be copied: {}", why.unwrap_or("no reason given")),
    }
}

/// True if the file ends within a page: no disk has failed.
fn is_cut_short(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

/// SQLite's message, reworded for the cases that users meet.
fn explain(error: &rusqlite::Error) -> String {
    if is_cut_short(error) {
        return "the file is damaged (it ends within a page)".to_owned();
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        Some(ErrorCode::ReadOnly) => "it is read-only".to_owned(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program has locked it".to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            format!("the file is damaged ({error})")
        }
        Some(ErrorCode::SystemIoFailure) => {
            format!("disk I/O failed: a quota, a file-size limit or a failing disk? ({error})")
        }
        Some(ErrorCode::CannotOpen) => "it cannot be opened".to_owned(),
        _ => misfit(error).unwrap_or_else(|| error.to_string()),
    }
}

/// The flaw of a value that is not of its column's type.
pub(super) fn misfit(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::IntegralValueOutOfRange(column, value) => {
            Some(format!("{value} in column {} is out of range", column + 1))
        }
        rusqlite::Error::InvalidColumnType(column, name, kind) => {
            Some(format!("{name} in column {} is of type {kind}", column + 1))
        }
        _ => None,
    }
}

fn hint(error: &rusqlite::Error) -> Option<&'static str> {
    if is_cut_short(error) {
        return Some("`deepanalyze verify` shows what is damaged");
    }
    match error.sqlite_error_code()? {
        ErrorCode::DiskFull | ErrorCode::SystemIoFailure => {
            Some("make room and run the same command again to go on")
        }
        ErrorCode::ReadOnly | ErrorCode::CannotOpen => {
            Some("the file and its folder must be writable; --db names another place")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("close the program that holds it and run the same command again")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("`deepanalyze verify` shows what is damaged")
        }
        _ => None,
    }
}
