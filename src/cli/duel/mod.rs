//! `deepanalyze duel`.

mod args;
mod progress;

use std::path::Path;
use std::process::ExitCode;

use crate::cli::args::chosen_engine::{BUILTIN, builtin_command};
use crate::cli::error::{CliError, INTERRUPTED};
use crate::cli::guard::guard_engines;
use crate::cli::output::{Output, refuse_database, same_file};
use crate::cli::printer::{Printer, printing};
use crate::duel::{BadLine, Contest, Counting, Duel, DuelError, Ended, Suite, run as run_duel};
use crate::engine::{HangPolicy, Pool, Settings, dismiss_guard, kill_all};
use crate::render::{DuelFacts, write_duel, write_duel_json};
use crate::run::{SearcherError, Shutdown, StartedEngine};
use crate::search::Limit;
use crate::store::Store;

pub use args::DuelArgs;
use args::{Format, SuiteArgs, command};
use progress::DuelReporter;

/// Runs the command.
pub fn run(args: &DuelArgs) -> Result<ExitCode, CliError> {
    printing(args.quiet, |printer| run_and_tell(args, printer))
}

fn run_and_tell(args: &DuelArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    let (suite, checksum) = read_suite(&args.suite)?;
    let path = args.db.path_to_grow()?;
    refuse_outputs(args, &path)?;
    if path.exists() {
        drop(Store::open(&path)?);
    }
    let player = settings(args.arms.engine.as_deref(), &args.arms.options, args.arms.nodes)?;
    let judge = &args.judge;
    let judge = settings(Some(&judge.judge), &judge.judge_options, judge.judge_nodes)?;
    guard_engines();
    let waiting = || printer.line("waiting for the engines to start");
    let Some(pools) = shutdown.unless_told(move || start(player, judge), waiting)? else {
        kill_all();
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let (player, judge) = pools?;
    // Every lane opens it; a new one is made once.
    drop(Store::open(&path)?);
    let contest = contest(args, suite, (&player, &judge));
    let mut reporter = DuelReporter::new(printer.clone(), contest.suite.entries.len());
    for skipped in &contest.suite.skipped {
        let file = args.suite.epd.display();
        reporter.line(&format!("left out: {file}, line {}: {}", skipped.line, skipped.why));
    }
    let lanes = usize::from(args.engines);
    let ended =
        run_duel(&contest, &path, (player, judge), lanes, shutdown.receiver(), &mut reporter);
    dismiss_guard();
    reporter.end();
    match ended? {
        Ended::Interrupted => {
            let kept = "every answer is kept: the same command goes on from here";
            reporter.line(&format!("interrupted: {kept} ({})", path.display()));
            Ok(ExitCode::from(INTERRUPTED))
        }
        Ended::Done(outcomes) => {
            printer.flush();
            write(args, &Duel { contest, outcomes }, checksum, printer)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn read_suite(args: &SuiteArgs) -> Result<(Suite, u32), CliError> {
    let file = args.epd.display();
    let bytes = std::fs::read(&args.epd)
        .map_err(|error| CliError::missing(format!("cannot read {file}: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let suite = Suite::parse(&text).map_err(|BadLine { line, why }| {
        CliError::usage(format!("{file}, line {line}: {why}"))
            .hint("an EPD file has one position per line")
    })?;
    if suite.entries.is_empty() {
        return Err(CliError::usage(format!("{file} has no position to play from")));
    }
    let suite = match args.positions.and_then(|wanted| usize::try_from(wanted).ok()) {
        Some(wanted) if wanted > suite.entries.len() => {
            let found = suite.entries.len();
            return Err(CliError::usage(format!("{file} has {found} positions, not {wanted}")));
        }
        Some(wanted) => suite.sampled(wanted, args.seed),
        None => suite,
    };
    Ok((suite, crc32fast::hash(&bytes)))
}

/// A result must not overwrite what it was made of, and is not lost for want of a folder.
fn refuse_outputs(args: &DuelArgs, db: &Path) -> Result<(), CliError> {
    let outputs = [("--output", &args.output.output), ("--json", &args.output.json)];
    for (option, file) in outputs.iter().filter_map(|(o, file)| file.as_ref().map(|f| (o, f))) {
        refuse_database(option, file, db)?;
        if same_file(file, &args.suite.epd) {
            return Err(CliError::usage(format!("{option} names the EPD file itself")));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let (file, folder) = (file.display(), folder.display());
            return Err(CliError::usage(format!("cannot write {file}: no folder {folder}")));
        }
    }
    Ok(())
}

fn settings(
    command: Option<&str>,
    options: &[(String, String)],
    nodes: u64,
) -> Result<Settings, CliError> {
    let command = match command {
        None | Some(BUILTIN) => builtin_command()?,
        Some(command) => command.to_owned(),
    };
    let hang = HangPolicy::for_any_length();
    Ok(Settings { options: options.to_vec(), hang, ..Settings::new(&command, Limit::Nodes(nodes)) })
}

fn start(player: Settings, judge: Settings) -> Result<(StartedEngine, StartedEngine), DuelError> {
    let start = |settings: Settings| {
        let pool = Pool::start(&settings)?;
        Ok::<_, DuelError>(StartedEngine { settings, pool })
    };
    Ok((start(player)?, start(judge)?))
}

fn contest(args: &DuelArgs, suite: Suite, engines: (&StartedEngine, &StartedEngine)) -> Contest {
    Contest {
        suite,
        player: engines.0.pool.profile().clone(),
        nodes: args.arms.nodes,
        settings: args.arms.trees.clone(),
        judge: engines.1.pool.profile().clone(),
        judge_nodes: args.judge.judge_nodes,
        asked: args.judge.asked(),
        counting: Counting { margin: args.judge.margin, seed: args.suite.seed },
    }
}

fn write(args: &DuelArgs, duel: &Duel, checksum: u32, printer: &Printer) -> Result<(), CliError> {
    let tell = |told: &str| printer.line(told);
    let (command, file) = (command(args), args.suite.epd.to_string_lossy());
    let seed = args.suite.positions.map(|_| args.suite.seed);
    let facts = DuelFacts { command: &command, file: &file, checksum, seed };
    if let Some(path) = &args.output.json {
        let output = Output::unchecked(Some(path));
        output.write_and_tell(tell, |out| write_duel_json(duel, facts, out))?;
    }
    let output = Output::unchecked(args.output.output.as_deref());
    output.write_and_tell(tell, |out| match args.output.format {
        Format::Text => write_duel(duel, facts, args.output.pov.get(), out),
        Format::Json => write_duel_json(duel, facts, out),
    })
}

impl From<DuelError> for CliError {
    fn from(error: DuelError) -> CliError {
        match error {
            DuelError::Searcher(SearcherError::Store(error)) => error.into(),
            DuelError::Searcher(SearcherError::Engine(error)) => CliError::from(error),
            error => CliError::failure(&error),
        }
    }
}
