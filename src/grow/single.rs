//! `deepanalyze grow` on a single position, and with `--analysis`: a run that goes on with one of the database.

use std::io::Write;
use std::process::ExitCode;

use shakmaty::Position;

use deepanalyze_core::search::Profile;
use deepanalyze_runner::{
    Exhausted, GamesUse, Job, RunEnd, RunError, RunFeed, RunOutcome, RunnerError, Schedule,
    Shutdown, TreePlan, grow, has_what_it_needs,
};
use deepanalyze_store::{AnalysisId, AnalysisRow, KeptGameSet, Store, StoreError};
use deepanalyze_view::{
    ChosenBy, PointOfView, Stages, describe_end, describe_set, load, told_verdict, with_games,
    with_tables,
};

use crate::args::database::{analysis_of, game_of};
use crate::args::root::RootArgs;
use crate::error::{CliError, NOT_SETTLED};
use crate::output::Output;
use crate::progress::{Reporter, followed};
use crate::starting::AllEngines;

use super::args::GrowArgs;
use super::command_line;
use super::older::OlderRoot;
use super::prepared::{Prepared, prepared};

/// Grows the tree of a single position and makes its closing searches, beside an older analysis of it where there is one.
/// Says how all of it ended.
pub fn grow_single(
    args: &GrowArgs,
    job: &Job,
    older: Option<&OlderRoot>,
    store: &mut Store,
    mut engines: AllEngines,
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<RunEnd, CliError> {
    let feed = RunFeed::default().telling_every_pass(args.verbose);
    let control = shutdown.receiver();
    let outcome = followed(
        reporter,
        &feed,
        |outcome: &RunOutcome| outcome.ending,
        |tell| grow(job, store, &mut *engines, control, tell),
    )??;
    drop(engines);
    reporter.clear();
    let show = show_command(args, &outcome);
    reporter.end(&outcome, store.path(), show.as_deref());
    if let Some(nothing_left) = nothing_left(args, job, &outcome) {
        reporter.line(&nothing_left);
    }
    if let Some((older, analysis)) = older.zip(outcome.analysis)
        && let Some(row) = store.analysis(analysis)?
        && let Some(told) = told_verdict(store, &row, &job.game)?
    {
        older.end(args, analysis.0, &told).iter().for_each(|line| reporter.line(line));
    }
    let prepared = prepared(store, job, &outcome)?;
    if let Some(left_out) = &prepared.left_out {
        reporter.line(&format!("left out  {left_out}"));
    }
    reporter.flush();
    let (first, last) = match prepared {
        Prepared { words, is_opponents: true, .. } => (words, Vec::new()),
        Prepared { words, .. } => (Vec::new(), words),
    };
    let written = write_lines(&first)
        .and_then(|_| write_verdict(store, job, outcome.analysis, args.pov.get()))
        .and_then(|is_told| write_lines(&last).map(|_| is_told));
    let is_told = match written {
        // The terminal may be gone.
        Err(_) if outcome.ending == RunEnd::Interrupted => true,
        written => written?,
    };
    match outcome.failed {
        Some(error) => Err(CliError::from(RunError::Engine(error))
            .about("the tree is kept, but the closing search failed")),
        None if !is_told && outcome.ending != RunEnd::Interrupted => {
            Err(no_verdict(args, outcome.searches))
        }
        None => Ok(outcome.ending),
    }
}

/// Writes lines to standard output.
fn write_lines(lines: &[String]) -> Result<ExitCode, CliError> {
    let write = |out: &mut dyn Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    if lines.is_empty() { Ok(ExitCode::SUCCESS) } else { Output::stdout().write(write) }
}

/// Error of a run that ended without a verdict after this many searches.
pub fn no_verdict(args: &GrowArgs, searches: u64) -> CliError {
    let told = match searches {
        0 => CliError::missing("no verdict: no search was finished"),
        _ => CliError::missing("no verdict: the limit came before the first position was analysed"),
    };
    let told = told.hint(match args.engine.engines {
        _ if args.limits.run.limits().is_ok_and(|limits| limits.searches == Some(0)) => {
            "with --max-searches 0 nothing is searched"
        }
        _ if searches > 0 => "the answers are kept; the same command with a greater limit goes on",
        Some(0) => "no worker of the fleet has answered: `deepanalyze fleet --fleet URL` shows the workers; without --engines 0, engines \
                    of this computer search, too",
        _ => "give it more time, or a smaller engine depth",
    });
    if args.exit_code { told.in_status(NOT_SETTLED) } else { told }
}

/// Writes the verdict of the root to standard output, as `show` has it, or how the root ends. Whether there is
/// anything to write.
fn write_verdict(
    store: &Store,
    job: &Job,
    analysis: Option<AnalysisId>,
    pov: PointOfView,
) -> Result<bool, CliError> {
    let (game, output) = (&job.game, Output::stdout().styled(true));
    let tables = job.tree.tables.as_ref().and_then(|used| used.end_of(game));
    let side = game.root().turn().fold_wb("White", "Black");
    let end = describe_end(game.root())
        .or_else(|| tables.map(|end| format!("{side} to move: {}", end.words())));
    if let Some(end) = end {
        return output.write(|out| writeln!(out, "{end}")).map(|_| true);
    }
    let Some(id) = analysis else { return Ok(false) };
    let Some(row) = store.analysis(id)? else { return Ok(false) };
    let stages = Stages::of(store, row)?;
    let Some(row) = stages.speaking() else { return Ok(false) };
    let told = told_verdict(store, row, game)?;
    // An engine's win, draw and loss belong to the end of the tree's best line, which only the tree
    // has.
    let is_said = || -> Result<bool, StoreError> {
        let first = store.kept_search(row.profile_id, game.root(), 0)?;
        Ok(first.is_some_and(|first| first.wdl.is_some()))
    };
    let told = match told {
        Some(told) if told.by == ChosenBy::Tree && is_said()? => load(store, row.id)?.verdict(),
        told => told,
    };
    let Some(told) = told else { return Ok(false) };
    output.write(|out| told.write(pov, output.width(), out)).map(|_| true)
}

/// Why a run has ended before its time, and what would go on; nothing where it has not.
fn nothing_left(args: &GrowArgs, job: &Job, outcome: &RunOutcome) -> Option<String> {
    if outcome.ending != RunEnd::Settled || outcome.rechecked.is_some() {
        return None;
    }
    if let Some(why) = outcome.exhausted.filter(|why| why.end_of_root().is_some()) {
        return Some(format!("nothing left to do: {why}"));
    }
    let why = match (job.schedule.has_stages(), outcome.exhausted) {
        (_, Some(Exhausted::Decided)) => Exhausted::Decided.to_string(),
        (true, Some(why)) => why.to_string(),
        _ if job.limits.is_any() => format!("depth {} is complete", job.depth),
        _ => return None,
    };
    let more = match (args.analysis, job.schedule.has_stages()) {
        // Its distance and engine depth are those of the analysis.
        (Some(_), _) => "a greater --depth goes on",
        (None, true) => "a greater --depth or --distance goes on",
        (None, false) => "a greater --depth or --distance, or no --engine-depth, goes on",
    };
    Some(format!("nothing left to do: {why}; {more}"))
}

/// How to see what was grown, if anything was.
fn show_command(args: &GrowArgs, outcome: &RunOutcome) -> Option<String> {
    let analysis = outcome.analysis?.0.to_string();
    Some(command_line(args, &["show", "--analysis", &analysis]))
}

/// Note for a run that begins a new analysis although the root has one that differs only in its
/// tablebases, its games of the same set, or its value of a draw.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn begins_another(
    store: &Store,
    job: &Job,
    profile: &Profile,
) -> Result<Option<String>, StoreError> {
    let profile = Profile { limit: job.schedule.first(), ..profile.clone() };
    let settings = job.tree.known(store)?;
    let mut alike = store.analyses_of(&job.game)?;
    alike.retain(|row| row.profile == profile && row.settings.breadth == job.tree.breadth);
    if alike.iter().any(|row| Some(&row.settings) == settings.as_ref()) {
        return Ok(None);
    }
    let is = alike.iter().find_map(|row| Some((row.id, other_manner(row, &job.tree)?)));
    Ok(is.map(|(id, manner)| {
        format!("note: analysis {} of this position {manner}; starting a separate analysis", id.0)
    }))
}

