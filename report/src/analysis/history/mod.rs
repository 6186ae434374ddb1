//! How the verdict came about: what each depth made of the root's moves, what changed them, and by
//! which move. Pure.

mod over_time;

use shakmaty::uci::UciMove;

use crate::analysis::kept::KeptTree;
use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::root_moves;
use deepanalyze_store::VerdictMove;

use super::rows::root_value;

pub use over_time::{StageCourse, stage_courses};

/// The root as a depth has left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The depth.
    pub depth: u32,
    /// Whether it is settled; the last one may be under way.
    pub is_settled: bool,
    /// Passes so far.
    pub passes: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// Analysed positions so far.
    pub positions: u64,
    /// When, in milliseconds since 1970, UTC.
    pub at: i64,
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// Its listed moves, best alpha first; none where they are not known.
    pub moves: Vec<VerdictMove>,
}

/// A change of a root move's alpha from one depth to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlphaChange {
    /// The depth that it had the old value at.
    pub since: u32,
    /// The depth that it has the new value at.
    pub depth: u32,
    /// The old alpha, for the mover.
    pub before: Value,
    /// The new one.
    pub after: Value,
    /// What has changed it.
    pub cause: Cause,
}

/// Why a move's alpha is another one: where its best line leaves the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// At this index, the first one where the lines differ, the new line has another move than the
    /// old one.
    Departs(usize),
    /// The new line begins with the old one: the scores after the old one's last move, which has this
    /// index.
    Follows(usize),
}

/// The newest change of the verdict: what one depth has made of the depth before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headline {
    /// The same move is best, and its alpha another one.
    Value(UciMove, AlphaChange),
    /// Another move is best: the new one, the old one, and the change of either that counts for more.
    Best {
        /// The best move now.
        now: UciMove,
        /// The best move before.
        before: UciMove,
        /// The depth that the old one was best at.
        since: u32,
        /// Whose alpha changed more, and how.
        reason: Option<(UciMove, AlphaChange)>,
    },
}

impl Stage {
    /// A listed move.
    pub fn find(&self, uci: UciMove) -> Option<&VerdictMove> {
        self.moves.iter().find(|m| m.uci == uci)
    }
}

/// All that is known of a tree's depths, the one under way included.
pub fn stages(tree: &KeptTree) -> Vec<Stage> {
    let mut stages: Vec<Stage> = tree
        .verdicts
        .iter()
        .map(|verdict| Stage {
            depth: verdict.settled.depth,
            is_settled: true,
            passes: verdict.settled.passes,
            searches: verdict.settled.searches,
            positions: verdict.settled.analysed,
            at: verdict.settled_at,
            value: verdict.value,
            moves: verdict.moves.clone(),
        })
        .collect();
    let growth = &tree.growth;
    let settled_after = stages.last().map_or(0, |last| last.passes);
    let moves = root_moves(growth.graph(), growth.values(), growth.root());
    if growth.passes() > settled_after && !moves.is_empty() {
        stages.push(Stage {
            depth: growth.depth(),
            is_settled: false,
            passes: growth.passes(),
            searches: growth.searches(),
            positions: growth.analysed(),
            at: tree.row.changed_at,
            value: root_value(growth),
            moves,
        });
    }
    stages
}

/// How a root move's alpha went from depth to depth, oldest change first. Depths that do not list the
/// move are stepped over.
pub fn changes(stages: &[Stage], uci: UciMove) -> Vec<AlphaChange> {
    let listed = stages.iter().filter_map(|stage| Some((stage, stage.find(uci)?)));
    let listed: Vec<_> = listed.collect();
    let pairs = listed.iter().zip(listed.iter().skip(1));
    pairs.filter_map(|(old, new)| change(*old, *new)).collect()
}

fn change(old: (&Stage, &VerdictMove), new: (&Stage, &VerdictMove)) -> Option<AlphaChange> {
    let ((since, old), (depth, new)) = (old, new);
    (old.alpha != new.alpha).then(|| AlphaChange {
        since: since.depth,
        depth: depth.depth,
        before: old.alpha,
        after: new.alpha,
        cause: cause(&old.line, &new.line),
    })
}

/// Where a newer best line leaves an older one of the same root move.
pub fn cause(older: &[UciMove], newer: &[UciMove]) -> Cause {
    let common = older.iter().zip(newer).take_while(|(old, new)| old == new).count();
    if common < older.len() && common < newer.len() {
        Cause::Departs(common)
    } else {
        Cause::Follows(common.saturating_sub(1))
    }
}

/// The newest change between two depths that are known.
pub fn headline(stages: &[Stage]) -> Option<Headline> {
    let known: Vec<&Stage> = stages.iter().filter(|stage| !stage.moves.is_empty()).collect();
    let pairs = known.iter().zip(known.iter().skip(1));
    pairs.rev().find_map(|(old, new)| headline_of(old, new))
}

fn headline_of(old: &Stage, new: &Stage) -> Option<Headline> {
    let (before, now) = (old.moves.first()?.uci, new.moves.first()?.uci);
    let change = |uci| Some((uci, change((old, old.find(uci)?), (new, new.find(uci)?))?));
    if before == now {
        return change(now).map(|(uci, change)| Headline::Value(uci, change));
    }
    let size = |change: &AlphaChange| change.after.get().abs_diff(change.before.get());
    let changed = [change(now), change(before)].into_iter().flatten();
    // Of two that moved as much, the old best move is why there is another one.
    let reason = changed.max_by_key(|(_, change)| size(change));
    Some(Headline::Best { now, before, since: old.depth, reason })
}

#[cfg(test)]
mod tests;
