//! What a run needs before it can begin: the database and the engines.

use std::path::Path;

use crate::args::database::patience_of;
use crate::args::tree::looking_again;
use crate::error::CliError;
use crate::printer::Printer;
use crate::starting::{AllEngines, Searchers, start_engines};
use deepanalyze_runner::{Shutdown, TableUse};
use deepanalyze_store::Store;

use super::args::GrowArgs;

/// What a run works with.
pub struct Ready {
    pub store: Store,
    pub engines: AllEngines,
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
    let say = |what: &str| printer.line(what);
    let Some((engines, searchers)) =
        start_engines((&args.engine, &args.fleet), path, shutdown, say)?
    else {
        return Ok(None);
    };
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
