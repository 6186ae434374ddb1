//! Which analysis a command is about: the one of a number, or the root's last grown.

use crate::args::database::DbArgs;
use crate::args::root::RootArgs;
use crate::error::CliError;
use deepanalyze_report::{KeptTree, Stages, load};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store};

/// One analysis of a database.
#[derive(Debug, clap::Args)]
pub struct ChosenArgs {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    db: DbArgs,
    /// Number of the analysis, from `deepanalyze list` [default: the latest of the root]
    #[arg(long, value_name = "ID", allow_negative_numbers = true, help_heading = "Database",
        conflicts_with_all = ["root", "moves", "pgn"])]
    analysis: Option<i64>,
}

impl ChosenArgs {
    /// The root that the user has named, or the initial position.
    pub fn root(&self) -> &RootArgs {
        &self.root
    }

    /// Whether the user has named a root or an analysis.
    pub fn is_given(&self) -> bool {
        self.analysis.is_some() || self.root.is_given()
    }

    /// Whether the user has named one analysis, not a root.
    pub fn is_analysis(&self) -> bool {
        self.analysis.is_some()
    }

    /// Opens the database for reading.
    pub fn open(&self) -> Result<Store, CliError> {
        self.db.open_to_read()
    }

    /// Which analysis it is.
    pub fn choose(&self, store: &Store) -> Result<AnalysisId, CliError> {
        choose(self.analysis, &self.root, store)
    }

    /// Which analysis it is, and the database, opened to change something of it. The user must have named it:
    /// nothing is changed by a guess.
    pub fn choose_to_change(&self) -> Result<(AnalysisRow, Store), CliError> {
        if !self.is_given() {
            return Err(CliError::usage("which analysis? none is named")
                .hint("--analysis ID takes one of `deepanalyze list`; --root, --moves and --pgn name a position"));
        }
        let store = self.open()?;
        let id = self.choose(&store)?;
        let row = store.analysis(id)?;
        let row = row.ok_or_else(|| missing(id.0, &store))?;
        drop(store);
        Ok((row, DbArgs::open_to_change(&self.db.path()?)?))
    }

    /// Reads its tree.
    pub fn load(&self, store: &Store) -> Result<KeptTree, CliError> {
        Ok(load(store, self.choose(store)?)?)
    }
}

fn missing(id: i64, store: &Store) -> CliError {
    CliError::missing(format!("there is no analysis {id} in {}", store.path().display()))
        .hint("`deepanalyze list` shows all analyses")
}

/// Of the stages to which an analysis belongs, the one that speaks.
fn speaking(row: AnalysisRow, store: &Store) -> Result<AnalysisId, CliError> {
    let id = row.id;
    Ok(Stages::of(store, row)?.speaking().map_or(id, |speaking| speaking.id))
}

/// The analysis of a number, or the one of a root that was grown last; of its stages the one that speaks. Where no root is named, and
/// the initial position has none, the one that was grown last at all.
fn choose(analysis: Option<i64>, root: &RootArgs, store: &Store) -> Result<AnalysisId, CliError> {
    if let Some(id) = analysis {
        let found = store.analysis(AnalysisId(id))?;
        return found.map(|row| row.id).ok_or_else(|| missing(id, store));
    }
    let game = root.game()?;
    if let Some(row) = store.analyses_of(&game)?.into_iter().next() {
        return speaking(row, store);
    }
    if !root.is_given()
        && let Some(row) = store.analyses()?.into_iter().next()
    {
        let id = speaking(row, store)?;
        anstream::eprintln!(
            "note: the initial position has no analysis; showing the latest, analysis {}",
            id.0
        );
        return Ok(id);
    }
    let fen = deepanalyze_core::chess::fen_of(game.root());
    Err(CliError::missing(format!(
        "there is no analysis of {fen} with this game history in {}",
        store.path().display()
    ))
    .hint("`deepanalyze list` shows all analyses; --analysis ID picks one"))
}
