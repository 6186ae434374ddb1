//! Which file a path leads to.

use std::path::Path;

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
