//! The files that are a database's own: itself, and what lies beside it while it is in use.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What SQLite puts behind the name: the log, its index, and the journal where there is no log.
const WAL: &str = "-wal";
const SHARED: &str = "-shm";
const JOURNAL: &str = "-journal";
const SQLITE: [&str; 3] = [WAL, SHARED, JOURNAL];
/// What a lock has around the number of its analysis.
const LOCK: (&str, &str) = ("-grow-", ".lock");

/// A file of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The database itself.
    Database,
    /// A log, an index, a journal or a lock beside it.
    Companion,
}

/// Which of a database's own files a path names, by whatever links, and be it one that is not there at
/// the moment.
pub fn part_of(database: &Path, path: &Path) -> Option<Part> {
    let (database, path) = (full(database)?, full(path)?);
    let name = path.as_os_str().as_encoded_bytes();
    match name.strip_prefix(database.as_os_str().as_encoded_bytes())? {
        [] => Some(Part::Database),
        rest => is_companion(rest).then_some(Part::Companion),
    }
}

/// Where SQLite keeps the log of a database.
pub(super) fn wal_of(path: &Path) -> PathBuf {
    beside(path, WAL)
}

/// Where SQLite keeps the index of the log of a database.
pub(super) fn shared_of(path: &Path) -> PathBuf {
    beside(path, SHARED)
}

/// Where SQLite keeps the journal of a database that has no log.
pub(super) fn journal_of(path: &Path) -> PathBuf {
    beside(path, JOURNAL)
}

/// Whether a log or a journal lies beside a file that SQLite would play over it.
pub fn has_log(path: &Path) -> bool {
    let is_long = |log: &Path| std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    is_long(&wal_of(path)) || is_long(&journal_of(path))
}

/// Whether a program has, or had when it died, a database with a log open.
pub(super) fn is_shared(path: &Path) -> bool {
    shared_of(path).exists()
}

/// The lock of an analysis beside a database.
pub(super) fn lock_of(path: &Path, analysis: i64) -> PathBuf {
    beside(path, &format!("{}{analysis}{}", LOCK.0, LOCK.1))
}

/// The analyses whose locks lie beside a database; none where its folder cannot be read.
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

/// The file whose name is that of another with something behind it.
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

/// A path without links; of a file that is not there, its folder's.
fn full(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != OsStr::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
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
        assert_eq!([part("tree.db"), part("./tree.db")], [Some(Part::Database); 2]);
        for name in ["tree.db-wal", "tree.db-shm", "tree.db-journal", "tree.db-grow-7.lock"] {
            assert_eq!(part(name), Some(Part::Companion), "{name}");
        }
        for name in ["tree.db.txt", "tree.db-wal.txt", "tree", "other.db-wal", "no/tree.db-wal"] {
            assert_eq!(part(name), None, "{name}");
        }
    }
}
