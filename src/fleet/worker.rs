//! `deepanalyze worker`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::args::engines::{ChosenEngine, EngineCommand, parse_engine, parse_option};
use crate::error::{CliError, INTERRUPTED};
use crate::printer::tell;
use crate::starting::started;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{HangPolicy, Settings, dismiss_guard};
use deepanalyze_fleet::{
    Connection, Hours, Token, WorkerNews, WorkerPlan, engine_token, work, worker_link,
};
use deepanalyze_runner::Shutdown;
use deepanalyze_view::count;

use super::{AccessArgs, fleet_error, host};

/// Lend the engines of this computer to a fleet
///
/// Takes searches from `deepanalyze grow --fleet` and `serve --fleet` on other computers and answers them with the
/// engine named here; no message from the network can start another program. Stop it at any moment with Ctrl-C: other
/// workers continue.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Address of the fleet's NATS server ("nats://host:4222", "tls://host:4222")
    #[arg(long, value_name = "URL", help_heading = "Fleet")]
    fleet: String,
    #[command(flatten)]
    access: AccessArgs,
    /// Name of this worker in the fleet [default: the name of this computer]
    #[arg(long, value_name = "NAME", help_heading = "Fleet")]
    name: Option<String>,
    /// Work only in these hours of the day, like 22-7
    #[arg(long, value_name = "FROM-TO", help_heading = "Fleet")]
    hours: Option<Hours>,
    /// Run at low priority
    #[arg(long, help_heading = "Fleet")]
    nice: bool,
    /// UCI engine: "stockfish", its path, or "builtin"; may be repeated
    /// [default: the configured engine, else an installed Stockfish, else the built-in one]
    #[arg(long = "engine", value_name = "[N*]CMD", value_parser = parse_engine,
        help_heading = "Engine")]
    commands: Vec<EngineCommand>,
    /// Set a UCI option of the engine, like Hash=256 (as `grow` sets it); may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option,
        help_heading = "Engine")]
    options: Vec<(String, String)>,
    /// Number of engine processes [default: one per processor core]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Engine")]
    engines: Option<u16>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn worker(args: &WorkerArgs) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    let access = args.access.access(&args.fleet)?;
    let settings = settings(args)?;
    if args.nice {
        be_nice()?;
    }
    let Some(pool) = started(settings, &shutdown, |what| tell!("{what}"))? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let pool = pool?;
    let name = args.name.clone().unwrap_or_else(host);
    let plan = WorkerPlan { worker: Token::like(&name)?, name, hours: args.hours };
    let engine = engine_token(&pool);
    let link = worker_link(access, plan.worker.clone(), engine).map_err(fleet_error)?;
    if !args.quiet {
        let processes = count(u64::try_from(pool.engines()).unwrap_or(u64::MAX), "process");
        tell!("worker    {}: {}, {processes}", plan.name, pool.profile().engine);
    }
    let was_told = work(&plan, pool, &link, shutdown.receiver().wake(), &mut teller(args));
    drop(link);
    dismiss_guard();
    Ok(if was_told { ExitCode::from(INTERRUPTED) } else { ExitCode::FAILURE })
}

fn settings(args: &WorkerArgs) -> Result<Settings, CliError> {
    let chosen = ChosenEngine::new(&args.commands)?;
    if let Some(note) = chosen.note.filter(|_| !args.quiet) {
        tell!("{note}");
    }
    // Each search says its own limit.
    let settings = chosen.settings(&args.options, args.engines, Limit::Depth(1))?;
    Ok(Settings { hang: HangPolicy::default().for_any_length(), ..settings })
}

/// Prints what people want to know, to standard error.
fn teller(args: &WorkerArgs) -> impl FnMut(WorkerNews) + use<> {
    let (quiet, url) = (args.quiet, args.fleet.clone());
    let mut told_down = None;
    let mut refused = 0_u64;
    let mut trouble = None;
    let mut next = std::time::Instant::now();
    move |news| match news {
        WorkerNews::Connection(Connection::Up) => {
            told_down = None;
            if !quiet {
                tell!("connected to {url}");
            }
        }
        WorkerNews::Connection(Connection::Down(why)) if told_down.as_ref() != Some(&why) => {
            tell!("no connection to {url}: {why}; trying again");
            told_down = Some(why);
        }
        WorkerNews::Paused(Some(why)) => tell!("paused: {why}"),
        WorkerNews::Paused(None) if !quiet => tell!("works"),
        WorkerNews::Fault(what) => tell!("warning: {what}"),
        WorkerNews::Trouble(what) if trouble.as_ref() != Some(&what) => {
            tell!("warning: the fleet's server reports: {what}");
            trouble = Some(what);
        }
        WorkerNews::Refused(what) => {
            refused += 1;
            // A sender of one sends many.
            if refused <= 10 || refused.is_power_of_two() {
                tell!("warning: refused: {what} ({refused} so far)");
            }
        }
        WorkerNews::Answered(searches, nodes) if !quiet && std::time::Instant::now() >= next => {
            tell!("answered {}, {nodes} nodes so far", count(searches, "search"));
            next = std::time::Instant::now() + Duration::from_secs(60);
        }
        _ => {}
    }
}

/// Everything that is started later is as nice.
#[cfg(unix)]
fn be_nice() -> Result<(), CliError> {
    rustix::process::nice(15).map(drop).map_err(|error| CliError::from(std::io::Error::from(error)))
}

#[cfg(not(unix))]
fn be_nice() -> Result<(), CliError> {
    Err(CliError::usage("--nice does nothing on this system"))
}
