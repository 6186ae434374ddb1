//! `deepanalyze grow --analysis`: a run that goes on with an analysis of the database.

use crate::args::database::analysis_of;
use crate::args::root::RootArgs;
use crate::error::CliError;
use deepanalyze_core::search::Profile;
use deepanalyze_runner::{GamesUse, RunnerError, Schedule, TreePlan, has_what_it_needs};
use deepanalyze_store::{AnalysisRow, KeptGameSet};
use deepanalyze_view::{Stages, describe_set};

use super::args::GrowArgs;

/// The analysis that is named. Its position, tree and engine depth become the options of the run.
///
/// # Errors
///
/// Where the database does not have it, or cannot be read.
pub(super) fn go_on(args: &mut GrowArgs) -> Result<Option<AnalysisRow>, CliError> {
    let Some(id) = args.analysis else { return Ok(None) };
    let store = args.db.open_to_read()?;
    let row = analysis_of(id, &store)?;
    let game = row.game().ok_or_else(|| {
        CliError::missing(format!("the moves of analysis {id} are not legal"))
            .hint("`deepanalyze verify` shows what is damaged")
    })?;
    args.root = RootArgs::of_game(&game);
    args.tree.go_on_with(&row.settings, row.target_depth);
    let is_first = |stage: &AnalysisRow| stage.profile.limit == Schedule::REFINED.first();
    let is_stage = Schedule::REFINED.limits().any(|limit| limit == row.profile.limit)
        && Stages::of(&store, row.clone())?.rows().iter().any(is_first);
    if !is_stage {
        args.engine.set_limit(row.profile.limit);
    }
    if let Some(known) = &row.game_set {
        args.games.find(known)?;
    }
    args.engine.keep_hash = row.profile.kept_hash.is_some();
    match row.settings.tables {
        Some(tables) => args.tables.fifty = Some(tables.fifty),
        None if args.tables.folders.are_named() => {
            return Err(CliError::usage(format!("analysis {id} uses no tablebases"))
                .hint("without --analysis, --tables begins another analysis of the position"));
        }
        None => args.tables.set_folders(Vec::new()),
    }
    Ok(Some(row))
}

/// The tree of an analysis, grown by the engine, tablebases and games of this run.
///
/// # Errors
///
/// Where these are not those of the analysis.
pub(super) fn tree_of(
    row: &AnalysisRow,
    engine: &Profile,
    plan: &TreePlan,
) -> Result<TreePlan, CliError> {
    let (tables, games) = (plan.tables.as_ref(), plan.games.as_ref());
    has_what_it_needs(row, engine, tables, games).map_err(|error| {
        let hint = match &error {
            RunnerError::OtherEngine { .. } => Some(
                "--engine CMD and --option NAME=VALUE name the engine of the analysis".to_owned(),
            ),
            RunnerError::NoTables(_) => {
                Some("--tables DIR names a folder with tablebases".to_owned())
            }
            RunnerError::OtherGames(known) => return other_games(row, known, games),
            _ => None,
        };
        CliError::failure(&error).about(&format!("analysis {}", row.id.0)).maybe_hint(hint)
    })?;
    Ok(TreePlan::of_kept(&row.settings, tables, games))
}

/// That the games which an analysis knows are not those that are named, or are in no set that is here.
fn other_games(row: &AnalysisRow, known: &KeptGameSet, named: Option<&GamesUse>) -> CliError {
    let (id, known) = (row.id.0, describe_set(known));
    let (what, hint) = match named {
        Some(named) => (
            format!("analysis {id} knows other games ({known}) than {}", describe_set(&named.set)),
            "without --analysis, --games begins another analysis of the position",
        ),
        None => (
            format!("analysis {id} knows games that are in no set here: {known}"),
            "--games names a set or a PGN file with exactly these games; without --analysis, any other set begins \
             another analysis of the position",
        ),
    };
    CliError::missing(what).hint(hint)
}
