//! The endgame tables by which trees go.

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::CliError;
use deepanalyze_core::chess::{FiftyMoves, TableFiles, TablesError};
use deepanalyze_runner::TableUse;

use super::sourced::Sourced;

/// Folders with endgame tables.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Endgame tables")]
pub struct NamedFolders {
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

/// Folders with endgame tables: named, or configured.
pub type TableFolders = Sourced<NamedFolders>;

impl TableFolders {
    /// The folders, from the configuration where none are named.
    pub fn folders(&self) -> &[PathBuf] {
        if self.args.no_tables { &[] } else { &self.args.tables }
    }

    fn are_configured(&self) -> bool {
        !self.is_written("tables")
    }

    fn find(&self) -> Result<Option<TableFiles>, TablesError> {
        if self.folders().is_empty() {
            return Ok(None);
        }
        TableFiles::find(self.folders()).map(Some)
    }

    /// The files; none where no folder is named or configured.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used.
    pub fn files(&self) -> Result<Option<TableFiles>, CliError> {
        self.find().map_err(|error| {
            let told = CliError::failure(&error);
            if self.are_configured() {
                return told.hint("these folders are configured; --no-tables goes without them");
            }
            told
        })
    }

    /// The same, but where folders of the configuration cannot be used, as where their disk is away, `warn` is told,
    /// and there are none.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used that the user has named.
    pub fn files_if_there(
        &self,
        warn: impl FnOnce(String),
    ) -> Result<Option<TableFiles>, CliError> {
        match self.find() {
            Err(error) if self.are_configured() => {
                warn(format!("{}; going on without endgame tables", error.in_full()));
                Ok(None)
            }
            found => found.map_err(|error| CliError::failure(&error)),
        }
    }
}

/// Says that positions are looked up again, which may take long on a slow disk.
pub fn looking_again(count: usize) -> String {
    let positions = deepanalyze_report::count(count as u64, "position");
    format!("looking up {positions} again that the endgame tables did not have before")
}

/// Whether the fifty-move rule counts beside tables.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Endgame tables")]
struct FiftyArg {
    /// Whether a win in the tables that the fifty-move rule turns into a draw is a draw (fide) or a win (iccf)
    #[arg(long, value_name = "RULE", default_value = "fide", value_parser = ["fide", "iccf"])]
    fifty: String,
}

/// Tables, and whether the fifty-move rule counts beside them.
#[derive(Debug, Clone, clap::Args)]
pub struct TableArgs {
    #[command(flatten)]
    folders: TableFolders,
    #[command(flatten)]
    fifty: Sourced<FiftyArg>,
}

impl TableArgs {
    /// The folders, from the configuration where none are named.
    pub fn folders(&self) -> &[PathBuf] {
        self.folders.folders()
    }

    /// Takes other folders; none for no tables.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        let folders = NamedFolders { tables: folders, no_tables: false };
        self.folders = Sourced::written(folders, &["tables"]);
    }

    /// Whether the fifty-move rule counts.
    pub fn has_fifty_moves(&self) -> bool {
        self.fifty_moves() == FiftyMoves::Fide
    }

    /// Lets the fifty-move rule count, or not.
    pub fn set_fifty_moves(&mut self, counts: bool) {
        let fifty = if counts { FiftyMoves::Fide } else { FiftyMoves::Iccf };
        self.fifty.args.fifty = fifty.to_string();
    }

    /// Whether the fifty-move rule counts, as trees have it.
    pub fn fifty_moves(&self) -> FiftyMoves {
        self.fifty.args.fifty.parse().unwrap_or_default()
    }

    /// Refuses a rule for wins in tables where there are no tables.
    ///
    /// # Errors
    ///
    /// Where the user has written one that would change nothing.
    pub fn check(&self) -> Result<(), CliError> {
        let is_idle = self.folders().is_empty() && !self.has_fifty_moves();
        if is_idle && self.fifty.is_written("fifty") {
            return Err(CliError::usage(
                "--fifty iccf is about wins in endgame tables, and there are none",
            )
            .hint("--tables DIR names a folder with Syzygy tables"));
        }
        Ok(())
    }

    /// The tables by which trees go; none where no folder is named or configured.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used.
    pub fn tables(&self) -> Result<Option<TableUse>, CliError> {
        Ok(self.folders.files()?.map(|files| self.used(files)))
    }

    /// The same, but where folders of the configuration cannot be used, `warn` is told, and there are none.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used that the user has named.
    pub fn tables_if_there(&self, warn: impl FnOnce(String)) -> Result<Option<TableUse>, CliError> {
        Ok(self.folders.files_if_there(warn)?.map(|files| self.used(files)))
    }

    fn used(&self, files: TableFiles) -> TableUse {
        TableUse::new(Arc::new(files), self.fifty_moves())
    }
}
