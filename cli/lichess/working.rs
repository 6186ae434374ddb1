//! The provider at work: engines, connections, and the end.

use std::future::Future;
use std::io::{self, Write};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::select;
use tokio::sync::oneshot;

use crate::error::CliError;
use crate::guard::guard_engines;
use crate::printer::Printer;
use deepanalyze_core::chess::Tables;
use deepanalyze_engine::{dismiss_guard, kill_all};
use deepanalyze_lichess::{
    Addresses, Http, LichessBroker, LichessError, Notice, Provider, Registration, Tell, patiently,
    register,
};
use deepanalyze_runner::session::{Readiness, Session, SessionSettings};
use deepanalyze_runner::{ControlReceiver, Shutdown};

use super::enqueue::Enqueueing;
use super::{LichessArgs, lichess_error, notices};

/// What Lichess is told of the hash: each engine has its own, whatever is chosen on the board.
const HASH: u32 = 16;

/// How long engines may take to start: those behind ssh take their time, and a signal ends the wait.
const STARTUP: Duration = Duration::from_secs(3600);

/// By what Lichess knows the user and the engine.
#[derive(Debug)]
pub struct Access {
    pub addresses: Addresses,
    pub token: String,
    pub secret: String,
}

/// Works until a signal comes.
pub fn work(
    args: &LichessArgs,
    path: &Path,
    access: Access,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<(), CliError> {
    if let Some(note) = args.engine.chosen()?.note() {
        printer.line(note);
    }
    let settings = session_settings(args, path, printer)?;
    let tables = settings.tables.as_ref().map(|used| used.tables);
    let registration = Registration {
        name: args.name.clone(),
        threads: threads(&settings),
        hash: HASH,
        secret: access.secret.clone(),
    };
    guard_engines();
    let session = Session::new(settings)?;
    let result = match start_engines(&session, shutdown, printer)? {
        true => serve(args, (path, tables), &session, (access, registration), shutdown, printer),
        false => Ok(()),
    };
    session.end();
    dismiss_guard();
    result
}

fn session_settings(
    args: &LichessArgs,
    path: &Path,
    printer: &Printer,
) -> Result<SessionSettings, CliError> {
    let engines = args.engine.settings()?;
    let warn = |why: String| printer.line(format!("warning: {why}"));
    Ok(SessionSettings {
        database: path.to_owned(),
        engines,
        schedule: args.engine.schedule(),
        breadth: args.tree.breadth(),
        depth: args.tree.depth,
        look_ahead: args.engine.looks_ahead(),
        tables: args.tables.tables_if_there(warn)?,
    })
}

/// How many engines there are: each has one thread.
fn threads(settings: &SessionSettings) -> u32 {
    let all: usize = settings.engines.sources.iter().map(|source| source.engines).sum();
    u32::try_from(all).unwrap_or(u32::MAX).max(1)
}

/// Whether the engines are there; not where a signal comes first.
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

/// Registers the engine and works, on this thread; the session has its own.
fn serve(
    args: &LichessArgs,
    (path, tables): (&Path, Option<Tables>),
    session: &Session,
    (access, registration): (Access, Registration),
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let stayed = args.enqueue.then(|| {
        let enqueueing = Enqueueing {
            path: path.to_owned(),
            breadth: args.tree.breadth(),
            depth: args.tree.depth,
            schedule: args.engine.schedule(),
            tables,
        };
        let session = session.clone();
        enqueueing.start(move || session.profile(), printer.clone())
    });
    let tell: Tell = {
        let printer = printer.clone();
        Arc::new(move |notice: Notice<'_>| printer.line(notices::words(&notice)))
    };
    let http = Http::new();
    let Access { addresses, token, secret } = access;
    let broker = LichessBroker::new(http.clone(), addresses.clone(), secret);
    let provider = Provider::new(broker, session.clone(), Arc::clone(&tell), stayed.transpose()?);
    let end = told_to_end(shutdown.receiver().clone())?;
    let work = async move {
        let mut end = pin!(end);
        let registered = patiently(&tell, || register(&http, &addresses, &token, &registration));
        select! {
            biased;
            () = &mut end => return Ok(()),
            registered = registered => drop(registered?),
        }
        say_ready(&registration.name, &addresses);
        provider.run(end).await
    };
    let result: Result<(), LichessError> = runtime.block_on(work);
    // A name that is being looked up is not waited for.
    runtime.shutdown_background();
    result.map_err(lichess_error)
}

fn say_ready(name: &str, addresses: &Addresses) {
    let mut out = io::stdout().lock();
    // Lichess lists it, whoever reads this.
    let _ = writeln!(out, "deepanalyze lichess: choose {name:?} at {}", addresses.board())
        .and_then(|()| out.flush());
}

/// Done once somebody wants the end.
fn told_to_end(control: ControlReceiver) -> io::Result<impl Future<Output = ()>> {
    let (sender, told) = oneshot::channel::<()>();
    let wait = move || {
        while !control.is_told_to_end() && control.wake().recv().is_ok() {}
        drop(sender);
    };
    std::thread::Builder::new().name("end".to_owned()).spawn(wait)?;
    Ok(async move { drop(told.await) })
}
