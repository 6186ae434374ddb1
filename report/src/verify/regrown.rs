//! A tree grown again from answers that are there.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{
    Growth, IllegalMove, Selection, Served, Server, Service, Settled, TableFacts, best_root_move,
    grow_by, root_moves,
};
use deepanalyze_store::{AnalysisId, AnalysisRow, CoursePoint, Store, StoreError, VerdictMove};

use crate::kept::verdict::root_value;

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

/// Grows a tree again from its root to as many passes as its row has; `seen` is shown the tree before its first pass
/// and after every one. It begins with what tables say of the root and of earlier positions.
///
/// # Errors
///
/// [`ReplayError`]: which answer is missing or wrong, or the database fails.
pub fn replay(
    (store, row): (&Store, &AnalysisRow),
    (game, directives): (&Game, &Directives),
    facts: TableFacts,
    seen: &mut RootSeen,
) -> Result<Growth, ReplayError> {
    let (breadth, wishes) = (row.breadth.clone(), directives.wishes());
    let mut growth = Growth::new(game, Selection { breadth, wishes, facts });
    grow_by(&mut growth, &mut Replay { store, row, seen })?;
    Ok(growth)
}

struct Replay<'a> {
    store: &'a Store,
    row: &'a AnalysisRow,
    seen: &'a mut RootSeen,
}

impl Server for Replay<'_> {
    type End = ();
    type Error = ReplayError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, ReplayError> {
        self.seen.see(growth);
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
            self.answer(growth, service)?;
        }
        for position in growth.to_look_up(&services)? {
            let found = self.store.fact(&position, self.row.fact_round)?.ok_or_else(|| {
                let (pass, epd) = (growth.passes() + 1, epd_of(&position));
                let needs = format!("what endgame tables said of {epd}");
                ReplayError::Flaw(format!("pass {pass} needs {needs}, and there is nothing"))
            })?;
            growth.learn([(PositionKey::of(&position), found)]);
        }
        Ok(Served::Answers(services))
    }
}

impl Replay<'_> {
    fn answer(&self, growth: &Growth, service: &mut Service) -> Result<(), ReplayError> {
        let position = growth.position(service.node());
        let list = self.store.sound_list(self.row.profile_id, &position)?;
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
}

/// A change of the root's best move: passes, searches, positions, the move and its alpha.
type CourseEntry = (u64, u64, u64, UciMove, Value);

/// What is kept of the settled depths of a root.
#[derive(Debug)]
pub struct KeptRoot {
    settled: Vec<(Settled, Option<i64>)>,
    moves: BTreeMap<u32, Vec<VerdictMove>>,
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
    settled: Vec<(Settled, Option<i64>)>,
    moves: Vec<Vec<VerdictMove>>,
    course: Vec<CourseEntry>,
}

impl RootSeen {
    /// Looks at the root after a pass.
    pub fn see(&mut self, growth: &Growth) {
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        if let Some(last) = growth.settled().last().filter(|last| last.passes == growth.passes()) {
            let value = root_value(growth).map(|value| i64::from(value.get()));
            self.settled.push((*last, value));
            self.moves.push(root_moves(graph, values, root));
        }
        let Some((uci, alpha)) = best_root_move(graph, values, root) else {
            return;
        };
        if self.course.last().is_none_or(|last| (last.3, last.4) != (uci, alpha)) {
            let (searches, positions) = (growth.searches(), growth.analysed());
            self.course.push((growth.passes(), searches, positions, uci, alpha));
        }
    }

    /// What differs in the settled depths and their verdicts.
    pub fn settled_flaws(&self, mut kept: KeptRoot) -> Vec<String> {
        let mut flaws = Vec::new();
        if kept.settled != self.settled {
            flaws.push("the table of settled depths differs when grown again".to_owned());
        }
        for ((settled, _), right) in self.settled.iter().zip(&self.moves) {
            let depth = settled.depth;
            if kept.moves.remove(&depth).is_some_and(|kept| kept != *right) {
                flaws.push(format!("the verdict of depth {depth} differs when grown again"));
            }
        }
        flaws
    }

    /// What differs in the course.
    pub fn course_flaws(&self, kept: &[CoursePoint]) -> Option<String> {
        let kept = kept
            .iter()
            .map(|point| (point.passes, point.searches, point.positions, point.best, point.alpha));
        (!kept.eq(self.course.iter().copied()))
            .then(|| "the course of its best move differs when grown again".to_owned())
    }
}
