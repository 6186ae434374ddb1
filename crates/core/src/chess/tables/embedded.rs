//! The tables of three men, which are part of the program.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};

use super::files::TableFiles;

/// One file.
type EmbeddedFile = (&'static str, &'static [u8]);

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../../tables/", $name)))
    };
}

static FILES: [EmbeddedFile; 10] = [
    file!("KBvK.rtbw"),
    file!("KBvK.rtbz"),
    file!("KNvK.rtbw"),
    file!("KNvK.rtbz"),
    file!("KPvK.rtbw"),
    file!("KPvK.rtbz"),
    file!("KQvK.rtbw"),
    file!("KQvK.rtbz"),
    file!("KRvK.rtbw"),
    file!("KRvK.rtbz"),
];

static THREE_MEN: LazyLock<TableFiles> = LazyLock::new(|| {
    let paths = FILES.iter().map(|(name, _)| PathBuf::from(name)).collect();
    TableFiles::of(Arc::new(Embedded), paths)
});

/// The tables of three men; no file is read.
pub fn three_men() -> &'static TableFiles {
    &THREE_MEN
}

/// The files of the program.
struct Embedded;

fn find(path: &Path) -> io::Result<&'static [u8]> {
    let named = FILES.iter().find(|(name, _)| path.as_os_str() == *name);
    named.map(|(_, bytes)| *bytes).ok_or_else(|| io::ErrorKind::NotFound.into())
}

impl Filesystem for Embedded {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        find(path).map(|bytes| bytes.len() as u64)
    }

    fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(FILES.iter().map(|(name, _)| PathBuf::from(name)).collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(find(path)?)))
    }
}

/// A file in memory.
struct Bytes(&'static [u8]);

impl RandomAccessFile for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let behind = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..));
        let behind = behind.unwrap_or_default();
        let read = behind.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(behind) {
            *to = *from;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Wdl, parse_fen};

    #[test]
    fn positions_of_three_men_are_known_without_files() {
        for (epd, wdl) in [
            ("4k3/8/4K3/4P3/8/8/8/8 w - -", Some(Wdl::Win)),
            ("4k3/8/4K3/4P3/8/8/8/8 b - -", Some(Wdl::Loss)),
            ("8/8/8/8/k7/8/P7/K7 b - -", Some(Wdl::Draw)),
            ("8/8/8/8/8/3k4/8/3KQ3 b - -", Some(Wdl::Loss)),
            ("8/8/8/8/8/3k4/8/3KN3 b - -", Some(Wdl::Draw)),
            ("8/8/8/8/8/3k4/8/3KNN2 b - -", None),
            ("4k3/8/8/8/8/8/8/R3K3 w Q -", None),
        ] {
            assert_eq!(three_men().wdl(&parse_fen(epd).unwrap()), wdl, "{epd}");
        }
    }
}
