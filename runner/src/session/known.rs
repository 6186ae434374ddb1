//! What the database knows of a root before anything is searched: the rows of its verdicts alone, which are
//! read at once, however large the tree is.

use std::cmp::Reverse;

use crate::{Schedule, Speaking};
use deepanalyze_core::chess::{TableMove, Tables};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Breadth;
use deepanalyze_report::{Stages, latest_verdict};
use deepanalyze_store::{AnalysisRow, Store, StoreError, VerdictMove};

use super::settings::Question;
use super::verdict::{Origin, ValuedLine, Verdict};

/// What is known.
#[derive(Debug, Clone)]
pub struct Known {
    /// The lines.
    pub verdict: Verdict,
    /// Answers in the tree that they are of.
    pub answers: u64,
}

/// How analyses must have been made to count.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// The engine and its options.
    pub profile: &'a Profile,
    /// How deep it searches.
    pub schedule: Schedule,
    /// The move distances, and the least moves of the root.
    pub breadth: &'a Breadth,
    /// How far trees go by endgame tables; none where they do not.
    pub tables: Option<Tables>,
}

impl Manner<'_> {
    /// Whether an analysis is of the same engine and distances. How many moves its root has at least changes
    /// no value of a move.
    fn fits(&self, row: &AnalysisRow) -> bool {
        let mine = (&self.profile.engine, &self.profile.options, &self.profile.kept_hash);
        let theirs = (&row.profile.engine, &row.profile.options, &row.profile.kept_hash);
        let is_limit = match self.schedule {
            Schedule::Once(limit) => row.profile.limit == limit,
            Schedule::Stages { .. } => matches!(row.profile.limit, Limit::Depth(_)),
        };
        let widths = |breadth: &Breadth| (breadth.white.clone(), breadth.black.clone());
        let is_same = mine == theirs && widths(self.breadth) == widths(&row.breadth);
        is_same && is_limit && row.tables == self.tables
    }

    /// The analysis that speaks for a root; of those with as many moves at least, if there is one.
    fn speaking(
        &self,
        store: &Store,
        question: &Question,
    ) -> Result<Option<AnalysisRow>, StoreError> {
        let mut rows = store.analyses_of(&question.game)?;
        rows.retain(|row| self.fits(row));
        rows.sort_by_key(|row| Reverse(row.breadth == *self.breadth));
        let Some(first) = rows.into_iter().next() else {
            return Ok(None);
        };
        match self.schedule {
            Schedule::Once(_) => Ok(Some(first)),
            Schedule::Stages { .. } => Ok(Stages::of(store, first)?.speaking().cloned()),
        }
    }
}

/// Looks up what is known: by tables, else nothing where the root has other directives by now than its tree was grown
/// with.
pub fn look_up(
    store: &Store,
    question: &Question,
    manner: Manner<'_>,
) -> Result<Option<Known>, StoreError> {
    if let Some(verdict) = in_tables(store, question, manner.tables)? {
        return Ok(Some(Known { verdict, answers: 0 }));
    }
    let Some(row) = manner.speaking(store, question)? else {
        return Ok(None);
    };
    if store.directives(&question.game)?.of_tree() != store.grown_with(row.id)? {
        return Ok(None);
    }
    let origin = Origin::Tree(Speaking { limit: row.profile.limit, settled: row.settled_depth });
    let verdict = Verdict::new(origin, lines(store, question, &row)?);
    Ok(verdict.map(|verdict| Known { verdict, answers: row.searches }))
}

/// The moves of a root that tables know, as far as that has been looked up.
fn in_tables(
    store: &Store,
    question: &Question,
    tables: Option<Tables>,
) -> Result<Option<Verdict>, StoreError> {
    let root = question.game.root();
    let Some(tables) = tables.filter(|tables| tables.may_know(root)) else {
        return Ok(None);
    };
    let moves = store.table_moves(root)?.into_iter();
    let line = |m: TableMove| ValuedLine { value: tables.value(m.wdl), moves: vec![m.uci] };
    let lines = moves.map(line).filter(|line| question.asks_for(line.moves.first()));
    Ok(Verdict::new(Origin::Tables, lines))
}

/// The newest best line, and behind it what the last settled depth says of the other moves.
fn lines(
    store: &Store,
    question: &Question,
    row: &AnalysisRow,
) -> Result<Vec<ValuedLine>, StoreError> {
    let newest = latest_verdict(store, row.id)?;
    let settled = store.last_verdict(row.id)?.map(|verdict| verdict.moves).unwrap_or_default();
    let best = newest.value.map(|value| ValuedLine { value, moves: newest.line });
    let first = best.as_ref().and_then(|best| best.moves.first().copied());
    let other = |m: VerdictMove| ValuedLine { value: m.alpha, moves: m.line };
    let others = settled.into_iter().filter(|m| Some(m.uci) != first).map(other);
    let is_asked = |line: &ValuedLine| question.asks_for(line.moves.first());
    let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
    Ok(best.into_iter().chain(others).filter(is_asked).take(count).collect())
}
