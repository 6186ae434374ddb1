//! Starting the engines with which a command works.

use std::path::Path;

use crate::args::engines::EngineArgs;
use crate::error::CliError;
use crate::fleet::FleetArgs;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{EngineError, EngineSource, Engines, Pool, Settings, guard_by, kill_all};
use deepanalyze_runner::Shutdown;
use deepanalyze_view::count;

/// The engines of this computer, and of a fleet, behind one seam.
pub type AllEngines = Box<dyn Engines + Send>;

/// The engines of a run, in words.
#[derive(Debug)]
pub struct Searchers {
    /// The engines of this computer.
    pub sources: Vec<EngineSource>,
    /// `2 processes`, `2 processes and a fleet`.
    pub words: String,
}

/// All engines that are named, and a fleet where there is one; nothing where a signal comes first.
pub fn start_engines(
    engine: &EngineArgs,
    fleet: &FleetArgs,
    database: &Path,
    shutdown: &Shutdown,
    say: impl Fn(&str),
) -> Result<Option<(AllEngines, Searchers)>, CliError> {
    if let Some(note) = engine.chosen()?.note {
        say(note);
    }
    let (settings, fleet) = fleet.choose(engine)?;
    if let Some(note) = engine.note_of_threads(&settings) {
        say(&note);
    }
    let sources = settings.sources.clone();
    let Some(pool) = started(settings, shutdown, say)? else { return Ok(None) };
    let processes: usize = sources.iter().map(|source| source.engines).sum();
    let processes = count(processes as u64, "process");
    let (engines, words): (AllEngines, _) = match fleet {
        Some(fleet) => fleet.join(pool, database, &processes)?,
        None => (Box::new(pool?), processes),
    };
    Ok(Some((engines, Searchers { sources, words })))
}

/// One process of the engine, without a second engine, for questions beside a tree, to this limit unless the user has
/// set one; nothing where a signal comes first.
pub fn start_one(
    engine: &EngineArgs,
    limit: Limit,
    shutdown: &Shutdown,
    say: impl Fn(&str),
) -> Result<Option<Pool>, CliError> {
    let mut engine = engine.without_second();
    if engine.limit().is_none() {
        engine.set_limit(limit);
    }
    Ok(started(engine.settings_of(Some(1))?, shutdown, say)?.transpose()?)
}

/// The engines of this computer. A mute one is waited for, but not by somebody who wants to leave: nothing then.
pub fn started(
    settings: Settings,
    shutdown: &Shutdown,
    say: impl Fn(&str),
) -> Result<Option<Result<Pool, EngineError>>, CliError> {
    guard_engines();
    let waiting = || say("waiting for the engine to start");
    let pool = shutdown.unless_told(move || Pool::start(&settings), waiting)?;
    if pool.is_none() {
        kill_all();
    }
    Ok(pool)
}

/// Has the engines killed where this program is, by this program once more: a small process that outlives a kill.
/// Without it, most leave by themselves.
pub fn guard_engines() {
    let guard = std::env::current_exe().and_then(|program| {
        let mut command = std::process::Command::new(program);
        command.arg(crate::GUARD);
        guard_by(command)
    });
    if let Err(error) = guard {
        tracing::warn!(%error, "engines are not guarded");
    }
}
