//! Where the database is, and which analysis of it a command is about: the one of a number, or the root's last grown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::root::RootArgs;
use crate::config::{Config, ConfigKey};
use crate::error::CliError;
use crate::printer::{Printer, tell};
use deepanalyze_core::chess::{Game, fen_of};
use deepanalyze_runner::{ControlReceiver, control, grow_trees};
use deepanalyze_store::{AnalysisId, AnalysisRow, Patience, Store};
use deepanalyze_view::{Stages, Tree, count, load_tree};

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
    /// As no option names it: by the environment or the configuration, else in the data folder.
    pub fn unnamed() -> DbArgs {
        let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        let configured = || Config::loaded().text(ConfigKey::Database).map(PathBuf::from);
        DbArgs { db: variable.map(PathBuf::from).or_else(configured) }
    }

    pub fn path(&self) -> Result<PathBuf, CliError> {
        self.db.clone().map_or_else(DbArgs::default_path, Ok)
    }

    /// The database as named on the command line; `None` if the environment or the configuration
    /// names it.
    pub fn named(&self) -> Option<String> {
        let db = self.db.as_deref()?;
        let is_elsewhere = std::env::var_os(VARIABLE).as_deref() == Some(db.as_os_str())
            || Config::loaded().text(ConfigKey::Database).is_some_and(|text| text == db);
        (!is_elsewhere).then(|| db.to_string_lossy().into_owned())
    }

    /// Default path of the database.
    pub fn default_path() -> Result<PathBuf, CliError> {
        data_file("deepanalyze.db", "--db")
    }

    /// The database to grow; the data directory is made where there is none yet.
    pub fn path_to_grow(&self) -> Result<PathBuf, CliError> {
        let path = self.path()?;
        if self.db.is_none() {
            make_folder_of(&path, "--db")?;
        }
        Ok(path)
    }

    /// Opens a database to change something of it.
    pub fn open_to_change(path: &Path) -> Result<Store, CliError> {
        let mut store = Store::open_with(path, patience())?;
        let (_control, receiver) = control();
        finish_update(&mut store, &receiver, |line| tell!("{line}"))?;
        Ok(store)
    }

    /// Opens a database for a run, or makes it; a signal ends the wait for one that is locked.
    pub fn open_to_run(
        path: &Path,
        control: &ControlReceiver,
        printer: &Printer,
    ) -> Result<Store, CliError> {
        let told = printer.clone();
        let mut store = Store::open_with(path, patience_of(control, move |why| told.line(why)))?;
        finish_update(&mut store, control, |line| printer.line(line))?;
        Ok(store)
    }

    pub fn open_to_read(&self) -> Result<Store, CliError> {
        Ok(Store::open_to_read(&self.path()?)?)
    }
}

/// A file of the user's data folder, unless an option names another.
pub fn data_file(name: &str, option: &str) -> Result<PathBuf, CliError> {
    let folders = directories::ProjectDirs::from("", "", "deepanalyze").ok_or_else(|| {
        CliError::usage("your data folder is unknown").hint(format!("name a file with {option}"))
    })?;
    Ok(folders.data_dir().join(name))
}

/// The files of a folder whose names end so, by name; none where it is not there.
pub fn files_in(folder: &Path, end: &str) -> Result<Vec<PathBuf>, CliError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(CliError::missing(format!("cannot read {}: {error}", folder.display())));
        }
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    files.sort();
    Ok(files)
}

/// Makes the folder of such a file where there is none yet.
pub fn make_folder_of(path: &Path, option: &str) -> Result<(), CliError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(|error| {
        CliError::missing(format!("cannot make {}: {error}", folder.display()))
            .hint(format!("name a file with {option}"))
    })
}

/// Where this program has just brought the schema of a database up to date: says so, and grows the trees again that the
/// update has emptied, as far as the known answers reach.
fn finish_update(
    store: &mut Store,
    control: &ControlReceiver,
    say: impl Fn(&str),
) -> Result<(), CliError> {
    let Some(copy) = store.copy_of_former() else { return Ok(()) };
    let (database, copy) = (store.path().display(), copy.display());
    say(&format!(
        "database {database} was updated to a newer schema; the old version is kept as {copy}"
    ));
    let emptied = store.emptied()?;
    if emptied.is_empty() {
        return Ok(());
    }
    let trees = count(emptied.len() as u64, "tree");
    say(&format!(
        "growing {trees} again from the known answers: a position that occurred once before the root is no longer a draw"
    ));
    for row in store.analyses()?.into_iter().filter(|row| emptied.contains(&row.id)) {
        let tree = BTreeMap::from([(row.id, row.target_depth)]);
        grow_trees(store, &tree, None, control, &mut |_| {})?;
        store.set_changed_at(row.id, row.changed_at)?;
    }
    Ok(())
}

