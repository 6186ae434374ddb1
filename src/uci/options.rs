//! The options that the GUI shows, and what they set.

use std::path::PathBuf;

use crate::args::engines::parse_engine;
use crate::args::tree::SessionArgs;
use crate::error::CliError;
use deepanalyze_core::chess::{DrawValue, FiftyMoves};
use deepanalyze_core::tree::WidthsError;
use deepanalyze_core::uci::{OptionKind, OptionLine};
use deepanalyze_engine::{Offer, OfferKind};
use deepanalyze_runner::TableUse;
use deepanalyze_runner::session::SessionSettings;

/// Prefix of the engine's own options.
const OF_ENGINE: &str = "Engine.";
/// An engine depth that is not given: stages.
const AUTO: &str = "auto";
/// The most lines.
const MOST_LINES: i64 = 218;
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

/// Options that change only the output.
const TOLD: [&str; 4] = ["multipv", "uci_showwdl", "uci_chess960", "move overhead"];
/// Options that GUIs set without being asked.
const SET_ANYWAY: [&str; 6] =
    ["ponder", "uci_analysemode", "threads", "uci_limitstrength", "clear hash", "uci_opponent"];

/// The options set so far.
#[derive(Debug, Clone)]
pub struct GuiOptions {
    /// The command line, with what the GUI has set in its place.
    args: SessionArgs,
    /// As it was at the start.
    given: SessionArgs,
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
    /// Sends win, draw and loss with every score.
    pub shows_wdl: bool,
    /// Writes castling as the king's move onto its rook, in every position.
    pub is_chess960: bool,
    /// Milliseconds kept back for the way to and from the GUI.
    pub move_overhead: u64,
}

impl GuiOptions {
    /// The defaults: what the command line says.
    ///
    /// # Errors
    ///
    /// Where a folder of tables cannot be used that the command line names.
    pub fn new(args: SessionArgs) -> Result<GuiOptions, CliError> {
        let mut warning = None;
        Ok(GuiOptions {
            tables: args.tables.tables_if_there(|why| warning = Some(why))?,
            warning,
            given: args.clone(),
            hash: 0,
            of_engine: Vec::new(),
            lines: args.tree.root_moves,
            shows_wdl: false,
            is_chess960: false,
            move_overhead: 100,
            args,
        })
    }

