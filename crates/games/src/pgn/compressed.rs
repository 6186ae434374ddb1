//! Files of games, plain or compressed, as their first bytes show.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::BzDecoder;
use deepanalyze_core::reading::read_to;
use flate2::bufread::GzDecoder;

use crate::error::GameSetError;

/// First bytes of an SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// Other archives in use, to be named instead of read as text.
const OTHERS: [(&[u8], &str); 4] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\0", "an XZ archive"),
    (b"Rar!", "a RAR archive"),
];

/// A file open for reading.
pub(crate) struct Opened {
    pub(crate) text: Box<dyn Read + Send>,
    /// Bytes read so far of the file itself.
    pub(crate) read: Arc<AtomicU64>,
    /// The file's own length, if it has one.
    pub(crate) length: Option<u64>,
    /// True if compressed: a cut then need not show in a game.
    pub(crate) is_compressed: bool,
}

/// Opens a file; `-` is standard input.
///
/// # Errors
///
/// If it cannot be opened, or is an archive of another kind or a database.
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

/// The text of a file of games, compressed or not, if not longer than `most` bytes; "-" is standard
/// input.
///
/// # Errors
///
/// If it cannot be read to its end, is longer, or is an archive of another kind or a database.
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
        [0x1f, 0x8b, ..] => (true, Box::new(Members::<GzDecoder<_>>::new(file))),
        [b'B', b'Z', b'h', ..] => (true, Box::new(Members::<BzDecoder<_>>::new(file))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            (true, Box::new(Members::<zstd::stream::read::Decoder<'_, _>>::new(file)))
        }
        _ => (false, Box::new(file)),
    };
    Ok(Opened { text, read, length, is_compressed })
}

/// One of several compressed texts in a file, one after the other.
trait Member: Read + Sized {
    /// Its container.
    type File: BufRead;

    fn begin(file: Self::File) -> io::Result<Self>;

    /// The file's rest.
    fn end(self) -> Self::File;
}

impl<R: BufRead> Member for GzDecoder<R> {
    type File = R;

    fn begin(file: R) -> io::Result<Self> {
        Ok(GzDecoder::new(file))
    }

    fn end(self) -> R {
        self.into_inner()
    }
}

impl<R: BufRead> Member for BzDecoder<R> {
    type File = R;

    fn begin(file: R) -> io::Result<Self> {
        Ok(BzDecoder::new(file))
    }

    fn end(self) -> R {
        self.into_inner()
    }
}

impl<R: BufRead> Member for zstd::stream::read::Decoder<'_, R> {
    type File = R;

    fn begin(file: R) -> io::Result<Self> {
        let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?.single_frame();
        // `zstd --long` needs more than the default of eight MiB.
        decoder.window_log_max(27)?;
        Ok(decoder)
    }

    fn end(self) -> R {
        self.finish()
    }
}

/// Bytes that pad the blocks of tapes, disks and transfers after a file's end: zeros, or Ctrl-Z.
const PADDING: [u8; 2] = [0, 0x1a];

/// All members of a file as one text. Padding after a member is none, as for `gzip`.
struct Members<M: Member> {
    member: Option<M>,
    /// The file, while no member is read.
    file: Option<M::File>,
}

impl<M: Member> Members<M> {
    fn new(file: M::File) -> Members<M> {
        Members { member: None, file: Some(file) }
    }

    /// Begins the next member; false if none is left.
    fn begin(&mut self) -> io::Result<bool> {
        let Some(mut file) = self.file.take() else { return Ok(self.member.is_some()) };
        let is_more = skip_padding(&mut file)?;
        if is_more {
            self.member = Some(M::begin(file)?)
        } else {
            self.file = Some(file)
        }
        Ok(is_more)
    }
}

impl<M: Member> Read for Members<M> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.begin()? {
            let Some(member) = &mut self.member else { break };
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.file = self.member.take().map(M::end);
        }
        Ok(0)
    }
}

/// True if anything follows the padding.
fn skip_padding(file: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = file.fill_buf()?;
        match buffer.iter().position(|byte| !PADDING.contains(byte)) {
            Some(padding) => {
                file.consume(padding);
                return Ok(true);
            }
            None if buffer.is_empty() => return Ok(false),
            None => {
                let length = buffer.len();
                file.consume(length);
            }
        }
    }
}

/// True if a file begins as SQLite's do.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn is_database(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(SQLITE.len() as u64).read_to_end(&mut first)?;
    Ok(first == SQLITE)
}

/// Counts bytes read.
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const GAME: &[u8] = b"[Event \"a\"]\n\n1. e4 e5 *\n\n";

    fn compressed(text: &[u8]) -> [Vec<u8>; 3] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(text).unwrap();
        let zstd = zstd::encode_all(text, 1).unwrap();
        [gzip.finish().unwrap(), bzip2.finish().unwrap(), zstd]
    }

    fn text_of(file: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        opened_as(io::Cursor::new(file), None)?.text.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn padding_behind_compressed_text_is_nothing() {
        for member in compressed(GAME) {
            for padding in [&[][..], &[0; 1], &[0; 300_000], &[0x1a; 128], &[0x1a, 0, 0]] {
                let padded = [&member, padding].concat();
                assert_eq!(text_of(padded).unwrap(), GAME);
                let several = [&member, padding, &member, &member, padding].concat();
                assert_eq!(text_of(several).unwrap(), GAME.repeat(3));
            }
            let short = member.get(..member.len() - 3).unwrap().to_vec();
            assert!(text_of(short).is_err());
            assert!(text_of([&member, &b"x"[..]].concat()).is_err(), "it is no padding");
            let empty = compressed(b"").map(|empty| [empty, member.clone()].concat());
            assert!(empty.into_iter().any(|both| text_of(both).is_ok_and(|text| text == GAME)));
        }
    }

    #[test]
    fn frames_that_are_to_be_skipped_are() {
        let [.., member] = compressed(GAME);
        let skip = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        for file in [[&skip[..], &member].concat(), [&member[..], &skip, &member, &skip].concat()] {
            let games = text_of(file).unwrap();
            assert_eq!(games.len() % GAME.len(), 0);
            assert!(games.starts_with(GAME));
        }
    }
}
