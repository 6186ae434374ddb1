//! Place where a set is made: beside the one it replaces, by one process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::GameSetError;

/// A set that this process adds to. Dropping it removes unfinished work.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    work: PathBuf,
    lock: PathBuf,
    _lock: File,
}

impl Place {
    /// Keeps other adders out, and removes leftovers of a killed one.
    pub(super) fn lock(path: &Path) -> Result<Place, GameSetError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let beside = |end: &str| {
            let mut name = std::ffi::OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(end);
            path.with_file_name(name)
        };
        let (work, lock) = (beside(".adding"), beside(".lock"));
        let file = locked(&path, &lock)?;
        let place = Place { path, work, lock, _lock: file };
        place.clear();
        std::fs::create_dir(&place.work).map_err(GameSetError::io(&place.work))?;
        Ok(place)
    }

    /// Folder for sorting.
    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    /// The new set's file.
    pub(super) fn target(&self) -> PathBuf {
        self.work.join("set")
    }

    /// Replaces the old set by the new one.
    pub(super) fn put(self) -> Result<(), GameSetError> {
        let target = self.target();
        let put = || {
            OpenOptions::new().read(true).write(true).open(&target)?.sync_all()?;
            std::fs::rename(&target, &self.path)?;
            // Only Unix can sync a folder; elsewhere the system does.
            #[cfg(unix)]
            if let Some(folder) = self.path.parent() {
                let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                File::open(folder)?.sync_all()?;
            }
            Ok(())
        };
        put().map_err(GameSetError::io(&self.path))
    }

    fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.work);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
        let _ = std::fs::remove_file(&self.lock);
    }
}

fn locked(path: &Path, lock: &Path) -> Result<File, GameSetError> {
    loop {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock);
        let file = file.map_err(GameSetError::io(lock))?;
        match file.try_lock() {
            // Its last holder may have removed the file since we opened it: then it guards nothing.
            Ok(()) if is_at(&file, lock) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GameSetError::Busy(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(GameSetError::io(lock)(source)),
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(open), Ok(there)) = (file.metadata(), path.metadata()) else { return false };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
