//! `lab duel`.

mod args;
mod progress;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::duel::serial::StartedEngine;
use deepanalyze_core::chess::text_of;
use deepanalyze_core::quoting;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{HangPolicy, Pool, Settings, dismiss_guard, guard_by, kill_all};
use deepanalyze_runner::{ControlReceiver, Shutdown};
use deepanalyze_store::{DatabasePart, Patience, Store, part_of};
use deepanalyze_view::PointOfView;

use crate::duel::report::DuelFacts;
use crate::duel::report::alternatives_json::write_alternatives_duel_json;
use crate::duel::report::alternatives_text::write_alternatives_duel;
use crate::duel::report::fleet_json::write_fleet_duel_json;
use crate::duel::report::fleet_text::write_fleet_duel;
use crate::duel::report::nodes_json::write_duel_json;
use crate::duel::report::nodes_text::write_duel;
use crate::duel::run::{Contest, Duel, DuelEngines, DuelError, run_duel};
use crate::duel::side_by_side::DuelEnd;
use crate::duel::suite::{BadLine, Suite};
use crate::failure::{INTERRUPTED, LabFailure};
use crate::teller::{Teller, telling};

pub use args::DuelArgs;
use args::{DuelFormat, command};
use progress::DuelReporter;

/// Name of the built-in engine.
const BUILTIN: &str = "builtin";

/// Runs the command.
pub fn run(args: &DuelArgs) -> Result<ExitCode, LabFailure> {
    telling(args.quiet, |teller| run_and_tell(args, teller))
}

