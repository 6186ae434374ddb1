//! The options that the GUI shows, and what they set.

use std::path::PathBuf;

use crate::error::CliError;
use deepanalyze_core::uci::{OptionKind, OptionLine};
use deepanalyze_engine::{Offer, OfferKind};
use deepanalyze_runner::TableUse;
use deepanalyze_runner::session::SessionSettings;

use super::UciArgs;

/// What stands before the name of an option of the engine.
const OF_ENGINE: &str = "Engine.";
/// An engine depth that is not given: stages.
const AUTO: &str = "auto";
/// The most lines.
const MOST_LINES: u32 = 218;
/// Options of the engine that are not the GUI's to set: the program sets them itself, or has them as its own.
const OWN: [&str; 10] = [
    "Threads",
    "Number of Threads",
    "OwnBook",
    "UCI_ShowWDL",
    "Ponder",
    "MultiPV",
    "UCI_Chess960",
    "UCI_AnalyseMode",
    "Hash",
    "SyzygyPath",
];

/// What is set.
#[derive(Debug, Clone)]
pub struct Options {
    /// The command line, with what the GUI has set in its place.
    args: UciArgs,
    /// As it was at the start.
    given: UciArgs,
    /// The tables that the command line or the GUI names.
    tables: Option<TableUse>,
    /// Why there are none where some are configured.
    pub warning: Option<String>,
    /// Mebibytes of each engine's hash; 0 leaves it as the engine has it.
    hash: u32,
    /// Options of the engine.
    of_engine: Vec<(String, String)>,
    /// How many lines are told.
    pub lines: u32,
    /// Whether win, draw and loss are told with every score.
    pub shows_wdl: bool,
    /// Milliseconds kept back for the way to and from the GUI.
    pub move_overhead: u64,
}

impl Options {
    /// The defaults: what the command line says.
    ///
    /// # Errors
    ///
    /// Where a folder of tables cannot be used that the command line names.
    pub fn new(args: UciArgs) -> Result<Options, CliError> {
        let mut warning = None;
        Ok(Options {
            tables: args.tables.tables_if_there(|why| warning = Some(why))?,
            warning,
            given: args.clone(),
            hash: 0,
            of_engine: Vec::new(),
            lines: args.tree.root_moves(),
            shows_wdl: false,
            move_overhead: 100,
            args,
        })
    }

    /// What the session works with.
    ///
    /// # Errors
    ///
    /// Where they make no sense together, or the configuration cannot be read.
    pub fn settings(&self) -> Result<SessionSettings, CliError> {
        let mut engines = self.args.engine.settings()?;
        if self.hash > 0 {
            engines.options.push(("Hash".to_owned(), self.hash.to_string()));
        }
        engines.options.extend(self.of_engine.iter().cloned());
        Ok(SessionSettings {
            database: self.args.db.path_to_grow()?,
            engines,
            schedule: self.args.engine.schedule(),
            breadth: self.args.tree.breadth(),
            depth: self.args.tree.depth,
            look_ahead: self.args.engine.looks_ahead(),
            tables: self.tables.clone(),
        })
    }

    /// The lines that declare the options, with those of the engine.
    pub fn listing(&self, offers: &[Offer]) -> Vec<OptionLine> {
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let text = |text: Option<String>| OptionKind::Text(text.unwrap_or_default());
        let path = self.given.db.path().ok().map(|path| path.display().to_string());
        let depth = self.given.engine.engine_depth();
        let depth = depth.map_or(AUTO.to_owned(), |depth| depth.to_string());
        let engines = self.given.engine.engines().unwrap_or(0);
        let own = [
            ("Engine", text(self.given.engine.named())),
            ("EngineDepth", OptionKind::Text(depth)),
            ("Engines", spin(engines.into(), 0, 1024)),
            ("Hash", spin(0, 0, 1 << 20)),
            ("MultiPV", spin(self.given.tree.root_moves().into(), 1, MOST_LINES.into())),
            ("Distance", OptionKind::Text(self.given.tree.distance())),
            ("DatabaseFile", text(path)),
            ("SyzygyPath", text(self.given.folders())),
            ("Syzygy50MoveRule", OptionKind::Check(self.given.tables.has_fifty_moves())),
            ("UCI_ShowWDL", OptionKind::Check(false)),
            ("Ponder", OptionKind::Check(false)),
            ("Move Overhead", spin(100, 0, 10_000)),
        ];
        let own = own.into_iter().map(|(name, kind)| OptionLine::new(name, kind));
        let of_engine = offers.iter().filter(|offer| !is_own(&offer.name)).filter_map(of_engine);
        own.chain(of_engine).collect()
    }

