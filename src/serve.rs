//! `deepanalyze serve`. A database that comes to the page is merged by `deepanalyze merge`, in a process of its own: whatever
//! a file has in it, the server goes on.

use std::io;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use clap::Args;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use deepanalyze_core::printable::printable;
use deepanalyze_engine::{StopSignal, dismiss_guard, kill_all, run_leashed};
use deepanalyze_runner::{GamesUse, Runner, RunnerSettings, Shutdown, TableUse};
use deepanalyze_serve::{
    Defaults, Door, MergeRefused, Merging, ServeError, Serving, Upload, serve, token_file,
};
use deepanalyze_store::Store;

use crate::args::database::DbArgs;
use crate::args::engines::{EngineArgs, EngineCommand};
use crate::args::games::KnownGamesArgs;
use crate::args::tree::{TableArgs, TreeArgs, looking_again};
use crate::fleet::FleetArgs;
use crate::output::is_terminal;
use crate::printer::{Printer, printing, tell};
use crate::starting::{AllEngines, start_engines};

use super::error::{CliError, INTERRUPTED};

/// Watch analyses grow and guide them, in your browser
///
/// Prints an address; open it in a browser on this computer. Start and pause analyses, let several grow side by side,
/// walk through their trees, exclude and include moves. Analyses continue when you close the browser. Ctrl-C stops
/// the server; the next start continues them. Scripts can use the same API.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Port of the page; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = 7373, help_heading = "Server")]
    port: u16,
    /// Open the page in the browser
    #[arg(long, help_heading = "Server")]
    open: bool,
    /// Listen on this address, "0.0.0.0" for all; other devices can then open the page with its token
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_parser = listen_address, help_heading = "Server")]
    listen: IpAddr,
    /// Another host name of this server ("chess.local"); may be repeated
    #[arg(long = "host", value_name = "NAME", help_heading = "Server")]
    hosts: Vec<String>,
    #[command(flatten)]
    db: DbArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    games: KnownGamesArgs,
}

/// Reads the address of a network card, and says where a port belongs.
fn listen_address(text: &str) -> Result<IpAddr, String> {
    let wrong = |error| match text.parse::<SocketAddr>() {
        Ok(both) => format!(
            "the port has an option of its own: --listen {} --port {}",
            both.ip(),
            both.port()
        ),
        Err(_) => {
            format!("{error}: an address is like 127.0.0.1 or 0.0.0.0 (all); --port names the port")
        }
    };
    text.parse().map_err(|error: std::net::AddrParseError| wrong(error))
}

/// Runs the command.
pub fn run(args: &ServeArgs) -> Result<ExitCode, CliError> {
    printing(false, |printer| run_printed(args, printer))
}

fn run_printed(args: &ServeArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    args.tables.check()?;
    let path = args.db.path_to_grow()?;
    // A database or a set that cannot be used is refused before engines are started.
    let mut store = DbArgs::open_to_run(&path, shutdown.receiver(), printer)?;
    let warn = |why: String| printer.line(format!("warning: {why}"));
    let tables = args.tables.tables_if_there(warn)?;
    if let Some(tables) = &tables {
        let mut say = |count| printer.line(looking_again(count));
        tables.look_again(&mut store, shutdown.receiver(), &mut say)?;
        tables.files.take_complaints().into_iter().for_each(warn);
    }
    let games = args.games.games(shutdown.receiver(), printer)?;
    let address = SocketAddr::new(args.listen, args.port);
    let door = Door::open(address, args.hosts.clone(), &token_file(&path)).map_err(serve_error)?;
    let say = |what: &str| printer.line(what);
    let engines = start_engines(&args.engine, &args.fleet, &path, &shutdown, say)?;
    let Some((engines, _)) = engines else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let facts = (tables, games);
    let result = serve_with(args, store, engines, facts, door, &shutdown);
    // The runs have ended with their engines: this is for what requests have started.
    kill_all();
    dismiss_guard();
    result.map(|()| ExitCode::from(INTERRUPTED))
}

fn serve_with(
    args: &ServeArgs,
    store: Store,
    engines: AllEngines,
    (tables, games): (Option<TableUse>, Option<GamesUse>),
    door: Door,
    shutdown: &Shutdown,
) -> Result<(), CliError> {
    let defaults = Defaults {
        breadth: args.tree.breadth(),
        draw: args.tree.draw_value(),
        games: games.as_ref().map(|games| (games.rules, games.set.clone())),
        depth: args.tree.depth(),
        schedule: args.engine.schedule(),
    };
    let look_ahead = args.engine.looks_ahead();
    let settings = RunnerSettings { depth: defaults.depth, look_ahead, tables, games };
    let (number, path) = (engines.up(), store.path().to_owned());
    let agenda = Runner::start(&path, engines, settings)?;
    // Only after another connection has opened it: the last one to close copies the whole log,
    // which a run does beside its work.
    drop(store);
    let merging = Arc::new(MergeCommand {
        database: path.clone(),
        engines: args.engine.commands.clone(),
        processes: args.engine.engines,
    });
    let serving = Serving { path, engines: number, defaults, agenda: agenda.clone(), merging };
    let (words, once) = (where_it_is(&door), args.open.then(|| door.url_once()).transpose()?);
    let served = serve(door, serving, shutdown.receiver(), || tell(&words, once.as_deref()));
    // Where the server could not be, the runs end, too.
    agenda.end();
    served.map_err(serve_error)
}

