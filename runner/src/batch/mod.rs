//! Growing the trees of many roots, one after the other: one pool, one memo, limits over all. With stages,
//! every root has its turn in a stage before the next stage begins.

mod turn;
mod work;

use std::sync::Arc;
use std::time::Duration;

use deepanalyze_core::chess::{Ending, Game};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::Engines;
use deepanalyze_report::Percent;
use deepanalyze_store::{AnalysisRow, ProfileId, Store};

use super::control::ControlReceiver;
use super::control::limits::RunLimits;
use super::error::RunError;
use super::facts::TableUse;
use super::feed::progress::Observer;
use super::grow::{End, RunOutcome};
use super::schedule::Schedule;
use work::Work;

/// What to grow.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The roots, in the order in which they are grown.
    pub roots: Vec<Root>,
    /// The move distances, and how many moves each root has at least.
    pub breadth: Breadth,
    /// The endgame tables by which they go; none where they do not.
    pub tables: Option<TableUse>,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// What may end the whole batch.
    pub limits: RunLimits,
    /// What may end the work on one root, in all stages.
    pub each: RunLimits,
    /// The chance that its best move stays at which a root is done.
    pub until_stable: Option<Percent>,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// One root of a batch.
#[derive(Debug, Clone)]
pub struct Root {
    /// What the run's reports call it: a move of the game, the `id` of an EPD line.
    pub name: String,
    /// What people call it, where it has no name in the database yet.
    pub kept_name: Option<String>,
    /// The game that it is a position of: the roots of one game share it.
    game: Arc<Game>,
    ply: usize,
}

impl Root {
    /// A position of a game, at a ply.
    pub fn new(name: String, kept_name: Option<String>, (game, ply): (Arc<Game>, usize)) -> Root {
        Root { name, kept_name, game, ply }
    }

    /// The position that a game leads to.
    pub fn at_the_end(name: String, kept_name: Option<String>, game: Game) -> Root {
        let ply = game.moves().len();
        Root::new(name, kept_name, (Arc::new(game), ply))
    }

    /// The game up to it.
    pub fn game(&self) -> Game {
        self.game.up_to(self.ply)
    }
}

/// What became of a root in the last stage in which it had a turn.
#[derive(Debug)]
pub enum RootOutcome {
    /// The game is over there.
    Over(Ending),
    /// Its depth had been settled before.
    Done(Box<AnalysisRow>),
    /// Its best move had been stable enough before.
    Stable(Box<AnalysisRow>),
    /// It was grown, perhaps not to its end.
    Grown(Box<RunOutcome>),
    /// It cannot be grown now; the others can.
    Failed(RunError),
    /// The batch ended before its turn.
    Left,
}

/// What a batch did.
#[derive(Debug)]
pub struct BatchEnd {
    /// The limit of the searches of the last stage that was begun.
    pub limit: Limit,
    /// Whose answers that stage's trees are made of.
    pub profile: ProfileId,
    /// How the batch ended: [`End::Settled`] where every root had its turn.
    pub ending: End,
    /// What became of each root.
    pub outcomes: Vec<RootOutcome>,
    /// Searches of this run.
    pub searches: u64,
    /// How long this run took.
    pub elapsed: Duration,
}

/// Who is told of a batch.
pub trait BatchObserver: Observer {
    /// So many of the roots had been settled before.
    fn done_before(&mut self, count: usize);
    /// The work on a root (its place counts from 0) begins.
    fn root_begins(&mut self, index: usize, root: &Root);
    /// A root has had its turn, in which something was done.
    fn root_ends(&mut self, index: usize, outcome: &RootOutcome);
}

/// Grows or continues the trees of all roots in turn. A root whose search fails is left, and the
/// next one is grown.
///
/// # Errors
///
/// [`RunError`] where the store fails, or engines fail at whatever they are asked; what was
/// answered is kept.
pub fn grow_batch(
    batch: &Batch,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn BatchObserver,
) -> Result<BatchEnd, RunError> {
    Work::new(batch, (store, engines), control, observer)?.grow_all()
}