/// How a command waits for a locked database that Ctrl-C ends where it is.
fn patience() -> Patience {
    Patience::new(|| false, |why| tell!("{why}; waiting for it (Ctrl-C gives up)"))
}

/// Patience that ends when the command is told to end.
pub fn patience_of(
    control: &ControlReceiver,
    say: impl Fn(&str) + Send + Sync + 'static,
) -> Patience {
    let control = control.clone();
    let tell = move |why: &str| say(&format!("warning: {why}; waiting for it"));
    Patience::new(move || control.is_told_to_end(), tell)
}

/// One analysis of a database.
#[derive(Debug, clap::Args)]
pub struct ChosenArgs {
    #[command(flatten)]
    pub root: RootArgs,
    #[command(flatten)]
    pub db: DbArgs,
    /// Number of the analysis, from `deepanalyze list` [default: the latest of the root]
    #[arg(long, value_name = "ID", allow_negative_numbers = true, help_heading = "Database",
        conflicts_with_all = ["root", "moves", "pgn"])]
    analysis: Option<i64>,
}

impl ChosenArgs {
    /// True if the user has named a root or an analysis.
    pub fn is_given(&self) -> bool {
        self.analysis.is_some() || self.root.is_given()
    }

    /// The database, where it was named here, and not in the environment or the configuration.
    pub fn named_database(&self) -> Option<String> {
        self.db.named()
    }

    /// True if the user has named one analysis, not a root.
    pub fn is_analysis(&self) -> bool {
        self.analysis.is_some()
    }

    /// The game up to the root; one that is named by itself need not have an analysis.
    pub fn game(&self) -> Result<Game, CliError> {
        let Some(id) = self.analysis else { return self.root.game() };
        game_of(&analysis_of(id, &self.open()?)?)
    }

    /// Opens the database for reading.
    pub fn open(&self) -> Result<Store, CliError> {
        self.db.open_to_read()
    }

    /// The analysis of the number, or the one of the root that was grown last; of its stages the one that speaks. Where
    /// no root is named, and the initial position has none, the one that was grown last at all.
    pub fn choose(&self, store: &Store) -> Result<AnalysisId, CliError> {
        if let Some(id) = self.analysis {
            return Ok(analysis_of(id, store)?.id);
        }
        let game = self.root.game()?;
        if let Some(row) = store.analyses_of(&game)?.into_iter().next() {
            return speaking(row, store);
        }
        if !self.root.is_given()
            && let Some(row) = store.analyses()?.into_iter().next()
        {
            let id = speaking(row, store)?;
            tell!(
                "note: the initial position has no analysis; showing the latest, analysis {}",
                id.0
            );
            return Ok(id);
        }
        let fen = fen_of(game.root());
        Err(CliError::missing(format!(
            "there is no analysis of {fen} with this game history in {}",
            store.path().display()
        ))
        .hint("`deepanalyze list` shows all analyses; --analysis ID picks one"))
    }

    /// The analysis, and the database opened to change something of it. The user must have named
    /// it: nothing is changed by a guess.
    pub fn choose_to_change(&self) -> Result<(AnalysisRow, Store), CliError> {
        if !self.is_given() {
            return Err(CliError::usage("no analysis given; use --analysis ID or --root FEN")
                .hint("`deepanalyze list` shows all analyses"));
        }
        let row = {
            let store = self.open()?;
            analysis_of(self.choose(&store)?.0, &store)?
        };
        Ok((row, DbArgs::open_to_change(&self.db.path()?)?))
    }

    /// Reads its tree.
    pub fn load(&self, store: &Store) -> Result<Tree, CliError> {
        Ok(load_tree(store, self.choose(store)?)?)
    }
}

/// The analysis of a number.
pub fn analysis_of(id: i64, store: &Store) -> Result<AnalysisRow, CliError> {
    store.analysis(AnalysisId(id))?.ok_or_else(|| {
        CliError::missing(format!("there is no analysis {id} in {}", store.path().display()))
            .hint("`deepanalyze list` shows all analyses")
    })
}

/// The game of an analysis.
pub fn game_of(row: &AnalysisRow) -> Result<Game, CliError> {
    row.game().ok_or_else(|| {
        CliError::missing(format!("the moves of analysis {} are not legal", row.id.0))
            .hint("`deepanalyze verify` shows what is damaged")
    })
}

/// Of the stages to which an analysis belongs, the one that speaks.
pub fn speaking(row: AnalysisRow, store: &Store) -> Result<AnalysisId, CliError> {
    let id = row.id;
    Ok(Stages::of(store, row)?.speaking().map_or(id, |speaking| speaking.id))
}
