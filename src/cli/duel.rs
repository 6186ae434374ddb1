//! `deepanalyze duel`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::duel::{
    Asked, BadLine, Contest, Counting, Duel, DuelError, Ended, Setting, Suite, run as run_duel,
};
use crate::engine::{HangPolicy, Pool, Settings, dismiss_guard, kill_all};
use crate::render::{DuelFacts, write_duel, write_duel_json};
use crate::run::{SearcherError, Shutdown, StartedEngine};
use crate::search::Limit;
use crate::store::Store;

use super::DbArgs;
use super::duel_progress::DuelReporter;
use super::engine_args::{builtin_command, parse_option};
use super::error::{CliError, INTERRUPTED};
use super::guard::guard_engines;
use super::output::{Output, refuse_database, same_file};
use super::printer::{Printer, printing};

/// Measure whether the tree chooses better moves than one search of as many nodes
///
/// In each position of an EPD file the engine chooses a move by one search of N nodes, and by a tree
/// whose searches spend N nodes together. Where the two differ, a judge searches after both moves.
/// Stop it at any moment: the same command goes on, and a finished duel repeats without a search.
#[derive(Debug, Args)]
pub struct DuelArgs {
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    arms: ArmArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    db: DbArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Positions side by side, each with processes of its own; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Run")]
    engines: u16,
    /// Print nothing but errors and the result
    #[arg(long, short, help_heading = "Run")]
    quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Positions")]
struct SuiteArgs {
    /// EPD file: a position per line
    #[arg(long, value_name = "FILE")]
    epd: PathBuf,
    /// Draw so many positions of the file [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Fixes which positions are drawn, and the intervals' resamples
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Arms")]
struct ArmArgs {
    /// Command line of the arms' UCI engine [default: the built-in one]
    #[arg(long, value_name = "CMD")]
    engine: Option<String>,
    /// Set a UCI option of it; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Engine nodes of each arm in each position
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    nodes: u64,
    /// How the tree is grown; several times for several settings. "engine-depth=10 distance=20
    /// hash=kept closing=1/2": engine-depth (or engine-nodes) of each search, the move distance in
    /// centipawns [10], hash cleared or kept between searches [cleared], and the share of the nodes
    /// that is left for one last search of the root [none], on the hash that the tree, or a rehearsal
    /// of its best lines, has warmed; choice=settled plays the best move of the greatest settled depth
    /// rather than of the tree as it stands
    #[arg(long = "tree", value_name = "SETTING", required = true)]
    trees: Vec<Setting>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Judge")]
struct JudgeArgs {
    /// Command line of the judge's UCI engine
    #[arg(long, value_name = "CMD")]
    judge: String,
    /// Set a UCI option of the judge; may be given several times
    #[arg(long = "judge-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    judge_options: Vec<(String, String)>,
    /// Engine nodes of each of the judge's searches: at least 20 times the arms' where it is their
    /// own engine
    #[arg(long, value_name = "M", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    judge_nodes: u64,
    /// Moves this close are worth the same, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=2000))]
    margin: u32,
    /// Ask the judge for its own move in every position, too: losses are beside that one then
    #[arg(long)]
    judge_all: bool,
    /// Ask it about the arms' moves alone, not about the trees' first choices where they left them:
    /// fewer searches
    #[arg(long, conflicts_with = "judge_all")]
    judge_arms: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write to a file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the JSON to a file, beside what is printed
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

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
            write(args, &Duel { contest, outcomes }, checksum)?;
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
            .hint("an EPD file has a position per line")
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
    let command = command.map_or_else(builtin_command, |command| Ok(command.to_owned()))?;
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

impl JudgeArgs {
    fn asked(&self) -> Asked {
        match (self.judge_all, self.judge_arms) {
            (true, _) => Asked::OwnMoves,
            (_, true) => Asked::Arms,
            _ => Asked::FirstChoices,
        }
    }
}

fn write(args: &DuelArgs, duel: &Duel, checksum: u32) -> Result<(), CliError> {
    let (command, file) = (command(args), args.suite.epd.to_string_lossy());
    let seed = args.suite.positions.map(|_| args.suite.seed);
    let facts = DuelFacts { command: &command, file: &file, checksum, seed };
    if let Some(path) = &args.output.json {
        let output = Output::unchecked(Some(path));
        output.write(|out| write_duel_json(duel, facts, out))?;
    }
    let output = Output::unchecked(args.output.output.as_deref());
    output.write(|out| match args.output.format {
        Format::Text => write_duel(duel, facts, out),
        Format::Json => write_duel_json(duel, facts, out),
    })
}

/// The command line again, all defaults written out, without what the result does not depend on:
/// database, outputs, and how many positions are played side by side.
fn command(args: &DuelArgs) -> Vec<String> {
    let mut words: Vec<String> = ["deepanalyze", "duel"].map(str::to_owned).into();
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    add("--epd", args.suite.epd.to_string_lossy().into_owned());
    if let Some(positions) = args.suite.positions {
        add("--positions", positions.to_string());
    }
    add("--seed", args.suite.seed.to_string());
    if let Some(engine) = &args.arms.engine {
        add("--engine", engine.clone());
    }
    args.arms.options.iter().for_each(|(name, value)| add("--option", format!("{name}={value}")));
    add("--nodes", args.arms.nodes.to_string());
    args.arms.trees.iter().for_each(|tree| add("--tree", tree.to_string()));
    let judge = &args.judge;
    add("--judge", judge.judge.clone());
    judge.judge_options.iter().for_each(|(n, value)| add("--judge-option", format!("{n}={value}")));
    add("--judge-nodes", judge.judge_nodes.to_string());
    add("--margin", judge.margin.to_string());
    match judge.asked() {
        Asked::OwnMoves => words.push("--judge-all".to_owned()),
        Asked::Arms => words.push("--judge-arms".to_owned()),
        Asked::FirstChoices => {}
    }
    words
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
