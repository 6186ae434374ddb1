//! The result of a recheck, as JSON.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::tree::{MovedLeaf, RecheckState};
use deepanalyze_store::{AnalysisRow, RecheckRow, SecondLook, Store, StoreError};

use crate::json::{self, NamedEngine, NamedMove};
use crate::second::{Second, SecondWord};

/// The note of a recheck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecheckNote {
    /// The note.
    pub row: RecheckRow,
    /// True if the tree has changed since.
    pub is_stale: bool,
    /// True if another engine than the tree's has made it.
    pub is_of_other: bool,
    /// The engine nodes of the tree's answers.
    pub tree_nodes: u64,
    /// The tree's best move then.
    pub before: NamedMove,
    /// The best move with the new scores.
    pub best: NamedMove,
    /// The engine's own move of the root, from a short search of that alone, beside the tree's best;
    /// `None` if it was not asked.
    pub own: Option<SecondWord>,
}

impl RecheckNote {
    /// From a row of an analysis.
    pub fn of(row: RecheckRow, analysis: &AnalysisRow, root: &Chess) -> RecheckNote {
        RecheckNote {
            is_stale: row.tree != (analysis.passes, analysis.regrown),
            is_of_other: row.profile.engine != analysis.profile.engine,
            tree_nodes: analysis.nodes,
            before: NamedMove::of(root, row.before.uci),
            best: NamedMove::of(root, row.best.uci),
            own: None,
            row,
        }
    }

    /// The engine's own move of the root, if it was asked behind a closing search.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn own_word(
        &self,
        store: &Store,
        analysis: &AnalysisRow,
    ) -> Result<Option<SecondWord>, StoreError> {
        let Some(game) = analysis.game() else { return Ok(None) };
        let looks = store.present_closings(analysis.id)?.into_iter().flat_map(|row| row.looks);
        let is_of = |look: &SecondLook| look.engine == self.row.profile.engine;
        let looks: Vec<SecondLook> = looks.filter(is_of).collect();
        let own = Second::of(game.root(), &looks);
        Ok(own.map(|own| SecondWord::of(&own, self.row.before.uci)))
    }

    /// All notes of an analysis, the last one first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn all(
        store: &Store,
        analysis: &AnalysisRow,
        root: &Chess,
    ) -> Result<Vec<RecheckNote>, StoreError> {
        let rows = store.rechecks_of(analysis.id)?.into_iter();
        let note = |row| {
            let note = RecheckNote::of(row, analysis, root);
            Ok(RecheckNote { own: note.own_word(store, analysis)?, ..note })
        };
        rows.map(note).collect()
    }
}

/// `stays`, `changed` or `open`.
pub fn state_word(state: RecheckState) -> &'static str {
    match state {
        RecheckState::Open => "open",
        RecheckState::Stays => "stays",
        RecheckState::Changed => "changed",
    }
}

/// A move of the root, and its value for its mover.
#[derive(Serialize)]
struct WorthMove<'a> {
    #[serde(flatten)]
    named: &'a NamedMove,
    /// In the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_tree: Option<Score>,
    /// With the new scores.
    value: Score,
}

/// Scores are the mover's.
impl Serialize for RecheckNote {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let RecheckNote { row, is_stale, is_of_other: _, tree_nodes: _, before, best, own } = self;
        let score = |value: Value| Score::from(value);
        let mut object = to.serialize_struct("RecheckNote", 13)?;
        object.serialize_field("engine", &NamedEngine::of(&row.profile))?;
        object.serialize_field("state", state_word(row.state))?;
        if *is_stale {
            object.serialize_field("stale", &true)?;
        }
        let in_tree = Some(score(row.before.value));
        let before = WorthMove { named: before, in_tree, value: score(row.since) };
        object.serialize_field("before", &before)?;
        let best = WorthMove { named: best, in_tree: None, value: score(row.best.value) };
        object.serialize_field("best", &best)?;
        if let Some(own) = own {
            object.serialize_field("own", own)?;
        }
        object.serialize_field("within", &row.within)?;
        object.serialize_field("at_least", &row.at_least)?;
        object.serialize_field("leaves", &row.leaves)?;
        object.serialize_field("asked", &row.asked)?;
        object.serialize_field("nodes", &row.nodes)?;
        object.end()
    }
}

/// The result of a recheck, with its reasons.
#[derive(Debug, Clone, Serialize)]
pub struct Rechecked {
    /// Its note.
    #[serde(flatten)]
    pub note: RecheckNote,
    /// The best move with the new scores, and its line.
    #[serde(serialize_with = "json::line")]
    pub line: Vec<UciMove>,
    /// The new scores without any of which the best move would be the tree's; empty if it is.
    #[serde(serialize_with = "as_changes")]
    pub because: Vec<MovedLeaf>,
}

fn as_changes<S: Serializer>(leaves: &[MovedLeaf], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct ScoreChanged<'a> {
        #[serde(serialize_with = "json::line")]
        line: &'a [UciMove],
        from: Score,
        to: Score,
    }
    to.collect_seq(leaves.iter().map(|leaf| ScoreChanged {
        line: &leaf.line,
        from: leaf.from.into(),
        to: leaf.to.into(),
    }))
}
