//! Events of a run.

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
use deepanalyze_view::{
    Closing, ClosingMove, Line, NamedMove, Rechecked, SecondWord, Verdict, json,
};

use crate::outcome::{RunEnd, RunOutcome};

/// Event listener. Called in the run's own thread: it must not block, or engines are left without
/// work and answers unsaved. [`RunFeed`](crate::RunFeed) passes all on to readers in other threads.
pub type RunListener<'a> = dyn FnMut(RunEvent) + 'a;

/// Events of a run, in the order in which they come.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    /// Something moved. A run's last one has its ending.
    Progress(Progress),
    /// Progress of a closing search.
    Closing(ClosingProgress),
    /// Result of a closing search.
    Closed(Box<Closing>),
    /// A second engine's word on the verdict's move.
    Second {
        /// It.
        word: Box<SecondWord>,
        /// The verdict's move.
        #[serde(serialize_with = "json::text")]
        told: UciMove,
    },
    /// Progress of a tree's recheck.
    Recheck(RecheckProgress),
    /// Result of a tree's recheck.
    Rechecked(Box<Rechecked>),
    /// A pass is being served; only if every pass is to be reported.
    Pass(Arc<Snapshot>),
    /// A stage begins, whose searches go to this limit.
    StageBegins(Limit),
    /// A depth is settled.
    Settled {
        /// The depth and what it took.
        #[serde(with = "SettledFields")]
        settled: Settled,
        /// The best line at that moment.
        best: Option<Box<Line>>,
        /// How long the run had worked.
        elapsed: Duration,
    },
    /// An engine failed at the search of a position, or at its start, and is tried again.
    Fault {
        /// How it failed.
        #[serde(serialize_with = "json::text")]
        error: EngineError,
        /// Count of failures of the position, or of the start, in a row.
        attempt: u32,
        /// The position that was searched.
        #[serde(serialize_with = "as_fen_if_any")]
        position: Option<Chess>,
    },
    /// Engines were left out, or are back.
    #[serde(serialize_with = "json::text")]
    Notice(PoolNotice),
    /// The root is new, and has begun with a copy of the directives of a shorter game.
    Copied {
        /// How many.
        directives: usize,
        /// By how many plies the game is shorter.
        plies: usize,
    },
    /// The run has taken other directives, and grows its tree again.
    Directed {
        /// The directives now.
        #[serde(serialize_with = "as_set")]
        directives: Directives,
        /// The old tree's verdict under them.
        verdict: Option<Box<Line>>,
    },
    /// Something is missing from now on, a file of tablebases or an answer, and why.
    Warning(String),
    /// Tables now know positions of the tree: it is grown again.
    TablesHaveCome,
    /// Closing searches have found moves of the root: the tree is grown again with them.
    Found(#[serde(serialize_with = "json::line")] Vec<UciMove>),
    /// A worker of the fleet is quarantined, its answers invalidated.
    #[serde(rename = "taken_back")]
    Invalidated {
        /// Its answers, and those behind them in their lists: they are searched again.
        answers: u64,
        /// Trees that used them, perhaps this one too.
        trees: u64,
    },
    /// The run waits for another program, and why.
    Waiting(String),
    /// The run is ending before its depth is settled, and why.
    Stopping(String),
    /// Number of a batch's roots settled before.
    DoneBefore(usize),
    /// The work on a root of a batch begins.
    RootBegins {
        /// Its place, from 0.
        index: usize,
        /// Its name.
        name: String,
        /// The position.
        #[serde(serialize_with = "as_fen")]
        root: Chess,
    },
    /// A root of a batch has had its turn.
    RootEnds {
        /// Its place, from 0.
        index: usize,
        /// Its outcome, or why it cannot be grown now.
        outcome: Result<Box<RunOutcome>, String>,
    },
}

/// The stage of a run's best lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Speaking {
    /// Its settled depth.
    pub limit: Limit,
    /// The depth that it has settled.
    pub settled: Option<u32>,
}

/// Progress of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Progress {
    /// The limit of the searches; `None` before a run begins.
    pub limit: Option<Limit>,
    /// The depth being settled, or the target at the run's end.
    pub depth: u32,
    /// The depth for the run to settle.
    pub target: u32,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// Finished passes.
    pub passes: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Finished searches of this run.
    pub searches: u64,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// Positions of this pass that still want a search.
    pub waiting: usize,
    /// Engines at work.
    pub busy: usize,
    /// Engines that work or could be started.
    pub engines: usize,
    /// Working time so far.
    pub elapsed: Duration,
    /// Working time left.
    pub left: Option<Duration>,
    /// The best lines so far, as many as the job asks for; those of the stage before, until this
    /// one has come far enough.
    #[serde(flatten, serialize_with = "as_best_and_others")]
    pub lines: Arc<[Line]>,
    /// The stage of these lines.
    pub speaking: Option<Speaking>,
    /// The verdict, if it is a closing search's choice.
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

/// Progress of a closing search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosingProgress {
    /// The name of another engine that looks at the root behind the closing search; `None` during the
    /// search itself.
    pub other: Option<String>,
    /// Result of the engine that has all moves; `None` before its first iteration.
    pub best: Option<ClosingMove>,
    /// Engine nodes of the root's search so far.
    pub nodes: u64,
    /// Engines with a share of the moves.
    pub engines: usize,
    /// Time so far.
    pub elapsed: Duration,
    /// Time left, if the clock ends it.
    pub left: Option<Duration>,
}

/// Progress of a tree's recheck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecheckProgress {
    /// The best move so far.
    pub best: Option<NamedMove>,
    /// Its value for its mover.
    pub value: Option<Score>,
    /// Scores that were asked again.
    pub asked: u64,
    /// Eligible scores.
    pub leaves: u64,
    /// Possible error, in centipawns, of a score not asked again.
    pub within: u32,
    /// Searches of this root.
    pub searches: u64,
    /// Engine nodes of this root.
    pub nodes: u64,
    /// Engines at work.
    pub busy: usize,
    /// Engines that work or could be started.
    pub engines: usize,
    /// Working time so far.
    pub elapsed: Duration,
    /// Working time left for this root.
    pub left: Option<Duration>,
}

/// A run at one moment. Its cost does not depend on the tree: it holds nothing of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Snapshot {
    /// Its number, from 1; each is greater by one than the one before.
    pub step: u64,
    /// The root of a batch, from 0.
    pub root: usize,
    /// The numbers and the verdict.
    pub progress: Progress,
    /// Progress of a closing search.
    pub closing: Option<ClosingProgress>,
    /// Progress of a recheck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recheck: Option<RecheckProgress>,
}

fn as_fen<S: Serializer>(position: &Chess, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&fen_of(position))
}

fn as_fen_if_any<S: Serializer>(position: &Option<Chess>, to: S) -> Result<S::Ok, S::Error> {
    position.as_ref().map(fen_of).serialize(to)
}

/// The best line and the others behind it, as two fields.
pub(crate) fn as_best_and_others<S: Serializer>(
    lines: &Arc<[Line]>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = to.serialize_map(Some(2))?;
    fields.serialize_entry("best", &lines.first())?;
    fields.serialize_entry("others", lines.get(1..).unwrap_or_default())?;
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
