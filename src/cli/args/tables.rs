//! The endgame tables by which trees go.

use std::path::PathBuf;
use std::sync::Arc;

use crate::chess::{FiftyMoves, TableFiles};
use crate::cli::error::CliError;
use crate::run::TableUse;

/// Folders with endgame tables.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Endgame tables")]
pub struct TableFolders {
    /// Folder with Syzygy endgame tables (*.rtbw, *.rtbz); may be repeated
    ///
    /// A position that the tables know is not searched: it is won, drawn or lost. The largest tables say up to how
    /// many men positions are looked up; where one is missing, the engine is asked. What was found is kept in the
    /// database: `show` and the like need no files.
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// Leave out the tables of the configuration
    #[arg(long, conflicts_with = "tables")]
    no_tables: bool,
}

impl TableFolders {
    /// The folders, from the configuration where none are named.
    pub fn folders(&self) -> &[PathBuf] {
        if self.no_tables { &[] } else { &self.tables }
    }

    /// The files; none where no folder is named.
    pub fn files(&self) -> Result<Option<TableFiles>, CliError> {
        if self.folders().is_empty() {
            return Ok(None);
        }
        let files = TableFiles::find(self.folders()).map_err(|error| CliError::failure(&error))?;
        Ok(Some(files))
    }
}

/// Says that positions are looked up again, which may take long on a slow disk.
pub fn looking_again(count: usize) -> String {
    let positions = crate::render::count(count as u64, "position");
    format!("looking up {positions} again that the endgame tables did not have before")
}

/// Tables, and whether the fifty-move rule counts beside them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Endgame tables")]
pub struct TableArgs {
    #[command(flatten)]
    folders: TableFolders,
    /// Whether a win in the tables that the fifty-move rule turns into a draw is a draw (fide) or a win (iccf)
    #[arg(long, value_name = "RULE", default_value = "fide", value_parser = ["fide", "iccf"])]
    fifty: String,
}

impl TableArgs {
    /// The folders, from the configuration where none are named.
    pub fn folders(&self) -> &[PathBuf] {
        self.folders.folders()
    }

    /// Takes other folders; none for no tables.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = TableFolders { tables: folders, no_tables: false };
    }

    /// Whether the fifty-move rule counts.
    pub fn has_fifty_moves(&self) -> bool {
        self.fifty == FiftyMoves::Fide.to_string()
    }

    /// Lets the fifty-move rule count, or not.
    pub fn set_fifty_moves(&mut self, counts: bool) {
        self.fifty = if counts { FiftyMoves::Fide } else { FiftyMoves::Iccf }.to_string();
    }

    /// Whether the fifty-move rule counts, as trees have it.
    pub fn fifty_moves(&self) -> FiftyMoves {
        if self.has_fifty_moves() { FiftyMoves::Fide } else { FiftyMoves::Iccf }
    }

    /// The tables by which trees go; none where no folder is named.
    pub fn tables(&self) -> Result<Option<TableUse>, CliError> {
        let Some(files) = self.folders.files()? else {
            return Ok(None);
        };
        Ok(Some(TableUse::new(Arc::new(files), self.fifty_moves())))
    }
}
