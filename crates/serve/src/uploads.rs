//! Where files that are sent wait beside the database: each in a folder that is locked as long as its server lives.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// How the folders are called.
const PREFIX: &str = ".deepanalyze-merge-";
/// What is in each. No name of a request stands on the disk.
const DATABASE: &str = "database";
const LOCK: &str = "lock";
/// A folder without a lock, of an older version, is left behind once nothing in it has changed for so long.
const FORGOTTEN: Duration = Duration::from_hours(1);

/// A folder for one file. Dropped, it goes with all that is in it.
#[derive(Debug)]
pub struct UploadFolder {
    _lock: File,
    folder: TempDir,
}

impl UploadFolder {
    /// A new one beside a database: there is room for what it has, or for none of that.
    ///
    /// # Errors
    ///
    /// Where the folder, or the lock in it, cannot be made.
    pub fn beside(database: &Path) -> std::io::Result<UploadFolder> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder_of(database)?)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        // Where the file system has no locks, nothing is cleared away either.
        let _ = lock.try_lock();
        Ok(UploadFolder { _lock: lock, folder })
    }

    /// Where its file is to be.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join(DATABASE)
    }
}

/// Removes the folders beside a database that killed servers have left, and none of a server that is alive.
pub fn clear_left(database: &Path) {
    let entries = folder_of(database).and_then(std::fs::read_dir);
    for entry in entries.into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().to_string_lossy().starts_with(PREFIX) {
            clear_if_left(&entry.path());
        }
    }
}

fn clear_if_left(folder: &Path) {
    let lock = File::options().write(true).open(folder.join(LOCK));
    let is_left = match &lock {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => is_forgotten(folder),
        Err(_) => false,
    };
    if is_left && let Err(error) = std::fs::remove_dir_all(folder) {
        tracing::warn!(%error, folder = %folder.display(), "cannot remove what is left of an upload");
    }
}

/// Whether nothing in a folder has changed for long.
fn is_forgotten(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    let changed = |path: PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    let last = files.chain([folder.to_owned()]).filter_map(changed).max();
    last.and_then(|last| SystemTime::now().duration_since(last).ok())
        .is_some_and(|age| age > FORGOTTEN)
}

/// The folder of a database, without links.
fn folder_of(database: &Path) -> std::io::Result<PathBuf> {
    let folder = database.parent().filter(|parent| !parent.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).canonicalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let database = place.path().join("tree.db");
        let in_use = UploadFolder::beside(&database).unwrap();
        std::fs::write(in_use.file(), "a database").unwrap();
        let make = |name: &str, has_lock: bool| {
            let folder = place.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join(DATABASE), "a database").unwrap();
            if has_lock {
                std::fs::write(folder.join(LOCK), "").unwrap();
            }
            folder
        };
        let left = make(".deepanalyze-merge-left", true);
        let (new, others) = (make(".deepanalyze-merge-new", false), make(".others", true));
        let old = make(".deepanalyze-merge-old", false);
        let long_ago = SystemTime::now() - 2 * FORGOTTEN;
        for path in [old.join(DATABASE), old.clone()] {
            File::open(path).unwrap().set_modified(long_ago).unwrap();
        }
        clear_left(&database);
        assert_eq!([&left, &old].map(|folder| folder.exists()), [false, false]);
        assert!(in_use.file().exists() && new.exists() && others.exists());
        let file = in_use.file();
        drop(in_use);
        assert!(!file.parent().unwrap().exists());
    }
}