    /// Sets an option; whether the session's settings are others by it. Names do not mind case.
    ///
    /// # Errors
    ///
    /// An unknown name, or a value that the option does not take.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let value = if value == "<empty>" { "" } else { value };
        if let Some(of_engine) = strip_prefix(name, OF_ENGINE) {
            self.set_of_engine(of_engine, value)?;
            return Ok(true);
        }
        match name.to_ascii_lowercase().as_str() {
            "engine" => self.args.engine.name(value, &self.given.engine)?,
            "enginedepth" => {
                let depth = number(name, value, 1, 255, AUTO)?;
                self.args.engine.set_engine_depth(depth);
            }
            "engines" => {
                let engines = number(name, value, 0, 1024, "0")?;
                self.args.engine.set_engines(engines.and_then(|n| u16::try_from(n).ok()));
            }
            "hash" => self.hash = number(name, value, 0, 1 << 20, "0")?.unwrap_or(0),
            "distance" => self.args.tree.set_distance(value)?,
            "databasefile" => {
                let file = Some(value).filter(|value| !value.is_empty()).map(PathBuf::from);
                self.args.db.db = file.or_else(|| self.given.db.db.clone());
                self.tables = self.tables.as_ref().map(TableUse::of_another_database);
            }
            "syzygypath" => {
                let folders = value_or(value, self.given.folders());
                self.find_tables(folders.iter().flat_map(std::env::split_paths).collect())?;
            }
            "syzygy50moverule" => {
                self.args.tables.set_fifty_moves(check(name, value)?);
                let fifty = self.args.tables.fifty_moves();
                self.tables = self.tables.as_ref().map(|used| used.under(fifty));
            }
            _ => return self.set_telling(name, value).map(|()| false),
        }
        Ok(true)
    }

    /// Goes by the tables in other folders; by those before where they cannot be used.
    fn find_tables(&mut self, folders: Vec<PathBuf>) -> Result<(), String> {
        let mut tables = self.args.tables.clone();
        tables.set_folders(folders);
        self.tables = tables.tables().map_err(|error| error.message())?;
        (self.args.tables, self.warning) = (tables, None);
        Ok(())
    }

    /// Sets what changes nothing but what is told.
    fn set_telling(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name.to_ascii_lowercase().as_str() {
            "multipv" => self.lines = number(name, value, 1, MOST_LINES, "1")?.unwrap_or(1),
            "uci_showwdl" => self.shows_wdl = check(name, value)?,
            "ponder" => drop(check(name, value)?),
            "move overhead" => {
                self.move_overhead = number(name, value, 0, 10_000, "0")?.unwrap_or(0).into();
            }
            // GUIs set these without being asked.
            "uci_analysemode" | "threads" | "uci_limitstrength" | "clear hash" | "uci_opponent" => {
            }
            "uci_chess960" if !check(name, value)? => {}
            "uci_chess960" => return Err("Chess960 is not supported yet".to_owned()),
            _ => return Err(format!("no option {name:?}")),
        }
        Ok(())
    }

    fn set_of_engine(&mut self, name: &str, value: &str) -> Result<(), String> {
        if is_own(name) {
            return Err(format!("option {name:?} is not set by {OF_ENGINE}{name}"));
        }
        self.of_engine.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.of_engine.push((name.to_owned(), value.to_owned()));
        Ok(())
    }
}

impl UciArgs {
    /// The folders of tables as engines have them: one text.
    fn folders(&self) -> Option<String> {
        let folders = std::env::join_paths(self.tables.folders()).ok()?;
        Some(folders.to_string_lossy().into_owned()).filter(|folders| !folders.is_empty())
    }
}

/// What a GUI has set, else another text.
fn value_or(value: &str, other: Option<String>) -> Option<String> {
    if value.is_empty() { other } else { Some(value.to_owned()) }
}

fn is_own(name: &str) -> bool {
    OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// The engine's option as this engine declares it. Buttons have no state that could be a part of answers.
fn of_engine(offer: &Offer) -> Option<OptionLine> {
    let default = offer.default.clone().unwrap_or_default();
    let kind = match &offer.kind {
        OfferKind::Check => OptionKind::Check(default == "true"),
        OfferKind::Spin { least, greatest } => {
            let (min, max) = (least.unwrap_or(0), greatest.unwrap_or(i64::from(i32::MAX)));
            OptionKind::Spin { default: default.parse().unwrap_or(min), min, max }
        }
        OfferKind::Combo(choices) => OptionKind::Combo { default, choices: choices.clone() },
        OfferKind::String => OptionKind::Text(default),
        OfferKind::Button => return None,
    };
    Some(OptionLine::new(format!("{OF_ENGINE}{}", offer.name), kind))
}

fn strip_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = name.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{name} is true or false, not {value:?}")),
    }
}

