//! How the verdict came about: what each depth made of the root's moves, what changed them, and by
//! which move. Pure.

use shakmaty::uci::UciMove;

use crate::chess::{PositionKey, Value};
use crate::store::{KeptAnswers, VerdictMove};
use crate::tree::{Values, root_moves};

use super::kept::KeptTree;
use super::ledger::root_value;
use super::replay::replay;
use super::root_seen::RootSeen;

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
pub struct Change {
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
    /// The new line begins with the old one: the scores behind the old one's last move, which has this
    /// index.
    Follows(usize),
}

/// The newest change of the verdict: what one depth has made of the depth before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headline {
    /// The same move is best, and its alpha another one.
    Value(UciMove, Change),
    /// Another move is best: the new one, the old one, and the change of either that counts for more.
    Best {
        /// The best move now.
        now: UciMove,
        /// The best move before.
        before: UciMove,
        /// The depth that the old one was best at.
        since: u32,
        /// Whose alpha changed more, and how.
        reason: Option<(UciMove, Change)>,
    },
}

impl Stage {
    /// A listed move.
    pub fn find(&self, uci: UciMove) -> Option<&VerdictMove> {
        self.moves.iter().find(|m| m.uci == uci)
    }
}

/// All that is known of a tree's depths, the one under way included.
pub fn stages(tree: &KeptTree, values: &Values) -> Vec<Stage> {
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
    let moves = root_moves(growth.graph(), values, growth.root());
    if growth.passes() > settled_after && !moves.is_empty() {
        stages.push(Stage {
            depth: growth.depth(),
            is_settled: false,
            passes: growth.passes(),
            searches: growth.searches(),
            positions: growth.analysed(),
            at: tree.row.changed_at,
            value: root_value(growth, values),
            moves,
        });
    }
    stages
}

/// Works out the verdicts that the database has not kept: those of version 1 of its schema. The tree
/// is grown again from its own answers.
///
/// # Errors
///
/// In words, where the tree is not the one that its answers make.
pub fn complete_verdicts(tree: &mut KeptTree) -> Result<(), String> {
    let is_missing = |verdict: &crate::store::Verdict| verdict.moves.is_empty();
    let analysed = tree.growth.graph().is_analysed(tree.growth.root());
    if !analysed || !tree.verdicts.iter().any(is_missing) {
        return Ok(());
    }
    let nodes = tree.nodes.iter();
    let lists: KeptAnswers =
        nodes.map(|(_, node)| (PositionKey::of(&node.position), node.answers.clone())).collect();
    let mut seen = RootSeen::new(u64::MAX);
    replay(&tree.row, &tree.game, &lists, |growth, values| seen.see(growth, values))?;
    for (verdict, (settled, moves)) in tree.verdicts.iter_mut().zip(seen.into_verdicts()) {
        if verdict.settled != settled {
            return Err(format!("depth {} differs when grown again", settled.depth));
        }
        verdict.moves = moves;
    }
    Ok(())
}

/// How a root move's alpha went from depth to depth, oldest change first. Depths that do not list the
/// move are stepped over.
pub fn changes(stages: &[Stage], uci: UciMove) -> Vec<Change> {
    let listed = stages.iter().filter_map(|stage| Some((stage, stage.find(uci)?)));
    let listed: Vec<_> = listed.collect();
    let pairs = listed.iter().zip(listed.iter().skip(1));
    pairs.filter_map(|(old, new)| change(*old, *new)).collect()
}

