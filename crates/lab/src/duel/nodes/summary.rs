//! Figures of one setting over all positions.

use crate::duel::arm::{SearchArm, TreeArm};
use crate::duel::judging::{Judged, MoveResult, centipawns, verdict};
use crate::duel::statistics::{Estimate, float, mean, share};

/// Outcome of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionOutcome {
    /// The arm of one long search.
    pub search: SearchArm,
    /// The arms of trees, one per setting.
    pub trees: Vec<TreeArm>,
    /// The judge's scores.
    pub judged: Judged,
}

/// Rules of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// The judged difference that is no draw any more, in centipawns.
    pub margin: u32,
    /// Fixes the bootstrap's samples.
    pub seed: u64,
}

/// How often the tree's move was not the engine's first choice, and with which result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Departures {
    /// The arm kept to the tree's own move of rank 0.
    pub kept: usize,
    /// It left it for a better move.
    pub right: usize,
    /// It left it for a move that is as good within the margin.
    pub even: usize,
    /// It left a better move.
    pub wrong: usize,
    /// It left it for a move not judged, or not against it.
    pub unjudged: usize,
}

/// A setting's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Positions.
    pub positions: usize,
    /// Positions where both arms chose the same move.
    pub agreed: usize,
    /// Positions that the tree won.
    pub won: usize,
    /// Positions with different moves that are worth the same.
    pub drawn: usize,
    /// Positions that the tree lost.
    pub lost: usize,
    /// The tree's wins among wins and losses.
    pub decided: Option<Estimate>,
    /// The long search's loss in centipawns.
    pub search_loss: Option<Estimate>,
    /// The tree's loss in centipawns.
    pub tree_loss: Option<Estimate>,
    /// The tree's loss less the long search's, position by position: below 0, the tree is better.
    pub difference: Option<Estimate>,
    /// Positions where the arms found the judge's own move, if the judge was asked for one: long
    /// search, tree.
    pub found: Option<(usize, usize)>,
    /// If the moves differ, by how many centipawns each arm's score of its own move exceeds the
    /// judge's: long search, tree.
    pub overrated: Option<(Estimate, Estimate)>,
    /// Departures from the engine's first choice.
    pub departures: Departures,
    /// Mean nodes of the long searches.
    pub search_nodes: f64,
    /// Mean nodes of the trees, closing searches among them.
    pub tree_nodes: f64,
    /// Mean nodes of uncounted searches.
    pub uncounted_nodes: f64,
    /// The share of the trees' nodes that fell below root moves that were never best.
    pub idle: f64,
    /// Mean searches of a tree.
    pub searches: f64,
    /// Mean positions of a tree.
    pub tree_positions: f64,
    /// Mean settled depth; −1 counts for a tree that settled none.
    pub settled: f64,
}

impl Summary {
    /// The figures of setting `setting`.
    pub fn of(outcomes: &[PositionOutcome], setting: usize, counting: Counting) -> Summary {
        let rows: Vec<NodesRow<'_>> = outcomes
            .iter()
            .filter_map(|outcome| NodesRow::of(outcome, setting, counting))
            .collect();
        let count = |wanted| rows.iter().filter(|row| row.verdict == wanted).count();
        let (won, lost) = (count(MoveResult::Won), count(MoveResult::Lost));
        let average = |of: fn(&NodesRow<'_>) -> f64| {
            rows.iter().map(of).sum::<f64>() / float(rows.len().max(1))
        };
        let estimate = |of: fn(&NodesRow<'_>) -> i64| {
            mean(&rows.iter().map(of).collect::<Vec<i64>>(), counting.seed)
        };
        let nodes: u64 = rows.iter().map(|row| row.tree.nodes).sum();
        let idle: u64 = rows.iter().map(|row| row.tree.idle_nodes).sum();
        Summary {
            positions: rows.len(),
            agreed: count(MoveResult::Agreed),
            won,
            drawn: count(MoveResult::Drawn),
            lost,
            decided: share(won, won + lost),
            search_loss: estimate(|row| row.losses.0),
            tree_loss: estimate(|row| row.losses.1),
            difference: estimate(|row| row.losses.1 - row.losses.0),
            found: found(&rows),
            overrated: overrated(&rows, counting.seed),
            departures: departures(&rows, counting.margin),
            search_nodes: average(|row| many(row.search.nodes)),
            tree_nodes: average(|row| many(row.tree.nodes)),
            uncounted_nodes: average(|row| many(row.tree.uncounted)),
            idle: if nodes == 0 { 0.0 } else { many(idle) / many(nodes) },
            searches: average(|row| many(row.tree.searches)),
            tree_positions: average(|row| many(row.tree.positions)),
            settled: average(|row| row.tree.settled.map_or(-1.0, f64::from)),
        }
    }

