//! `deepanalyze grow`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::engine::{
    EngineError, HangPolicy, Pool, Settings, Source, dismiss_guard, guard_by, kill_all,
};
use crate::run::{
    Batch, ClosingEnd, ClosingSearch, End, Engine, Limits, Outcome, Plan, Prepared, Shutdown, grow,
};
use crate::search::Limit;
use crate::store::{AnalysisId, Store};

use super::DbArgs;
use super::batch::{self, BatchArgs};
use super::engine_args::EngineArgs;
use super::error::{CliError, INTERRUPTED};
use super::progress::Reporter;
use super::root::RootArgs;

/// Build or continue the tree of one position, or of many
///
/// Stop it at any moment, by any means: what was answered is kept, and the same command goes on.
#[derive(Debug, Args)]
pub struct GrowArgs {
    #[command(flatten)]
    pub(super) root: RootArgs,
    #[command(flatten)]
    pub(super) batch: BatchArgs,
    #[command(flatten)]
    pub(super) db: DbArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    closing: ClosingArgs,
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Progress")]
    pub(super) quiet: bool,
    /// Print every pass
    #[arg(long, short, help_heading = "Progress")]
    verbose: bool,
    /// Append what the engines are told and say to a file
    #[arg(long, value_name = "FILE", help_heading = "Progress")]
    log: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Tree")]
struct TreeArgs {
    /// Move distance in centipawns: moves this close to the best are followed; it halves with the
    /// ply
    #[arg(long, value_name = "CP", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=100_000))]
    distance: u32,
    /// Depth of the analysis, in plies from the root
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    depth: u32,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
struct LimitArgs {
    /// Stop after this time ("8h", "90m", "1h 30m")
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Stop after this many searches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_searches: Option<u64>,
    /// Start no search once the engines have spent this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_nodes: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Closing search")]
struct ClosingArgs {
    /// Search the root once more at the end, so many plies deep, on a hash that the tree's best lines
    /// have warmed
    ///
    /// After the last pass of a run that no signal has ended: one process goes through the best lines
    /// once more, each from its end to its beginning, and then searches the root, without clearing
    /// its hash in between. The tree stays what it is; `show` prints both. Limits of the run do not
    /// hold for it.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=255), conflicts_with = "keep_hash")]
    closing_depth: Option<u32>,
    /// The same with this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()),
        conflicts_with_all = ["keep_hash", "closing_depth"])]
    closing_nodes: Option<u64>,
}

impl ClosingArgs {
    fn limit(&self) -> Option<Limit> {
        self.closing_nodes.map(Limit::Nodes).or(self.closing_depth.map(Limit::Depth))
    }
}

pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error} (write \"8h\", \"90m\" or \"1h 30m\")"))
}

/// Runs the command.
pub fn run(args: GrowArgs) -> Result<ExitCode, CliError> {
    if args.batch.is_asked() && args.closing.limit().is_some() {
        return Err(CliError::usage("a closing search goes with one root, not with a batch"));
    }
    let shutdown = Shutdown::on_signals()?;
    if let Some(path) = &args.log {
        log_to(path)?;
    }
    if args.batch.is_asked() {
        return batch::run(&args, &shutdown);
    }
    let game = args.root.game()?;
    let path = args.db.path_to_grow()?;
    let Some(Ready { mut store, pool, sources }) = ready(&args, &path, &shutdown)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut reporter = reporter(&args);
    let plan = Plan {
        game,
        distance: args.tree.distance,
        depth: args.tree.depth,
        limits: args.limits.limits(),
        look_ahead: args.engine.looks_ahead(),
    };
    reporter.begin(&plan, pool.profile(), &sources, &path);
    let result = grow_and_close(&args, &plan, (&mut store, pool), &shutdown, &mut reporter);
    dismiss_guard();
    reporter.clear();
    Ok(exit_code(result?))
}

