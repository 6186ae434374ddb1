//! A tree grown again from answers that are there.

use std::collections::BTreeMap;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, Wdl, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{
    Growth, IllegalMove, Selection, Served, Server, Service, Settled, TableFacts, best_root_move,
    grow_by, root_moves,
};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, Course, ListedAnswer, Store, StoreError, VerdictMove,
};

use crate::kept::verdict::root_value;

/// What is kept of a position that tables may have; nothing where it was not looked up.
pub type LookUp<'a> = &'a dyn Fn(&Chess) -> Result<Option<Option<Wdl>>, StoreError>;

/// The answers of the engine in a position, in rank order.
pub type Answers<'a> = &'a dyn Fn(&Chess) -> Result<Vec<ListedAnswer>, StoreError>;

/// What a tree is grown again from.
pub struct Sources<'a> {
    /// The answers of the engine.
    pub answers: Answers<'a>,
    /// What tables say of the root and of earlier positions.
    pub facts: TableFacts,
    /// What is kept of a position that tables may have; nothing where it was not looked up.
    pub look_up: LookUp<'a>,
}

/// Why a tree cannot be grown again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// What is missing or wrong, in words.
    #[error("{0}")]
    Flaw(String),
    /// The database fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IllegalMove> for ReplayError {
    fn from(illegal: IllegalMove) -> ReplayError {
        ReplayError::Flaw(illegal.to_string())
    }
}

/// Grows a tree again from its root to as many passes as its row has; `seen` is shown the tree before
/// its first pass and after every one.
///
/// # Errors
///
/// [`ReplayError`]: which answer is missing or wrong, or the database fails.
pub fn replay(
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    sources: Sources<'_>,
    seen: impl FnMut(&Growth),
) -> Result<Growth, ReplayError> {
    let Sources { answers, facts, look_up } = sources;
    let (breadth, wishes) = (row.breadth.clone(), directives.wishes());
    let mut growth = Growth::new(game, Selection { breadth, wishes, facts });
    grow_by(&mut growth, &mut Replay { row, answers, look_up, seen })?;
    Ok(growth)
}

struct Replay<'a, F> {
    row: &'a AnalysisRow,
    answers: Answers<'a>,
    look_up: LookUp<'a>,
    seen: F,
}

impl<F: FnMut(&Growth)> Server for Replay<'_, F> {
    type End = ();
    type Error = ReplayError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, ReplayError> {
        (self.seen)(growth);
        let depth = growth.settled().last().map(|last| last.depth);
        // A finished game settles a depth with every pass, for ever: the kept count is no bound.
        let done = growth.passes() >= self.row.passes || depth > self.row.settled_depth;
        Ok(done.then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, ReplayError> {
        for service in &mut services {
            serve(growth, service, self.answers)?;
        }
        for position in growth.to_look_up(&services)? {
            let found = (self.look_up)(&position)?.ok_or_else(|| {
                let (pass, epd) = (growth.passes() + 1, epd_of(&position));
                let needs = format!("what endgame tables said of {epd}");
                ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is nothing"))
            })?;
            growth.learn([(PositionKey::of(&position), found)]);
        }
        Ok(Served::Answers(services))
    }
}

fn serve(growth: &Growth, service: &mut Service, answers: Answers<'_>) -> Result<(), ReplayError> {
    let position = growth.position(service.node());
    let list = answers(&position)?;
    while service.wants_search() {
        let rank = service.next_rank();
        let answer = list.get(rank).ok_or_else(|| {
            let (pass, epd) = (growth.passes() + 1, epd_of(&position));
            let needs = format!("an answer of rank {rank} in {epd}");
            ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is none"))
        })?;
        service.answer(answer.uci, Value::from(answer.score));
    }
    Ok(())
}

/// A change of the root's best move: passes, searches, positions, the move and its alpha.
type CourseEntry = (u64, u64, u64, UciMove, Value);

/// What is kept of the settled depths of a root.
#[derive(Debug)]
pub struct KeptRoot {
    settled: Vec<(Settled, Option<i64>)>,
    moves: BTreeMap<u32, Option<Vec<VerdictMove>>>,
}

impl KeptRoot {
    /// Reads it.
    pub fn read(store: &Store, analysis: AnalysisId) -> Result<KeptRoot, StoreError> {
        let settled = store.settled_values(analysis)?;
        Ok(KeptRoot { settled, moves: store.verdict_moves(analysis)? })
    }
}

/// The root's history, pass after pass.
#[derive(Debug, Default)]
pub struct RootSeen {
    /// After how many passes the course begins.
    from: u64,
    settled: Vec<(Settled, Option<i64>)>,
    moves: Vec<Vec<VerdictMove>>,
    course: Vec<CourseEntry>,
}

impl RootSeen {
    /// Nothing yet; the course is to begin after so many passes.
    pub fn new(from: u64) -> RootSeen {
        RootSeen { from, ..RootSeen::default() }
    }

    /// Looks at the root after a pass.
    pub fn see(&mut self, growth: &Growth) {
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        if let Some(last) = growth.settled().last().filter(|last| last.passes == growth.passes()) {
            let value = root_value(growth).map(|value| i64::from(value.get()));
            self.settled.push((*last, value));
            self.moves.push(root_moves(graph, values, root));
        }
        if growth.passes() < self.from {
            return;
        }
        let Some((uci, alpha)) = best_root_move(graph, values, root) else {
            return;
        };
        if self.course.last().is_none_or(|last| (last.3, last.4) != (uci, alpha)) {
            let (searches, positions) = (growth.searches(), growth.analysed());
            self.course.push((growth.passes(), searches, positions, uci, alpha));
        }
    }

    /// The settled depths with the root's moves.
    pub fn into_verdicts(self) -> impl Iterator<Item = (Settled, Vec<VerdictMove>)> {
        self.settled.into_iter().map(|(settled, _)| settled).zip(self.moves)
    }

    /// What differs in the settled depths and their verdicts.
    pub fn settled_flaws(&self, mut kept: KeptRoot) -> Vec<String> {
        let mut flaws = Vec::new();
        if kept.settled != self.settled {
            flaws.push("the table of settled depths differs when grown again".to_owned());
        }
        for ((settled, _), right) in self.settled.iter().zip(&self.moves) {
            let depth = settled.depth;
            match kept.moves.remove(&depth) {
                Some(Some(kept)) if kept != *right => {
                    flaws.push(format!("the verdict of depth {depth} differs when grown again"));
                }
                // Version 1 kept none.
                Some(None) if settled.passes > self.from => {
                    flaws.push(format!("depth {depth} has no verdict"));
                }
                _ => {}
            }
        }
        flaws
    }

    /// What differs in the course of a tree of so many passes.
    pub fn course_flaws(&self, kept: &Course, passes: u64) -> Option<String> {
        let kept = kept
            .points
            .iter()
            .map(|point| (point.passes, point.searches, point.positions, point.best, point.alpha));
        // Nothing has been noted of a tree that has not grown since version 1.
        let right: &[CourseEntry] = if passes == self.from { &[] } else { &self.course };
        (!kept.eq(right.iter().copied()))
            .then(|| "the course of its best move differs when grown again".to_owned())
    }
}
