//! `deepanalyze duel`.

mod alternatives;
mod args;
mod fleet;
mod progress;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::args::chosen_engine::{BUILTIN, builtin_command};
use crate::args::database::patience_of;
use crate::args::root::bytes_of;
use crate::duel_render::{
    DuelFacts, write_alternatives_duel, write_alternatives_duel_json, write_duel, write_duel_json,
    write_fleet_duel, write_fleet_duel_json,
};
use crate::duels::{
    BadLine, Contest, Counting, Duel, DuelEngines, DuelError, Ended, NodesContest, Suite,
    run as run_duel,
};
use crate::error::{CliError, INTERRUPTED};
use crate::guard::guard_engines;
use crate::output::{Output, refuse_database, same_file};
use crate::printer::{Printer, printing};
use crate::progress::kept;
use deepanalyze_core::chess::text_of;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::{HangPolicy, Pool, Settings, dismiss_guard, kill_all};
use deepanalyze_runner::{ControlReceiver, SearcherError, Shutdown, StartedEngine};
use deepanalyze_store::Store;

pub use args::DuelArgs;
use args::{Format, command};
use progress::DuelReporter;

/// Runs the command.
pub fn run(args: &DuelArgs) -> Result<ExitCode, CliError> {
    printing(args.quiet, |printer| run_and_tell(args, printer))
}

