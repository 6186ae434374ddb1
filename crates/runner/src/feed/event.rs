//! What a run tells.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, fen_of};
use deepanalyze_core::directives::{Directives, DirectivesFile};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::{EngineError, PoolNotice};
use deepanalyze_view::{Closing, Line, NamedMove, Rechecked, SHOWN_PLIES, Verdict};

use crate::outcome::{RunEnd, RunOutcome};

/// Where a run tells what happens. It tells in its own thread: nothing here may wait, or engines are left without
/// work and answers unsaved. [`RunFeed`](crate::RunFeed) passes all on to readers in other threads.
pub type RunListener<'a> = dyn FnMut(RunEvent) + 'a;

/// What a run tells, in the order in which it comes.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    /// Something moved. The last of a run says how it ended.
    Progress(Progress),
    /// How far a closing search has come.
    Closing(ClosingProgress),
    /// What a closing search says at its end.
    Closed(Box<Closing>),
    /// How far a recheck has come with a tree.
    Recheck(RecheckProgress),
    /// What a recheck has come to with a tree.
    Rechecked(Box<Rechecked>),
    /// A pass is being served; only where every pass is to be told of.
    Pass(Arc<Snapshot>),
    /// A stage begins, whose searches go to this limit.
    StageBegins(Limit),
    /// A depth is settled.
    Settled {
        /// The depth and what it took.
        #[serde(with = "SettledFields")]
        settled: Settled,
        /// The best line at that moment.
        #[serde(serialize_with = "as_line")]
        best: Option<Box<Line>>,
        /// How long the run had worked.
        elapsed: Duration,
    },
    /// An engine failed at the search of a position, or at its start, and is tried again.
    Fault {
        /// How it failed.
        #[serde(serialize_with = "as_text")]
        error: EngineError,
        /// Which failure of the position, or of the start, this is in a row.
        attempt: u32,
        /// The position that was searched.
        #[serde(serialize_with = "as_fen_if_any")]
        position: Option<Chess>,
    },
    /// Engines were left out, or are back.
    #[serde(serialize_with = "as_text")]
    Notice(PoolNotice),
    /// The root is new, and has begun with a copy of the directives of a shorter game.
    Copied {
        /// How many.
        directives: usize,
        /// By how many plies the game is shorter.
        plies: usize,
    },
    /// The run has taken over other directives, and grows its tree again.
    Directed {
        /// Those that it has now.
        #[serde(serialize_with = "as_set")]
        directives: Directives,
        /// What the tree that there was says under them.
        #[serde(serialize_with = "as_line")]
        verdict: Option<Box<Line>>,
    },
    /// Something is missing from now on, a file of tablebases or an answer, and why.
    Warning(String),
    /// Tables have come that know positions of the tree: it is grown again.
    TablesHaveCome,
    /// Closing searches have found moves of the root: the tree is grown again, and follows them.
    Found(#[serde(serialize_with = "as_moves")] Vec<UciMove>),
    /// A worker of the fleet is found wrong: what it gave is taken back.
    TakenBack {
        /// Its answers, and those behind them in their lists: they are searched again.
        answers: u64,
        /// Trees that stood on them, this one perhaps among them.
        trees: u64,
    },
    /// The run cannot go on before somebody else lets it, and why.
    Waiting(String),
    /// The run is ending before its depth is settled, and why.
    Stopping(String),
    /// So many of a batch's roots had been settled before.
    DoneBefore(usize),
    /// The work on a root of a batch begins.
    RootBegins {
        /// Its place, from 0.
        index: usize,
        /// What people call it.
        name: String,
        /// The position.
        #[serde(serialize_with = "as_fen")]
        root: Chess,
    },
    /// A root of a batch has had its turn.
    RootEnds {
        /// Its place, from 0.
        index: usize,
        /// What became of it, or why it cannot be grown now.
        outcome: Result<Box<RunOutcome>, String>,
    },
}

/// The stage that a run's best lines are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Speaking {
    /// The limit of its searches.
    pub limit: Limit,
    /// The depth that it has settled.
    pub settled: Option<u32>,
}

/// How far a run has come.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Progress {
    /// The limit of the searches; none before a run has begun.
    pub limit: Option<Limit>,
    /// The depth that is being settled, or the target where the run has come to its end.
    pub depth: u32,
    /// The depth that the run is to settle.
    pub target: u32,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// The passes that are done.
    pub passes: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches that engines finished in this run.
    pub searches: u64,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// Positions of this pass that still want a search.
    pub waiting: usize,
    /// Engines at work.
    pub busy: usize,
    /// Engines that work or could be started.
    pub engines: usize,
    /// How long the run has worked.
    pub elapsed: Duration,
    /// How long it may still work.
    pub left: Option<Duration>,
    /// The best lines so far, as many as the job asks for; those of the stage before, where this one has not come far enough.
    #[serde(flatten, serialize_with = "as_best_and_others")]
    pub lines: Arc<[Line]>,
    /// Of which stage these lines are.
    pub speaking: Option<Speaking>,
    /// The verdict, where that is the choice of a closing search.
    pub told: Option<Arc<Verdict>>,
    /// How the run ended.
    pub ending: Option<RunEnd>,
}

impl Progress {
    /// The best line.
    pub fn best(&self) -> Option<&Line> {
        self.lines.first()
    }

