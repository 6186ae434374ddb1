//! What a session works with, what it is asked, how it is steered, and what it tells.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shakmaty::uci::UciMove;

use crate::{Keeping, Plan, Schedule, TableUse, Wakers};
use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::Settings;
use deepanalyze_report::LinesTold;

use super::goal::Goal;

/// How many plies of each line are told.
const PLIES: usize = 30;
/// Where the engines search to one limit, the tree grows on as long as there is time.
const FAR: u32 = 250;

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

/// The run for a question.
pub fn plan(settings: &SessionSettings, question: &Question) -> Plan {
    let deep = match settings.schedule {
        Schedule::Once(_) => settings.depth.max(FAR),
        Schedule::Stages { .. } => settings.depth,
    };
    let is_kept = question.only.is_empty() && question.goal.is_worth_a_tree();
    let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
    let (game, breadth) = (question.game.clone(), breadth(settings, question));
    Plan {
        tables: settings.tables.clone(),
        look_ahead: settings.look_ahead,
        told: LinesTold { count, plies: PLIES },
        keeping: match is_kept {
            true => Keeping::Tree,
            false => Keeping::AnswersAlone { only: question.only.clone() },
        },
        ..Plan::new(game, breadth, settings.schedule, question.goal.depth.unwrap_or(deep))
    }
}

/// The distances, with as many moves of the root as lines are asked for.
pub fn breadth(settings: &SessionSettings, question: &Question) -> Breadth {
    Breadth { least: question.lines.max(1), ..settings.breadth.clone() }
}

/// Stops a search, or says that the expected move was played. All copies steer the same one; it hears of it at
/// once.
#[derive(Debug, Clone, Default)]
pub struct Steering {
    shared: Arc<SteeringState>,
    wakers: Wakers,
}

#[derive(Debug, Default)]
struct SteeringState {
    is_stopped: AtomicBool,
    is_ponder_hit: AtomicBool,
}

impl Steering {
    /// Steers a search that these wake.
    pub(super) fn new(wakers: Wakers) -> Steering {
        Steering { shared: Arc::default(), wakers }
    }

    /// The search answers now.
    pub fn stop(&self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }

    /// The expected move was played: the clock counts.
    pub fn ponder_hit(&self) {
        self.shared.is_ponder_hit.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }

    /// Whether the search is to answer.
    pub(super) fn is_stopped(&self) -> bool {
        self.shared.is_stopped.load(Ordering::SeqCst)
    }

    /// Whether the expected move was played.
    pub(super) fn is_ponder_hit(&self) -> bool {
        self.shared.is_ponder_hit.load(Ordering::SeqCst)
    }
}

/// What comes of a question, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// What is thought of the position by now.
    Report(Report),
    /// Something that people may want to know.
    Note(String),
    /// The answer, which is the last thing told.
    Best {
        /// The move to play; none where the game is over.
        best: Option<UciMove>,
        /// The reply to expect.
        ponder: Option<UciMove>,
    },
}

/// What is thought of a position at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Plies: the depth of the engine's searches, and the depth of the tree that is settled.
    pub depth: u32,
    /// The greatest depth that is behind the best lines, in plies from the root.
    pub seldepth: u32,
    /// Engine nodes of this search; what was known has cost none.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// The best line first. None where the game is over.
    pub lines: Vec<ReportedLine>,
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLine {
    /// For the side to move.
    pub value: Value,
    /// Wins, draws and losses per thousand for the side to move, as they come of such values in games of the
    /// built-in engine.
    pub wdl: [i32; 3],
    /// The tree's line, then the engine's own behind its edge.
    pub moves: Vec<UciMove>,
}