    /// True if the tree loses less beyond the difference's interval, false if more.
    pub fn better(&self) -> Option<bool> {
        let difference = self.difference?;
        match (difference.is_below(0.0), difference.is_above(0.0)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// One position with one setting.
struct NodesRow<'a> {
    search: &'a SearchArm,
    tree: &'a TreeArm,
    judged: &'a Judged,
    verdict: MoveResult,
    losses: (i64, i64),
}

impl<'a> NodesRow<'a> {
    fn of(
        outcome: &'a PositionOutcome,
        setting: usize,
        counting: Counting,
    ) -> Option<NodesRow<'a>> {
        let (search, judged) = (&outcome.search, &outcome.judged);
        let tree = outcome.trees.get(setting)?;
        let verdict = verdict(judged, search.uci, tree.uci, counting.margin)?;
        let (a, b) = judged.losses(search.uci, tree.uci).unwrap_or((0, 0));
        Some(NodesRow { search, tree, judged, verdict, losses: (i64::from(a), i64::from(b)) })
    }
}

fn found(rows: &[NodesRow<'_>]) -> Option<(usize, usize)> {
    let mut found = (0, 0);
    for row in rows {
        let own = row.judged.own?;
        found.0 += usize::from(row.search.uci == own);
        found.1 += usize::from(row.tree.uci == own);
    }
    Some(found)
}

fn overrated(rows: &[NodesRow<'_>], seed: u64) -> Option<(Estimate, Estimate)> {
    let differ = || rows.iter().filter(|row| row.verdict != MoveResult::Agreed);
    let by =
        |uci, own, judged: &Judged| Some(i64::from(centipawns(own)) - i64::from(judged.of(uci)?));
    let search = differ().filter_map(|row| by(row.search.uci, row.search.score, row.judged));
    let tree = differ().filter_map(|row| by(row.tree.uci, row.tree.score, row.judged));
    let estimate = |numbers: Vec<i64>| mean(&numbers, seed);
    estimate(search.collect()).zip(estimate(tree.collect()))
}

fn departures(rows: &[NodesRow<'_>], margin: u32) -> Departures {
    let mut departures = Departures::default();
    for row in rows {
        match verdict(row.judged, row.tree.first, row.tree.uci, margin) {
            Some(MoveResult::Agreed) => departures.kept += 1,
            Some(MoveResult::Won) => departures.right += 1,
            Some(MoveResult::Drawn) => departures.even += 1,
            Some(MoveResult::Lost) => departures.wrong += 1,
            None => departures.unjudged += 1,
        }
    }
    departures
}

#[expect(clippy::cast_precision_loss, reason = "means for people")]
fn many(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use shakmaty::uci::UciMove;

    use deepanalyze_core::chess::Score;

    use super::*;

    const A: &str = "a2a3";
    const B: &str = "b2b3";
    const C: &str = "c2c3";

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    /// A position: the long search's move, the tree's, the tree's first choice, the judge's scores.
    fn outcome(search: &str, tree: &str, first: &str, judged: &[(&str, i32)]) -> PositionOutcome {
        let arm = TreeArm {
            uci: uci(tree),
            score: Score::Cp(0),
            nodes: 90,
            uncounted: 30,
            first: uci(first),
            alpha: Score::Cp(0),
            best: uci(tree),
            searches: 9,
            positions: 4,
            passes: 3,
            settled: Some(2),
            idle_nodes: 9,
            closing: None,
            listed: Vec::new(),
        };
        let moves = judged.iter().map(|(text, cp)| (uci(text), Score::Cp(*cp))).collect();
        PositionOutcome {
            search: SearchArm { uci: uci(search), score: Score::Cp(0), nodes: 110 },
            trees: vec![arm],
            judged: Judged { moves, own: None },
        }
    }

    const COUNTING: Counting = Counting { margin: 10, seed: 1 };

    #[test]
    fn the_figures_of_a_duel_worked_by_hand() {
        let outcomes = [
            outcome(A, A, A, &[]),
            outcome(A, A, B, &[(A, 3), (B, 40)]),
            outcome(A, B, A, &[(A, 0), (B, 60)]),
            outcome(A, B, B, &[(A, 25), (B, 15)]),
            outcome(A, C, B, &[(A, 0), (B, 5), (C, -20)]),
            outcome(A, C, A, &[(A, 0), (C, -9)]),
        ];
        let summary = Summary::of(&outcomes, 0, COUNTING);
        assert_eq!((summary.positions, summary.agreed), (6, 2));
        assert_eq!((summary.won, summary.drawn, summary.lost), (1, 2, 1));
        assert_eq!(summary.decided.unwrap().value, 0.5);
        // One search loses 60 once; the tree 10, 20 and 9.
        assert_eq!(summary.search_loss.unwrap().value, 10.0);
        assert_eq!(summary.tree_loss.unwrap().value, 6.5);
        let difference = summary.difference.unwrap();
        assert_eq!(difference.value, -3.5);
        assert!(difference.low < -3.5 && difference.high > -3.5);
        assert_eq!(summary.better(), None, "one position decides it all");
        // The arms' own scores are 0; B is worth 60 and 15, C −20 and −9; A 0, 25, 0 and 0.
        let (search, tree) = summary.overrated.unwrap();
        assert_eq!((search.value, tree.value), (-6.25, -11.5));
        let expected = Departures { kept: 2, right: 1, even: 1, wrong: 2, unjudged: 0 };
        assert_eq!(summary.departures, expected);
        let mut arms_alone = outcomes.to_vec();
        arms_alone[1].judged.moves.clear();
        let fewer = Summary::of(&arms_alone, 0, COUNTING);
        let expected = Departures { wrong: 1, unjudged: 1, ..expected };
        assert_eq!(
            (fewer.departures, fewer.won, fewer.difference),
            (expected, 1, summary.difference)
        );
        assert_eq!((summary.search_nodes, summary.tree_nodes, summary.idle), (110.0, 90.0, 0.1));
        assert_eq!(summary.found, None);
    }

    #[test]
    fn judges_own_moves_are_counted_and_set_the_losses() {
        let mut outcomes =
            vec![outcome(A, A, A, &[(A, 10), (C, 40)]), outcome(A, B, B, &[(A, 0), (B, 12)])];
        outcomes[0].judged.own = Some(uci(C));
        outcomes[1].judged.own = Some(uci(B));
        let summary = Summary::of(&outcomes, 0, COUNTING);
        assert_eq!(summary.found, Some((0, 1)));
        assert_eq!(summary.search_loss.unwrap().value, 21.0);
        assert_eq!(summary.tree_loss.unwrap().value, 15.0);
    }

    #[test]
    fn what_every_position_says_is_shown() {
        let better = vec![outcome(A, B, B, &[(A, 0), (B, 12)]); 5];
        assert_eq!(Summary::of(&better, 0, COUNTING).better(), Some(true));
        let worse = vec![outcome(A, B, B, &[(A, 12), (B, 0)]); 5];
        assert_eq!(Summary::of(&worse, 0, COUNTING).better(), Some(false));
        let nothing = Summary::of(&[], 0, COUNTING);
        assert_eq!((nothing.positions, nothing.difference, nothing.better()), (0, None, None));
    }
}
