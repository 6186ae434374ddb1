//! Whether a database's name still leads to the file that is open.

use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::parts::{beside, shared_of, wal_of};
use super::writer::WritingConnection;

/// Which file a path leads to: device and number of the inode. None where the system has no such
/// thing: Windows does not let a file be replaced while it is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Identity(Option<(u64, u64)>);

impl Identity {
    /// The file is not opened for this: closing it again would give up SQLite's locks on it.
    pub(super) fn of(path: &Path) -> Identity {
        Identity(inode(path))
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<(u64, u64)> {
    None
}

impl WritingConnection {
    /// Notices that the file was moved, deleted or replaced. What is written then goes where nobody
    /// finds it, so all of it is copied to a new file beside.
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

    /// A log without its database would be played over whatever is put in its place. The copy has
    /// all that is in it; that of another database, which was put there meanwhile, stays.
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

/// A name beside a file that nothing has yet: its own with a word and a number behind it.
pub(super) fn free_name(path: &Path, word: &str) -> Option<PathBuf> {
    let named = |number: u32| beside(path, &format!(".{word}-{number}"));
    (1..1000).map(named).find(|name| !name.exists())
}
