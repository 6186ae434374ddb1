//! Rechecks: a tree with another engine's scores of some of its leaves, and its description.

pub mod note;
pub mod words;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::{AskedLeaf, Leaf, Margin, MovedLeaf, Recheck, RescoredMove};
use deepanalyze_store::{ProfileId, RecheckRow, Store, StoreError, ValuedMove};

use crate::reading::KeptGrowth;
use crate::recheck::note::{RecheckNote, Rechecked};

/// A stored tree whose leaves are searched again by another profile.
#[derive(Debug)]
pub struct TreeRecheck {
    tree: KeptGrowth,
    recheck: Recheck,
    profile_id: ProfileId,
    profile: Profile,
    /// The margin at its start.
    margin: Margin,
    /// The tree's best move.
    before: ValuedMove,
    /// Scores that can be asked again.
    leaves: u64,
    /// Engine nodes of the searched ones.
    nodes: u64,
}

impl TreeRecheck {
    /// A recheck before its first search; `None` if the root has no move that counts.
    pub fn new(
        tree: KeptGrowth,
        (profile_id, profile): (ProfileId, Profile),
        margin: Margin,
    ) -> Option<TreeRecheck> {
        let growth = &tree.growth;
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        let recheck = Recheck::new(graph, values, root, margin.clone())?;
        let first = recheck.root_moves().into_iter().next()?;
        let before = ValuedMove { uci: recheck.tree_best(), value: first.alpha };
        let movable = recheck.leaves().leaves().filter(|leaf| recheck.leaves().can_move(*leaf));
        let leaves = u64::try_from(movable.count()).unwrap_or(u64::MAX);
        Some(TreeRecheck { recheck, profile_id, profile, margin, before, leaves, nodes: 0, tree })
    }

    /// The tree.
    pub fn tree(&self) -> &KeptGrowth {
        &self.tree
    }

    /// The profile of the new scores.
    pub fn profile_id(&self) -> ProfileId {
        self.profile_id
    }

    /// The next leaf to ask; `None` at the end.
    pub fn next_leaf(&self) -> Option<Leaf> {
        self.recheck.next_leaf()
    }

    /// At most this many leaves to be asked one after the other if the scores do not change: the
    /// next, and guesses.
    pub fn ahead(&self, most: usize) -> Vec<Leaf> {
        self.recheck.ahead(most)
    }

    /// The position of a leaf, and its move.
    pub fn place(&self, leaf: Leaf) -> (Chess, UciMove) {
        let (node, uci) = self.recheck.place(leaf);
        (self.tree.growth.position(node), uci)
    }

    /// Number of leaves asked.
    pub fn asked(&self) -> u64 {
        u64::try_from(self.recheck.asked().len()).unwrap_or(u64::MAX)
    }

    /// Scores that can be asked again, including those already asked.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The engine nodes of the new scores.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The possible error of a score not yet asked again, in centipawns.
    pub fn within(&self) -> u32 {
        self.recheck.within()
    }

    /// Takes the memo's score of the next leaf; `false` if it has none, or all is done.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn follow(&mut self, store: &Store) -> Result<bool, StoreError> {
        let Some(leaf) = self.next_leaf() else { return Ok(false) };
        let (position, uci) = self.place(leaf);
        let Some(known) = store.move_answer(self.profile_id, &position, uci)? else {
            return Ok(false);
        };
        self.recheck.answer(leaf, Value::from(known.answer.score));
        self.nodes = self.nodes.saturating_add(known.nodes);
        Ok(true)
    }

    /// The best move so far.
    pub fn best(&self) -> Option<ValuedMove> {
        self.recheck.root_moves().first().map(valued)
    }

    /// The row to note.
    pub fn row(&self) -> RecheckRow {
        let moves: Vec<ValuedMove> = self.recheck.root_moves().iter().map(valued).collect();
        let best = moves.first().copied().unwrap_or(self.before);
        let since = moves.iter().find(|of| of.uci == self.before.uci).unwrap_or(&self.before);
        let row = &self.tree.row;
        RecheckRow {
            analysis: row.id,
            profile_id: self.profile_id,
            profile: self.profile.clone(),
            tree: (row.passes, row.regrown),
            margin: self.margin.clone(),
            state: self.recheck.state(),
            within: self.recheck.within(),
            at_least: self.recheck.at_least(),
            before: self.before,
            since: since.value,
            best,
            leaves: self.leaves,
            asked: self.asked(),
            nodes: self.nodes,
            changed_at: 0,
        }
    }

    /// Its result, with the line behind the best move and the scores that have changed it.
    pub fn told(&self) -> Rechecked {
        let lines = self.recheck.root_moves();
        let line = lines.into_iter().next().map(|first| first.line).unwrap_or_default();
        let because = self.recheck.causes().into_iter().map(|cause| self.moved(cause));
        let note = RecheckNote::of(self.row(), &self.tree.row, self.tree.game.root());
        Rechecked { note, line, because: because.collect() }
    }

    fn moved(&self, AskedLeaf { leaf, old, new }: AskedLeaf) -> MovedLeaf {
        let (node, uci) = self.recheck.place(leaf);
        let growth = &self.tree.growth;
        let mut line = growth.first_line(node);
        line.push(uci);
        MovedLeaf { line, mover: growth.graph().turn(node), from: old, to: new }
    }
}

fn valued(root_move: &RescoredMove) -> ValuedMove {
    // A line begins with its move.
    let uci = root_move.line.first().copied().unwrap_or(UciMove::Null);
    ValuedMove { uci, value: root_move.alpha }
}