fn run_and_tell(args: &DuelArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    if !args.arms.fleet.is_empty() {
        fleet::refuse(args)?;
    } else {
        fleet::refuse_without(args)?;
    }
    let (suite, checksum) = read_suite(args)?;
    if args.list.alternatives.is_some() {
        alternatives::refuse(args)?;
    }
    let path = args.db.path_to_grow()?;
    refuse_outputs(args, &path)?;
    let open = || {
        let printer = printer.clone();
        let patience = patience_of(shutdown.receiver(), move |why| printer.line(why));
        Store::open_with(&path, patience).map(drop)
    };
    if path.exists() {
        open()?;
    }
    let player = settings(args.arms.engine.as_deref(), &args.arms.options, args.arms.nodes)?;
    let judge = &args.judge;
    let judge = match (&judge.judge, judge.judge_nodes) {
        (Some(command), Some(nodes)) => Some(settings(Some(command), &judge.judge_options, nodes)?),
        _ => None,
    };
    guard_engines();
    let waiting = || printer.line("waiting for the engines to start");
    let threaded = fleet::threaded(args, &player);
    let start = move || start(player, judge, threaded);
    let Some(pools) = shutdown.unless_told(start, waiting)? else {
        kill_all();
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let engines = pools?;
    // Every lane opens it; a new one is made once.
    open()?;
    let mut reporter = DuelReporter::new(printer.clone(), suite.entries.len());
    for skipped in &suite.skipped {
        let file = args.suite.epd.display();
        reporter.line(&format!("left out: {file}, line {}: {}", skipped.line, skipped.why));
    }
    let work = Work { args, path: &path, checksum, control: shutdown.receiver(), printer };
    let judge = engines.judge.as_ref().map(|judge| judge.pool.profile().clone());
    let player = engines.player.pool.profile().clone();
    match judge {
        Some(judge) if args.list.alternatives.is_some() => {
            let contest = alternatives::contest(args, suite, (player, judge));
            let written =
                Written { text: write_alternatives_duel, json: write_alternatives_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
        Some(judge) if args.arms.fleet.is_empty() => {
            let contest = contest(args, suite, (player, judge));
            let written = Written { text: write_duel, json: write_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
        judge => {
            let contest = fleet::contest(args, suite, (player, judge));
            let written = Written { text: write_fleet_duel, json: write_fleet_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
    }
}

/// How a kind of duel is written.
type Writer<C> = fn(&Duel<C>, DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>;

/// In both formats.
struct Written<C: Contest> {
    text: Writer<C>,
    json: Writer<C>,
}

/// What the kinds of duel have in common.
struct Work<'a> {
    args: &'a DuelArgs,
    path: &'a Path,
    /// CRC-32 of the EPD file.
    checksum: u32,
    control: &'a ControlReceiver,
    printer: &'a Printer,
}

impl Work<'_> {
    /// Plays a duel and writes it.
    fn play<C: Contest>(
        &self,
        contest: C,
        engines: DuelEngines,
        reporter: &mut DuelReporter,
        written: Written<C>,
    ) -> Result<ExitCode, CliError> {
        let lanes = usize::from(self.args.engines);
        let ended = run_duel(&contest, self.path, engines, lanes, self.control, reporter);
        let Some(outcomes) = self.outcomes(ended, reporter)? else {
            return Ok(ExitCode::from(INTERRUPTED));
        };
        let duel = Duel { contest, outcomes };
        self.write(
            |facts, out| (written.text)(&duel, facts, out),
            |facts, out| (written.json)(&duel, facts, out),
        )?;
        Ok(ExitCode::SUCCESS)
    }

    /// What came of the positions; nothing, and a hint, where somebody wanted the run to end.
    fn outcomes<T>(
        &self,
        ended: Result<Ended<T>, DuelError>,
        reporter: &DuelReporter,
    ) -> Result<Option<Vec<T>>, CliError> {
        dismiss_guard();
        reporter.end();
        match ended? {
            Ended::Interrupted => {
                reporter.line(&format!("interrupted: {}", kept(self.path)));
                Ok(None)
            }
            Ended::Done(outcomes) => {
                self.printer.flush();
                Ok(Some(outcomes))
            }
        }
    }

    fn write(
        &self,
        text: impl Fn(DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>,
        json: impl Fn(DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let args = self.args;
        let tell = |told: &str| self.printer.line(told);
        let (command, file) = (command(args), args.suite.epd.to_string_lossy());
        let seed = args.suite.positions.map(|_| args.suite.seed);
        let (checksum, pov) = (self.checksum, args.output.pov.get());
        let facts = DuelFacts { command: &command, file: &file, checksum, seed, pov };
        if let Some(path) = &args.output.json {
            let output = Output::unchecked(Some(path));
            output.write_and_tell(tell, |out| json(facts, out))?;
        }
        let output = Output::unchecked(args.output.output.as_deref());
        output.write_and_tell(tell, |out| match args.output.format {
            Format::Text => text(facts, out),
            Format::Json => json(facts, out),
        })
    }
}

fn read_suite(args: &DuelArgs) -> Result<(Suite, u32), CliError> {
    let (args, is_solved) = (&args.suite, args.arms.solved);
    let file = args.epd.display();
    let bytes = bytes_of(&args.epd)?;
    let text = text_of(&bytes);
    let suite = Suite::parse(&text).map_err(|BadLine { line, why }| {
        CliError::usage(format!("{file}, line {line}: {why}"))
            .hint("an EPD file has one position per line")
    })?;
    let suite = if is_solved { suite.with_tasks() } else { suite };
    if suite.entries.is_empty() {
        let kind = if is_solved { "that asks for a move (bm, am)" } else { "to play from" };
        return Err(CliError::usage(format!("{file} has no position {kind}")));
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

fn start(
    player: Settings,
    judge: Option<Settings>,
    threaded: Vec<Settings>,
) -> Result<DuelEngines, DuelError> {
    let start = |settings: Settings| {
        let pool = Pool::start(&settings)?;
        Ok::<_, DuelError>(StartedEngine { settings, pool })
    };
    Ok(DuelEngines {
        player: start(player)?,
        judge: judge.map(start).transpose()?,
        threaded: threaded.into_iter().map(start).collect::<Result<_, _>>()?,
    })
}

fn contest(args: &DuelArgs, suite: Suite, (player, judge): (Profile, Profile)) -> NodesContest {
    NodesContest {
        suite,
        player,
        nodes: args.arms.nodes,
        settings: args.arms.trees.clone(),
        judge,
        judge_nodes: args.judge.judge_nodes.unwrap_or_default(),
        asked: args.judge.asked(),
        counting: Counting { margin: args.judge.margin, seed: args.suite.seed },
    }
}

impl From<DuelError> for CliError {
    fn from(error: DuelError) -> CliError {
        match error {
            DuelError::Searcher(SearcherError::Store(error)) => error.into(),
            DuelError::Searcher(SearcherError::Engine(error)) => CliError::from(error),
            DuelError::Run(error) => error.into(),
            error => CliError::failure(&error),
        }
    }
}
