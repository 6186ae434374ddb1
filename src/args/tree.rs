//! How broad and how deep a tree grows, by which tablebases, and with what where a position is only looked at.

use std::path::PathBuf;
use std::sync::Arc;

use shakmaty::Color;

use deepanalyze_core::chess::{DrawValue, FiftyMoves, TableFiles, TablesError};
use deepanalyze_core::tree::{Breadth, Widths};
use deepanalyze_engine::Settings;
use deepanalyze_runner::session::SessionSettings;
use deepanalyze_runner::{TableUse, TreePlan};
use deepanalyze_store::TreeSettings;

use super::database::DbArgs;
use super::engines::EngineArgs;
use super::report::{OptionWord, SIDES, one_of};
use crate::config::{Config, ConfigKey};
use crate::error::CliError;

/// The tree's breadth and depth.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tree")]
pub struct TreeArgs {
    /// Move distance in centipawns: follow the moves that are this close to the best
    ///
    /// One number holds for the first two plies and then halves from ply to ply. A list, like 30,20,10,
    /// gives each ply its distance, and the last one halves from there; with a + at the end, like
    /// 30,10+, the last one stays. 20/30 is 20 where White is to move and 30 where Black is: 0+/30+ for a White
    /// repertoire.
    #[arg(long, value_name = "W", default_value = "10", allow_hyphen_values = true)]
    pub distance: Breadth,
    /// The move distance of White alone
    #[arg(long, value_name = "W", allow_hyphen_values = true, hide = true)]
    distance_white: Option<Widths>,
    /// The move distance of Black alone
    #[arg(long, value_name = "W", allow_hyphen_values = true, hide = true)]
    distance_black: Option<Widths>,
    /// Follow at least this many moves in the first position, whatever they lose (like MultiPV)
    #[arg(long, value_name = "K", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=218))]
    pub root_moves: u32,
    #[command(flatten)]
    draw: DrawArgs,
    /// Depth of the tree, in plies [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    depth: Option<u32>,
}

/// Default depth of a tree, in plies.
const DEPTH: u32 = 10;

impl TreeArgs {
    /// The move distances, and how many moves the root has at least.
    pub fn breadth(&self) -> Breadth {
        let Breadth { white, black, .. } = self.distance.clone();
        Breadth {
            white: self.distance_white.clone().unwrap_or(white),
            black: self.distance_black.clone().unwrap_or(black),
            least: self.root_moves,
        }
    }

    /// Takes other move distances.
    pub fn set_distance(&mut self, distance: Breadth) {
        (self.distance, self.distance_white, self.distance_black) = (distance, None, None);
    }

    /// The depth of the tree, in plies.
    pub fn depth(&self) -> u32 {
        self.depth.unwrap_or(DEPTH)
    }

    /// Takes the options that a kept tree was grown with, and its depth unless another one is named.
    pub fn go_on_with(&mut self, TreeSettings { breadth, draw, .. }: &TreeSettings, depth: u32) {
        self.set_distance(breadth.clone());
        self.root_moves = breadth.least;
        self.set_draw_value(*draw);
        self.depth = self.depth.or(Some(depth));
    }

    /// Value of a draw.
    pub fn draw_value(&self) -> DrawValue {
        let DrawArgs { draw_value, avoid_draws } = self.draw;
        draw_value.or(avoid_draws.map(DrawValue::avoided_by)).unwrap_or_default()
    }

    /// Takes another one.
    pub fn set_draw_value(&mut self, draw: DrawValue) {
        self.draw = DrawArgs { draw_value: Some(draw), avoid_draws: None };
    }

    /// A plan for trees without tables and games.
    pub fn plan(&self) -> TreePlan {
        TreePlan { draw: self.draw_value(), ..self.breadth().into() }
    }
}

/// Value of a draw.
#[derive(Debug, Clone, Copy, clap::Args)]
struct DrawArgs {
    /// Value of a draw, in pawns for White, from -10 to 10: with -0.25, White would rather be a
    /// quarter of a pawn worse
    ///
    /// Draws in the tree (by repetition, stalemate, insufficient material, tablebases, or a value you gave) count as
    /// this, so the tree moves away from draws, or towards them. The engine's own scores do not change. --avoid-draws
    /// white is -0.25, --avoid-draws black 0.25.
    #[arg(long, value_name = "PAWNS", allow_hyphen_values = true)]
    draw_value: Option<DrawValue>,
    /// Let this side prefer being a quarter of a pawn worse to a draw: --draw-value=-0.25 for White, 0.25 for Black
    #[arg(long, value_name = "SIDE", value_parser = one_of(SIDES), ignore_case = true, hide = true,
        conflicts_with = "draw_value")]
    avoid_draws: Option<Color>,
}

/// Folders with tablebases: named, or configured.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tablebases")]
pub struct TableFolders {
    /// Folder with Syzygy tablebases (*.rtbw, *.rtbz); may be repeated
    ///
    /// Positions in the tablebases are not searched: they are won, drawn or lost. Positions with no more pieces than
    /// the largest tablebase are looked up; if a file is missing, the engine searches the position. Results are kept
    /// in the database, so `show` does not need the files. "no" ignores the folders of your settings. Where trees are
    /// grown, --fifty iccf counts a win that the fifty-move rule turns into a draw as a win (a setting, too: fifty).
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// `--tables no`
    #[arg(long, conflicts_with = "tables", hide = true)]
    no_tables: bool,
}

