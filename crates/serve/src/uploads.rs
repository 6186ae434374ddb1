//! Folders for uploaded files beside the database: each is locked while its server lives.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// Prefix of the folders.
const PREFIX: &str = ".deepanalyze-merge-";
/// The file in each. No name of a request is used on the disk.
const DATABASE: &str = "database";
const LOCK: &str = "lock";
/// Age of the last change at which an unlocked folder, of an older version, counts as abandoned.
const FORGOTTEN: Duration = Duration::from_hours(1);

/// A folder for one file. It is removed with its contents on drop.
#[derive(Debug)]
pub struct UploadFolder {
    _lock: File,
    folder: TempDir,
}

impl UploadFolder {
    /// A new one beside a database, on the same file system.
    ///
    /// # Errors
    ///
    /// If the folder, or the lock in it, cannot be made.
    pub fn beside(database: &Path) -> std::io::Result<UploadFolder> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder_of(database)?)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        // Without locks in the file system, nothing is removed either.
        let _ = lock.try_lock();
        Ok(UploadFolder { _lock: lock, folder })
    }

    /// Its file.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join(DATABASE)
    }
}

/// Removes the folders beside a database that killed servers have left, and none of a live server.
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
    let is_left = match File::options().write(true).open(folder.join(LOCK)) {
        // Closed again: Windows removes no folder with an open file.
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => is_forgotten(folder),
        Err(_) => false,
    };
    if is_left && let Err(error) = std::fs::remove_dir_all(folder) {
        tracing::warn!(%error, folder = %folder.display(), "cannot remove what is left of an upload");
    }
}

/// True if nothing in a folder has changed for long.
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
        // Windows opens no folder to change its time.
        let ages = if cfg!(windows) { vec![] } else { vec![old.join(DATABASE), old.clone()] };
        for path in ages {
            File::open(path).unwrap().set_modified(long_ago).unwrap();
        }
        clear_left(&database);
        assert_eq!([&left, &old].map(|folder| folder.exists()), [false, cfg!(windows)]);
        assert!(in_use.file().exists() && new.exists() && others.exists());
        let file = in_use.file();
        drop(in_use);
        assert!(!file.parent().unwrap().exists());
    }
}
