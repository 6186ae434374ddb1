//! One grower per analysis: a lock file beside the database, released by the system at any death.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::PathBuf;
use std::time::Duration;

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::files::{Identity, lock_of, locked_beside};
use super::open::Store;

/// Tries for a lock, and the time between them: `is_growing` holds it for a moment.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// Held while an analysis grows; dropping it also removes its file.
#[derive(Debug)]
pub struct GrowLock {
    path: PathBuf,
    _file: File,
}

impl Store {
    /// Takes the lock of an analysis.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] if another process has it; [`StoreError::Io`] if the lock file
    /// cannot be made.
    pub fn lock(&self, analysis: AnalysisId) -> Result<GrowLock, StoreError> {
        self.lock_with(analysis, || std::thread::sleep(BETWEEN_TRIES))
    }

    /// Takes it with this wait between two tries.
    fn lock_with(
        &self,
        analysis: AnalysisId,
        mut wait: impl FnMut(),
    ) -> Result<GrowLock, StoreError> {
        let path = self.lock_path(analysis);
        let failed = |source| StoreError::Io { path: path.clone(), source };
        let mut tries = 0;
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    wait();
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    let path = self.path().to_owned();
                    return Err(StoreError::Growing { path, analysis: analysis.0 });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            // Its last holder may have removed the file since we opened it: then the lock guards
            // nothing.
            if Identity::is_at(&file, &path) {
                return Ok(GrowLock { path, _file: file });
            }
        }
    }

    /// True if a process grows an analysis at this moment; `false` if unknown. Writes nothing.
    pub fn is_growing(&self, analysis: AnalysisId) -> bool {
        // A lock that is not held leaves at most a file behind.
        File::open(self.lock_path(analysis))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The analyses that are being grown: those with a lock file that is held.
    pub fn growing(&self) -> HashSet<AnalysisId> {
        let there = locked_beside(self.path()).into_iter().map(AnalysisId);
        there.filter(|id| self.is_growing(*id)).collect()
    }

    fn lock_path(&self, analysis: AnalysisId) -> PathBuf {
        lock_of(self.path(), analysis.0)
    }
}

impl Drop for GrowLock {
    fn drop(&mut self) {
        // A leftover does no harm: the lock is on the open file, not on its existence.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        (folder, store)
    }

    #[test]
    fn who_looks_sees_the_lock_and_leaves_nothing_behind() {
        let (folder, store) = store();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let before = files();
        assert!(!store.is_growing(AnalysisId(1)));
        assert_eq!(files(), before);
        let lock = store.lock(AnalysisId(1)).unwrap();
        assert!(store.is_growing(AnalysisId(1)) && !store.is_growing(AnalysisId(2)));
        assert!(matches!(store.lock(AnalysisId(1)), Err(StoreError::Growing { .. })));
        drop(lock);
        assert!(!store.is_growing(AnalysisId(1)));
    }

    #[test]
    fn a_grower_waits_for_one_who_only_looks() {
        let (_folder, store) = store();
        let path = store.lock_path(AnalysisId(1));
        let looked_at = File::create(&path).unwrap();
        looked_at.try_lock_shared().unwrap();
        let (mut looked_at, mut waits) = (Some(looked_at), 0);
        let lock = store.lock_with(AnalysisId(1), || {
            looked_at = None;
            waits += 1;
        });
        assert!(lock.is_ok());
        assert_eq!(waits, 1);
    }
}