    /// Settings of the session.
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
        self.args.settings(engines, self.tables.clone())
    }

    /// The lines that declare the options, with those of the engine.
    pub fn listing(&self, offers: &[Offer]) -> Vec<OptionLine> {
        let of_engine = offers.iter().filter(|offer| !is_own(&offer.name)).filter_map(of_engine);
        self.own().into_iter().chain(of_engine).collect()
    }

    fn own(&self) -> [OptionLine; 14] {
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let text = |text: Option<String>| OptionKind::Text(text.unwrap_or_default());
        let SessionArgs { db, engine, tree, tables } = &self.given;
        let depth = engine.engine_depth.map_or(AUTO.to_owned(), |depth| depth.to_string());
        [
            ("Engine", text(engine.commands.first().map(ToString::to_string))),
            ("EngineDepth", OptionKind::Text(depth)),
            ("Engines", spin(engine.engines.unwrap_or(0).into(), 0, 1024)),
            ("Hash", spin(0, 0, 1 << 20)),
            ("MultiPV", spin(tree.root_moves.into(), 1, MOST_LINES)),
            ("Distance", OptionKind::Text(tree.breadth().typed())),
            ("DrawValue", spin(tree.draw_value().get().into(), -1000, 1000)),
            ("DatabaseFile", text(db.path().ok().map(|path| path.display().to_string()))),
            ("SyzygyPath", text(self.given_folders())),
            ("Syzygy50MoveRule", OptionKind::Check(tables.fifty_moves() == FiftyMoves::Fide)),
            ("UCI_ShowWDL", OptionKind::Check(false)),
            ("UCI_Chess960", OptionKind::Check(false)),
            ("Ponder", OptionKind::Check(false)),
            ("Move Overhead", spin(100, 0, 10_000)),
        ]
        .map(|(name, kind)| OptionLine::new(name, kind))
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
        let own = self.own().into_iter().find(|own| own.name.eq_ignore_ascii_case(name));
        let (mut number, mut is_on) = (0_i64, false);
        match own.map(|own| own.kind) {
            Some(OptionKind::Spin { min, max, .. }) => number = number_in(name, value, min, max)?,
            Some(OptionKind::Check(_)) => is_on = check(name, value)?,
            _ => {}
        }
        let lower = name.to_ascii_lowercase();
        match &*lower {
            "engine" => self.set_engine(value)?,
            "enginedepth" => {
                let is_auto = value.eq_ignore_ascii_case(AUTO);
                let depth = (!is_auto).then(|| number_in(name, value, 1, 255)).transpose()?;
                let depth = depth.and_then(|depth| u32::try_from(depth).ok());
                (self.args.engine.engine_depth, self.args.engine.engine_nodes) = (depth, None);
            }
            "engines" => {
                self.args.engine.engines = u16::try_from(number).ok().filter(|number| *number > 0);
            }
            "hash" => self.hash = u32::try_from(number).unwrap_or_default(),
            "distance" => {
                let distance = value.parse().map_err(|error: WidthsError| error.to_string())?;
                self.args.tree.set_distance(distance);
            }
            "drawvalue" => {
                // Within the bounds, which were checked.
                self.args.tree.set_draw_value(DrawValue::new(number).unwrap_or_default());
            }
            "databasefile" => {
                let file = Some(value).filter(|value| !value.is_empty()).map(PathBuf::from);
                self.args.db.db = file.or_else(|| self.given.db.db.clone());
                self.tables = self.tables.as_ref().map(TableUse::of_another_database);
            }
            "syzygypath" => {
                let named = Some(value.to_owned()).filter(|value| !value.is_empty());
                let folders = named.or_else(|| self.given_folders());
                self.find_tables(folders.iter().flat_map(std::env::split_paths).collect())?;
            }
            "syzygy50moverule" => {
                let fifty = if is_on { FiftyMoves::Fide } else { FiftyMoves::Iccf };
                self.args.tables.fifty = Some(fifty);
                self.tables = self.tables.as_ref().map(|used| used.under(fifty));
            }
            // Changes only the output.
            "multipv" => self.lines = u32::try_from(number).unwrap_or(1),
            "uci_showwdl" => self.shows_wdl = is_on,
            "uci_chess960" => self.is_chess960 = is_on,
            "move overhead" => self.move_overhead = number.unsigned_abs(),
            name if SET_ANYWAY.contains(&name) => {}
            _ => return Err(format!("no option {name:?}")),
        }
        Ok(!TOLD.contains(&&*lower) && !SET_ANYWAY.contains(&&*lower))
    }

    /// Names another engine; an empty name means the one of the command line.
    fn set_engine(&mut self, command: &str) -> Result<(), String> {
        let (engine, given) = (&mut self.args.engine, &self.given.engine);
        (engine.commands, engine.options) = match command.trim() {
            "" => (given.commands.clone(), given.options.clone()),
            // The options of one engine are not another's.
            command => (vec![parse_engine(command)?], Vec::new()),
        };
        Ok(())
    }

    /// The folders of tables of the command line as engines have them: one text.
    fn given_folders(&self) -> Option<String> {
        let folders = std::env::join_paths(self.given.tables.folders.folders()).ok()?;
        Some(folders.to_string_lossy().into_owned()).filter(|folders| !folders.is_empty())
    }

    /// Uses the tables in other folders; those before if they cannot be used.
    fn find_tables(&mut self, folders: Vec<PathBuf>) -> Result<(), String> {
        let mut tables = self.args.tables.clone();
        tables.set_folders(folders);
        self.tables = tables.tables().map_err(|error| error.message())?;
        (self.args.tables, self.warning) = (tables, None);
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

/// A number within limits.
fn number_in(name: &str, value: &str, min: i64, max: i64) -> Result<i64, String> {
    let number = value.parse::<i64>().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("{name} is a number from {min} to {max}, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use deepanalyze_core::chess::Tables;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SessionArgs,
    }

    fn options(args: &[&str]) -> GuiOptions {
        let words = ["uci", "--db", "x.db"].iter().chain(args);
        GuiOptions::new(Line::try_parse_from(words).unwrap().args).unwrap()
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
        assert_eq!(settings.tree.breadth.white.to_string(), "25");
        assert_eq!(settings.database, PathBuf::from("y.db"));
        assert_eq!(options.set("EngineDepth", "auto"), Ok(true));
        assert!(options.settings().unwrap().schedule.has_stages());
        assert_eq!(options.set("Engine", "<empty>"), Ok(true));
        assert_eq!(options.settings().unwrap().engines.sources[0].command, "one");
    }

    #[test]
    fn draw_value_is_the_command_line_s_until_set() {
        let mut gui = options(&["--engine", "one", "--avoid-draws", "black"]);
        let draw = |options: &GuiOptions| options.settings().unwrap().tree.draw.get();
        assert_eq!(draw(&gui), 25);
        assert!(gui.listing(&[]).iter().any(|line| {
            line.to_string() == "option name DrawValue type spin default 25 min -1000 max 1000"
        }));
        assert_eq!(gui.set("drawvalue", "-40"), Ok(true));
        assert_eq!(draw(&gui), -40);
        let refused = gui.set("DrawValue", "1001").unwrap_err();
        assert_eq!(refused, "DrawValue is a number from -1000 to 1000, not \"1001\"");
        assert_eq!(draw(&gui), -40);
    }

    #[test]
    fn tables_are_those_of_the_command_line_or_of_the_gui() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/core/tables");
        let mut gui = options(&["--engine", "one"]);
        let tables =
            |options: &GuiOptions| options.settings().unwrap().tree.tables.map(|used| used.tables);
        assert_eq!(tables(&gui), None);
        assert_eq!(gui.set("SyzygyPath", folder), Ok(true));
        assert_eq!(tables(&gui), Some(Tables { men: 3, fifty: FiftyMoves::Fide }));
        assert_eq!(gui.set("Syzygy50MoveRule", "false"), Ok(true));
        assert_eq!(tables(&gui), Some(Tables { men: 3, fifty: FiftyMoves::Iccf }));
        // Unusable folders are refused as values of SyzygyPath, and the tables before stay.
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
    fn bad_values_are_refused_but_usual_options_accepted() {
        let mut options = options(&["--engine", "one"]);
        for (name, value) in [
            ("MultiPV", "0"),
            ("EngineDepth", "deep"),
            ("Hash", "-1"),
            ("UCI_ShowWDL", "yes"),
            ("Distance", "10,20"),
            ("Contempt", "1"),
            ("UCI_Chess960", "yes"),
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
