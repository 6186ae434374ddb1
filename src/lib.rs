//! The command line: one file per subcommand, and the only place that prints.
#![deny(clippy::indexing_slicing)]

mod args;
mod check;
mod compare;
mod config;
mod copy;
mod diff;
mod direct;
mod doctor;
mod error;
mod explore;
mod export;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(any(test, not(feature = "fleet")))]
#[cfg_attr(feature = "fleet", allow(dead_code, unused_imports))]
mod fleet_left_out;
mod games;
mod grow;
mod help;
mod lichess;
mod list;
mod lossy;
mod manage;
mod mcp;
mod merge;
mod output;
mod printable;
mod printer;
mod progress;
mod recheck;
mod reports;
mod review;
mod serve;
mod show;
mod starting;
mod traps;
mod uci;
mod verify;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use error::CliError;
#[cfg(not(feature = "fleet"))]
use fleet_left_out as fleet;

/// Analyse chess positions for hours: a growing tree of moves, searched by any UCI engine
///
/// `deepanalyze grow` analyses a position until you stop it; the same command goes on where it was.
/// `deepanalyze show` prints the verdict with its best lines, `deepanalyze explore` lets you walk
/// through the tree. Every answer of the engine is kept, so the next run goes on from there.
#[derive(Debug, Parser)]
#[command(version, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Grow(Box<grow::GrowArgs>),
    Direct(direct::DirectArgs),
    Show(show::ShowArgs),
    /// Write an analysis to a file: PGN, a page, a book, flash cards, a study, pictures, tables
    ///
    /// Works while `grow` is running, and needs no engine. `deepanalyze help export FORMAT` explains a format.
    Export(export::ExportArgs),
    Why(Box<why::WhyArgs>),
    Explore(explore::ExploreArgs),
    Serve(Box<serve::ServeArgs>),
    Uci(Box<uci::UciArgs>),
    Mcp(Box<mcp::McpArgs>),
    Lichess(Box<lichess::LichessArgs>),
    Worker(fleet::WorkerArgs),
    Fleet(fleet::StatusArgs),
    Audit(reports::AuditArgs),
    Traps(traps::TrapsArgs),
    Review(review::ReviewArgs),
    Recheck(Box<recheck::RecheckArgs>),
    Check(check::CheckArgs),
    Compare(compare::CompareArgs),
    Games(games::GamesArgs),
    List(list::ListArgs),
    Rename(manage::RenameArgs),
    Delete(manage::DeleteArgs),
    Copy(copy::CopyArgs),
    Merge(Box<merge::MergeArgs>),
    Diff(diff::DiffArgs),
    Log(reports::LogArgs),
    Stats(reports::StatsArgs),
    Verify(verify::VerifyArgs),
    Doctor(doctor::DoctorArgs),
    Config(config::ConfigArgs),
    Engine(uci::BuiltinArgs),
    Completions(help::CompletionsArgs),
    Man(help::ManArgs),
}

/// How `grow` starts the guard of its engines. No command of the user's: in no help, in no completion.
const GUARD: &str = "--guard-engines";

/// Reads the command line, with what is configured as its defaults.
fn parse() -> Result<CliCommand, CliError> {
    config::set_colours();
    // Groups and examples are only for help and errors, and take longer than the rest.
    let explained = || config::with_defaults(help::commands());
    let matches = config::with_defaults(Cli::command()).try_get_matches().or_else(|_| {
        let command = explained();
        command.clone().try_get_matches().map_err(|error| help::with_usage(error, &command))
    });
    let matches = matches.unwrap_or_else(|error| error.exit());
    let parsed = Cli::from_arg_matches(&matches);
    let command = parsed.unwrap_or_else(|error| error.format(&mut explained()).exit()).command;
    match &command {
        CliCommand::Engine(_) | CliCommand::Completions(_) | CliCommand::Man(_) => {}
        CliCommand::Config(args) if args.is_path() => {}
        _ => drop(config::Config::load()?),
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
        return help::welcome().unwrap_or_else(|error| error.report());
    }
    let command = match parse() {
        Ok(command) => command,
        Err(error) => return error.report(),
    };
    let result = match command {
        CliCommand::Grow(args) => grow::run(*args),
        CliCommand::Direct(args) => direct::run(&args),
        CliCommand::Show(args) => show::run(&args),
        CliCommand::Export(args) => show::run(&args.0),
        CliCommand::Why(args) => why::run(&args),
        CliCommand::Explore(args) => explore::run(&args),
        CliCommand::Serve(args) => serve::run(&args),
        CliCommand::Mcp(args) => mcp::run(&args),
        CliCommand::Uci(args) => uci::run(&args),
        CliCommand::Lichess(args) => lichess::run(&args),
        CliCommand::Worker(args) => fleet::worker(&args),
        CliCommand::Fleet(args) => fleet::status(&args),
        CliCommand::Audit(args) => reports::audit(&args),
        CliCommand::Traps(args) => traps::run(&args),
        CliCommand::Review(args) => review::run(&args),
        CliCommand::Recheck(args) => recheck::run(&args),
        CliCommand::Games(args) => games::run(&args),
        CliCommand::Check(args) => check::run(&args),
        CliCommand::Compare(args) => compare::run(&args),
        CliCommand::List(args) => list::run(&args),
        CliCommand::Rename(args) => manage::rename(&args),
        CliCommand::Delete(args) => manage::delete(&args),
        CliCommand::Copy(args) => copy::run(&args),
        CliCommand::Merge(args) => merge::run(&args),
        CliCommand::Diff(args) => diff::run(&args),
        CliCommand::Log(args) => reports::log(&args),
        CliCommand::Stats(args) => reports::stats(&args),
        CliCommand::Verify(args) => verify::run(&args),
        CliCommand::Doctor(args) => doctor::run(&args),
        CliCommand::Config(args) => config::run(&args),
        CliCommand::Engine(args) => uci::builtin(&args),
        CliCommand::Completions(args) => help::completions(&args),
        CliCommand::Man(args) => help::man(&args),
    };
    result.unwrap_or_else(|error| error.report())
}
