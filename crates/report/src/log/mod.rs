//! How the verdict came about: the root's moves at each depth, their changes, and the moves that
//! caused them. Pure.

pub mod text;

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::tree::{RootMove, root_moves};

use crate::log::text::Log;
use deepanalyze_view::{
    AnalysisManner, Closing, NamedMove, StageVerdict, StoredTree, Verdict, is_one_alone, json,
    root_value,
};

/// The root at a depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedDepth {
    /// The depth.
    pub depth: u32,
    /// Time of settling, in milliseconds since 1970, UTC; the last one may be under way.
    #[serde(serialize_with = "json::known_time")]
    pub settled_at: Option<i64>,
    /// Passes so far.
    pub passes: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// Analysed positions so far.
    pub positions: u64,
    /// The time.
    #[serde(skip)]
    pub at: i64,
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// Its listed moves, best alpha first; empty if unknown.
    pub moves: Vec<LoggedMove>,
}

/// A root move at a depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    rank: Option<usize>,
    eval: Option<Value>,
    idea: Value,
    /// Its value, for the mover.
    pub alpha: Value,
    /// Its best line, the move first.
    #[serde(serialize_with = "json::line")]
    pub line: Vec<UciMove>,
}

impl LoggedMove {
    /// A root's move.
    pub fn of(root: &Chess, RootMove { uci, listed, idea, alpha, line }: RootMove) -> Self {
        let (rank, eval) = listed.unzip();
        LoggedMove { named: NamedMove::of(root, uci), rank, eval, idea, alpha, line }
    }
}

/// A change of a root move's alpha from one depth to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AlphaChange {
    /// The depth of the old value.
    pub since: u32,
    /// The depth of the new value.
    pub depth: u32,
    /// The old alpha, for the mover.
    pub before: Value,
    /// The new one.
    pub after: Value,
    /// The cause.
    #[serde(rename = "because")]
    pub cause: Cause,
}

/// Why a move's alpha has changed: where its best line leaves the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Cause {
    /// The new line has another move than the old one at this ply, the first difference.
    Departs {
        /// Counted from 0.
        ply: usize,
        /// The new line's move.
        #[serde(serialize_with = "json::text")]
        uci: UciMove,
        /// The old one's.
        #[serde(serialize_with = "json::text")]
        instead_of: UciMove,
    },
    /// The new line begins with the old one: the scores after its last move.
    Follows {
        /// This move's ply, counted from 0.
        ply: usize,
        /// The move.
        #[serde(serialize_with = "json::text")]
        uci: UciMove,
    },
}

/// The newest change of the verdict: from one depth to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headline {
    /// The best move stays, with another alpha.
    Value(UciMove, AlphaChange),
    /// Another move is best: the new one, the old one, and the greater of their changes.
    Best {
        /// The best move now.
        now: UciMove,
        /// The best move before.
        before: UciMove,
        /// The depth that the old one was best at.
        since: u32,
        /// The move that changed more.
        reason: Option<(UciMove, AlphaChange)>,
    },
}

impl LoggedDepth {
    /// A listed move.
    pub fn find(&self, uci: UciMove) -> Option<&LoggedMove> {
        self.moves.iter().find(|m| m.named.uci == uci)
    }
}

/// All known depths of a tree, including the one under way.
pub fn stages(tree: &StoredTree) -> Vec<LoggedDepth> {
    let logged = |moves: Vec<RootMove>| -> Vec<LoggedMove> {
        moves.into_iter().map(|m| LoggedMove::of(tree.game.root(), m)).collect()
    };
    let settled = tree.verdicts.iter().map(|verdict| LoggedDepth {
        depth: verdict.settled.depth,
        settled_at: Some(verdict.settled_at),
        passes: verdict.settled.passes,
        searches: verdict.settled.searches,
        positions: verdict.settled.analysed,
        at: verdict.settled_at,
        value: verdict.value,
        moves: logged(verdict.moves.clone()),
    });
    let mut stages: Vec<LoggedDepth> = settled.collect();
    let growth = &tree.growth;
    let settled_after = stages.last().map_or(0, |last| last.passes);
    let moves = root_moves(growth.graph(), growth.values(), growth.root());
    if growth.passes() > settled_after && !moves.is_empty() {
        stages.push(LoggedDepth {
            depth: growth.depth(),
            settled_at: None,
            passes: growth.passes(),
            searches: growth.searches(),
            positions: growth.analysed(),
            at: tree.row.changed_at,
            value: root_value(growth),
            moves: logged(moves),
        });
    }
    stages
}

/// Changes of a root move's alpha from depth to depth, oldest first. Depths that do not list the
/// move are skipped.
pub fn changes(stages: &[LoggedDepth], uci: UciMove) -> Vec<AlphaChange> {
    let listed = stages.iter().filter_map(|stage| Some((stage, stage.find(uci)?)));
    let listed: Vec<_> = listed.collect();
    let pairs = listed.iter().zip(listed.iter().skip(1));
    pairs.filter_map(|(old, new)| change(*old, *new)).collect()
}

