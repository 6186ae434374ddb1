//! `deepanalyze lichess`.

mod consent;
mod enqueue;
mod notices;
mod secrets;
mod working;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::args::database::DbArgs;
use crate::args::engines::EngineArgs;
use crate::args::tables::TableArgs;
use crate::args::tree::TreeArgs;
use deepanalyze_lichess::{Addresses, LichessError, api};
use deepanalyze_runner::Shutdown;

use super::error::{CliError, INTERRUPTED};
use super::printer::printing;

/// Show your trees on the analysis board of lichess.org
///
/// Lichess lists this computer among the engines of its analysis board. Choose it there, and the positions that
/// you look at are analysed here: what is known of them is shown at once, the rest grows while you look, and all
/// of it is kept in the database. Lichess sees these positions, and what is found of them.
///
/// It needs a token of your Lichess account, in the variable LICHESS_TOKEN or in a file that only you can read.
/// Make one with the permissions engine:read and engine:write at
/// https://lichess.org/account/oauth/token/create?scopes[]=engine:read&scopes[]=engine:write
#[derive(Debug, Args)]
pub struct LichessArgs {
    /// What the engine is called on Lichess
    #[arg(long, value_name = "NAME", default_value = "deepanalyze", value_parser = parse_name,
        help_heading = "Lichess")]
    name: String,
    /// File with the token of your Lichess account [default: the variable LICHESS_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Lichess")]
    token_file: Option<PathBuf>,
    /// File with the secret by which Lichess knows this engine [default: lichess-secret in your data folder]
    #[arg(long, value_name = "FILE", help_heading = "Lichess")]
    secret_file: Option<PathBuf>,
    /// Make a new secret; whoever has the old one gets no more positions
    #[arg(long, help_heading = "Lichess")]
    renew_secret: bool,
    /// Put positions at which you stay, and which no tree on it has reached, on the agenda of `serve`
    #[arg(long, help_heading = "Lichess")]
    enqueue: bool,
    /// Begin without asking
    #[arg(long, short, help_heading = "Lichess")]
    yes: bool,
    #[command(flatten)]
    db: DbArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    tables: TableArgs,
    /// Another site than Lichess, for tests
    #[arg(long, value_name = "URL", hide = true)]
    lichess_url: Option<String>,
    /// Another broker than that of Lichess, for tests
    #[arg(long, value_name = "URL", hide = true)]
    broker_url: Option<String>,
}

fn parse_name(text: &str) -> Result<String, String> {
    let (text, letters) = (text.trim(), api::NAME);
    match letters.contains(&text.chars().count()) && !text.chars().any(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!("a name has {} to {} letters", letters.start(), letters.end())),
    }
}

/// Runs the command.
pub fn run(args: &LichessArgs) -> Result<ExitCode, CliError> {
    args.tables.check()?;
    let addresses = Addresses::new(args.lichess_url.as_deref(), args.broker_url.as_deref());
    let addresses = addresses.map_err(lichess_error)?;
    let token = secrets::token(args.token_file.as_deref())?;
    let path = args.db.path_to_grow()?;
    // A database that cannot be used is refused before anybody is told of anything.
    drop(DbArgs::open_to_change(&path)?);
    let secret_file = args.secret_file.clone().map_or_else(secrets::default_file, Ok)?;
    if !secret_file.exists() && !consent::is_given(args.yes)? {
        return Ok(ExitCode::SUCCESS);
    }
    let secret = secrets::kept_in(&secret_file, args.renew_secret)?;
    let shutdown = Shutdown::on_signals()?;
    printing(false, |printer| {
        let access = working::Access { addresses, token, secret: secret.word };
        working::work(args, &path, access, &shutdown, printer)?;
        Ok(ExitCode::from(INTERRUPTED))
    })
}

fn lichess_error(error: LichessError) -> CliError {
    let told = CliError::failure(&error);
    match error.status() {
        Some(401) => told.hint(format!(
            "the token is wrong, or no longer valid; a new one is made at {}",
            api::TOKEN_PAGE
        )),
        Some(403) => told.hint(format!(
            "the token needs the permissions engine:read and engine:write: {}",
            api::TOKEN_PAGE
        )),
        Some(400..=428) => told.hint(
            "the protocol of Lichess may have changed; a newer version of deepanalyze may know it",
        ),
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_long_as_lichess_takes_it() {
        assert_eq!(parse_name(" tree "), Ok("tree".to_owned()));
        assert!(parse_name("ab").is_err() && parse_name(&"x".repeat(201)).is_err());
        assert!(parse_name("a\nb\nc").is_err());
    }
}
