//! Which engines `grow` works with, and how they are asked.

use crate::args::chosen_engine::ChosenEngine;
use crate::args::sources::{EngineCommand, parse_engine, sources};
use crate::error::CliError;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::Settings;
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
    commands: Vec<EngineCommand>,
    /// Set a UCI option of the engine, like Hash=256; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Search every position to this depth, in plies [default: in stages: 10, 12, 14 … while time lasts]
    ///
    /// Stages: the whole tree is first grown with engine depth 10, then again with 12, then 14, and so on
    /// until a limit or Ctrl-C. `show` takes the deepest stage that has come far enough to be believed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255),
        allow_negative_numbers = true, conflicts_with = "engine_nodes")]
    engine_depth: Option<u32>,
    /// Search this many nodes in every position, instead of to a depth
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()))]
    engine_nodes: Option<u64>,
    /// Number of engine processes side by side [default: one per processor core; one of each where
    /// several engines are named]
    ///
    /// With --fleet, 0 leaves the searches to the fleet; one process is still started, and says what is
    /// right where answers are compared. Where this computer does not have the engine, workers are compared
    /// with each other.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(0..=1024))]
    engines: Option<u16>,
    /// Do not let idle engines search ahead (for measurements)
    ///
    /// Idle engines search ahead; this never changes the tree.
    #[arg(long)]
    no_look_ahead: bool,
    /// Keep the engine's hash tables between searches: faster, but results then depend on their order
    #[arg(long)]
    keep_hash: bool,
}

impl EngineArgs {
    /// How the engines are to be started and asked.
    pub fn settings(&self) -> Result<Settings, CliError> {
        if self.engines == Some(0) {
            return Err(CliError::usage("--engines 0 leaves nobody to search")
                .hint("it is for searches that a fleet makes: `--fleet nats://host:4222`"));
        }
        self.settings_of(self.engines)
    }

    /// How the engines of this computer are to be started beside those of a fleet: at least one, which need
    /// not search.
    pub fn settings_beside_fleet(&self) -> Result<Settings, CliError> {
        if self.keep_hash {
            return Err(CliError::usage("--keep-hash cannot be used with a fleet").hint(
                "what is on a hash depends on all searches before, and workers make others",
            ));
        }
        self.settings_of(self.engines.map(|engines| engines.max(1)))
    }

    fn settings_of(&self, engines: Option<u16>) -> Result<Settings, CliError> {
        let chosen = self.chosen()?;
        Ok(Settings {
            sources: sources(&chosen.commands, engines)?,
            options: [chosen.options, self.options.clone()].concat(),
            keep_hash: self.keep_hash,
            ..Settings::new("", self.schedule().first())
        })
    }

    /// How deep the engines search.
    pub fn schedule(&self) -> Schedule {
        match (self.engine_nodes, self.engine_depth) {
            (Some(nodes), _) => Schedule::Once(Limit::Nodes(nodes)),
            (None, Some(depth)) => Schedule::Once(Limit::Depth(depth)),
            (None, None) => Schedule::REFINED,
        }
    }

    /// The engine that is named, if one is.
    pub fn named(&self) -> Option<String> {
        self.commands.first().map(ToString::to_string)
    }

    /// Names another engine; an empty name means the one of these arguments.
    ///
    /// # Errors
    ///
    /// Where it cannot be so many processes.
    pub fn name(&mut self, command: &str, otherwise: &EngineArgs) -> Result<(), String> {
        (self.commands, self.options) = match command.trim() {
            "" => (otherwise.commands.clone(), otherwise.options.clone()),
            // The options of one engine are not another's.
            command => (vec![parse_engine(command)?], Vec::new()),
        };
        Ok(())
    }

    /// The engine depth that is given; none with stages.
    pub fn engine_depth(&self) -> Option<u32> {
        self.engine_depth
    }

    /// Gives another engine depth, or none: stages.
    pub fn set_engine_depth(&mut self, depth: Option<u32>) {
        (self.engine_depth, self.engine_nodes) = (depth, None);
    }

    /// Whether the engine's hash stays between searches.
    pub fn keeps_hash(&self) -> bool {
        self.keep_hash
    }

    /// How many processes there are to be, where that is said.
    pub fn engines(&self) -> Option<u16> {
        self.engines
    }

    /// Says how many processes there are to be, or nothing of it.
    pub fn set_engines(&mut self, engines: Option<u16>) {
        self.engines = engines;
    }

    /// Which engine is meant, be it named or not.
    pub fn chosen(&self) -> Result<ChosenEngine, CliError> {
        ChosenEngine::new(&self.commands)
    }

    /// What is to be said where processes with several threads are more than this machine has cores for.
    pub fn note_of_threads(&self, settings: &Settings) -> Option<String> {
        let cores = std::thread::available_parallelism().ok()?.get();
        let of_threads = |name: &str| name.eq_ignore_ascii_case("threads");
        let mut options = settings.options.iter().rev();
        let (_, threads) = options.find(|(name, _)| of_threads(name))?;
        let each: usize = threads.parse().ok()?;
        // What is behind ssh has cores of its own.
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

    /// Whether engines that would be idle search ahead.
    pub fn looks_ahead(&self) -> bool {
        !self.no_look_ahead
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
