//! The token of a browser or a script.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;

use deepanalyze_core::secrets::{random_word, read_secret, write_secret};

/// Random bytes of a token.
const BYTES: usize = 24;

/// A secret word of hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

/// It must not appear in logs.
impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// A new one.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn random() -> io::Result<AccessToken> {
        random_word(BYTES).map(AccessToken)
    }

    /// The token stored in a file that only its owner can read, so that open pages outlive the
    /// server; a new one, stored there, if there is none, or others could read it.
    ///
    /// # Errors
    ///
    /// If the system has no randomness. An unwritable file is ignored.
    pub fn kept_in(path: &Path) -> io::Result<AccessToken> {
        let kept = read_secret(path).ok().flatten();
        if let Some(kept) = kept.as_deref().and_then(AccessToken::parse) {
            return Ok(kept);
        }
        let token = AccessToken::random()?;
        if let Err(error) = write_secret(path, token.word()) {
            tracing::warn!(%error, "the token is not kept");
        }
        Ok(token)
    }

    /// The word itself.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// True if another word is this one; in constant time.
    pub fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    fn parse(text: &str) -> Option<AccessToken> {
        let is_token = text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_token.then(|| AccessToken(text.to_owned()))
    }
}

/// The token's file of a database's server.
pub fn token_file(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-token");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_alone() {
        let (one, other) = (AccessToken::random().unwrap(), AccessToken::random().unwrap());
        assert!(one.is(one.word()) && !one.is(other.word()));
        let cut = &one.word()[1..];
        assert!(!one.is("") && !one.is(cut) && !one.is(&format!("{}0", one.word())));
        assert!(!format!("{one:?}").contains(one.word()));
    }

    #[test]
    fn kept_token_is_reused_unless_readable_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = token_file(&folder.path().join("tree.db"));
        let first = AccessToken::kept_in(&path).unwrap();
        assert_eq!(AccessToken::kept_in(&path).unwrap(), first);
        std::fs::write(&path, "no token").unwrap();
        let second = AccessToken::kept_in(&path).unwrap();
        assert_ne!(second, first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert_ne!(AccessToken::kept_in(&path).unwrap(), second);
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let nowhere = folder.path().join("no such folder").join("x");
        assert!(AccessToken::kept_in(&nowhere).is_ok(), "it is not kept");
    }
}
