//! A run of `grow` on engines in virtual time: a search takes as long as it has nodes.

use std::collections::HashMap;
use std::time::Duration;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, Reason};
use deepanalyze_runner::{Control, Job, Keeping, RunError, RunLimits, RunOutcome, control, grow};
use deepanalyze_store::Store;

use crate::duel::run::DuelError;
use crate::duel::setting::Setting;

use super::target;

/// Answers searches on a cleared hash: always the same answer to the same search.
pub trait TimedAnswers {
    /// The answer to a search.
    fn answer(&mut self, search: Search, limit: Limit) -> Result<Answer, DuelError>;
}

/// Engines of one kind, and the time that they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fleet {
    /// How many.
    pub engines: u32,
    /// Virtual time: one of them searches as many nodes in it.
    pub time: u64,
}

/// An answer in time.
#[derive(Debug, Clone, Copy)]
pub struct InTime {
    /// The move.
    pub uci: UciMove,
    /// Its score for its mover.
    pub value: Value,
    /// Nodes of its search; at least 1.
    pub nodes: u64,
}

/// The searches of a fleet when its time is up.
#[derive(Debug, Default)]
pub struct Searched {
    /// The answers in time, by limit, position and rank.
    pub answers: HashMap<(Limit, PositionKey, usize), InTime>,
    /// The time of the searches under way at the end.
    pub unfinished: u64,
    /// When the last of these answers came.
    pub last: u64,
    /// The run's own outcome: its last finished pass.
    pub outcome: Option<RunOutcome>,
    failed: Option<DuelError>,
}

/// Lets a fleet work on a position's tree as `grow` does. Its memo is a database of its own, as
/// answers known to others must take their time, too.
pub fn virtual_run(
    position: &Chess,
    fleet: Fleet,
    setting: &Setting,
    profile: &Profile,
    answers: &mut dyn TimedAnswers,
) -> Result<Searched, DuelError> {
    let folder = tempfile::Builder::new().prefix("deepanalyze-duel-").tempdir();
    let folder = folder.map_err(DuelError::Folder)?;
    let mut store = Store::open_for_now(&folder.path().join("virtual.db"))?;
    let (steer, receiver) = control();
    let mut searched = Searched::default();
    let script = |start: &FakeStart| searched.begin(start, fleet.time, answers, &steer);
    let count = usize::try_from(fleet.engines).unwrap_or(usize::MAX);
    let profile = Profile { limit: setting.schedule.first(), ..profile.clone() };
    let mut engines = FakeEngines::scripted(count, profile, script);
    let job = job(position, fleet, setting);
    let grown = grow(&job, &mut store, &mut engines, &receiver, &mut |_| {});
    drop(engines);
    if let Some(error) = searched.failed.take() {
        return Err(error);
    }
    searched.outcome = Some(grown?);
    Ok(searched)
}

fn job(position: &Chess, fleet: Fleet, setting: &Setting) -> Job {
    let time = Some(Duration::from_micros(fleet.time));
    let (game, depth) = (Game::from_position(position.clone()), target(setting.schedule));
    Job {
        limits: RunLimits { time, ..RunLimits::default() },
        // A stage predicts the next one.
        keeping: if setting.schedule.has_stages() {
            Keeping::Tree
        } else {
            Keeping::AnswersAlone { only: Vec::new() }
        },
        ..Job::new(game, setting.breadth(), setting.schedule, depth)
    }
}

impl Searched {
    /// Outcome of a search that begins now: a node is a microsecond.
    fn begin(
        &mut self,
        start: &FakeStart,
        time: u64,
        answers: &mut dyn TimedAnswers,
        steer: &Control,
    ) -> FakeSearch {
        let answer = match self.failed {
            None => answers.answer(start.search.clone(), start.limit),
            Some(_) => return nothing(),
        };
        match answer {
            Ok(answer) => {
                let nodes = self.note(start, time, &answer);
                FakeSearch::ending(Ok(answer)).taking(Duration::from_micros(nodes))
            }
            // As in every run: a failed search ends it if needed, a guess is dropped. Its nodes are
            // unknown.
            Err(DuelError::Run(RunError::Engine(error))) if error.is_given_up() => {
                FakeSearch::ending(Err(error))
            }
            Err(error) => {
                self.failed = Some(error);
                steer.end();
                nothing()
            }
        }
    }

    /// Notes an answer in time; returns its search's nodes.
    fn note(&mut self, start: &FakeStart, time: u64, answer: &Answer) -> u64 {
        // No search is free, or a tree of them would never end.
        let nodes = answer.nodes.max(1);
        let began = u64::try_from(start.at.as_micros()).unwrap_or(u64::MAX);
        let end = began.saturating_add(nodes);
        if end > time {
            self.unfinished = self.unfinished.saturating_add(time.saturating_sub(began));
            return nodes;
        }
        let position = PositionKey::of(&start.search.position);
        let key = (start.limit, position, start.search.excluded.len());
        let value = Value::from(answer.score);
        self.answers.insert(key, InTime { uci: answer.best, value, nodes });
        self.last = self.last.max(end);
        nodes
    }
}

/// A search of an ending run.
fn nothing() -> FakeSearch {
    let reason = Reason::NothingToSearch(String::new());
    FakeSearch::ending(Err(EngineError { engine: String::new(), command: None, reason }))
}
