//! The command line: one file per subcommand, and the only place that prints.
#![deny(clippy::indexing_slicing)]

mod args;
mod audit;
mod compare;
mod config;
mod confirm;
mod copy;
mod delete;
mod direct;
mod engine;
mod error;
mod examples;
mod explore;
mod fleet;
mod grow;
mod guard;
mod lichess;
mod list;
mod log;
mod output;
mod printer;
mod progress;
mod rename;
mod serve;
mod shell;
mod show;
mod stats;
mod uci;
mod usage;
mod verify;
mod worker;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use error::{CliError, USAGE};

/// Analyse chess positions for hours: a growing tree of moves, searched by any UCI engine
///
/// `deepanalyze grow` analyses a position until you stop it; the same command goes on where it was.
/// `deepanalyze show` prints the verdict with its best lines, `deepanalyze explore` lets you walk
/// through the tree. Every answer of the engine is kept, so nothing is ever searched twice.
#[derive(Debug, Parser)]
#[command(version, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = examples::GROW)]
    Grow(Box<grow::GrowArgs>),
    #[command(after_help = examples::DIRECT)]
    Direct(direct::DirectArgs),
    #[command(after_help = examples::SHOW)]
    Show(show::ShowArgs),
    #[command(after_help = examples::EXPLORE)]
    Explore(explore::ExploreArgs),
    #[command(after_help = examples::SERVE)]
    Serve(Box<serve::ServeArgs>),
    #[command(after_help = examples::UCI)]
    Uci(Box<uci::UciArgs>),
    #[command(after_help = examples::LICHESS)]
    Lichess(Box<lichess::LichessArgs>),
    #[command(after_help = examples::WORKER)]
    Worker(worker::WorkerArgs),
    #[command(after_help = examples::FLEET)]
    Fleet(fleet::FleetArgs),
    #[command(after_help = examples::AUDIT)]
    Audit(audit::AuditArgs),
    #[command(after_help = examples::COMPARE)]
    Compare(compare::CompareArgs),
    #[command(after_help = examples::LIST)]
    List(list::ListArgs),
    #[command(after_help = examples::RENAME)]
    Rename(rename::RenameArgs),
    #[command(after_help = examples::DELETE)]
    Delete(delete::DeleteArgs),
    #[command(after_help = examples::COPY)]
    Copy(copy::CopyArgs),
    #[command(after_help = examples::LOG)]
    Log(log::LogArgs),
    #[command(after_help = examples::STATS)]
    Stats(stats::StatsArgs),
    #[command(after_help = examples::VERIFY)]
    Verify(verify::VerifyArgs),
    #[command(after_help = examples::CONFIG)]
    Config(config::ConfigArgs),
    #[command(after_help = examples::ENGINE)]
    Engine(engine::EngineArgs),
    #[command(after_help = examples::COMPLETIONS)]
    Completions(shell::CompletionsArgs),
    #[command(after_help = examples::MAN)]
    Man(shell::ManArgs),
}

/// How `grow` starts the guard of its engines. No command of the user's: in no help, in no completion.
const GUARD: &str = "--guard-engines";

/// Reads the command line, with what is configured as its defaults.
fn parse() -> Result<Command, CliError> {
    let config = config::Config::load();
    let defaults = config.as_ref().cloned().unwrap_or_default();
    config::set_colours(&defaults);
    let mut command = config::with_defaults(Cli::command(), &defaults);
    let matches = command.clone().try_get_matches();
    let matches = matches.unwrap_or_else(|error| usage::of_command(error, &command).exit());
    let parsed = Cli::from_arg_matches(&matches);
    let command = parsed.unwrap_or_else(|error| error.format(&mut command).exit()).command;
    match (&command, config) {
        (Command::Engine(_) | Command::Completions(_) | Command::Man(_), _) => {}
        (Command::Config(args), _) if args.is_path() => {}
        (_, config) => drop(config?),
    }
    Ok(command)
}

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    if std::env::args_os().skip(1).eq([GUARD]) {
        deepanalyze_engine::guard(std::io::stdin().lock());
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().len() <= 1 {
        // Nobody can be told that standard error is closed.
        let _ = write!(anstream::stderr(), "{}", examples::WELCOME);
        return ExitCode::from(USAGE);
    }
    let command = match parse() {
        Ok(command) => command,
        Err(error) => return error.report(),
    };
    let result = match command {
        Command::Grow(args) => grow::run(&args),
        Command::Direct(args) => direct::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Uci(args) => uci::run(&args),
        Command::Lichess(args) => lichess::run(&args),
        Command::Worker(args) => worker::run(&args),
        Command::Fleet(args) => fleet::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::List(args) => list::run(&args),
        Command::Rename(args) => rename::run(&args),
        Command::Delete(args) => delete::run(&args),
        Command::Copy(args) => copy::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    result.unwrap_or_else(|error| error.report())
}
