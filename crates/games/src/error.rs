//! Errors of sets of games.

use std::io;
use std::path::{Path, PathBuf};

use super::pgn::OtherVariants;
use super::schema::VERSION;

/// Error of reading or making a set of games.
#[derive(Debug, thiserror::Error)]
pub enum GameSetError {
    /// The file is missing.
    #[error("there is no set of games {}", .0.display())]
    Missing(PathBuf),
    /// A database of another program.
    #[error("{} is a database, but no set of games", .0.display())]
    Foreign(PathBuf),
    /// A file that is neither a set nor any other database.
    #[error("{} is no set of games", .0.display())]
    NoSet(PathBuf),
    /// A set of a newer version of this program.
    #[error(
        "the set of games {} has format {found}, and this version of deepanalyze knows formats up to {VERSION}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// The file's contents are invalid.
    #[error("the set of games {} is damaged", .0.display())]
    Damaged(PathBuf),
    /// A compressed file ends too early, or has invalid contents.
    #[error("{} is cut short or damaged: {source}", name_of(path))]
    Cut {
        /// The file.
        path: PathBuf,
        /// Its reader's error.
        source: io::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", name_of(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// SQLite's error.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// Neither tags nor moves.
    #[error("no game in PGN format in {}", name_of(.0))]
    NotPgn(PathBuf),
    /// No game of the files can be counted.
    #[error("no game of the files can be counted; the first: {0}")]
    NoGames(String),
    /// All games of the files are of other variants.
    #[error("no game of the files is chess or Chess960; left out: {0}")]
    OtherVariants(OtherVariants),
    /// Another process adds games to the same set.
    #[error("games are being added to {}", .0.display())]
    Busy(PathBuf),
    /// A set counts to one ply only.
    #[error("the set {} counts {kept} plies of each game, not {asked}", path.display())]
    OtherPlies {
        /// The file.
        path: PathBuf,
        /// The plies it counts.
        kept: u32,
        /// The plies asked for.
        asked: u32,
    },
    /// Cancelled by the caller.
    #[error("interrupted")]
    Interrupted,
    /// Game numbers have 27 bits.
    #[error("a set has no more than 134,217,728 games")]
    TooMany,
    /// No game of such a player.
    #[error("no game of {name:?} is in {set}")]
    UnknownPlayer {
        /// The name as it was asked for.
        name: String,
        /// The set's name.
        set: String,
        /// Similar names, as files write them.
        near: Vec<String>,
    },
}

impl GameSetError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            GameSetError::UnknownPlayer { near, .. } if !near.is_empty() => {
                let names: Vec<String> = near.iter().map(|name| format!("{name:?}")).collect();
                Some(format!("near names: {}", names.join(", ")))
            }
            GameSetError::Cut { .. } => Some("download the file again".to_owned()),
            GameSetError::NoSet(_) => Some("`games add SET FILE`: the set comes first".to_owned()),
            GameSetError::Busy(_) => Some("try again once that is done".to_owned()),
            GameSetError::Newer { .. } => Some("install a newer deepanalyze".to_owned()),
            GameSetError::OtherPlies { .. } => {
                Some("make another set, or leave --max-ply out".to_owned())
            }
            GameSetError::Missing(_) => {
                Some("`deepanalyze games list` shows all sets; `games add` makes one".to_owned())
            }
            _ => None,
        }
    }

    pub(crate) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> GameSetError {
        move |source| GameSetError::Sqlite { path: path.to_owned(), source }
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> GameSetError {
        move |source| GameSetError::Io { path: path.to_owned(), source }
    }
}

/// A file's name in messages.
pub(crate) fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}
