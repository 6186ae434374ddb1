//! The engines of a command, and the limits of their searches.

use crate::config::{Config, ConfigKey};
use crate::error::CliError;
use deepanalyze_core::quoting;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{EngineSource, Settings, is_installed};
use deepanalyze_runner::Schedule;

/// The engines.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// UCI engine: "stockfish", its path, "8*ssh host stockfish", or "builtin"; may be repeated
    /// [default: the configured engine, else an installed Stockfish, else the built-in one]
    ///
    /// "8*" in front starts eight processes. Repeat the option to use several computers; all must run
    /// the same engine with the same options. A computer that does not answer is tried again while the
    /// others work. ssh must log in without a password.
    #[arg(long = "engine", value_name = "[N*]CMD", value_parser = parse_engine)]
    pub commands: Vec<EngineCommand>,
    /// Set a UCI option of the engine, like Hash=256; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub options: Vec<(String, String)>,
    /// Search every position to this depth, in plies [default: in stages: 10, 12, 14 … while time lasts]
    ///
    /// Stages: the whole tree is first grown with engine depth 10, then again with 12, then 14, and so on
    /// until a limit or Ctrl-C. `show` takes the deepest stage that has come far enough.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255),
        allow_negative_numbers = true, conflicts_with = "engine_nodes")]
    pub engine_depth: Option<u32>,
    /// Search this many nodes in every position, instead of to a depth
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    pub engine_nodes: Option<u64>,
    /// Number of engine processes [default: one per processor core; one of each if several engines are named]
    ///
    /// With --fleet, 0 leaves the searches to the fleet; one process still runs, to check the answers of workers. If
    /// this computer does not have the engine, workers are compared with each other.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub engines: Option<u16>,
    /// Another engine, which looks at the position itself after each closing search and says what it would play
    ///
    /// Where another engine that is about as strong would play another move, the verdict is wrong far more often
    /// (docs/worth.md). The verdict stays as it is; the tree follows the other move, too. It takes a quarter of the
    /// closing search's time, two thirds of that for all moves (--second-time), one third for the verdict's move
    /// alone where its own is another. --second-option NAME=VALUE sets its UCI options.
    #[arg(long, value_name = "CMD", value_parser = parse_engine)]
    second: Option<EngineCommand>,
    /// A UCI option of the second engine; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, hide = true)]
    second_option: Vec<(String, String)>,
    #[arg(skip)]
    is_without_second: bool,
    /// Do not let idle engines search ahead (for measurements)
    ///
    /// Idle engines search ahead; this never changes the tree.
    #[arg(long, hide = true)]
    no_look_ahead: bool,
    /// Keep the engine's hash between searches: faster, but results depend on the order of searches
    #[arg(long, hide = true)]
    pub keep_hash: bool,
}

impl EngineArgs {
    /// How the engines are to be started and asked.
    pub fn settings(&self) -> Result<Settings, CliError> {
        if self.engines == Some(0) {
            return Err(CliError::usage("--engines 0 needs --fleet")
                .hint("--fleet nats://host:4222 names the fleet that searches instead"));
        }
        self.settings_of(self.engines)
    }

    /// Settings with this many processes for a command without a number in front.
    pub fn settings_of(&self, engines: Option<u16>) -> Result<Settings, CliError> {
        let limit = self.schedule().first();
        let settings = self.chosen()?.settings(&self.options, engines, limit)?;
        let second = self.second_settings(&settings)?.map(Box::new);
        let needs_second = self.has_second();
        Ok(Settings { keep_hash: self.keep_hash, second, needs_second, ..settings })
    }

    /// The second engine beside these, named or configured. By the clock it may have as many threads as there are
    /// engines on this computer, which rest then.
    fn second_settings(&self, first: &Settings) -> Result<Option<Settings>, CliError> {
        if self.is_without_second {
            return Ok(None);
        }
        let Some(second) = self.second.clone().or_else(configured_second) else {
            return if self.second_option.is_empty() {
                Ok(None)
            } else {
                Err(CliError::usage("--second-option needs --second"))
            };
        };
        let engines = match &*first.sources {
            [one] => one.engines,
            _ => 1,
        };
        let command = EngineCommand { engines: Some(engines), ..second };
        ChosenEngine::new(&[command])?.settings(&self.second_option, None, first.limit).map(Some)
    }

    /// True if a second engine is named on the command line.
    pub fn has_second(&self) -> bool {
        self.second.is_some()
    }

    /// Without a second engine, even a configured one.
    #[must_use]
    pub fn without_second(&self) -> EngineArgs {
        EngineArgs { is_without_second: true, ..self.clone() }
    }

    /// How deep the engines search.
    pub fn schedule(&self) -> Schedule {
        self.limit().map_or(Schedule::REFINED, Schedule::Once)
    }

