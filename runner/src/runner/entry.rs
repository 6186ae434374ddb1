//! What stands on the agenda, as others see it.

use std::sync::Arc;

use crate::facts::TableUse;
use crate::feed::RunFeed;
use crate::feed::event::Snapshot;
use crate::plan::Schedule;
use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::Breadth;
use deepanalyze_store::AnalysisId;

/// How roots are grown of which nobody says otherwise.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// The depth to settle.
    pub depth: u32,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// The endgame tables: new trees go by them, kept ones as they did.
    pub tables: Option<TableUse>,
}

/// A root to be put on the agenda.
#[derive(Debug, Clone)]
pub struct NewRoot {
    /// The game up to the root.
    pub game: Game,
    /// What people call it, where it has no name yet.
    pub name: Option<String>,
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// The depth to settle, where it is said.
    pub depth: Option<u32>,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// Its share of the engines' time beside the others', from 1 to 100, where it is said.
    pub weight: Option<u32>,
    /// What holds where it is not said, and the root is not there yet.
    pub begins_with: RootDefaults,
}

/// What a root begins with of which nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootDefaults {
    /// The depth to settle.
    pub depth: u32,
    /// Its share of the engines' time beside the others', from 1 to 100.
    pub weight: u32,
}

/// What became of a root that was put on the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Its number: that of the analysis of its first stage.
    pub id: AnalysisId,
    /// Whether it was made: the database did not have it before, on the agenda or not.
    pub is_new: bool,
    /// Where it has begun with a copy of the directives of a shorter game: how many, and by how many plies
    /// that game is shorter.
    pub copied: Option<(usize, usize)>,
}

/// A root on the agenda.
#[derive(Debug, Clone)]
pub struct RootEntry {
    /// Its number: that of the analysis of its first stage.
    pub id: AnalysisId,
    /// Its share of the engines' time beside the others'.
    pub weight: u32,
    /// Its place on the agenda, from 0.
    pub place: usize,
    /// Whether the engines search deeper from stage to stage; otherwise this one analysis is grown.
    pub stages: bool,
    /// The depth to settle.
    pub depth: u32,
    /// What is being done about it.
    pub state: EntryState,
    /// How many runs of it this process has begun. Each has a feed of its own.
    pub runs: u64,
    /// What the last of them tells; none before the first.
    pub feed: Option<RunFeed>,
    /// The newest snapshot of that run.
    pub snapshot: Option<Arc<Snapshot>>,
}

/// What is being done about a root on the agenda.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryState {
    /// It grows, or does so as soon as an engine is free.
    Growing,
    /// It rests because somebody wants it to. Searches that were under way are kept when they are answered.
    Paused,
    /// It was grown as far as it goes, and why it goes no further.
    Done(String),
    /// It cannot be grown, and why.
    Failed(String),
    /// Another process grows it; this one goes on when that is done.
    Elsewhere(String),
}

impl EntryState {
    /// Why the root is done, has failed, or is grown elsewhere.
    pub fn message(&self) -> Option<&str> {
        match self {
            EntryState::Growing | EntryState::Paused => None,
            EntryState::Done(why) | EntryState::Failed(why) | EntryState::Elsewhere(why) => {
                Some(why)
            }
        }
    }
}
