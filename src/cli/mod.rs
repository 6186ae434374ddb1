//! The command line: one file per subcommand, and the only place that prints.
#![deny(clippy::indexing_slicing)]

mod args;
mod audit;
mod compare;
mod config;
mod delete;
mod direct;
mod duel;
mod engine;
mod error;
mod explore;
mod grow;
mod guard;
mod list;
mod log;
mod output;
mod printer;
mod progress;
mod rename;
mod shell;
mod show;
mod stats;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use error::CliError;

/// Deep chess analysis: grows a tree of positions over any UCI engine and keeps every answer.
///
/// `deepanalyze grow` builds the tree of one position and may be stopped at any moment; the same
/// command goes on where it was. `deepanalyze show` prints the tree.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Grow(Box<grow::GrowArgs>),
    Direct(direct::DirectArgs),
    Show(show::ShowArgs),
    Explore(explore::ExploreArgs),
    Audit(audit::AuditArgs),
    Compare(compare::CompareArgs),
    List(list::ListArgs),
    Rename(rename::RenameArgs),
    Delete(delete::DeleteArgs),
    Log(log::LogArgs),
    Stats(stats::StatsArgs),
    Verify(verify::VerifyArgs),
    Duel(duel::DuelArgs),
    Config(config::ConfigArgs),
    Engine(engine::EngineArgs),
    Completions(shell::CompletionsArgs),
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
    let matches = command.clone().get_matches();
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
        crate::engine::guard(std::io::stdin().lock());
        return ExitCode::SUCCESS;
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
        Command::Audit(args) => audit::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::List(args) => list::run(&args),
        Command::Rename(args) => rename::run(&args),
        Command::Delete(args) => delete::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Duel(args) => duel::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    result.unwrap_or_else(|error| error.report())
}