    /// Finished searches per second.
    pub fn searches_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let searches = self.searches as f64;
        if seconds > 0.0 { searches / seconds } else { 0.0 }
    }
}

/// How far a closing search has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosingProgress {
    /// What the engine says that has all moves; nothing while it goes through the best lines, and before its first iteration.
    pub best: Option<ClosingBest>,
    /// Engine nodes of the root's search so far.
    pub nodes: u64,
    /// How many engines have a share of the moves.
    pub engines: usize,
    /// How long it has taken so far.
    pub elapsed: Duration,
    /// How long it is still to take, where the clock ends it.
    pub left: Option<Duration>,
}

/// How far a recheck has come with a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecheckProgress {
    /// The best move by now.
    pub best: Option<NamedMove>,
    /// Its value for its mover.
    pub value: Option<Score>,
    /// Scores that were asked again.
    pub asked: u64,
    /// Those that can be.
    pub leaves: u64,
    /// By how many centipawns a score that was not asked again may be off.
    pub within: u32,
    /// Searches of this root.
    pub searches: u64,
    /// Engine nodes of this root.
    pub nodes: u64,
    /// Engines at work.
    pub busy: usize,
    /// Engines that work or could be started.
    pub engines: usize,
    /// How long the run has worked.
    pub elapsed: Duration,
    /// How long it may still work on this root.
    pub left: Option<Duration>,
}

/// What an engine says of a root that it is searching.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosingBest {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover.
    pub score: Score,
    /// The iteration, in plies.
    pub depth: u32,
    /// The principal variation, that move first.
    #[serde(serialize_with = "as_moves")]
    pub line: Vec<UciMove>,
}

/// A run at one moment. It costs the same whatever the tree's size: nothing of the tree is in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// Its number, from 1; each is greater by one than the one before.
    pub step: u64,
    /// Which root of a batch it is about, from 0.
    pub root: usize,
    /// The numbers and the verdict.
    pub progress: Progress,
    /// How far a closing search has come.
    pub closing: Option<ClosingProgress>,
    /// How far a recheck has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recheck: Option<RecheckProgress>,
}

/// A line as programs are told it; its value is for the side to move.
#[derive(Serialize)]
struct ToldLine {
    value: Score,
    moves: Vec<String>,
}

impl ToldLine {
    fn of(line: &Line) -> ToldLine {
        let moves = line.plies(SHOWN_PLIES).iter().map(ToString::to_string).collect();
        ToldLine { value: line.score(), moves }
    }
}

fn as_moves<S: Serializer>(line: &[UciMove], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(line.iter().map(ToString::to_string))
}

fn as_text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn as_fen<S: Serializer>(position: &Chess, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&fen_of(position))
}

fn as_fen_if_any<S: Serializer>(position: &Option<Chess>, to: S) -> Result<S::Ok, S::Error> {
    position.as_ref().map(fen_of).serialize(to)
}

pub(crate) fn as_line<S: Serializer>(line: &Option<Box<Line>>, to: S) -> Result<S::Ok, S::Error> {
    line.as_deref().map(ToldLine::of).serialize(to)
}

/// The best line and the others behind it, as two fields.
pub(crate) fn as_best_and_others<S: Serializer>(
    lines: &Arc<[Line]>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut all = lines.iter().map(ToldLine::of);
    let mut fields = to.serialize_map(Some(2))?;
    fields.serialize_entry("best", &all.next())?;
    fields.serialize_entry("others", &all.collect::<Vec<_>>())?;
    fields.end()
}

#[derive(Serialize)]
#[serde(remote = "Settled")]
struct SettledFields {
    depth: u32,
    passes: u64,
    searches: u64,
    analysed: u64,
}

fn as_set<S: Serializer>(said: &Directives, to: S) -> Result<S::Ok, S::Error> {
    DirectivesFile::of(said).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::tests::line;
    use serde_json::json;

    #[test]
    fn events_are_told_to_programs_as_json() {
        let told = |event: RunEvent| serde_json::to_value(&event).unwrap();
        let settled = Settled { depth: 2, passes: 3, searches: 9, analysed: 4 };
        let best = Some(Box::new(line("e2e4", 30)));
        let depth = told(RunEvent::Settled { settled, best, elapsed: Duration::ZERO });
        let expected = json!({
            "settled": { "depth": 2, "passes": 3, "searches": 9, "analysed": 4 },
            "best": { "value": { "cp": 30 }, "moves": ["e2e4"] },
            "elapsed": { "secs": 0, "nanos": 0 },
        });
        assert_eq!(depth["settled"], expected);
        assert_eq!(told(RunEvent::TablesHaveCome), json!("tables_have_come"));
        let directives = Directives::default();
        let directed = told(RunEvent::Directed { directives, verdict: None });
        assert!(directed["directed"]["directives"].is_object(), "{directed}");
        let reason = deepanalyze_engine::Reason::Stopped;
        let error = EngineError { engine: "Some".to_owned(), command: None, reason };
        let position = Some(Chess::default());
        let fault = told(RunEvent::Fault { error, attempt: 1, position });
        assert_eq!(fault["fault"]["position"], json!(fen_of(&Chess::default())));
        let progress = told(RunEvent::Progress(Progress::default()));
        assert_eq!(progress["progress"]["others"], json!([]));
    }
}
