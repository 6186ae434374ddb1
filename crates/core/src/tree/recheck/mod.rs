//! Check of a root's best move by another engine: the tree stays, its leaves are asked anew, in the
//! order of their power to make another move the best (ALGORITHM, section 11).

mod margin;

use std::cmp::Reverse;

use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::flip::MOST_CHANGE;
use super::flip::search::Search;
use super::graph::{Graph, NodeId};
use super::rescoring::rescored::{Leaf, RescoredMove, Rescoring};
use super::values::Values;
pub use margin::{Errors, Margin};

/// Moves looked at for the next leaf: a second in trees of a million moves or more, whose leaves
/// take longer to search.
const MOST_WORK: u64 = 100_000_000;

/// A tree whose leaves are asked anew, one after the other.
///
/// Leaves that were asked stand at their new scores; the others at those of the tree, off by the margin at most.
/// It is a function of the tree, the margin, and the new scores that it has asked for: give
/// [`Recheck::answer`] the leaf that [`Recheck::next_leaf`] names.
#[derive(Debug, Clone)]
pub struct Recheck {
    leaves: Rescoring,
    margin: Margin,
    asked: Vec<AskedLeaf>,
    tree_best: UciMove,
    next: Option<Leaf>,
}

/// A leaf with the score that it has been given. Scores are for the side that plays its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedLeaf {
    /// The leaf.
    pub leaf: Leaf,
    /// The tree's score.
    pub old: Value,
    /// The new one.
    pub new: Value,
}

/// State of a recheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecheckState {
    /// Scores that have not been asked anew can still make another move the best.
    Open,
    /// The tree's best move stays.
    Stays,
    /// Another move is the best, and stays so.
    Changed,
}

impl Recheck {
    /// A recheck before its first answer; None if the root has no move that counts.
    pub fn new(graph: &Graph, values: &Values, root: NodeId, margin: Margin) -> Option<Recheck> {
        let leaves = Rescoring::new(graph, values, root);
        let tree_best = leaves.best_move()?;
        let mut recheck = Recheck { leaves, margin, asked: Vec::new(), tree_best, next: None };
        recheck.next = recheck.look();
        Some(recheck)
    }

    /// The leaf to ask next: one of the smallest change that makes another move the best, that
    /// which has to change most. None if no change within the margin does: then the recheck is at
    /// its end.
    pub fn next_leaf(&self) -> Option<Leaf> {
        self.next
    }

    /// The next leaves to ask, at most `most`, if all but the last keep the scores that they have.
    /// They can be searched side by side; answers count once they are asked for. Takes as long as
    /// that many answers.
    pub fn ahead(&self, most: usize) -> Vec<Leaf> {
        let (mut then, mut leaves) = (self.clone(), Vec::new());
        while let Some(leaf) = then.next.filter(|_| leaves.len() < most) {
            leaves.push(leaf);
            if leaves.len() < most {
                then.leaves.hold(leaf);
                then.next = then.look();
            }
        }
        leaves
    }

    /// Takes the new score of a leaf, for the side that plays its move. A leaf is asked once: a second score changes
    /// nothing.
    pub fn answer(&mut self, leaf: Leaf, new: Value) {
        if self.leaves.is_held(leaf) {
            return;
        }
        let old = self.leaves.score_in_tree(leaf);
        self.leaves.rescore(leaf, new);
        self.leaves.hold(leaf);
        self.margin.learn(old, new);
        self.asked.push(AskedLeaf { leaf, old, new });
        self.next = self.look();
    }

    fn look(&self) -> Option<Leaf> {
        let within = self.within();
        let mut search = Search::new(&self.leaves, within, MOST_WORK)?;
        let outcome = search.run();
        if outcome.at_least > within {
            return None;
        }
        let change = |(leaf, to): &(Leaf, Value)| self.leaves.score(*leaf).get().abs_diff(to.get());
        let most = outcome.moved().max_by_key(|moved| (change(moved), Reverse(moved.0)));
        let any = || search.supports(within).into_iter().next();
        most.map(|(leaf, _)| leaf).or_else(any).or_else(|| self.leaves.first_movable())
    }

    /// The state.
    pub fn state(&self) -> RecheckState {
        match self.next {
            Some(_) => RecheckState::Open,
            None if self.best_move() == self.tree_best => RecheckState::Stays,
            None => RecheckState::Changed,
        }
    }

    /// The margin of a score that has not been asked anew, in centipawns.
    pub fn within(&self) -> u32 {
        self.margin.within()
    }

    /// The margin, and its source.
    pub fn margin(&self) -> &Margin {
        &self.margin
    }

    /// No smaller change of the scores that have not been asked anew makes another move the best,
    /// in centipawns; one more than [`MOST_CHANGE`] if none up to that does.
    pub fn at_least(&self) -> u32 {
        let search = Search::new(&self.leaves, MOST_CHANGE, MOST_WORK);
        search.map_or(MOST_CHANGE + 1, |mut search| search.least())
    }

    /// The tree's best move.
    pub fn tree_best(&self) -> UciMove {
        self.tree_best
    }

    /// The best move with the new scores.
    pub fn best_move(&self) -> UciMove {
        self.leaves.best_move().unwrap_or(self.tree_best)
    }

    /// The root's moves with the new scores, by alpha, best first, of equal ones in their order, with their
    /// lines.
    pub fn root_moves(&self) -> Vec<RescoredMove> {
        self.leaves.root_moves()
    }

    /// The leaves that were asked, in this order.
    pub fn asked(&self) -> &[AskedLeaf] {
        &self.asked
    }

    /// New scores that make the present best move the best, all of them needed; empty if it is the
    /// tree's.
    pub fn causes(&self) -> Vec<AskedLeaf> {
        let best = self.best_move();
        if best == self.tree_best {
            return Vec::new();
        }
        let mut causes = self.asked.clone();
        causes.retain(|leaf| leaf.old != leaf.new);
        let mut with = self.leaves.clone();
        let mut left = usize::MAX;
        while causes.len() < left {
            left = causes.len();
            causes.retain(|leaf| {
                with.rescore(leaf.leaf, leaf.old);
                let is_needed = with.best_move() != Some(best);
                if is_needed {
                    with.rescore(leaf.leaf, leaf.new);
                }
                is_needed
            });
        }
        causes
    }

    /// The position that a leaf is played from, and its move.
    pub fn place(&self, leaf: Leaf) -> (NodeId, UciMove) {
        self.leaves.place(leaf)
    }

    /// The tree with the new scores.
    pub fn leaves(&self) -> &Rescoring {
        &self.leaves
    }
}

#[cfg(test)]
mod tests;
