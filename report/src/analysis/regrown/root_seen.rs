//! What a tree that is grown again makes of its root, held against the rows of its history.

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Growth, Settled, best_root_move, root_moves};
use deepanalyze_store::{AnalysisId, CoursePoint, Store, StoreError, VerdictMove};

use crate::analysis::rows::root_value;

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