    /// The limit of the searches that the user has set.
    pub fn limit(&self) -> Option<Limit> {
        self.engine_nodes.map(Limit::Nodes).or(self.engine_depth.map(Limit::Depth))
    }

    /// Takes the limit of the searches.
    pub fn set_limit(&mut self, limit: Limit) {
        (self.engine_depth, self.engine_nodes) = match limit {
            Limit::Depth(depth) => (Some(depth), None),
            Limit::Nodes(nodes) => (None, Some(nodes)),
        };
    }

    /// The engine to use, named or not.
    pub fn chosen(&self) -> Result<ChosenEngine, CliError> {
        ChosenEngine::new(&self.commands)
    }

    /// True if idle engines search ahead.
    pub fn looks_ahead(&self) -> bool {
        !self.no_look_ahead
    }

    /// Note for processes with several threads that need more cores than this machine has.
    pub fn note_of_threads(&self, settings: &Settings) -> Option<String> {
        let cores = std::thread::available_parallelism().ok()?.get();
        let of_threads = |name: &str| name.eq_ignore_ascii_case("threads");
        let mut options = settings.options.iter().rev();
        let (_, threads) = options.find(|(name, _)| of_threads(name))?;
        let each: usize = threads.parse().ok()?;
        // Engines behind ssh have cores of their own.
        let here = settings.sources.iter().filter(|source| !source.command.starts_with("ssh "));
        let processes: usize = here.map(|source| source.engines).sum();
        if each < 2 || processes.saturating_mul(each) <= cores {
            return None;
        }
        let (count, fewer) = (if processes == 1 { "process" } else { "processes" }, cores / each);
        let told = format!(
            "note: {processes} {count} with Threads={each} use more than the {cores} cores here"
        );
        Some(if fewer > 0 { format!("{told}; --engines {fewer} would not") } else { told })
    }
}

/// Reads `NAME=VALUE`.
pub fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Name of the built-in engine in `--engine`.
pub const BUILTIN: &str = "builtin";

/// The engine that a command takes: the one that is named, the configured one, an installed Stockfish, the built-in one.
#[derive(Debug)]
pub struct ChosenEngine {
    commands: Vec<EngineCommand>,
    /// Options from the configuration; empty for an engine named on the command line.
    options: Vec<(String, String)>,
    /// Note of the engine taken by default, and how to take the other.
    pub note: Option<&'static str>,
}

impl ChosenEngine {
    /// Chooses; `named` is what the command line has.
    pub fn new(named: &[EngineCommand]) -> Result<ChosenEngine, CliError> {
        let config = Config::loaded();
        let configured: Vec<EngineCommand> = config
            .texts(ConfigKey::Engine)
            .iter()
            .filter_map(|text| parse_engine(text).ok())
            .collect();
        let (mut commands, note) = match (named, &*configured, installed()) {
            ([], [], Some(name)) => (
                vec![EngineCommand::new(name)],
                Some(
                    "note: using the installed Stockfish; --engine builtin uses the built-in engine",
                ),
            ),
            ([], [], None) => (
                vec![EngineCommand::new(BUILTIN)],
                Some("note: using the built-in engine; --engine CMD uses another, like Stockfish"),
            ),
            ([], _, _) => (configured, None),
            (named, _, _) => (named.to_vec(), None),
        };
        let options = match named {
            [] => config
                .texts(ConfigKey::Options)
                .iter()
                .filter_map(|text| parse_option(text).ok())
                .collect(),
            _ => Vec::new(),
        };
        let builtin = builtin_command()?;
        for named in commands.iter_mut().filter(|named| named.command == BUILTIN) {
            named.command.clone_from(&builtin);
        }
        Ok(ChosenEngine { commands, options, note })
    }

    /// Every engine that is known here, each alone: those that are named, or the configured ones, an installed
    /// Stockfish, and the built-in one.
    pub fn all(named: &[EngineCommand]) -> Result<Vec<ChosenEngine>, CliError> {
        let mut commands = match named {
            [] => ChosenEngine::new(&[])?.commands,
            named => named.to_vec(),
        };
        if named.is_empty() {
            commands.extend(installed().map(EngineCommand::new));
            commands.push(EngineCommand::new(BUILTIN));
        }
        let alone = |command| {
            // Configured options do not apply: the caller knows the options.
            let chosen = ChosenEngine::new(&[command])?;
            Ok::<_, CliError>(ChosenEngine { options: Vec::new(), note: None, ..chosen })
        };
        let mut all: Vec<ChosenEngine> = Vec::new();
        for chosen in commands.into_iter().map(alone) {
            let chosen = chosen?;
            if all.iter().all(|known| known.commands != chosen.commands) {
                all.push(chosen);
            }
        }
        Ok(all)
    }

    /// How its processes are to be started, with these options on top.
    pub fn settings(
        &self,
        options: &[(String, String)],
        engines: Option<u16>,
        limit: Limit,
    ) -> Result<Settings, CliError> {
        Ok(Settings {
            sources: sources(&self.commands, engines)?,
            options: [&self.options, options].concat(),
            ..Settings::new("", limit)
        })
    }
}

