//! Whether a database's name still leads to the file that is open.

use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::identity::Identity;
use super::open::Store;
use super::parts::wal_of;

impl Store {
    /// Notices that the file was moved, deleted or replaced. What is written then goes where nobody
    /// finds it, so all of it is copied to a new file beside.
    ///
    /// # Errors
    ///
    /// [`StoreError::Replaced`].
    pub(super) fn still_there(&self) -> Result<(), StoreError> {
        if Identity::of(&self.path) == self.identity {
            self.log.set(Identity::of(&wal_of(&self.path)));
            return Ok(());
        }
        let rescued = free_name(&self.path, "rescued");
        let copied = match &rescued {
            Some(name) => self.db.backup("main", name, None).map_err(|error| error.to_string()),
            None => Err("there are many such copies already".to_owned()),
        };
        let rescued = rescued.filter(|_| copied.is_ok());
        if rescued.is_some() {
            self.clear_log_away();
        }
        Err(StoreError::Replaced { path: self.path.clone(), rescued, why: copied.err() })
    }

    /// A log without its database would be played over whatever is put in its place. The copy has
    /// all that is in it; that of another database, which was put there meanwhile, stays.
    fn clear_log_away(&self) {
        let log = wal_of(&self.path);
        if Identity::of(&log) != self.log.get() {
            return;
        }
        for file in [log, index_of(&self.path)] {
            if let Err(error) = std::fs::remove_file(&file)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(%error, file = %file.display(), "cannot be removed");
            }
        }
    }
}

fn index_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-shm");
    PathBuf::from(name)
}

/// A name beside a file that nothing has yet: its own with a word and a number behind it.
pub(super) fn free_name(path: &Path, word: &str) -> Option<PathBuf> {
    let named = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{word}-{number}"));
        PathBuf::from(name)
    };
    (1..1000).map(named).find(|name| !name.exists())
}
