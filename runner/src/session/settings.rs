//! What a session works with, and what it is asked.

use std::path::PathBuf;

use shakmaty::uci::UciMove;

use crate::{Schedule, TableUse};
use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::Settings;

use super::goal::Goal;

/// What a session works with.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// The database, which is made where there is none.
    pub database: PathBuf,
    /// The engines.
    pub engines: Settings,
    /// How deep they search.
    pub schedule: Schedule,
    /// The move distances; how many moves the root has at least is the question's.
    pub breadth: Breadth,
    /// The depth of the tree to settle in each stage.
    pub depth: u32,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// The endgame tables by which trees go; none where they do not.
    pub tables: Option<TableUse>,
}

/// A position to analyse.
#[derive(Debug, Clone)]
pub struct Question {
    /// The game up to it.
    pub game: Game,
    /// How many lines to tell, each of another move; the root has at least so many moves.
    pub lines: u32,
    /// The only moves to consider, in this program's spelling and legal; none for all. This is kept nowhere.
    pub only: Vec<UciMove>,
    /// When to answer.
    pub goal: Goal,
}

impl Question {
    /// Whether a line with this first move is wanted.
    pub(super) fn asks_for(&self, first: Option<&UciMove>) -> bool {
        first.is_some_and(|first| self.only.is_empty() || self.only.contains(first))
    }
}

impl SessionSettings {
    /// Whether engines that were started by one can work for the other. What they are left with is kept in the
    /// database.
    pub(super) fn has_same_engines(&self, other: &SessionSettings) -> bool {
        let (mine, theirs) = (&self.engines, &other.engines);
        let same = (&mine.sources, &mine.options, mine.keep_hash);
        same == (&theirs.sources, &theirs.options, theirs.keep_hash)
            && self.database == other.database
    }
}
