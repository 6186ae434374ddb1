//! Random access words, and files that only their owner can read.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::reading::read_to;

/// The longest file that is read.
const LONGEST: u64 = 64 * 1024;

/// The variable that has the credentials for a fleet. No program started here gets it.
pub const FLEET_LOGIN: &str = "DEEPANALYZE_FLEET_LOGIN";

/// Error when reading a secret file.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Others can read it: it is no secret any more.
    #[error("others can read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
}

/// A random word of hexadecimal digits, two for each byte.
///
/// # Errors
///
/// If the system has no randomness.
pub fn random_word(bytes: usize) -> io::Result<String> {
    let mut random = vec![0_u8; bytes];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The word in a file that only its owner can read, without blanks around it; None if there is no
/// file.
///
/// # Errors
///
/// If it cannot be read, or others could have read it.
pub fn read_secret(path: &Path) -> Result<Option<String>, SecretFileError> {
    let failed = |source| SecretFileError::Io { path: path.to_owned(), source };
    let open = || SecretFileError::Open { path: path.to_owned() };
    // To open a pipe would wait for its other end.
    let is_open = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => !is_private(&found.map_err(failed)?),
    };
    if is_open {
        return Err(open());
    }
    let file = File::open(path).map_err(failed)?;
    // Another file may have taken its place.
    if !is_private(&file.metadata().map_err(failed)?) {
        return Err(open());
    }
    let text = String::from_utf8(read_to(file, LONGEST).map_err(failed)?);
    let text =
        text.map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "it is not in UTF-8")))?;
    Ok(Some(text.trim().to_owned()))
}

/// Writes a word to a file that only its owner can read, replacing any other: whole, or not at all.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_secret(path: &Path, word: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Such files are readable by their owner alone from their beginning.
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    writeln!(file, "{word}")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(unix)]
fn is_private(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    found.is_file() && found.mode() & 0o077 == 0
}

/// Files in a user's folders are that user's there.
#[cfg(not(unix))]
fn is_private(found: &Metadata) -> bool {
    found.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_random_and_as_long_as_wanted() {
        let (one, other) = (random_word(24).unwrap(), random_word(24).unwrap());
        assert_eq!((one.len(), other.len()), (48, 48));
        assert_ne!(one, other);
    }

    #[test]
    fn written_secret_is_read_and_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        assert!(read_secret(&path).unwrap().is_none());
        for word in ["first", "second"] {
            write_secret(&path, word).unwrap();
            assert_eq!(read_secret(&path).unwrap().as_deref(), Some(word));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_secret(&folder.path().join("none/secret"), "word").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn file_open_to_others_is_refused_and_new_is_private() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "word").unwrap();
        for mode in [0o640, 0o604, 0o620] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let refused = read_secret(&path).unwrap_err();
            assert!(matches!(refused, SecretFileError::Open { .. }), "{mode:o}");
        }
        write_secret(&path, &"long".repeat(100_000)).unwrap();
        assert!(read_secret(&path).is_err(), "it is not cut");
        write_secret(&path, "word").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(read_secret(folder.path()).is_err(), "a folder is no secret");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(read_secret(&pipe).is_err(), "nobody writes to it");
    }
}
