//! A database's files: itself, its companions while it is in use, and a check that its name still
//! leads to the open one.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::writer::WritingConnection;

/// SQLite's suffixes: the log, its index, and the journal if there is no log.
const WAL: &str = "-wal";
const SHARED: &str = "-shm";
const JOURNAL: &str = "-journal";
const SQLITE: [&str; 3] = [WAL, SHARED, JOURNAL];
/// Text around the analysis number in a lock's name.
const LOCK: (&str, &str) = ("-grow-", ".lock");

/// A file of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabasePart {
    /// The database itself.
    Database,
    /// A log, an index, a journal or a lock beside it.
    Companion,
}

/// Role of a path among a database's own files, through whatever links; the file need not exist at
/// the moment.
pub fn part_of(database: &Path, path: &Path) -> Option<DatabasePart> {
    let (database, path) = (full(database)?, full(path)?);
    let name = path.as_os_str().as_encoded_bytes();
    match name.strip_prefix(database.as_os_str().as_encoded_bytes())? {
        [] => Some(DatabasePart::Database),
        rest => is_companion(rest).then_some(DatabasePart::Companion),
    }
}

/// Path of a database's log.
pub(super) fn wal_of(path: &Path) -> PathBuf {
    beside(path, WAL)
}

/// Path of the index of a database's log.
pub(super) fn shared_of(path: &Path) -> PathBuf {
    beside(path, SHARED)
}

/// Path of the journal of a database without a log.
pub(super) fn journal_of(path: &Path) -> PathBuf {
    beside(path, JOURNAL)
}

/// True if a log or journal beside a file would be played over it by SQLite.
pub fn has_log(path: &Path) -> bool {
    let is_long = |log: &Path| std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    is_long(&wal_of(path)) || is_long(&journal_of(path))
}

/// True if a program has a database with a log open, or had when it died.
pub(super) fn is_shared(path: &Path) -> bool {
    shared_of(path).exists()
}

/// The lock of an analysis beside a database.
pub(super) fn lock_of(path: &Path, analysis: i64) -> PathBuf {
    beside(path, &format!("{}{analysis}{}", LOCK.0, LOCK.1))
}

/// The analyses whose locks lie beside a database; empty if its folder cannot be read.
pub(super) fn locked_beside(path: &Path) -> Vec<i64> {
    let folder = path.parent().filter(|folder| *folder != OsStr::new(""));
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
    let database = path.file_name().unwrap_or_default().as_encoded_bytes();
    let number = |name: std::ffi::OsString| {
        let end = name.as_encoded_bytes().strip_prefix(database)?;
        let lock = std::str::from_utf8(end).ok()?.strip_prefix(LOCK.0)?;
        lock.strip_suffix(LOCK.1)?.parse().ok()
    };
    names.filter_map(number).collect()
}

/// The file whose name is another's with a suffix.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn is_companion(end: &[u8]) -> bool {
    let lock = end.strip_prefix(LOCK.0.as_bytes());
    SQLITE.iter().any(|known| known.as_bytes() == end)
        || lock.is_some_and(|lock| lock.ends_with(LOCK.1.as_bytes()))
}

/// A path without links; if the file is missing, through its folder.
fn full(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != OsStr::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

/// Identity of the file at a path: device and inode number. `None` on systems without them: Windows
/// does not let an open file be replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Identity(Option<(u64, u64)>);

impl Identity {
    /// Does not open the file: closing it would give up SQLite's locks on it.
    pub(super) fn of(path: &Path) -> Identity {
        Identity(std::fs::metadata(path).ok().as_ref().and_then(inode))
    }

    /// True if a path leads to an open file.
    pub(super) fn is_at(file: &std::fs::File, path: &Path) -> bool {
        path.exists()
            && file.metadata().is_ok_and(|held| Identity(inode(&held)) == Identity::of(path))
    }
}

/// Tells a changed file from its former state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp(Identity, Option<(u64, std::time::SystemTime)>);

impl FileStamp {
    pub(super) fn of(path: &Path) -> FileStamp {
        let file = std::fs::metadata(path).ok();
        let written = file.and_then(|file| Some((file.len(), file.modified().ok()?)));
        FileStamp(Identity::of(path), written)
    }
}

#[cfg(unix)]
fn inode(file: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<(u64, u64)> {
    None
}

impl WritingConnection {
    /// Notices that the file was moved, deleted or replaced. Later writes would be lost then, so
    /// all of it is copied to a new file beside it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Replaced`].
    pub(super) fn still_there(
        &mut self,
        path: &Path,
        identity: Identity,
    ) -> Result<(), StoreError> {
        if Identity::of(path) == identity {
            self.log = Identity::of(&wal_of(path));
            return Ok(());
        }
        let rescued = free_name(path, "rescued");
        let copied = match &rescued {
            Some(name) => self.db.backup("main", name, None).map_err(|error| error.to_string()),
            None => Err("there are many such copies already".to_owned()),
        };
        let rescued = rescued.filter(|_| copied.is_ok());
        if rescued.is_some() {
            self.clear_log_away(path);
        }
        Err(StoreError::Replaced { path: path.to_owned(), rescued, why: copied.err() })
    }

    /// A log without its database would be played over a later file of that name. The copy has all
    /// that is in it; the log of another database, put there meanwhile, stays.
    fn clear_log_away(&self, path: &Path) {
        let log = wal_of(path);
        if Identity::of(&log) != self.log {
            return;
        }
        for file in [log, shared_of(path)] {
            if let Err(error) = std::fs::remove_file(&file)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(%error, file = %file.display(), "cannot be removed");
            }
        }
    }
}

/// A free name beside a file: its own with a word and a number behind it.
pub(super) fn free_name(path: &Path, word: &str) -> Option<PathBuf> {
    let named = |number: u32| beside(path, &format!(".{word}-{number}"));
    (1..1000).map(named).find(|name| !name.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locks_beside_a_database_are_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tree.db");
        for name in ["tree.db-grow-7.lock", "tree.db-grow-x.lock", "other.db-grow-8.lock"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::write(lock_of(&database, 12), "").unwrap();
        let mut found = locked_beside(&database);
        found.sort_unstable();
        assert_eq!(found, [7, 12]);
        assert!(locked_beside(&folder.path().join("none/tree.db")).is_empty());
    }

    #[test]
    fn a_database_knows_its_files_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tree.db");
        std::fs::write(&database, "").unwrap();
        let part = |name: &str| part_of(&database, &folder.path().join(name));
        assert_eq!([part("tree.db"), part("./tree.db")], [Some(DatabasePart::Database); 2]);
        for name in ["tree.db-wal", "tree.db-shm", "tree.db-journal", "tree.db-grow-7.lock"] {
            assert_eq!(part(name), Some(DatabasePart::Companion), "{name}");
        }
        for name in ["tree.db.txt", "tree.db-wal.txt", "tree", "other.db-wal", "no/tree.db-wal"] {
            assert_eq!(part(name), None, "{name}");
        }
    }
}
