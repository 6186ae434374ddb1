//! Files that are read whole: up to a bound, for a device or a pipe may have no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A mebibyte.
pub const MIB: u64 = 1 << 20;

/// Reads all input of at most `most` bytes.
///
/// # Errors
///
/// If it cannot be read, or is longer.
pub fn read_to(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let bound = match most {
            MIB.. => format!("{} MiB", most / MIB),
            _ => format!("{} KiB", most / 1024),
        };
        let what = format!("it has more than {bound}, the most that is read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// The contents of a file of at most `most` bytes.
///
/// # Errors
///
/// As for [`read_to`].
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_to(File::open(path)?, most)
}

/// The text of such a file that is no pipe: opening one would wait for its other end.
///
/// # Errors
///
/// As for [`read_to`]; also if it is a pipe, or not in UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    if is_pipe(path)? {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, not a file"));
    }
    let text = String::from_utf8(read_file(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not in UTF-8"))
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;

    Ok(path.metadata()?.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_up_to_the_bound_is_read_and_longer_refused() {
        assert_eq!(read_to(&[7; 1024][..], 1024).unwrap(), [7; 1024]);
        let error = |most| read_to(io::repeat(0), most).unwrap_err().to_string();
        assert_eq!(error(1024), "it has more than 1 KiB, the most that is read");
        assert_eq!(error(3 * MIB), "it has more than 3 MiB, the most that is read");
    }

    #[cfg(unix)]
    #[test]
    fn endless_files_are_refused_and_null_is_empty() {
        assert!(read_text(Path::new("/dev/zero"), MIB).is_err());
        assert_eq!(read_text(Path::new("/dev/null"), MIB).unwrap(), "");
    }
}
