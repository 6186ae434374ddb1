//! What a tree that is grown again makes of its root, held against the rows of its history.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Growth, Settled, best_root_move, root_moves};
use deepanalyze_store::{AnalysisId, Course, Store, StoreError, VerdictMove};

use crate::analysis::rows::root_value;

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
