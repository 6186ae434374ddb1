//! Files of games, as they are or compressed: their first bytes say which.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deepanalyze_core::reading::read_to;

use crate::error::GameSetError;

/// What a file of SQLite begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// Other archives that people have, to be named instead of read as text.
const OTHERS: [(&[u8], &str); 4] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\0", "an XZ archive"),
    (b"Rar!", "a RAR archive"),
];

/// A file that is open for reading.
pub(crate) struct Opened {
    pub(crate) text: Box<dyn Read + Send>,
    /// How many bytes of the file itself were read so far.
    pub(crate) read: Arc<AtomicU64>,
    /// The length of the file itself; none of what has no length.
    pub(crate) length: Option<u64>,
    /// Whether it is compressed: then it can be cut short without anybody seeing it in a game.
    pub(crate) is_compressed: bool,
}

/// Opens a file; `-` is standard input.
///
/// # Errors
///
/// Where it cannot be opened, and where it is an archive of another kind or a database.
pub(crate) fn opened(path: &Path) -> io::Result<Opened> {
    if path.as_os_str() == "-" {
        return opened_as(io::stdin(), None);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let length = metadata.is_file().then_some(metadata.len());
    opened_as(file, length)
}

/// The text of a file of games, whatever compresses it, where it has no more than so many bytes; "-" is standard input.
///
/// # Errors
///
/// Where it cannot be read to its end, is longer, or is an archive of another kind or a database.
pub fn read_pgn(path: &Path, most: u64) -> Result<Vec<u8>, GameSetError> {
    let Opened { text, is_compressed, .. } = opened(path).map_err(GameSetError::io(path))?;
    read_to(text, most).map_err(|source| match (is_compressed, source.kind()) {
        (true, kind) if kind != io::ErrorKind::FileTooLarge => {
            GameSetError::Cut { path: path.to_owned(), source }
        }
        _ => GameSetError::io(path)(source),
    })
}

fn opened_as(file: impl Read + Send + 'static, length: Option<u64>) -> io::Result<Opened> {
    let read = Arc::new(AtomicU64::new(0));
    let counting = Counting { file, read: Arc::clone(&read) };
    let mut file = BufReader::with_capacity(1 << 18, counting);
    let first = file.fill_buf()?;
    let other = OTHERS.iter().find(|(magic, _)| first.starts_with(magic)).map(|(_, name)| *name);
    let other = if first.starts_with(SQLITE) { Some("a database, not PGN") } else { other };
    if let Some(other) = other {
        let what = format!("it is {other}: PGN is read as it is, and from .gz, .bz2 and .zst");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    let (is_compressed, text): (bool, Box<dyn Read + Send>) = match first {
        [0x1f, 0x8b, ..] => (true, Box::new(flate2::bufread::MultiGzDecoder::new(file))),
        [b'B', b'Z', b'h', ..] => (true, Box::new(bzip2::bufread::MultiBzDecoder::new(file))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            // What `zstd --long` makes needs more than the eight MiB that are allowed else.
            decoder.window_log_max(27)?;
            (true, Box::new(decoder))
        }
        _ => (false, Box::new(file)),
    };
    Ok(Opened { text, read, length, is_compressed })
}

/// Whether a file begins as one of SQLite does.
///
/// # Errors
///
/// Where it cannot be read.
pub(crate) fn is_database(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(SQLITE.len() as u64).read_to_end(&mut first)?;
    Ok(first == SQLITE)
}

/// Counts what is read.
struct Counting<R> {
    file: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
