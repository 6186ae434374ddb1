//! What a run needs before it can begin: the database and the engines.

use std::path::Path;

use crate::args::database::patience_of;
use crate::args::fleet::{Searchers, all_engines};
use crate::args::tables::looking_again;
use crate::error::CliError;
use crate::guard::guard_engines;
use crate::printer::Printer;
use deepanalyze_engine::{Engines, Pool, kill_all};
use deepanalyze_runner::{Shutdown, TableUse};
use deepanalyze_store::Store;

use super::args::GrowArgs;

/// What a run works with.
pub struct Ready {
    pub store: Store,
    pub engines: Box<dyn Engines + Send>,
    pub searchers: Searchers,
    pub tables: Option<TableUse>,
}

/// The database and the engines, ready to work; nothing where a signal comes first.
pub fn ready(
    args: &GrowArgs,
    path: &Path,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<Option<Ready>, CliError> {
    // A new database is made only once there is an engine to fill it; one that cannot be used is
    // refused before engines are started.
    let tables = args.tables.tables()?;
    let open = || {
        let printer = printer.clone();
        Store::open_with(path, patience_of(shutdown.receiver(), move |why| printer.line(why)))
    };
    let mut existing = path.exists().then(open).transpose()?;
    if let Some((store, tables)) = existing.as_mut().zip(tables.as_ref()) {
        let mut say = |count| printer.line(looking_again(count));
        tables.look_again(store, shutdown.receiver(), &mut say)?;
    }
    if let Some(note) = args.engine.chosen()?.note() {
        printer.line(note);
    }
    let (settings, fleet) = args.fleet.choose(&args.engine)?;
    if let Some(note) = args.engine.note_of_threads(&settings) {
        printer.line(&note);
    }
    let mut searchers = Searchers { sources: settings.sources.clone(), fleet: None };
    guard_engines();
    // A mute engine is waited for, but not by somebody who wants to leave.
    let waiting = || printer.line("waiting for the engine to start");
    let Some(pool) = shutdown.unless_told(move || Pool::start(&settings), waiting)? else {
        kill_all();
        return Ok(None);
    };
    searchers.fleet = fleet.as_ref().map(|fleet| fleet.part_of_this_computer(pool.is_ok()));
    let engines = all_engines(pool, fleet, path)?;
    let store = match existing {
        Some(store) => store,
        None => open()?,
    };
    if let Some(tables) = &tables {
        for complaint in tables.files.take_complaints() {
            printer.line(format!("warning: {complaint}"));
        }
    }
    Ok(Some(Ready { store, engines, searchers, tables }))
}
