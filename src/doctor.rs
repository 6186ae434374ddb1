//! `deepanalyze doctor`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use deepanalyze_core::chess::parse_fen;
use deepanalyze_core::search::{Answer, Limit, Search};
use deepanalyze_engine::{
    EngineError, EngineSource, Engines, Event, LongEnd, LongSearch, Pool, Settings, Wakeup,
};
use deepanalyze_games::SetInfo;
use deepanalyze_human::Net;
use deepanalyze_runner::Shutdown;
use deepanalyze_store::{Store, StoreError};
use deepanalyze_view::{Stages, count, grouped, hanging, size, write_json_array};

use super::args::database::DbArgs;
use super::args::engines::{
    BUILTIN, ChosenEngine, EngineCommand, configured_second, installed, parse_engine,
};
use super::args::games::all_sets;
use super::args::human::{all_nets, nets_folder};
use super::args::report::ReportFormat;
use super::args::tree::TableFolders;
use super::config::config_path;
use super::error::{CliError, FAILURE};
use super::output::Output;
use super::starting::started;

/// Check what deepanalyze finds on this computer, what is missing, and how to get it
///
/// Starts the engine and lets it search for a second, and looks for database, tablebases, sets of games and nets of human play. The exit
/// status is 1 if something that was named or configured does not work.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Check this UCI engine [default: the engine that `grow` would use]; may be repeated
    #[arg(long = "engine", value_name = "[N*]CMD", value_parser = parse_engine, help_heading = "Engine")]
    engines: Vec<EngineCommand>,
    #[command(flatten)]
    tables: TableFolders,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

/// How long the engine searches.
const SEARCH: Duration = Duration::from_secs(1);
/// How long it may take beyond that.
const PATIENCE: Duration = Duration::from_secs(10);
/// Position to search: a middlegame, in which no engine sees all within a second.
const POSITION: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9";

/// How something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Works,
    /// It is not there, and need not be.
    Missing,
    Fails,
}

/// Result of one check.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    told: String,
    /// Hint for the user.
    advice: Option<String>,
}

impl Finding {
    fn works(what: &'static str, told: String) -> Finding {
        Finding { state: State::Works, what, told, advice: None }
    }

    fn missing(what: &'static str, told: String, advice: &str) -> Finding {
        Finding { state: State::Missing, what, told, advice: Some(advice.to_owned()) }
    }

    fn fails(what: &'static str, error: CliError) -> Finding {
        let (told, advice) = error.into_words();
        Finding { state: State::Fails, what, told, advice }
    }

