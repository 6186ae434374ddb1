//! Growing one analysis: pass after pass, depth after depth.

mod passes;
mod stage;

use std::sync::Arc;
use std::time::Duration;

use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Breadth;
use deepanalyze_report::{BestLine, LinesTold, Percent, Stays};
use deepanalyze_store::AnalysisId;

use super::control::limits::RunLimits;
use super::facts::TableUse;
use super::keeping::Keeping;
use super::look_ahead::SearchedAhead;
use super::pass::PassOrder;
use super::schedule::Schedule;
use super::stages::Exhausted;

pub(super) use stage::{exhausted, grow_stage};

/// What to grow.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game up to the root.
    pub game: Game,
    /// What people call the root, where it has no name yet.
    pub name: Option<String>,
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// The endgame tables by which it goes; none where it does not.
    pub tables: Option<TableUse>,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// What may end the run before.
    pub limits: RunLimits,
    /// The chance that the best move stays at which the run ends; none where it goes on however stable it is.
    pub until_stable: Option<Percent>,
    /// The directives that the root is to have in place of those it has.
    pub directives: Option<Directives>,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// In which order each pass gives its positions to engines.
    pub order: PassOrder,
    /// Which lines the run tells of.
    pub told: LinesTold,
    /// What it keeps.
    pub keeping: Keeping,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The depth is settled.
    Settled,
    /// The best move is as stable as it was to be.
    Stable,
    /// A limit is reached.
    Limit,
    /// Somebody wanted it to: a signal came, or another holder of its control asked.
    Interrupted,
}

/// What a run did.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// The analysis, with stages the one that speaks; none where no answer came, or none was to be kept.
    pub analysis: Option<AnalysisId>,
    /// The limit of its searches.
    pub limit: Limit,
    /// How the run ended.
    pub ending: End,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Analysed positions of the tree.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches of this run.
    pub searches: u64,
    /// Those of them that were made ahead of need.
    pub ahead: SearchedAhead,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// How long this run took.
    pub elapsed: Duration,
    /// The best line.
    pub best: Option<Arc<BestLine>>,
    /// The next best lines, where the plan asks for several.
    pub others: Arc<[BestLine]>,
    /// The limit of a deeper stage that has not come far enough to speak, and the depth that it has settled.
    pub deeper: Option<(Limit, Option<u32>)>,
    /// Why deeper searches would change nothing, where that is so.
    pub exhausted: Option<Exhausted>,
    /// The line of the second best move.
    pub second: Option<Arc<BestLine>>,
    /// The best line that the analysis had before this run, with stages that of the one that spoke.
    pub before: Option<Arc<BestLine>>,
    /// The chance that the best move stays when the engine searches deeper; told where the run was to end by it.
    pub stays: Option<Stays>,
    /// The depth that it had settled then.
    pub(super) settled_before: Option<u32>,
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::control::ControlReceiver;
    use crate::error::RunError;
    use crate::made_up::Deaf;
    use crate::stages::grow;
    use deepanalyze_engine::{PANICS, mute_pool};
    use deepanalyze_store::Store;

    #[test]
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = deepanalyze_core::chess::parse_fen(PANICS).unwrap();
        let plan = Plan {
            game: Game::from_position(root),
            name: None,
            breadth: 10.into(),
            tables: None,
            depth: 2,
            schedule: Schedule::Once(Limit::Depth(1)),
            limits: RunLimits::default(),
            until_stable: None,
            directives: None,
            look_ahead: true,
            order: PassOrder::default(),
            told: LinesTold::default(),
            keeping: Keeping::default(),
        };
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &ControlReceiver::never(), &mut Deaf);
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
