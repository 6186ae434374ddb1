//! Requirements of a kept analysis: the same engine, tablebases and games.

use deepanalyze_core::search::Profile;
use deepanalyze_store::{AnalysisRow, TreeSettings};

use crate::error::RunnerError;
use crate::facts::{GamesUse, TableUse};
use crate::job::TreePlan;

/// Checks that an analysis can go on with this engine, these tablebases and games.
///
/// # Errors
///
/// Names the first that is missing or differs.
pub fn has_what_it_needs(
    row: &AnalysisRow,
    here: &Profile,
    tables: Option<&TableUse>,
    games: Option<&GamesUse>,
) -> Result<(), RunnerError> {
    if let Some(wanted) = row.settings.tables {
        tables.and_then(|used| used.for_tree(wanted)).ok_or(RunnerError::NoTables(wanted.men))?;
    }
    has_games(row, games)?;
    if row.profile.is_same_engine(here) {
        return Ok(());
    }
    let (root, here) = (Box::new(row.profile.clone()), Box::new(here.clone()));
    Err(RunnerError::OtherEngine { root, here })
}

/// Checks that an analysis knows these games, or none.
///
/// # Errors
///
/// If they are not.
pub(crate) fn has_games(row: &AnalysisRow, games: Option<&GamesUse>) -> Result<(), RunnerError> {
    let Some(known) = &row.game_set else { return Ok(()) };
    match games.is_some_and(|here| here.set.digest == known.digest) {
        true => Ok(()),
        false => Err(RunnerError::OtherGames(Box::new(known.clone()))),
    }
}

impl TreePlan {
    /// The plan of a kept tree, with those of these tablebases and games that it knows.
    pub fn of_kept(
        settings: &TreeSettings,
        tables: Option<&TableUse>,
        games: Option<&GamesUse>,
    ) -> TreePlan {
        TreePlan {
            tables: settings.tables.and_then(|wanted| tables?.for_tree(wanted)),
            games: settings.games.and_then(|known| Some(games?.following(known.rules))),
            draw: settings.draw,
            ..settings.breadth.clone().into()
        }
    }
}