impl TableFolders {
    /// The folders, from the configuration where none are named.
    pub fn folders(&self) -> Vec<PathBuf> {
        match &*self.tables {
            _ if self.are_refused() => Vec::new(),
            [] => Config::loaded().texts(ConfigKey::Tables).iter().map(PathBuf::from).collect(),
            named => named.to_vec(),
        }
    }

    fn are_refused(&self) -> bool {
        self.no_tables || matches!(&*self.tables, [no] if no.as_os_str() == "no")
    }

    fn are_configured(&self) -> bool {
        self.tables.is_empty()
    }

    /// True if the user has named folders for this command.
    pub fn are_named(&self) -> bool {
        !self.are_configured() && !self.are_refused()
    }

    fn find(&self) -> Result<Option<TableFiles>, TablesError> {
        match self.folders() {
            none if none.is_empty() => Ok(None),
            folders => TableFiles::find(&folders).map(Some),
        }
    }

    /// The files; none where no folder is named or configured.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used.
    pub fn files(&self) -> Result<Option<TableFiles>, CliError> {
        self.find().map_err(|error| {
            let without = "these folders are in your settings; --tables no ignores them";
            CliError::failure(&error).maybe_hint(self.are_configured().then(|| without.to_owned()))
        })
    }

    /// Opens the folders; if configured ones cannot be used, as when their disk is away, calls
    /// `warn` and gives `None`.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used that the user has named.
    pub fn files_if_there(
        &self,
        warn: impl FnOnce(String),
    ) -> Result<Option<TableFiles>, CliError> {
        match self.find() {
            Err(error) if self.are_configured() => {
                warn(format!("{}; continuing without tablebases", error.in_full()));
                Ok(None)
            }
            found => found.map_err(|error| CliError::failure(&error)),
        }
    }
}

/// Says that positions are looked up again, which may take long on a slow disk.
pub fn looking_again(count: usize) -> String {
    let positions = deepanalyze_view::count(count as u64, "position");
    format!("looking up {positions} that the tablebases did not cover before")
}

const RULES: &[OptionWord<FiftyMoves>] =
    &[("fide", "A draw", FiftyMoves::Fide), ("iccf", "A win", FiftyMoves::Iccf)];

/// Tables, and whether the fifty-move rule counts beside them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tablebases")]
pub struct TableArgs {
    #[command(flatten)]
    pub folders: TableFolders,
    /// Count a tablebase win that the fifty-move rule turns into a draw as a draw (fide) or as a win (iccf) [default:
    /// the configured rule, else fide]
    #[arg(long, value_name = "RULE", value_parser = one_of(RULES), hide = true)]
    pub fifty: Option<FiftyMoves>,
}

impl TableArgs {
    /// Takes other folders; none for no tables.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = TableFolders { no_tables: folders.is_empty(), tables: folders };
    }

    /// The fifty-move rule of trees.
    pub fn fifty_moves(&self) -> FiftyMoves {
        let configured = || Config::loaded().text(ConfigKey::Fifty)?.parse().ok();
        self.fifty.or_else(configured).unwrap_or_default()
    }

    /// Refuses a rule for wins in tables where there are no tables.
    ///
    /// # Errors
    ///
    /// Where the user has written one that would change nothing.
    pub fn check(&self) -> Result<(), CliError> {
        if self.fifty == Some(FiftyMoves::Iccf) && self.folders.folders().is_empty() {
            return Err(CliError::usage("--fifty iccf needs tablebases")
                .hint("--tables DIR names a folder with Syzygy tablebases"));
        }
        Ok(())
    }

    /// The tables by which trees go; none where no folder is named or configured.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used.
    pub fn tables(&self) -> Result<Option<TableUse>, CliError> {
        Ok(self.folders.files()?.map(|files| self.used(files)))
    }

    /// Opens the tables; if configured folders cannot be used, calls `warn` and gives `None`.
    ///
    /// # Errors
    ///
    /// Where a folder cannot be used that the user has named.
    pub fn tables_if_there(&self, warn: impl FnOnce(String)) -> Result<Option<TableUse>, CliError> {
        Ok(self.folders.files_if_there(warn)?.map(|files| self.used(files)))
    }

    fn used(&self, files: TableFiles) -> TableUse {
        TableUse::new(Arc::new(files), self.fifty_moves())
    }
}

/// The trees of another program that looks at positions: a GUI's, or Lichess'.
#[derive(Debug, Clone, clap::Args)]
pub struct SessionArgs {
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    #[command(flatten)]
    pub tables: TableArgs,
}

impl SessionArgs {
    /// Settings of a session.
    pub fn settings(
        &self,
        engines: Settings,
        tables: Option<TableUse>,
    ) -> Result<SessionSettings, CliError> {
        Ok(SessionSettings {
            database: self.db.path_to_grow()?,
            engines,
            schedule: self.engine.schedule(),
            tree: TreePlan { tables, ..self.tree.plan() },
            depth: self.tree.depth(),
            look_ahead: self.engine.looks_ahead(),
        })
    }
}
