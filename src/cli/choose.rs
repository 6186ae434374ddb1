//! Which analysis a command is about: the one of a number, or the root's last grown.

use crate::store::{AnalysisId, Store};

use super::error::CliError;
use super::root::RootArgs;

/// The analysis of a number, or the one of a root that was grown last; where no root is named, and
/// the initial position has none, the one that was grown last at all.
pub fn choose(
    analysis: Option<i64>,
    root: &RootArgs,
    store: &Store,
) -> Result<AnalysisId, CliError> {
    if let Some(id) = analysis {
        let found = store.analysis(AnalysisId(id))?;
        return found.map(|row| row.id).ok_or_else(|| {
            CliError::missing(format!("there is no analysis {id} in {}", store.path().display()))
                .hint("`deepanalyze list` says which there are")
        });
    }
    let game = root.game()?;
    if let Some(row) = store.analyses_of(&game)?.first() {
        return Ok(row.id);
    }
    if !root.is_given()
        && let Some(row) = store.analyses()?.first()
    {
        anstream::eprintln!(
            "note: no analysis of the initial position; showing the last grown, analysis {}",
            row.id.0
        );
        return Ok(row.id);
    }
    let fen = crate::chess::fen_of(game.root());
    Err(CliError::missing(format!(
        "there is no analysis of {fen} with this game history in {}",
        store.path().display()
    ))
    .hint("`deepanalyze list` says which there are; --analysis ID picks one"))
}