fn change(
    old: (&LoggedDepth, &LoggedMove),
    new: (&LoggedDepth, &LoggedMove),
) -> Option<AlphaChange> {
    let ((since, old), (depth, new)) = (old, new);
    if old.alpha == new.alpha {
        return None;
    }
    let cause = cause(&old.line, &new.line)?;
    let (before, after) = (old.alpha, new.alpha);
    Some(AlphaChange { since: since.depth, depth: depth.depth, before, after, cause })
}

/// Where a newer best line leaves an older one of the same root move; `None` if it is empty.
pub fn cause(older: &[UciMove], newer: &[UciMove]) -> Option<Cause> {
    let ply = older.iter().zip(newer).take_while(|(old, new)| old == new).count();
    if let (Some(instead_of), Some(uci)) = (older.get(ply), newer.get(ply)) {
        return Some(Cause::Departs { ply, uci: *uci, instead_of: *instead_of });
    }
    let ply = ply.saturating_sub(1);
    Some(Cause::Follows { ply, uci: *newer.get(ply)? })
}

/// The newest change between two known depths.
pub fn headline(stages: &[LoggedDepth]) -> Option<Headline> {
    let known: Vec<&LoggedDepth> = stages.iter().filter(|stage| !stage.moves.is_empty()).collect();
    let pairs = known.iter().zip(known.iter().skip(1));
    pairs.rev().find_map(|(old, new)| headline_of(old, new))
}

fn headline_of(old: &LoggedDepth, new: &LoggedDepth) -> Option<Headline> {
    let (before, now) = (old.moves.first()?.named.uci, new.moves.first()?.named.uci);
    let change = |uci| Some((uci, change((old, old.find(uci)?), (new, new.find(uci)?))?));
    if before == now {
        return change(now).map(|(uci, change)| Headline::Value(uci, change));
    }
    let size = |change: &AlphaChange| change.after.get().abs_diff(change.before.get());
    let changed = [change(now), change(before)].into_iter().flatten();
    // Of two equal changes, the old best move's is the reason for the new one.
    let reason = changed.max_by_key(|(_, change)| size(change));
    Some(Headline::Best { now, before, since: old.depth, reason })
}

/// The history of a verdict in JSON. Scores are for the root's side to move; plies count from the
/// root.
#[derive(Serialize)]
struct LogForPrograms<'a> {
    analysis: i64,
    #[serde(flatten, serialize_with = "json::root")]
    game: &'a Game,
    #[serde(flatten)]
    made_of: AnalysisManner<'a>,
    /// The stages of the root, the shallowest engine depth first; only if there are several.
    #[serde(skip_serializing_if = "is_one_alone")]
    stages: &'a [StageVerdict],
    verdicts: &'a [LoggedDepth],
    moves: Vec<MoveHistory>,
    course: CourseOfBest,
    #[serde(skip_serializing_if = "Option::is_none")]
    closing: Option<&'a Closing>,
    verdict: Option<Verdict>,
}

#[derive(Serialize)]
struct MoveHistory {
    #[serde(flatten)]
    named: NamedMove,
    alpha: Value,
    changes: Vec<AlphaChange>,
}

#[derive(Serialize)]
struct CourseOfBest {
    from_pass: u64,
    changes: Vec<BestOfPass>,
}

#[derive(Serialize)]
struct BestOfPass {
    pass: u64,
    searches: u64,
    positions: u64,
    #[serde(serialize_with = "json::time")]
    at: i64,
    #[serde(serialize_with = "json::text")]
    best: UciMove,
    alpha: Value,
}

/// Writes the history as one JSON object.
///
/// # Errors
///
/// Errors of `out`.
pub fn write_log_json(log: &Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tree = log.tree;
    let known = log.stages.iter().rev().find(|stage| !stage.moves.is_empty());
    let moves = known.map_or(&[][..], |stage| &stage.moves).iter();
    let moves = moves.map(|m| MoveHistory {
        named: m.named.clone(),
        alpha: m.alpha,
        changes: changes(log.stages, m.named.uci),
    });
    let points = tree.course.iter().map(|point| BestOfPass {
        pass: point.passes,
        searches: point.searches,
        positions: point.positions,
        at: point.noted_at,
        best: point.best,
        alpha: point.alpha,
    });
    let told = LogForPrograms {
        analysis: tree.row.id.0,
        game: &tree.game,
        made_of: AnalysisManner::of(&tree.row),
        stages: &tree.stages,
        verdicts: log.stages,
        moves: moves.collect(),
        course: CourseOfBest { from_pass: 0, changes: points.collect() },
        closing: tree.closing.as_ref(),
        verdict: tree.verdict(),
    };
    json::write_json(&told, out)
}

#[cfg(test)]
mod tests;
