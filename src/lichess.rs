//! `deepanalyze lichess`, with the token of the user's account and the secret of the engine.

use std::fs::{File, TryLockError};
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use deepanalyze_core::secrets::{random_word, read_secret, write_secret};
use deepanalyze_engine::{dismiss_guard, kill_all};
use deepanalyze_lichess::api::{SECRET_BYTES, TOKEN_PAGE};
use deepanalyze_lichess::{Addresses, LichessEngine, LichessError, Registration, api};
use deepanalyze_runner::Shutdown;
use deepanalyze_runner::session::{Readiness, Session, SessionSettings};

use crate::args::database::{DbArgs, data_file, make_folder_of};
use crate::args::tree::SessionArgs;
use crate::error::{CliError, INTERRUPTED, secret_of};
use crate::manage::ask;
use crate::printer::{Printer, printing, tell};
use crate::starting::guard_engines;

/// Hash announced to Lichess; each engine has its own, whatever is chosen on the board.
const HASH: u32 = 16;

/// How long engines may take to start: those behind ssh take their time, and a signal ends the wait.
const STARTUP: Duration = Duration::from_secs(3600);

/// Show your trees on the analysis board of lichess.org
///
/// Lichess lists this computer among the engines of its analysis board. Choose it there, and the positions you look
/// at are analysed here: known ones are answered at once, others grow while you look, and all of it is kept in the
/// database. Lichess sees these positions and their results.
///
/// It needs a token of your Lichess account, in the variable LICHESS_TOKEN or in a file that only you can read. Make
/// one with the permissions engine:read and engine:write at
/// https://lichess.org/account/oauth/token/create?scopes[]=engine:read&scopes[]=engine:write
#[derive(Debug, Args)]
pub struct LichessArgs {
    /// Name of the engine on Lichess
    #[arg(long, value_name = "NAME", default_value = "deepanalyze", value_parser = parse_name,
        help_heading = "Lichess")]
    name: String,
    /// File with the token of your Lichess account [default: the variable LICHESS_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Lichess")]
    token_file: Option<PathBuf>,
    /// File with the secret by which Lichess knows this engine [default: lichess-secret in your data folder]
    #[arg(long, value_name = "FILE", help_heading = "Lichess")]
    secret_file: Option<PathBuf>,
    /// Replace the secret; clients with the old one are cut off
    #[arg(long, help_heading = "Lichess")]
    renew_secret: bool,
    /// Queue positions where you linger, and that no tree has reached, for analysis in `serve`
    #[arg(long, help_heading = "Lichess")]
    enqueue: bool,
    /// Begin without asking
    #[arg(long, short, help_heading = "Lichess")]
    yes: bool,
    #[command(flatten)]
    session: SessionArgs,
    /// Another site than Lichess, for tests
    #[arg(long, value_name = "URL", hide = true)]
    lichess_url: Option<String>,
    /// Address of another broker than Lichess's, for tests
    #[arg(long, value_name = "URL", hide = true)]
    broker_url: Option<String>,
}

fn parse_name(text: &str) -> Result<String, String> {
    let (text, letters) = (text.trim(), api::NAME);
    if letters.contains(&text.chars().count()) && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(format!("a name has {} to {} letters", letters.start(), letters.end()))
    }
}

/// Runs the command.
pub fn run(args: &LichessArgs) -> Result<ExitCode, CliError> {
    args.session.tables.check()?;
    let addresses = Addresses::new(args.lichess_url.as_deref(), args.broker_url.as_deref());
    let addresses = addresses.map_err(lichess_error)?;
    let token = token(args.token_file.as_deref())?;
    let path = args.session.db.path_to_grow()?;
    // An unusable database is refused before Lichess learns anything.
    drop(DbArgs::open_to_change(&path)?);
    let secret_file = args.secret_file.clone().map_or_else(default_file, Ok)?;
    if !secret_file.exists() && !is_agreed(args.yes)? {
        return Ok(ExitCode::SUCCESS);
    }
    let secret = kept_in(&secret_file, args.renew_secret)?;
    let shutdown = Shutdown::on_signals()?;
    printing(false, |printer| {
        work(args, addresses, token, secret.word, &shutdown, printer)?;
        Ok(ExitCode::from(INTERRUPTED))
    })
}