/// Grows the tree and makes the closing search, where one is asked for and the run has come to its own
/// end. Says how all of it ended.
fn grow_and_close(
    args: &GrowArgs,
    plan: &Plan,
    (store, mut pool): (&mut Store, Pool),
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<End, CliError> {
    let outcome = grow(plan, store, &mut pool, shutdown, reporter)?;
    drop(pool);
    reporter.clear();
    reporter.end(&outcome, store.path(), &show_command(args, &outcome));
    let Some(limit) = args.closing.limit().filter(|_| outcome.ending != End::Interrupted) else {
        return Ok(outcome.ending);
    };
    let closing = closing(args, (outcome.analysis, limit), store, shutdown, reporter)
        .map_err(|error| error.about("the closing search, after the tree was kept"))?;
    reporter.closed(plan.game.root(), closing);
    let interrupted = matches!(closing, Some(ClosingEnd::Interrupted));
    Ok(if interrupted { End::Interrupted } else { outcome.ending })
}

/// The closing search of a tree; nothing where its root is a finished position.
fn closing(
    args: &GrowArgs,
    (analysis, limit): (AnalysisId, Limit),
    store: &mut Store,
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<Option<ClosingEnd>, CliError> {
    let search = match ClosingSearch::prepare(store, analysis, limit)? {
        Prepared::Known(closing) => return Ok(Some(ClosingEnd::Done(closing))),
        Prepared::Finished => return Ok(None),
        Prepared::Wanted(search) => search,
    };
    let settings = Settings { hang: HangPolicy::for_any_length(), ..args.engine.settings()? };
    let say = || reporter.line("waiting for the engine to start");
    let Some(engine) = shutdown.unless_told(move || one_process(settings), say)? else {
        kill_all();
        return Ok(Some(ClosingEnd::Interrupted));
    };
    Ok(Some(search.run(store, engine?, shutdown, reporter)?))
}

/// One process of the first command line that starts: a machine may be down tonight.
fn one_process(mut settings: Settings) -> Result<Engine, EngineError> {
    let mut sources = std::mem::take(&mut settings.sources).into_iter().peekable();
    loop {
        settings.sources =
            sources.next().map(|one| Source { engines: 1, ..one }).into_iter().collect();
        match Pool::start(&settings) {
            Err(_) if sources.peek().is_some() => {}
            started => return started.map(|pool| Engine { settings, pool }),
        }
    }
}

/// What a run works with.
pub struct Ready {
    pub store: Store,
    pub pool: Pool,
    pub sources: Vec<Source>,
}

/// The database and the engines, ready to work; nothing where a signal comes first.
pub fn ready(args: &GrowArgs, path: &Path, shutdown: &Shutdown) -> Result<Option<Ready>, CliError> {
    // A new database is made only once there is an engine to fill it; one that cannot be used is
    // refused before engines are started.
    let existing = path.exists().then(|| Store::open(path)).transpose()?;
    let settings = args.engine.settings()?;
    let sources = settings.sources.clone();
    guard_engines();
    // A mute engine is waited for, but not by somebody who wants to leave.
    let waiting = || reporter(args).line("waiting for the engine to start");
    let Some(pool) = shutdown.unless_told(move || Pool::start(&settings), waiting)? else {
        kill_all();
        return Ok(None);
    };
    let pool = pool?;
    let store = match existing {
        Some(store) => store,
        None => Store::open(path)?,
    };
    Ok(Some(Ready { store, pool, sources }))
}

/// What is to be grown of many roots.
pub fn batch_of(args: &GrowArgs) -> Result<Batch, CliError> {
    Ok(Batch {
        roots: args.batch.roots(&args.root)?,
        distance: args.tree.distance,
        depth: args.tree.depth,
        limits: args.limits.limits(),
        each: args.batch.each(),
        look_ahead: args.engine.looks_ahead(),
    })
}

/// How progress is told.
pub fn reporter(args: &GrowArgs) -> Reporter {
    Reporter::new(args.quiet, args.verbose)
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        Limits { time: self.time, searches: self.max_searches, nodes: self.max_nodes }
    }
}

/// Has the engines killed where this program is. Without it, most leave by themselves.
pub fn guard_engines() {
    let guard = std::env::current_exe().and_then(|program| {
        let mut command = std::process::Command::new(program);
        command.arg(super::GUARD);
        guard_by(command)
    });
    if let Err(error) = guard {
        tracing::warn!(%error, "engines are not guarded");
    }
}

/// Sends the program's own log, conversations with engines included, to a file.
fn log_to(path: &Path) -> Result<(), CliError> {
    let file =
        File::options().append(true).create(true).open(path).map_err(|error| {
            CliError::missing(format!("cannot write {}: {error}", path.display()))
        })?;
    let log = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    log.with_writer(std::sync::Mutex::new(file)).init();
    Ok(())
}

/// How to see what was grown.
fn show_command(args: &GrowArgs, outcome: &Outcome) -> String {
    let analysis = outcome.analysis.0.to_string();
    command_line(args, &["show", "--analysis", &analysis])
}

/// A command of this program, the database named where it was named here.
pub fn command_line(args: &GrowArgs, command: &[&str]) -> String {
    let mut words = vec!["deepanalyze".to_owned()];
    words.extend(command.iter().take(1).map(|word| (*word).to_owned()));
    if let Some(db) = &args.db.db
        && std::env::var_os("DEEPANALYZE_DB").as_deref() != Some(db.as_os_str())
    {
        words.extend(["--db".to_owned(), db.to_string_lossy().into_owned()]);
    }
    words.extend(command.iter().skip(1).map(|word| (*word).to_owned()));
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

fn exit_code(ending: End) -> ExitCode {
    match ending {
        End::Settled | End::Limit => ExitCode::SUCCESS,
        End::Interrupted => ExitCode::from(INTERRUPTED),
    }
}
