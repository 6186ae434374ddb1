//! Where the database is: `--db`.

use std::path::{Path, PathBuf};

use crate::error::CliError;
use deepanalyze_runner::ControlReceiver;
use deepanalyze_store::{Patience, Store};

/// The variable that names the database.
pub const VARIABLE: &str = "DEEPANALYZE_DB";

/// Where the database is.
#[derive(Debug, Clone, clap::Args)]
pub struct DbArgs {
    /// Database file [default: deepanalyze.db in your data folder]
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = VARIABLE,
        hide_default_value = true,
        hide_env_values = true,
        help_heading = "Database"
    )]
    pub db: Option<PathBuf>,
}

impl DbArgs {
    pub fn path(&self) -> Result<PathBuf, CliError> {
        self.db.clone().map_or_else(DbArgs::default_path, Ok)
    }

    /// Where the database is unless something else is said.
    pub fn default_path() -> Result<PathBuf, CliError> {
        let folders = directories::ProjectDirs::from("", "", "deepanalyze").ok_or_else(|| {
            CliError::usage("your data folder is unknown").hint("name a file with --db")
        })?;
        Ok(folders.data_dir().join("deepanalyze.db"))
    }

    /// The database to grow; the data directory is made where there is none yet.
    pub fn path_to_grow(&self) -> Result<PathBuf, CliError> {
        let path = self.path()?;
        if self.db.is_none()
            && let Some(folder) = path.parent()
        {
            std::fs::create_dir_all(folder).map_err(|error| {
                CliError::missing(format!("cannot make {}: {error}", folder.display()))
                    .hint("name a file with --db")
            })?;
        }
        Ok(path)
    }

    /// Opens a database to change something of it.
    pub fn open_to_change(path: &Path) -> Result<Store, CliError> {
        Ok(Store::open_with(path, patience())?)
    }

    pub fn open_to_read(&self) -> Result<Store, CliError> {
        Ok(Store::open_to_read(&self.path()?)?)
    }
}

/// How a command waits for a locked database that Ctrl-C ends where it is.
fn patience() -> Patience {
    Patience::new(|| false, |why| anstream::eprintln!("{why}; waiting for it (Ctrl-C gives up)"))
}

/// How one waits that ends when it is told to.
pub fn patience_of(
    control: &ControlReceiver,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Patience {
    let control = control.clone();
    let tell = move |why: &str| say(&format!("warning: {why}; waiting for it"));
    Patience::new(move || control.is_told_to_end(), tell)
}
