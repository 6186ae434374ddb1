//! `deepanalyze mcp`.

use std::process::ExitCode;

use clap::Args;

use deepanalyze_core::search::Limit;
use deepanalyze_engine::{Engines, Pool, dismiss_guard};
use deepanalyze_mcp::{ServeError, ServerSettings, StartEngines, serve};

use crate::args::database::DbArgs;
use crate::args::engines::EngineArgs;
use crate::error::CliError;
use crate::starting::guard_engines;

/// Answer questions of a language model about your analyses (Model Context Protocol)
///
/// Claude, ChatGPT and other programs start this command themselves and talk to it on standard input and output;
/// `docs/mcp.md` says how to set it up. The model gets what the database has, with its sources, and "unknown" where it
/// has nothing. It opens no port, and only reads, unless you allow more.
#[derive(Debug, Args)]
#[command(
    mut_arg("engine_depth", |arg| arg.hide(true)),
    mut_arg("engine_nodes", |arg| arg.hide(true)),
    mut_arg("second", |arg| arg.hide(true))
)]
pub struct McpArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Let the model give directives: exclude and include moves, give values, write notes
    #[arg(long)]
    steer: bool,
    /// Let the model have the engines search: grow a tree for up to two minutes, and search single moves
    #[arg(long)]
    grow: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
pub fn run(args: &McpArgs) -> Result<ExitCode, CliError> {
    let path = if args.grow { args.db.path_to_grow()? } else { args.db.path()? };
    if args.grow && !path.exists() {
        DbArgs::open_to_change(&path)?;
    }
    let engines = args.grow.then(|| engines(args.engine.without_second()));
    let settings = ServerSettings { path, may_steer: args.steer, engines };
    let served = serve(settings);
    dismiss_guard();
    served.map(|()| ExitCode::SUCCESS).map_err(|error| match error {
        ServeError::Store(error) => error.into(),
        ServeError::Io(error) => error.into(),
        ServeError::Protocol(error) => CliError::missing(format!(
            "the client cannot be answered: {error}"
        ))
        .hint("programs with language models start this command themselves: see docs/mcp.md"),
    })
}

/// Starts engines for each request that wants some.
fn engines(engine: EngineArgs) -> StartEngines {
    Box::new(move |limit: Limit, count: Option<u16>| {
        guard_engines();
        let mut engine = engine.clone();
        engine.set_limit(limit);
        let settings =
            engine.settings_of(count.or(engine.engines)).map_err(|error| error.message())?;
        let pool = Pool::start(&settings).map_err(|error| error.to_string())?;
        Ok(Box::new(pool) as Box<dyn Engines + Send>)
    })
}
