//! `deepanalyze uci`: the tree as an engine for any GUI.

mod options;
mod output;
mod position;
mod server;

use std::io::{self, BufReader};
use std::process::ExitCode;

use clap::Args;

use deepanalyze_core::uci::for_each_line;
use deepanalyze_engine::{dismiss_guard, kill_all};
use deepanalyze_runner::session::Session;

use super::args::database::DbArgs;
use super::args::engines::EngineArgs;
use super::args::tables::TableArgs;
use super::args::tree::TreeArgs;
use super::error::CliError;
use super::guard::guard_engines;

use options::Options;
use output::Output;
use server::Server;

/// Use the tree as a UCI engine in your chess program
///
/// Add this command as an engine to your GUI. What you look at is searched as by `deepanalyze grow`, and all of
/// it is kept: a position that was analysed before is answered at once with all that is known. The options
/// here are the defaults of those that the GUI shows.
#[derive(Debug, Clone, Args)]
pub struct UciArgs {
    #[command(flatten)]
    pub(super) db: DbArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    #[command(flatten)]
    pub(super) tables: TableArgs,
}

/// Runs the command.
pub fn run(args: &UciArgs) -> Result<ExitCode, CliError> {
    let options = Options::new(args.clone())?;
    let session = Session::new(options.settings()?)?;
    guard_engines();
    // Engines are there when the GUI asks for them.
    session.prepare();
    let mut server = Server::new(session, options, Output::new(io::stdout()));
    for_each_line(BufReader::new(io::stdin()), |line| server.obey(line));
    server.end();
    // One that is just being started has nobody yet.
    kill_all();
    dismiss_guard();
    Ok(ExitCode::SUCCESS)
}