    fn text(&self, width: usize) -> String {
        let state = match self.state {
            State::Works => "ok",
            State::Missing => "none",
            State::Fails => "ERROR",
        };
        let mut lines = hanging(&format!("{state:<7}{:<13}", self.what), &self.told, width);
        let advice = self.advice.iter().flat_map(|advice| hanging(&" ".repeat(20), advice, width));
        lines.extend(advice);
        lines.join("\n") + "\n"
    }
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, CliError> {
    let output = Output::stdout();
    let width = output.width().unwrap_or(usize::MAX);
    let shutdown = Shutdown::on_signals()?;
    let mut findings = vec![program(), settings()];
    findings.extend(engines(&args.engines, &shutdown)?);
    findings.extend([database(&args.db.path()?), tables(&args.tables), games(), human(), fleet()]);
    let text = findings.iter().fold(String::new(), |text, finding| text + &finding.text(width));
    output.write(|out| match args.format {
        ReportFormat::Json => write_json_array(&findings, out),
        ReportFormat::Text => out.write_all(text.as_bytes()),
    })?;
    let fails = findings.iter().any(|finding| finding.state == State::Fails);
    Ok(if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

fn program() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let version = env!("CARGO_PKG_VERSION");
    let cores = count(cores as u64, "core");
    Finding::works("program", format!("deepanalyze {version}, {system} {processor}, {cores}"))
}

fn settings() -> Finding {
    match config_path() {
        Ok(path) if path.exists() => Finding::works("settings", path.display().to_string()),
        Ok(_) => Finding::missing(
            "settings",
            "the defaults".to_owned(),
            "`deepanalyze config set KEY VALUE` changes one; `deepanalyze config` shows all",
        ),
        Err(error) => Finding::fails("settings", error),
    }
}

/// Each engine that a run would use.
fn engines(named: &[EngineCommand], shutdown: &Shutdown) -> Result<Vec<Finding>, CliError> {
    let chosen = ChosenEngine::new(named)?;
    let settings = chosen.settings(&[], None, Limit::Depth(1))?;
    let mut findings = Vec::new();
    for source in &settings.sources {
        let processes = format!(", {} side by side", count(source.engines as u64, "process"));
        findings.push(engine("engine", &settings, source, &processes, shutdown)?);
    }
    let is_default = chosen.note.is_some() && installed().is_none();
    if let Some(builtin) = findings.last_mut().filter(|_| is_default) {
        builtin.advice = Some(
            "Stockfish is stronger: `sudo apt install stockfish`, or https://stockfishchess.org/download; deepanalyze \
            finds it on PATH, else `deepanalyze config set engine FILE` names it"
                .to_owned(),
        );
    }
    if let Some(second) = configured_second().filter(|_| named.is_empty()) {
        let settings = ChosenEngine::new(&[second])?.settings(&[], None, Limit::Depth(1))?;
        for source in &settings.sources {
            findings.push(engine("second", &settings, source, "", shutdown)?);
        }
    }
    Ok(findings)
}

/// One engine, started and asked.
fn engine(
    what: &'static str,
    settings: &Settings,
    source: &EngineSource,
    processes: &str,
    shutdown: &Shutdown,
) -> Result<Finding, CliError> {
    let one = EngineSource { engines: 1, ..source.clone() };
    let alone = Settings { sources: vec![one], ..settings.clone() };
    let Some(pool) = started(alone, shutdown, |_| ())? else {
        return Err(CliError::interrupted());
    };
    Ok(match pool.and_then(|pool| speed(pool, &source.command)) {
        Ok(told) => {
            let advice = age(&told);
            Finding { advice, ..Finding::works(what, format!("{told}{processes}")) }
        }
        Err(error) => Finding::fails(what, error.into()),
    })
}

/// Stockfish's releases up to the one that was compared with a current one.
const OLD: [(&str, &str); 6] = [
    ("12", "September 2020"),
    ("13", "February 2021"),
    ("14", "July 2021"),
    ("14.1", "October 2021"),
    ("15", "April 2022"),
    ("15.1", "December 2022"),
];

/// The age of an old Stockfish, and what a newer one is worth.
fn age(told: &str) -> Option<String> {
    let version = told.strip_prefix("Stockfish ")?.split(' ').next()?;
    let (_, when) = OLD.iter().find(|(old, _)| *old == version)?;
    Some(format!(
        "Stockfish {version} is from {when}; a current one finds as much with a quarter of the nodes \
        (docs/worth.md): https://stockfishchess.org/download"
    ))
}

/// Name of an engine, and the nodes it searches in a second.
fn speed(mut pool: Pool, command: &str) -> Result<String, EngineError> {
    let Answer { nodes, time, .. } = searched(&mut pool)?;
    let per_second = (nodes as f64 / time.as_secs_f64().max(0.001)).round();
    let name = &pool.profile().engine;
    let what = if command.ends_with(" engine") { BUILTIN } else { command };
    Ok(format!("{name} ({what}): {} nodes a second", grouped(per_second as u64)))
}

/// Answer to a search of a second.
fn searched(pool: &mut Pool) -> Result<Answer, EngineError> {
    let position = parse_fen(POSITION).unwrap_or_default();
    let search = Search { position, excluded: Vec::new() };
    let lost = |pool: &Pool| {
        let what = "answers no search of a second".to_owned();
        EngineError::new(&pool.profile().engine, deepanalyze_engine::Reason::Option(what))
    };
    let end = Instant::now() + SEARCH;
    pool.submit_long(0, LongSearch { search, end: LongEnd::Until(end), threads: 1 });
    loop {
        match pool.wait(&crossbeam_channel::never(), Some(end + PATIENCE)) {
            Wakeup::Event(Event::Answered { answer, .. }) => return Ok(answer),
            Wakeup::Event(Event::Failed { error, .. } | Event::Fault { error, .. }) => {
                return Err(error);
            }
            Wakeup::Event(Event::Broken) | Wakeup::Time => return Err(lost(pool)),
            Wakeup::Event(_) | Wakeup::Control => {}
        }
    }
}

fn database(path: &Path) -> Finding {
    let place = path.display();
    match Store::open_to_read(path).and_then(|store| Stages::all(&store)) {
        Ok(all) => {
            let bytes = path.metadata().map_or(0, |file| file.len());
            let analyses = count(all.len() as u64, "analysed position");
            Finding::works("database", format!("{place}: {analyses}, {}", size(bytes)))
        }
        Err(StoreError::Missing(_)) => {
            let told = format!("{place}: not there yet");
            Finding::missing("database", told, "`deepanalyze grow` makes it")
        }
        Err(error) => Finding::fails("database", error.into()),
    }
}

fn tables(folders: &TableFolders) -> Finding {
    match folders.files() {
        Ok(Some(files)) => {
            let folders = folders.folders();
            let folders: Vec<String> =
                folders.iter().map(|folder| folder.display().to_string()).collect();
            let told = format!("Syzygy, up to {} pieces: {}", files.men(), folders.join(", "));
            Finding::works("tablebases", told)
        }
        Ok(None) => Finding::missing(
            "tablebases",
            "no folder configured (the built-in engine has those of 3 pieces)".to_owned(),
            "https://syzygy-tables.info links to the files; then `deepanalyze config set tables FOLDER`",
        ),
        Err(error) => Finding::fails("tablebases", error),
    }
}

fn games() -> Finding {
    let sets = match all_sets() {
        Ok(sets) => sets,
        Err(error) => return Finding::fails("games", error),
    };
    let mut told = String::new();
    for path in &sets {
        match SetInfo::read(path) {
            Ok(set) => {
                let comma = if told.is_empty() { "" } else { ", " };
                // Writing to a string does not fail.
                let _ = write!(told, "{comma}{} ({})", set.name, count(set.games, "game"));
            }
            Err(error) => return Finding::fails("games", error.into()),
        }
    }
    if told.is_empty() {
        Finding::missing(
            "games",
            "no set of games".to_owned(),
            "`deepanalyze games add SET FILE.pgn` makes one",
        )
    } else {
        Finding::works("games", told)
    }
}

/// The nets of human play in the data folder, and where to get one.
fn human() -> Finding {
    let (nets, folder) = match all_nets().and_then(|nets| Ok((nets, nets_folder()?))) {
        Ok(found) => found,
        Err(error) => return Finding::fails("people", error),
    };
    let read: Vec<_> = nets.iter().map(|path| Net::open(path)).collect();
    let bad = read.iter().find_map(|net| net.as_ref().err());
    let names: Vec<&str> = read.iter().flatten().map(Net::name).collect();
    let (names, folder) = (names.join(", "), folder.display());
    match (names.is_empty(), bad) {
        (_, Some(error)) if names.is_empty() => {
            Finding::fails("people", CliError::missing(error.to_string()))
        }
        (_, Some(error)) => Finding::fails(
            "people",
            CliError::missing(error.to_string()).hint(format!("the others are read: {names}")),
        ),
        (true, None) => Finding::missing(
            "people",
            format!("no net of human play in {folder}"),
            "https://github.com/CSSLab/maia-chess has maia-1100 to maia-1900 (maia_weights/*.pb.gz, 1.3 MB each, \
             GPL-3.0): put those of your opponents' ratings there, then `grow --human maia-1500 --played 5%`",
        ),
        (false, None) => Finding::works("people", format!("{names} (in {folder})")),
    }
}

/// Checks that this build can use engines on other computers.
fn fleet() -> Finding {
    if cfg!(feature = "fleet") {
        Finding::works("fleet", "this build has it".to_owned())
    } else {
        Finding::missing(
            "fleet",
            "this build does not have it".to_owned(),
            "`cargo install --path . --features fleet` builds one that does",
        )
    }
}