fn run_and_tell(args: &DuelArgs, teller: &Teller) -> Result<ExitCode, LabFailure> {
    let shutdown = Shutdown::on_signals()?;
    args::refuse(args)?;
    let (suite, checksum) = read_suite(args)?;
    refuse_outputs(args)?;
    let open = || {
        let teller = teller.clone();
        let control = shutdown.receiver().clone();
        let tell = move |why: &str| teller.line(format!("warning: {why}; waiting for it"));
        let patience = Patience::new(move || control.is_told_to_end(), tell);
        Store::open_with(&args.db, patience).map(drop)
    };
    if args.db.exists() {
        open()?;
    }
    let player = settings(args.arms.engine.as_deref(), &args.arms.options, args.arms.nodes)?;
    let judge = &args.judge;
    let judge = match (&judge.judge, judge.judge_nodes) {
        (Some(command), Some(nodes)) => Some(settings(Some(command), &judge.judge_options, nodes)?),
        _ => None,
    };
    guard_engines(teller);
    let waiting = || teller.line("waiting for the engines to start");
    let threaded = args::threaded(args, &player);
    let start = move || start(player, judge, threaded);
    let Some(pools) = shutdown.unless_told(start, waiting)? else {
        kill_all();
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let engines = pools?;
    // Every lane opens it; a new one is made once.
    open()?;
    let mut reporter = DuelReporter::new(teller.clone(), suite.entries.len());
    for skipped in &suite.skipped {
        let file = args.suite.epd.display();
        reporter.line(&format!("left out: {file}, line {}: {}", skipped.line, skipped.why));
    }
    let work = DuelWork { args, checksum, control: shutdown.receiver(), teller };
    let judge = engines.judge.as_ref().map(|judge| judge.pool.profile().clone());
    let player = engines.player.pool.profile().clone();
    match judge {
        Some(judge) if args.list.alternatives.is_some() => {
            let contest = args::alternatives_contest(args, suite, player, judge);
            let written =
                DuelWriters { text: write_alternatives_duel, json: write_alternatives_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
        Some(judge) if args.arms.fleet.is_empty() => {
            let contest = args::nodes_contest(args, suite, player, judge);
            let written = DuelWriters { text: write_duel, json: write_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
        judge => {
            let contest = args::fleet_contest(args, suite, player, judge);
            let written = DuelWriters { text: write_fleet_duel, json: write_fleet_duel_json };
            work.play(contest, engines, &mut reporter, written)
        }
    }
}

/// Writer for a kind of duel.
type Writer<C> = fn(&Duel<C>, DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>;

/// In both formats.
struct DuelWriters<C: Contest> {
    text: Writer<C>,
    json: Writer<C>,
}

/// The common parts of all kinds of duel.
struct DuelWork<'a> {
    args: &'a DuelArgs,
    /// CRC-32 of the EPD file.
    checksum: u32,
    control: &'a ControlReceiver,
    teller: &'a Teller,
}

impl DuelWork<'_> {
    /// Plays a duel and writes it.
    fn play<C: Contest>(
        &self,
        contest: C,
        engines: DuelEngines,
        reporter: &mut DuelReporter,
        written: DuelWriters<C>,
    ) -> Result<ExitCode, LabFailure> {
        let lanes = usize::from(self.args.engines);
        let ended = run_duel(&contest, &self.args.db, engines, lanes, self.control, reporter);
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

    /// The outcomes of the positions; `None`, and a hint, if the run was interrupted.
    fn outcomes<T>(
        &self,
        ended: Result<DuelEnd<T>, DuelError>,
        reporter: &DuelReporter,
    ) -> Result<Option<Vec<T>>, LabFailure> {
        dismiss_guard();
        reporter.end();
        match ended? {
            DuelEnd::Interrupted => {
                reporter.line(&format!(
                    "interrupted: every answer is kept: the same command goes on from here ({})",
                    self.args.db.display()
                ));
                Ok(None)
            }
            DuelEnd::Done(outcomes) => {
                self.teller.flush();
                Ok(Some(outcomes))
            }
        }
    }

    fn write(
        &self,
        text: impl Fn(DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>,
        json: impl Fn(DuelFacts<'_>, &mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), LabFailure> {
        let args = self.args;
        let (command, file) = (command(args), args.suite.epd.to_string_lossy());
        let seed = args.suite.positions.map(|_| args.suite.seed);
        let (checksum, pov) = (self.checksum, PointOfView::from(args.output.pov));
        let facts = DuelFacts { command: &command, file: &file, checksum, seed, pov };
        if let Some(path) = &args.output.json {
            self.write_to(Some(path), |out| json(facts, out))?;
        }
        self.write_to(args.output.output.as_ref(), |out| match args.output.format {
            DuelFormat::Text => text(facts, out),
            DuelFormat::Json => json(facts, out),
        })
    }

    /// Writes a result to standard output, or to a file, all of it or nothing.
    fn write_to(
        &self,
        path: Option<&PathBuf>,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), LabFailure> {
        let mut result = Vec::new();
        write(&mut result)?;
        let Some(path) = path else {
            return Ok(io::stdout().lock().write_all(&result)?);
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(&result)?;
        file.persist(path)?;
        self.teller.line(format!("wrote {} ({} bytes)", path.display(), result.len()));
        Ok(())
    }
}

fn read_suite(args: &DuelArgs) -> Result<(Suite, u32), LabFailure> {
    let (args, is_solved) = (&args.suite, args.arms.solved);
    let file = args.epd.display();
    let bytes = std::fs::read(&args.epd)
        .map_err(|error| LabFailure::new(format!("cannot read {file}: {error}")))?;
    let text = text_of(&bytes);
    let suite = Suite::parse(&text).map_err(|BadLine { line, why }| {
        LabFailure::usage(format!("{file}, line {line}: {why}"))
            .hint("an EPD file has one position per line")
    })?;
    let suite = if is_solved { suite.with_tasks() } else { suite };
    if suite.entries.is_empty() {
        let kind = if is_solved { "that asks for a move (bm, am)" } else { "to play from" };
        return Err(LabFailure::usage(format!("{file} has no position {kind}")));
    }
    let suite = match args.positions.and_then(|wanted| usize::try_from(wanted).ok()) {
        Some(wanted) if wanted > suite.entries.len() => {
            let found = suite.entries.len();
            return Err(LabFailure::usage(format!("{file} has {found} positions, not {wanted}")));
        }
        Some(wanted) => suite.sampled(wanted, args.seed),
        None => suite,
    };
    Ok((suite, crc32fast::hash(&bytes)))
}

/// Refuses outputs that would overwrite an input, or lack a folder and lose the result.
fn refuse_outputs(args: &DuelArgs) -> Result<(), LabFailure> {
    let outputs = [("--output", &args.output.output), ("--json", &args.output.json)];
    for (option, file) in outputs.iter().filter_map(|(o, file)| file.as_ref().map(|f| (o, f))) {
        let is_suite = matches!((file.canonicalize(), args.suite.epd.canonicalize()), (Ok(a), Ok(b)) if a == b);
        let what = match part_of(&args.db, file) {
            Some(DatabasePart::Database) => "the database itself",
            Some(DatabasePart::Companion) => "a file of the database",
            None if is_suite => "the EPD file itself",
            None => "",
        };
        if !what.is_empty() {
            return Err(LabFailure::usage(format!("{option} names {what}")));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let (file, folder) = (file.display(), folder.display());
            return Err(LabFailure::usage(format!("cannot write {file}: no folder {folder}")));
        }
    }
    Ok(())
}

fn settings(
    command: Option<&str>,
    options: &[(String, String)],
    nodes: u64,
) -> Result<Settings, LabFailure> {
    let command = match command {
        // The built-in engine is this program, as a process of its own.
        None | Some(BUILTIN) => {
            quoting::join([&*std::env::current_exe()?.to_string_lossy(), "engine"])
        }
        Some(command) => command.to_owned(),
    };
    let hang = HangPolicy::default().for_any_length();
    Ok(Settings { options: options.to_vec(), hang, ..Settings::new(&command, Limit::Nodes(nodes)) })
}

/// Has the engines killed with this program. Without it, most leave by themselves.
fn guard_engines(teller: &Teller) {
    let guard = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.arg(crate::GUARD);
        guard_by(command)
    });
    if let Err(error) = guard {
        teller.line(format!("warning: engines are not guarded: {error}"));
    }
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
