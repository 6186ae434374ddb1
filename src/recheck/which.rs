//! Analyses to recheck.

use std::collections::BTreeSet;

use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_report::RootNotes;
use deepanalyze_store::{AnalysisRow, Store};
use deepanalyze_view::{Stages, describe_profile, describe_root};

use super::{RecheckArgs, RecheckPlan, RecheckRoot};
use crate::args::database::analysis_of;
use crate::error::CliError;

/// An analysis that may be checked, and what people call its root.
pub struct Candidate {
    row: AnalysisRow,
    name: String,
}

/// The analyses named by the user, the last one grown first; of stages the one whose verdict is
/// shown.
pub fn candidates(args: &RecheckArgs, store: &Store) -> Result<Vec<Candidate>, CliError> {
    let notes = RootNotes::read(store)?;
    let named = |row: AnalysisRow, stages: &Stages| {
        let described = || row.game().map_or_else(|| row.root.clone(), |game| describe_root(&game));
        let name = notes.of(stages).name.unwrap_or_else(described);
        Candidate { row, name }
    };
    if args.chosen.is_analysis() || !(args.all || args.chosen.is_given()) {
        let row = analysis_of(args.chosen.choose(store)?.0, store)?;
        let stages = Stages::of(store, row.clone())?;
        return Ok(vec![named(row, &stages)]);
    }
    let mut all = Stages::all(store)?;
    if !args.all {
        // Says so where the root has no analysis.
        let chosen = analysis_of(args.chosen.choose(store)?.0, store)?;
        let of_root = store.analyses_of(&args.chosen.root.game()?)?;
        let is_here = |row: &AnalysisRow| {
            row.id == chosen.id || of_root.iter().any(|other| other.id == row.id)
        };
        all.retain(|stages| stages.rows().iter().any(is_here));
    }
    let speaking = all.iter().filter_map(|stages| Some((stages.speaking()?.clone(), stages)));
    Ok(speaking.map(|(row, stages)| named(row, stages)).collect())
}

/// The candidates searched by another profile than the one that is to check them.
///
/// # Errors
///
/// If no candidate is left.
pub fn to_check(
    args: &RecheckArgs,
    candidates: Vec<Candidate>,
    engine: &Profile,
) -> Result<Vec<RecheckRoot>, CliError> {
    let first = candidates.first().map(|one| (one.row.id.0, describe_profile(&one.row.profile)));
    let root = |Candidate { row, name }| {
        let limit = args.limit().unwrap_or(row.profile.limit);
        let is_own = row.profile == Profile { limit, ..engine.clone() };
        (!is_own).then_some(RecheckRoot { row, name, limit })
    };
    let roots: Vec<RecheckRoot> = candidates.into_iter().filter_map(root).collect();
    if !roots.is_empty() {
        return Ok(roots);
    }
    let Some((id, profile)) = first else {
        return Err(
            CliError::missing("there is no analysis to check").hint("`deepanalyze grow` makes one")
        );
    };
    Err(CliError::usage(format!("analysis {id} already consists of these searches ({profile})"))
        .hint("--engine CMD takes another engine; --engine-depth N or --engine-nodes N a deeper search"))
}

/// The limits of all new searches.
pub fn limits(plan: &RecheckPlan) -> BTreeSet<Limit> {
    plan.analyses.iter().map(|root| root.limit).collect()
}
