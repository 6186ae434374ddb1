//! What tablebases say of positions: Syzygy's results, and the files that have them; those of three men are
//! part of the program.

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

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder that cannot be read.
    #[error("cannot read the tablebase folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing there.
    #[error("no Syzygy tablebases (*.rtbw) in {}", folders(paths))]
    Empty {
        /// The folders.
        paths: Vec<PathBuf>,
    },
    /// A file that is there and cannot be read now: its disk is away, or fails.
    #[error("cannot read the table {}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl TablesError {
    /// With what the system says.
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