/// Where the page is, for this computer and for others.
fn where_it_is(door: &Door) -> String {
    let (here, others) = (door.url(), door.urls_from_outside());
    let mut words = format!("deepanalyze serve: {here}\n");
    let others: Vec<&String> = others.iter().filter(|url| **url != here).collect();
    others.iter().for_each(|url| words.push_str(&format!("on other devices: {url}\n")));
    // For the camera of a phone; other programs read the lines alone.
    if let Some(url) = others.first().filter(|_| is_terminal(None)) {
        words.push_str(&qr_code(url).unwrap_or_default());
    }
    if door.is_open_to_others() {
        words.push_str(&format!(
            "Anyone with the whole address can use the page; nothing is encrypted. A firewall must let port {} in, and \
             `--host NAME` lets browsers in that know this computer by a name.\n",
            door.port()
        ));
    }
    words
}

/// An address as a QR code, two rows in a line, for terminals with a dark background; most cameras read the other kind, too.
/// Nothing where it is too long.
fn qr_code(url: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L).ok()?;
    let (dark, light) = (Dense1x2::Light, Dense1x2::Dark);
    Some(code.render::<Dense1x2>().dark_color(dark).light_color(light).build() + "\n")
}

/// Says where the page is.
fn tell(words: &str, once: Option<&str>) {
    let mut out = io::stdout().lock();
    // A server whose address cannot be printed still serves clients that know its token.
    let _ = out.write_all(words.as_bytes()).and_then(|()| out.flush());
    if let Some(once) = once
        && let Err(error) = opener::open_browser(once)
    {
        tell!("cannot open a browser: {error}");
    }
}

fn serve_error(error: ServeError) -> CliError {
    let told = CliError::failure(&error);
    match error {
        error if error.is_taken() => {
            told.hint("`--port 0` takes any free port; another server may be running already")
        }
        ServeError::Store(error) => error.into(),
        _ => told,
    }
}

/// Takes over what other databases have.
#[derive(Debug)]
struct MergeCommand {
    /// The database that takes.
    pub database: PathBuf,
    /// The engines that search answers again; none for those that the command finds itself.
    pub engines: Vec<EngineCommand>,
    /// Number of processes of engines without a number, if given.
    pub processes: Option<u16>,
}

impl MergeCommand {
    /// The command, in the server's own directory: engines and settings are found there as they are by the server itself.
    fn command(&self, upload: &Upload) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["merge", "--quiet", "--db"]).arg(std::path::absolute(&self.database)?);
        for engine in &self.engines {
            command.arg("--engine").arg(engine.to_string());
        }
        let are_numbered =
            !self.engines.is_empty() && self.engines.iter().all(EngineCommand::has_number);
        if let Some(processes) = self.processes.filter(|n| *n > 0 && !are_numbered) {
            command.arg("--engines").arg(processes.to_string());
        }
        command.args(upload.is_trusted().then_some("--trust"));
        command.arg(format!("--as={}", upload.name())).arg("--").arg(upload.file());
        Ok(command)
    }

    /// Output of the command for the sender of the file: it names no folder of this computer.
    fn told(&self, text: &[u8], upload: &Upload) -> String {
        let text = String::from_utf8_lossy(text);
        let without = |text: String, path: &Path, name: &str| {
            text.replace(&*printable(&path.display().to_string()), name)
        };
        let text = without(text.into_owned(), &upload.file(), upload.name());
        let name = self.database.file_name().unwrap_or_default().to_string_lossy();
        let paths = [std::path::absolute(&self.database), self.database.canonicalize()];
        paths.into_iter().flatten().fold(text, |text, path| without(text, &path, &name))
    }
}

impl Merging for MergeCommand {
    fn merge(
        &self,
        upload: &Upload,
        cancelled: &StopSignal,
    ) -> Result<Option<Vec<String>>, MergeRefused> {
        let failed = |error: std::io::Error| MergeRefused { error: error.to_string(), hint: None };
        let command = self.command(upload).map_err(failed)?;
        let Some(output) = run_leashed(command, cancelled).map_err(failed)? else {
            return Ok(None);
        };
        let Output { status, stdout, stderr } = output;
        if status.success() {
            let text = self.told(&stdout, upload);
            return Ok(Some(text.lines().map(|line| line.trim().to_owned()).collect()));
        }
        match self.told(&stderr, upload) {
            told if told.trim().is_empty() => Err(refused(&status.to_string())),
            told => Err(refused(&told)),
        }
    }
}

/// Error and hint in the output of a failed command.
fn refused(told: &str) -> MergeRefused {
    let said =
        |what: &str| told.lines().find_map(|line| line.strip_prefix(what)).map(str::to_owned);
    let error = said("error: ").unwrap_or_else(|| told.trim().to_owned());
    MergeRefused { error, hint: said("hint: ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_code_that_fits_a_terminal() {
        let of = |token: &str| qr_code(&format!("http://192.168.100.100:7373/?token={token}"));
        let [code, other] = ["0", "1"].map(|digit| of(&digit.repeat(64)).unwrap_or_default());
        let widths = code.lines().map(|line| line.chars().count());
        let widths: std::collections::BTreeSet<usize> = widths.collect();
        assert!((20..=24).contains(&code.lines().count()), "{code}");
        assert!(widths.len() == 1 && widths.iter().all(|width| *width <= 80), "{code}");
        assert_ne!(code, other);
        assert_eq!(of(&"0".repeat(10_000)), None);
    }

    #[test]
    fn what_a_command_says_of_its_failure_is_told_apart() {
        let told = refused("warning: it is hot\nerror: a.db is no database\nhint: another one\n");
        assert_eq!(told.error, "a.db is no database");
        assert_eq!(told.hint.as_deref(), Some("another one"));
        assert_eq!(refused("killed\n").error, "killed");
    }
}