/// A number within limits; nothing for the word that leaves it open.
fn number(name: &str, value: &str, min: u32, max: u32, open: &str) -> Result<Option<u32>, String> {
    if value.eq_ignore_ascii_case(open) {
        return Ok(value.parse().ok().filter(|n| *n >= min.max(1)));
    }
    match value.parse::<u32>() {
        Ok(n) if (min..=max).contains(&n) => Ok(Some(n)),
        _ => Err(format!("{name} is a number from {min} to {max}, not {value:?}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use deepanalyze_core::chess::{FiftyMoves, Tables};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: UciArgs,
    }

    fn options(args: &[&str]) -> Options {
        let words = ["uci", "--db", "x.db"].iter().chain(args);
        Options::new(Line::try_parse_from(words).unwrap().args).unwrap()
    }

    #[test]
    fn the_command_line_gives_the_defaults() {
        let args = ["--engine", "some engine", "--engine-depth", "9", "--distance", "30,10+"];
        let lines: Vec<String> =
            options(&args).listing(&[]).iter().map(ToString::to_string).collect();
        for line in [
            "option name Engine type string default some engine",
            "option name EngineDepth type string default 9",
            "option name Distance type string default 30,10+",
            "option name DatabaseFile type string default x.db",
            "option name MultiPV type spin default 1 min 1 max 218",
            "option name Hash type spin default 0 min 0 max 1048576",
        ] {
            assert!(lines.iter().any(|told| told == line), "{line}: {lines:?}");
        }
    }

    #[test]
    fn what_the_gui_sets_is_what_the_session_works_with() {
        let mut options = options(&["--engine", "one"]);
        for (name, value) in [
            ("engine", "3*other --flag"),
            ("EngineDepth", "14"),
            ("Hash", "64"),
            ("Distance", "25"),
            ("Engine.Skill Level", "3"),
            ("engine.skill level", "4"),
            ("DatabaseFile", "y.db"),
        ] {
            assert_eq!(options.set(name, value), Ok(true), "{name}");
        }
        let settings = options.settings().unwrap();
        assert_eq!(settings.engines.sources[0].command, "other --flag");
        assert_eq!(settings.engines.sources[0].engines, 3);
        let set = [("Hash", "64"), ("skill level", "4")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(settings.engines.options, set);
        assert_eq!(settings.schedule.first(), deepanalyze_core::search::Limit::Depth(14));
        assert_eq!(settings.breadth.white.to_string(), "25");
        assert_eq!(settings.database, PathBuf::from("y.db"));
        assert_eq!(options.set("EngineDepth", "auto"), Ok(true));
        assert!(options.settings().unwrap().schedule.has_stages());
        assert_eq!(options.set("Engine", "<empty>"), Ok(true));
        assert_eq!(options.settings().unwrap().engines.sources[0].command, "one");
    }

    #[test]
    fn tables_are_those_of_the_command_line_or_of_the_gui() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tables");
        let mut gui = options(&["--engine", "one"]);
        let tables = |options: &Options| options.settings().unwrap().tables.map(|used| used.tables);
        assert_eq!(tables(&gui), None);
        assert_eq!(gui.set("SyzygyPath", folder), Ok(true));
        assert_eq!(tables(&gui), Some(Tables { men: 3, fifty: FiftyMoves::Fide }));
        assert_eq!(gui.set("Syzygy50MoveRule", "false"), Ok(true));
        assert_eq!(tables(&gui), Some(Tables { men: 3, fifty: FiftyMoves::Iccf }));
        // What cannot be used is refused as SyzygyPath's, and the tables before stay.
        assert!(gui.set("SyzygyPath", "/no/such/folder").is_err());
        for (name, value) in [("DatabaseFile", "y.db"), ("Syzygy50MoveRule", "true")] {
            assert_eq!(gui.set(name, value), Ok(true), "{name}");
        }
        assert_eq!(tables(&gui), Some(Tables { men: 3, fifty: FiftyMoves::Fide }));
        assert_eq!(gui.set("SyzygyPath", "<empty>"), Ok(true));
        assert_eq!(tables(&gui), None);
        let given = options(&["--engine", "one", "--tables", folder]);
        let listed = given.listing(&[]).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(listed.contains(&format!("option name SyzygyPath type string default {folder}")));
    }

    #[test]
    fn what_an_option_does_not_take_is_refused_and_what_guis_set_anyway_is_not() {
        let mut options = options(&["--engine", "one"]);
        for (name, value) in [
            ("MultiPV", "0"),
            ("EngineDepth", "deep"),
            ("Hash", "-1"),
            ("UCI_ShowWDL", "yes"),
            ("Distance", "10,20"),
            ("Contempt", "1"),
            ("UCI_Chess960", "true"),
            ("Engine.Threads", "4"),
            ("Engine.SyzygyPath", "/"),
            ("SyzygyPath", "/no/such/folder"),
        ] {
            assert!(options.set(name, value).is_err(), "{name} {value}");
        }
        for (name, value) in [("Threads", "8"), ("UCI_AnalyseMode", "true"), ("Ponder", "true")] {
            assert_eq!(options.set(name, value), Ok(false), "{name}");
        }
        assert_eq!((options.set("multipv", "4"), options.lines), (Ok(false), 4));
    }

    #[test]
    fn the_engines_options_are_declared_behind_a_prefix() {
        let offers = [
            Offer {
                name: "Style".to_owned(),
                kind: OfferKind::Check,
                default: Some("true".to_owned()),
            },
            Offer { name: "Threads".to_owned(), kind: OfferKind::Check, default: None },
            Offer { name: "Clear".to_owned(), kind: OfferKind::Button, default: None },
        ];
        let listing = options(&[]).listing(&offers);
        let of_engine: Vec<String> = listing
            .iter()
            .filter(|line| line.name.starts_with(OF_ENGINE))
            .map(ToString::to_string)
            .collect();
        assert_eq!(of_engine, ["option name Engine.Style type check default true"]);
    }
}
