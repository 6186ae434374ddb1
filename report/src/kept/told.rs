//! The verdict of a root: the one move that is told as the best, and who has chosen it (docs/algorithm.md, section 7).

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, Score, Value};
use deepanalyze_core::tree::Growth;
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::json::{self, NamedMove};
use crate::kept::closing::{Closing, best_closing};
use crate::kept::stages::Stages;
use crate::kept::verdict::{LatestVerdict, root_value, whole_best_line};
use crate::kept::{KeptTree, LiveTree};
use crate::words::figures::grouped;
use crate::words::{PointOfView, numbered_move, seen};

/// A closing search counts while its engines have searched at least one part in so many of the tree's nodes.
const PART: u64 = 4;

/// Who has chosen a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChosenBy {
    /// The closing search.
    Closing,
    /// The tree.
    Tree,
}

/// A move of a root that somebody has chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChosenMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its score for its mover, from the one who has chosen it.
    pub score: Score,
    /// The move, and what is expected to follow.
    #[serde(serialize_with = "json::line")]
    pub line: Vec<UciMove>,
}

/// The move that is told as the best one of a root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldVerdict {
    /// The move.
    #[serde(flatten)]
    pub chosen: ChosenMove,
    /// Whose choice it is.
    pub by: ChosenBy,
    /// Whether nobody has chosen another one.
    pub agree: bool,
    /// What the other one has chosen, tree or closing search; none where there is no closing search.
    #[serde(skip)]
    pub other: Option<ChosenMove>,
    /// The nodes of the closing search and of the tree.
    #[serde(skip)]
    pub nodes: [u64; 2],
}

/// Whether a closing search of so many nodes counts beside a tree of so many.
fn counts(searched: u64, spent: u64) -> bool {
    searched.saturating_mul(PART) >= spent
}

impl ToldVerdict {
    /// That of a root, of which a tree whose answers took so many nodes says something, and a closing search, if there is
    /// one. None where the tree has no move.
    pub fn of(
        root: &Chess,
        (tree, spent): (&LatestVerdict, u64),
        closing: Option<&Closing>,
    ) -> Option<ToldVerdict> {
        let named = NamedMove::of(root, *tree.line.first()?);
        let tree = ChosenMove { named, score: tree.value?.into(), line: tree.line.clone() };
        let Some(Closing { best, nodes, .. }) = closing else {
            let (by, agree, other, nodes) = (ChosenBy::Tree, true, None, [0, spent]);
            return Some(ToldVerdict { chosen: tree, by, agree, other, nodes });
        };
        let closing =
            ChosenMove { named: best.named.clone(), score: best.score, line: best.line.clone() };
        let agree = closing.named.uci == tree.named.uci;
        let (by, chosen, other) = match counts(*nodes, spent) {
            true => (ChosenBy::Closing, closing, tree),
            false => (ChosenBy::Tree, tree, closing),
        };
        Some(ToldVerdict { chosen, by, agree, other: Some(other), nodes: [*nodes, spent] })
    }

    /// Whether it is the closing search's choice, and stays so where the tree spends so many nodes more.
    pub fn is_of_closing_after(&self, more: u64) -> bool {
        let [searched, spent] = self.nodes;
        self.by == ChosenBy::Closing && counts(searched, spent.saturating_add(more))
    }

    /// The same as score and line, as lists of roots have them.
    pub fn into_latest(self) -> LatestVerdict {
        LatestVerdict { value: Some(Value::from(self.chosen.score)), line: self.chosen.line }
    }

    /// Who has chosen it, and what the other one says: in one sentence. Nothing where there is no closing search.
    pub fn describe(&self, root: &Chess, pov: PointOfView) -> Option<String> {
        let other = self.other.as_ref()?;
        let scored = |of: &ChosenMove| {
            let score = seen(of.score, root.turn(), pov);
            format!("{} ({score})", numbered_move(root, of.named.uci))
        };
        let [searched, spent] = self.nodes.map(grouped);
        let score = seen(other.score, root.turn(), pov);
        Some(match (self.by, self.agree) {
            (ChosenBy::Closing, true) => {
                format!("chosen by the closing search; the tree says so too ({score})")
            }
            (ChosenBy::Tree, true) => {
                format!("chosen by the tree; the closing search says so too ({score})")
            }
            (ChosenBy::Closing, false) => format!(
                "The closing search has chosen it; the tree's best move is {}. The closing search counts: its \
                {searched} nodes are at least a quarter of the tree's {spent}.",
                scored(other)
            ),
            (ChosenBy::Tree, false) => format!(
                "The tree has chosen it; the closing search says {}. The tree counts: the closing search's \
                {searched} nodes are less than a quarter of its {spent}.",
                scored(other)
            ),
        })
    }
}

/// The verdict of some stages' root, which one of them speaks for and has this to say. None where it has no move.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn told_verdict(
    store: &Store,
    stages: &Stages,
    (row, game): (&AnalysisRow, &Game),
    latest: &LatestVerdict,
) -> Result<Option<ToldVerdict>, StoreError> {
    let grown_with = store.grown_with(row.id)?;
    let closing = best_closing(store, stages.rows(), (game, &grown_with))?;
    Ok(ToldVerdict::of(game.root(), (latest, row.nodes), closing.as_ref()))
}

/// That of a tree in memory.
fn of_tree(
    (row, game): (&AnalysisRow, &Game),
    growth: &Growth,
    closing: Option<&Closing>,
) -> Option<ToldVerdict> {
    let latest = LatestVerdict { value: root_value(growth), line: whole_best_line(growth) };
    ToldVerdict::of(game.root(), (&latest, row.nodes), closing)
}

impl KeptTree {
    /// The move that is told as the best one of its root; none where there is none.
    pub fn verdict(&self) -> Option<ToldVerdict> {
        of_tree((&self.row, &self.game), &self.growth, self.closing.as_ref())
    }
}

impl LiveTree {
    /// The same. Under other directives than it was grown with, a closing search says nothing of it.
    pub fn verdict(&self) -> Option<ToldVerdict> {
        let closing = self.closing.as_ref().filter(|_| !self.is_pending());
        of_tree((&self.row, &self.game), &self.growth, closing)
    }
}
