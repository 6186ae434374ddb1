//! The endgame tables by which trees go.

use std::path::PathBuf;
use std::sync::Arc;

use super::report::{OptionWord, one_of};
use crate::config::{Config, Key};
use crate::error::CliError;
use deepanalyze_core::chess::{FiftyMoves, TableFiles, TablesError};
use deepanalyze_runner::TableUse;

/// Folders with endgame tables: named, or configured.
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
    pub fn folders(&self) -> Vec<PathBuf> {
        match (self.no_tables, &*self.tables) {
            (true, _) => Vec::new(),
            (false, []) => Config::loaded().texts(Key::Tables).iter().map(PathBuf::from).collect(),
            (false, named) => named.to_vec(),
        }
    }

    fn are_configured(&self) -> bool {
        self.tables.is_empty()
    }

    fn find(&self) -> Result<Option<TableFiles>, TablesError> {
        match self.folders() {
            none if none.is_empty() => Ok(None),
            folders => TableFiles::find(&folders).map(Some),
        }
    }

    /// The files; none where no folder is named or configured.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used.
    pub fn files(&self) -> Result<Option<TableFiles>, CliError> {
        self.find().map_err(|error| {
            let without = "these folders are configured; --no-tables goes without them";
            CliError::failure(&error).maybe_hint(self.are_configured().then(|| without.to_owned()))
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

const RULES: &[OptionWord<FiftyMoves>] =
    &[("fide", "A draw", FiftyMoves::Fide), ("iccf", "A win", FiftyMoves::Iccf)];

/// Tables, and whether the fifty-move rule counts beside them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Endgame tables")]
pub struct TableArgs {
    #[command(flatten)]
    pub folders: TableFolders,
    /// Whether a win in the tables that the fifty-move rule turns into a draw is a draw (fide) or a win (iccf)
    /// [default: the configured rule, else fide]
    #[arg(long, value_name = "RULE", value_parser = one_of(RULES))]
    pub fifty: Option<FiftyMoves>,
}

impl TableArgs {
    /// Takes other folders; none for no tables.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = TableFolders { no_tables: folders.is_empty(), tables: folders };
    }

    /// Whether the fifty-move rule counts, as trees have it.
    pub fn fifty_moves(&self) -> FiftyMoves {
        let configured = || Config::loaded().text(Key::Fifty)?.parse().ok();
        self.fifty.or_else(configured).unwrap_or_default()
    }

    /// Refuses a rule for wins in tables where there are no tables.
    ///
    /// # Errors
    ///
    /// Where the user has written one that would change nothing.
    pub fn check(&self) -> Result<(), CliError> {
        if self.fifty == Some(FiftyMoves::Iccf) && self.folders.folders().is_empty() {
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
