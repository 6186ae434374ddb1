//! The token of the user's account, and the secret of the engine.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::args::database::{data_file, make_folder_of};
use crate::error::{CliError, secret_of};
use deepanalyze_core::secrets::{random_word, read_secret, write_secret};
use deepanalyze_lichess::api::{SECRET_BYTES, TOKEN_PAGE};

/// The variable that has the token.
const TOKEN: &str = "LICHESS_TOKEN";
/// The letters that a secret may have.
const LETTERS: std::ops::RangeInclusive<usize> = 16..=1024;

/// A secret, and that no other process uses it.
#[derive(Debug)]
pub struct HeldSecret {
    pub word: String,
    _file: File,
}

/// The token of the user's account. Never on the command line, which everybody on the computer can read.
pub fn token(file: Option<&Path>) -> Result<String, CliError> {
    let token = match file {
        Some(path) => Some(secret_of(path)?),
        None => std::env::var(TOKEN).ok().map(|token| token.trim().to_owned()),
    };
    token.filter(|token| !token.is_empty()).ok_or_else(|| {
        CliError::missing("no token of your Lichess account").hint(format!(
            "make one at {TOKEN_PAGE}, and put it into the variable {TOKEN}, or into a file for --token-file"
        ))
    })
}

/// Default path of the secret.
pub fn default_file() -> Result<PathBuf, CliError> {
    let path = data_file("lichess-secret", "--secret-file")?;
    make_folder_of(&path, "--secret-file")?;
    Ok(path)
}

/// The secret of a file; a new one where there is none, or it is to be renewed.
pub fn kept_in(path: &Path, renew: bool) -> Result<HeldSecret, CliError> {
    let kept = match read_secret(path) {
        // It need not be what it should be to be replaced.
        Err(_) if renew => None,
        kept => kept?,
    };
    // A secret in use must not be replaced.
    let used = path.exists().then(|| hold(path)).transpose()?;
    if let (Some(word), Some(file), false) = (kept, used, renew) {
        if LETTERS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(HeldSecret { word, _file: file });
        }
        return Err(CliError::missing(format!("no Lichess secret in {}", path.display()))
            .hint("--renew-secret makes a new one there"));
    }
    let word = random_word(SECRET_BYTES)?;
    write_secret(path, &word)
        .map_err(|error| CliError::missing(format!("cannot write {}: {error}", path.display())))?;
    Ok(HeldSecret { word, _file: hold(path)? })
}

/// Two processes with one secret would take each other's positions.
fn hold(path: &Path) -> Result<File, CliError> {
    let failed = |error: std::io::Error| {
        CliError::missing(format!("cannot lock {}: {error}", path.display()))
    };
    let file = File::open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CliError::missing(format!(
            "another `deepanalyze lichess` uses the secret in {}",
            path.display()
        ))
        .hint("an engine of another --name can have another --secret-file")),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_kept_until_renewed_and_used_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let first = kept_in(&path, false).unwrap();
        assert_eq!(first.word.len(), 64);
        assert!(kept_in(&path, false).is_err() && kept_in(&path, true).is_err(), "it is used");
        let word = first.word.clone();
        drop(first);
        assert_eq!(kept_in(&path, false).unwrap().word, word);
        let renewed = kept_in(&path, true).unwrap();
        assert_ne!(renewed.word, word);
        drop(renewed);
        std::fs::write(&path, "short").unwrap();
        assert!(kept_in(&path, false).is_err());
        assert!(kept_in(&path, true).is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn readable_files_are_refused_and_new_ones_private() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "0123456789abcdef").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert!(kept_in(&path, false).is_err() && token(Some(&path)).is_err());
        drop(kept_in(&path, true).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(token(Some(&path)).unwrap().len(), 64);
        assert!(token(Some(&folder.path().join("none"))).is_err());
    }
}