/// In what an analysis of the same distances differs from a tree; nothing where that is the games alone, and they are of
/// another set.
fn other_manner(row: &AnalysisRow, tree: &TreePlan) -> Option<String> {
    let theirs = &row.settings;
    if theirs.tables != tree.tables.as_ref().map(|used| used.tables) {
        let tables = with_tables(theirs.tables);
        return theirs.tables.map(|_| format!("uses {}", tables.trim_start_matches(", ")));
    }
    if theirs.draw != tree.draw {
        return Some(format!("values a draw at {} for White", theirs.draw));
    }
    let (theirs, ours) = (row.game_set.as_ref()?, tree.games.as_ref()?);
    let games = with_games(row);
    (theirs.name == ours.set.name).then(|| format!("uses {}", games.trim_start_matches(", ")))
}

/// The analysis that is named. Its position, tree and engine depth become the options of the run.
///
/// # Errors
///
/// Where the database does not have it, or cannot be read.
pub(super) fn go_on(args: &mut GrowArgs) -> Result<Option<AnalysisRow>, CliError> {
    let Some(id) = args.analysis else { return Ok(None) };
    let store = args.db.open_to_read()?;
    let row = analysis_of(id, &store)?;
    args.root = RootArgs::of_game(&game_of(&row)?);
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
            format!(
                "analysis {id} knows other games or nets ({known}) than {}",
                describe_set(&named.set)
            ),
            "without --analysis, these begin another analysis of the position",
        ),
        None => (
            format!("analysis {id} knows games or nets that are not here: {known}"),
            "--games names a set or a PGN file with exactly these games, --human the net; without --analysis, others \
             begin another analysis of the position",
        ),
    };
    CliError::missing(what).hint(hint)
}
