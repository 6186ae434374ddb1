//! Files of tables on disks: few are open at a time, and one that could not be read is tried once more.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};

/// Files open at a time. All tables of seven men are thousands; a process may have some hundreds of
/// files open on some systems, and engines and the database need theirs.
const MOST_OPEN: usize = 48;

thread_local! {
    /// The file that this thread read last.
    static LAST_READ: RefCell<Option<Arc<Path>>> = const { RefCell::new(None) };
}

/// The file that this thread read last: the one at fault if the reader panics.
pub(super) fn last_read() -> Option<PathBuf> {
    LAST_READ.with_borrow(|path| path.as_deref().map(Path::to_owned))
}

type Handle = Arc<dyn RandomAccessFile>;

/// A filesystem that opens files when they are read, and closes them for others.
pub(super) struct FewOpen {
    shared: Arc<OpenFiles>,
    /// Sizes read before: a disk that is gone has not changed them.
    sizes: Mutex<HashMap<PathBuf, u64>>,
}

struct OpenFiles {
    under: Arc<dyn Filesystem>,
    /// The file read last is the last.
    open: Mutex<VecDeque<(Arc<Path>, Handle)>>,
}

/// A file that need not be open.
struct Reopened {
    path: Arc<Path>,
    shared: Arc<OpenFiles>,
}

impl FewOpen {
    pub(super) fn new(under: Arc<dyn Filesystem>) -> FewOpen {
        let shared = OpenFiles { under, open: Mutex::default() };
        FewOpen { shared: Arc::new(shared), sizes: Mutex::default() }
    }
}

impl Filesystem for FewOpen {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(size) = sizes.get(path) {
            return Ok(*size);
        }
        let size = self.shared.under.regular_file_size(path)?;
        sizes.insert(path.to_owned(), size);
        Ok(size)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.shared.under.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Reopened { path: path.into(), shared: Arc::clone(&self.shared) }))
    }
}

impl RandomAccessFile for Reopened {
    fn read_at(&self, buf: &mut [u8], offset: u64, hint: ReadHint) -> io::Result<usize> {
        LAST_READ.set(Some(Arc::clone(&self.path)));
        match self.shared.handle(&self.path).and_then(|file| file.read_at(buf, offset, hint)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                // Too many files may be open, or this one's disk may have been away for a moment.
                self.shared.lock().clear();
                self.shared.handle(&self.path)?.read_at(buf, offset, hint)
            }
            read => read,
        }
    }
}

impl OpenFiles {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Arc<Path>, Handle)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, path: &Arc<Path>) -> io::Result<Handle> {
        let mut open = self.lock();
        let place = open.iter().rposition(|(there, _)| Arc::ptr_eq(there, path));
        if let Some(known) = place.and_then(|place| open.remove(place)) {
            let handle = Arc::clone(&known.1);
            open.push_back(known);
            return Ok(handle);
        }
        while open.len() >= MOST_OPEN {
            open.pop_front();
        }
        drop(open);
        // Opening may be slow.
        let handle: Handle = self.under.open(path)?.into();
        let mut open = self.lock();
        open.push_back((Arc::clone(path), Arc::clone(&handle)));
        Ok(handle)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A hundred files of a byte each; no more than some may be open.
    #[derive(Default)]
    struct Few(Arc<AtomicUsize>);

    struct Byte(Arc<AtomicUsize>);

    impl Drop for Byte {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    impl RandomAccessFile for Byte {
        fn read_at(&self, buf: &mut [u8], _: u64, _: ReadHint) -> io::Result<usize> {
            buf.fill(7);
            Ok(buf.len())
        }
    }

    impl Filesystem for Few {
        fn regular_file_size(&self, _: &Path) -> io::Result<u64> {
            Ok(1)
        }

        fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
            Ok(Vec::new())
        }

        fn open(&self, _: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
            if self.0.fetch_add(1, Ordering::SeqCst) >= MOST_OPEN {
                self.0.fetch_sub(1, Ordering::SeqCst);
                return Err(io::Error::other("too many open files"));
            }
            Ok(Box::new(Byte(Arc::clone(&self.0))))
        }
    }

    #[test]
    fn few_files_stay_open_and_all_close_at_the_limit() {
        let few = Few::default();
        let count = Arc::clone(&few.0);
        let disk = FewOpen::new(Arc::new(few));
        let name = |n: usize| PathBuf::from(n.to_string());
        let files: Vec<_> = (0..100).map(|n| disk.open(&name(n)).unwrap()).collect();
        assert_eq!(count.load(Ordering::SeqCst), 0, "none is open that was not read");
        for _ in 0..2 {
            for file in &files {
                assert_eq!(file.read_u8_at(0, ReadHint::Data).unwrap(), 7);
                assert!(count.load(Ordering::SeqCst) <= MOST_OPEN);
            }
        }
        assert_eq!(last_read(), Some(name(99)));
        // Another process has taken the last ones.
        count.fetch_add(MOST_OPEN / 2, Ordering::SeqCst);
        assert_eq!(files[0].read_u8_at(0, ReadHint::Data).unwrap(), 7);
    }
}