/// Works until a signal comes.
fn work(
    args: &LichessArgs,
    addresses: Addresses,
    token: String,
    secret: String,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<(), CliError> {
    let own = &args.session;
    if let Some(note) = own.engine.chosen()?.note {
        printer.line(note);
    }
    let warn = |why: String| printer.line(format!("warning: {why}"));
    let settings = own.settings(own.engine.settings()?, own.tables.tables_if_there(warn)?)?;
    let (name, threads) = (args.name.clone(), threads(&settings));
    let registration = Registration { name, threads, hash: HASH, secret };
    guard_engines();
    let session = Session::new(settings.clone())?;
    let result = if start_engines(&session, shutdown, printer)? {
        let printer = printer.clone();
        let board = addresses.board();
        let ready = format!("deepanalyze lichess: choose {:?} at {board}", args.name);
        deepanalyze_lichess::work(
            LichessEngine { addresses, token, registration },
            &session,
            args.enqueue.then_some(settings),
            shutdown.receiver().clone(),
            Arc::new(move |line| printer.line(line)),
            || say_ready(&ready),
        )?
        .map_err(lichess_error)
    } else {
        Ok(())
    };
    session.end();
    dismiss_guard();
    result
}

/// How many engines there are: each has one thread.
fn threads(settings: &SessionSettings) -> u32 {
    let all: usize = settings.engines.sources.iter().map(|source| source.engines).sum();
    u32::try_from(all).unwrap_or(u32::MAX).max(1)
}

/// Starts the engines; false if a signal comes first.
fn start_engines(
    session: &Session,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<bool, CliError> {
    let starting = session.clone();
    let say = || printer.line("waiting for the engine to start");
    let ready = move || starting.ready(STARTUP);
    match shutdown.unless_told(ready, say)? {
        None => {
            kill_all();
            Ok(false)
        }
        Some(Readiness::Failed(why)) => Err(CliError::missing(why)),
        Some(_) => Ok(true),
    }
}

fn say_ready(words: &str) {
    let mut out = io::stdout().lock();
    // Lichess lists the engine even if this cannot be printed.
    let _ = writeln!(out, "{words}").and_then(|()| out.flush());
}

/// Notice to the user before anything is sent to Lichess.
const TOLD: &str = "\
Lichess will see every position that you look at on its analysis board with this engine, and the moves, scores and
lines that are found here. It gets nothing else of your database. The engine is listed for your account alone, until
you delete it there.";

/// Prints what Lichess will see, and asks on a terminal; without one, the help of the command has
/// said it.
fn is_agreed(is_said: bool) -> io::Result<bool> {
    tell!("{TOLD}");
    Ok(is_said || ask("Go on?")?.unwrap_or(true))
}

fn lichess_error(error: LichessError) -> CliError {
    let told = CliError::failure(&error);
    match error.status() {
        Some(401) => told
            .hint(format!("the token is wrong or expired; make a new one at {}", api::TOKEN_PAGE)),
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

/// The variable that has the token.
const TOKEN: &str = "LICHESS_TOKEN";
/// The letters that a secret may have.
const LETTERS: std::ops::RangeInclusive<usize> = 16..=1024;

/// A secret, and that no other process uses it.
#[derive(Debug)]
struct HeldSecret {
    pub word: String,
    _file: File,
}

/// The token of the user's account. Never on the command line, which everybody on the computer can read.
fn token(file: Option<&Path>) -> Result<String, CliError> {
    let token = match file {
        Some(path) => Some(secret_of(path)?),
        None => std::env::var(TOKEN).ok().map(|token| token.trim().to_owned()),
    };
    token.filter(|token| !token.is_empty()).ok_or_else(|| {
        CliError::missing("no token of your Lichess account").hint(format!(
            "make one at {TOKEN_PAGE}, and put it into the variable {TOKEN}, or into a file for --token-file"
        ))
    })
}

/// Default path of the secret.
fn default_file() -> Result<PathBuf, CliError> {
    let path = data_file("lichess-secret", "--secret-file")?;
    make_folder_of(&path, "--secret-file")?;
    Ok(path)
}

/// The secret of a file; a new one where there is none, or it is to be renewed.
fn kept_in(path: &Path, renew: bool) -> Result<HeldSecret, CliError> {
    let kept = match read_secret(path) {
        // It need not be what it should be to be replaced.
        Err(_) if renew => None,
        kept => kept?,
    };
    // A secret in use must not be replaced.
    let used = path.exists().then(|| hold(path)).transpose()?;
    if let (Some(word), Some(file), false) = (kept, used, renew) {
        if LETTERS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(HeldSecret { word, _file: file });
        }
        return Err(CliError::missing(format!("no Lichess secret in {}", path.display()))
            .hint("--renew-secret makes a new one there"));
    }
    let word = random_word(SECRET_BYTES)?;
    write_secret(path, &word)
        .map_err(|error| CliError::missing(format!("cannot write {}: {error}", path.display())))?;
    Ok(HeldSecret { word, _file: hold(path)? })
}

/// Two processes with one secret would take each other's positions.
fn hold(path: &Path) -> Result<File, CliError> {
    let failed = |error: std::io::Error| {
        CliError::missing(format!("cannot lock {}: {error}", path.display()))
    };
    let file = File::open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CliError::missing(format!(
            "another `deepanalyze lichess` uses the secret in {}",
            path.display()
        ))
        .hint("an engine of another --name can have another --secret-file")),
        Err(TryLockError::Error(error)) => Err(failed(error)),
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

    #[test]
    fn secret_is_kept_until_renewed_and_used_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let first = kept_in(&path, false).unwrap();
        assert_eq!(first.word.len(), 64);
        assert!(kept_in(&path, false).is_err() && kept_in(&path, true).is_err(), "it is used");
        let word = first.word.clone();
        drop(first);
        assert_eq!(kept_in(&path, false).unwrap().word, word);
        let renewed = kept_in(&path, true).unwrap();
        assert_ne!(renewed.word, word);
        drop(renewed);
        std::fs::write(&path, "short").unwrap();
        assert!(kept_in(&path, false).is_err());
        assert!(kept_in(&path, true).is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn readable_files_are_refused_and_new_ones_private() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "0123456789abcdef").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert!(kept_in(&path, false).is_err() && token(Some(&path)).is_err());
        drop(kept_in(&path, true).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(token(Some(&path)).unwrap().len(), 64);
        assert!(token(Some(&folder.path().join("none"))).is_err());
    }
}
