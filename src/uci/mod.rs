//! `deepanalyze uci`: the tree as an engine for any GUI; and `deepanalyze engine`, the built-in one.

mod options;
mod output;
mod server;
mod spelling;

use std::io::{self, BufReader};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use deepanalyze_core::uci::for_each_line;
use deepanalyze_engine::{dismiss_guard, kill_all};
use deepanalyze_runner::session::Session;

use super::args::tree::SessionArgs;
use super::error::CliError;
use super::starting::guard_engines;

use options::GuiOptions;
use output::GuiOutput;
use server::GuiServer;

/// Use the tree as a UCI engine in your chess program
///
/// Add this command as an engine to your GUI. Positions you look at are searched as by `deepanalyze grow` and kept: a
/// position that was analysed before is answered at once. The options here are the defaults of those that the GUI
/// shows.
#[derive(Debug, Args)]
pub struct UciArgs {
    #[command(flatten)]
    session: SessionArgs,
}

/// Runs the command.
pub fn run(args: &UciArgs) -> Result<ExitCode, CliError> {
    let options = GuiOptions::new(args.session.clone())?;
    let session = Session::new(options.settings()?)?;
    guard_engines();
    // Engines are there when the GUI asks for them.
    session.prepare();
    let mut server = GuiServer::new(session, options, GuiOutput::new(io::stdout()));
    for_each_line(BufReader::new(io::stdin()), |line| server.obey(line));
    server.end();
    // An engine that is just being started has no owner yet.
    kill_all();
    dismiss_guard();
    Ok(ExitCode::SUCCESS)
}

/// Run the built-in UCI engine, for any chess program
#[derive(Debug, Args)]
pub struct BuiltinArgs {
    #[command(subcommand)]
    command: Option<BuiltinAction>,
}

#[derive(Debug, Subcommand)]
enum BuiltinAction {
    /// Measure its speed on a fixed set of positions
    Bench,
}

/// Runs the built-in engine.
pub fn builtin(args: &BuiltinArgs) -> Result<ExitCode, CliError> {
    match args.command {
        None => deepanalyze_builtin::uci::run(BufReader::new(io::stdin()), io::stdout()),
        Some(BuiltinAction::Bench) => deepanalyze_builtin::bench::run(io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