fn change(old: (&Stage, &VerdictMove), new: (&Stage, &VerdictMove)) -> Option<Change> {
    let ((since, old), (depth, new)) = (old, new);
    (old.alpha != new.alpha).then(|| Change {
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
    let size = |change: &Change| change.after.get().abs_diff(change.before.get());
    let changed = [change(now), change(before)].into_iter().flatten();
    // Of two that moved as much, the old best move is why there is another one.
    let reason = changed.max_by_key(|(_, change)| size(change));
    Some(Headline::Best { now, before, since: old.depth, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> Vec<UciMove> {
        words.split(' ').map(|uci| uci.parse().unwrap()).collect()
    }

    /// A settled depth with moves as "alpha line".
    fn stage(depth: u32, moves: &[(i64, &str)]) -> Stage {
        let moves = moves.iter().enumerate().map(|(rank, (alpha, words))| {
            let alpha = Value::new(*alpha).unwrap();
            let line = line(words);
            VerdictMove { uci: line[0], rank, eval: alpha, idea: alpha, alpha, line }
        });
        Stage {
            depth,
            is_settled: true,
            passes: 0,
            searches: 0,
            positions: 0,
            at: 0,
            value: None,
            moves: moves.collect(),
        }
    }

    #[test]
    fn the_cause_is_the_first_move_that_the_newer_line_plays_otherwise() {
        for (older, newer, right) in [
            ("e2e4 e7e5 g1f3", "e2e4 c7c5 g1f3", Cause::Departs(1)),
            ("e2e4 e7e5 g1f3", "e2e4 e7e5 d2d4 e5d4", Cause::Departs(2)),
            ("e2e4 e7e5", "e2e4 e7e5", Cause::Follows(1)),
            ("e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6", Cause::Follows(1)),
            ("e2e4", "e2e4 e7e5 g1f3", Cause::Follows(0)),
            ("e2e4 e7e5 g1f3", "e2e4 e7e5", Cause::Follows(1)),
        ] {
            assert_eq!(cause(&line(older), &line(newer)), right, "{older} / {newer}");
        }
    }

    #[test]
    fn changes_are_those_of_the_alpha_between_depths_that_list_the_move() {
        let stages = [
            stage(3, &[(20, "d2d4")]),
            stage(4, &[(31, "e2e4 e7e5"), (20, "d2d4")]),
            stage(5, &[]),
            stage(6, &[(31, "e2e4 c7c5"), (20, "d2d4")]),
            stage(7, &[(20, "d2d4"), (18, "e2e4 c7c5 g1f3")]),
            stage(8, &[(20, "d2d4"), (19, "e2e4 e7e6")]),
        ];
        let e4 = line("e2e4")[0];
        let told = |change: &Change| {
            (change.since, change.depth, change.before.get(), change.after.get(), change.cause)
        };
        let found: Vec<_> = changes(&stages, e4).iter().map(told).collect();
        assert_eq!(found, [(6, 7, 31, 18, Cause::Follows(1)), (7, 8, 18, 19, Cause::Departs(1))]);
        assert!(changes(&stages, line("d2d4")[0]).is_empty());
        assert!(changes(&stages, line("a2a4")[0]).is_empty());
    }

    #[test]
    fn the_headline_is_the_newest_change_of_the_best_move_or_its_value() {
        let (e4, d4) = (line("e2e4")[0], line("d2d4")[0]);
        let mut stages = vec![stage(0, &[(30, "e2e4"), (20, "d2d4")])];
        assert_eq!(headline(&stages), None, "one depth is no change");
        stages.push(stage(1, &[(30, "e2e4 e7e5"), (25, "d2d4")]));
        assert_eq!(headline(&stages), None, "the best move and its value stand");
        stages.push(stage(2, &[(28, "e2e4 c7c5"), (25, "d2d4")]));
        stages.push(stage(3, &[]));
        stages.push(stage(4, &[(28, "e2e4 c7c5"), (15, "d2d4")]));
        let Some(Headline::Value(uci, change)) = headline(&stages) else { panic!() };
        assert_eq!((uci, change.since, change.depth, change.cause), (e4, 1, 2, Cause::Departs(1)));
        stages.push(stage(5, &[(16, "d2d4"), (3, "e2e4 c7c5 b1c3")]));
        let Some(Headline::Best { now, before, since, reason }) = headline(&stages) else {
            panic!()
        };
        assert_eq!((now, before, since), (d4, e4, 4));
        assert_eq!(reason.map(|(uci, change)| (uci, change.after.get())), Some((e4, 3)));
    }

    #[test]
    fn a_best_move_that_was_not_listed_before_is_told_by_the_old_ones_change() {
        let (e4, d4) = (line("e2e4")[0], line("d2d4")[0]);
        let before = stage(4, &[(28, "e2e4")]);
        for (alpha, reason) in [(28, None), (20, Some(e4))] {
            let now = stage(5, &[(30, "d2d4"), (alpha, "e2e4")]);
            let found = headline(&[before.clone(), now]);
            let Some(Headline::Best { now, reason: found, .. }) = found else { panic!() };
            assert_eq!((now, found.map(|(uci, _)| uci)), (d4, reason));
        }
    }
}