/// The configured second engine.
pub fn configured_second() -> Option<EngineCommand> {
    let config = Config::loaded();
    config.texts(ConfigKey::Second).first().and_then(|text| parse_engine(text).ok())
}

/// Stockfish, where it is installed.
pub fn installed() -> Option<&'static str> {
    Some("stockfish").filter(|name| is_installed(name))
}

/// The built-in engine is this program, as a process of its own.
pub fn builtin_command() -> Result<String, CliError> {
    let program = std::env::current_exe()?;
    Ok(quoting::join([&*program.to_string_lossy(), "engine"]))
}

/// The most processes of one run.
const MOST: usize = 1024;

/// One `--engine`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    command: String,
    /// The number in front, if there is one.
    engines: Option<usize>,
}

/// Reads `CMD` or `N*CMD`. A command whose own name begins with digits and a star has no such form.
pub fn parse_engine(text: &str) -> Result<EngineCommand, String> {
    let number = text.split_once('*').map(|(number, command)| (number.trim(), command.trim()));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match number {
        Some((number, command)) if is_number(number) => {
            let engines = number.parse().ok().filter(|n| (1..=MOST).contains(n));
            let engines = engines.ok_or(format!("{number} processes: must be from 1 to {MOST}"))?;
            Ok(EngineCommand { command: command.to_owned(), engines: Some(engines) })
        }
        _ => Ok(EngineCommand::new(text.trim())),
    }
}

/// How many processes of which command lines. A command without a number has as many as `--engines`
/// says; without that, a single command has one for each core, and several have one each, for it is
/// not known which of them are on this machine.
fn sources(commands: &[EngineCommand], each: Option<u16>) -> Result<Vec<EngineSource>, CliError> {
    if each.is_some() && commands.iter().all(|command| command.engines.is_some()) {
        return Err(CliError::usage("--engines has no effect: every --engine has a number"));
    }
    let default = match (each, commands.len()) {
        (Some(each), _) => usize::from(each),
        (None, 1) => std::thread::available_parallelism().map_or(1, usize::from),
        (None, _) => 1,
    };
    let source = |EngineCommand { command, engines }: &EngineCommand| EngineSource {
        command: command.clone(),
        engines: engines.unwrap_or(default),
    };
    let sources: Vec<EngineSource> = commands.iter().map(source).collect();
    let all: usize = sources.iter().map(|source| source.engines).sum();
    if all > MOST {
        return Err(CliError::usage(format!(
            "{all} engine processes: at most {MOST} are possible"
        )));
    }
    Ok(sources)
}

/// As it is given to `--engine`.
impl std::fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.engines {
            Some(engines) => write!(f, "{engines}*{}", self.command),
            None => write!(f, "{}", self.command),
        }
    }
}

impl EngineCommand {
    /// True if a number of processes stands in front.
    pub fn has_number(&self) -> bool {
        self.engines.is_some()
    }

    /// A command without a number.
    fn new(command: &str) -> EngineCommand {
        EngineCommand { command: command.to_owned(), engines: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(commands: &[&str], each: Option<u16>) -> Result<Vec<usize>, CliError> {
        let commands: Vec<EngineCommand> =
            commands.iter().map(|text| parse_engine(text).unwrap()).collect();
        let sources = sources(&commands, each)?;
        Ok(sources.into_iter().map(|source| source.engines).collect())
    }

    #[test]
    fn number_and_star_are_no_part_of_the_command() {
        for text in ["8*ssh big stockfish", " 8 * ssh big stockfish"] {
            let command = parse_engine(text).unwrap();
            assert_eq!(command.command, "ssh big stockfish");
            assert_eq!(command.engines, Some(8));
        }
        for text in ["stockfish", "sh -c 'ls *'", "*", "my2*engine"] {
            assert_eq!(parse_engine(text).unwrap(), EngineCommand::new(text));
        }
        for text in ["0*stockfish", "1025*stockfish", "99999999999999999999*stockfish"] {
            assert!(parse_engine(text).is_err(), "{text}");
        }
    }

    #[test]
    fn command_without_number_uses_engines_option() {
        assert_eq!(counts(&["a"], Some(3)).unwrap(), [3]);
        assert_eq!(counts(&["a", "8*b", "c"], Some(3)).unwrap(), [3, 8, 3]);
        assert_eq!(counts(&["a", "8*b"], None).unwrap(), [1, 8]);
        assert_eq!(counts(&["4*a"], None).unwrap(), [4]);
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(counts(&["a"], None).unwrap(), [cores]);
    }

    #[test]
    fn contradicting_or_too_large_numbers_are_refused() {
        assert!(counts(&["4*a"], Some(3)).is_err());
        assert!(counts(&["1000*a", "25*b"], None).is_err());
    }
}
