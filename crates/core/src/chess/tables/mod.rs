//! Tablebases: Syzygy's results, and the files that have them; tables of three men are part of the
//! program.

mod disk;
mod embedded;
mod files;
mod opened;
mod result;

pub use embedded::three_men;
pub use files::{TableFiles, TableMove};
pub use result::{FiftyMoves, TableEnd, Tables, Wdl};

use std::io;
use std::path::PathBuf;

/// Tablebase error.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder that cannot be read.
    #[error("cannot read the tablebase folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No table found.
    #[error("no Syzygy tablebases (*.rtbw) in {}", folders(paths))]
    Empty {
        /// The folders.
        paths: Vec<PathBuf>,
    },
    /// A file that exists and cannot be read now: its disk is away, or fails.
    #[error("cannot read the table {}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl TablesError {
    /// The message with the system's error.
    pub fn in_full(&self) -> String {
        match self {
            TablesError::Folder { source, .. } | TablesError::Unread { source, .. } => {
                format!("{self}: {source}")
            }
            TablesError::Empty { .. } => self.to_string(),
        }
    }
}

fn folders(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(" and ")
}
