//! The ground of expected scores: moves, their ends, and how often they are played.

use deepanalyze_core::chess::Value;
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Edge, Graph, MoveCounts, NodeId, Values};
use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use super::PeopleAsked;

/// How steep the expected score is in centipawns: Lichess's fit to the games of its players.
const STEEPNESS: f64 = 0.003_682_08;
/// A game is decided from here on, in centipawns.
const DECIDED: i16 = 30_000;
/// Prior games of the best move, before any has been counted.
const GAMES_OF_THE_BEST: f64 = 10.0;

/// The expected score of a value, 0 to 1, for the value's side.
pub fn expected_of(value: Value) -> f64 {
    match value.get() {
        DECIDED.. => 1.0,
        cp if cp <= -DECIDED => 0.0,
        cp => 1.0 / (1.0 + (-STEEPNESS * f64::from(cp)).exp()),
    }
}

/// The expected score of a value of a position's side to move, for a side.
fn scored(graph: &Graph, side: Color, node: NodeId, value: Value) -> f64 {
    expected_of(if graph.turn(node) == side { value } else { -value })
}

/// How games end behind moves by the engine's word, for their movers.
pub type SaidOfEdges = HashMap<(NodeId, PackedUciMove), WinDrawLoss>;

/// The expected score for a side after a move whose position is not analysed; `None` if it is.
fn fixed(
    (graph, said): (&Graph, &SaidOfEdges),
    side: Color,
    node: NodeId,
    edge: &Edge,
) -> Option<f64> {
    if graph.is_drawn_end(edge.child) {
        Some(0.5)
    } else if let Some(end) = graph.end(edge.child) {
        Some(scored(graph, side, edge.child, end))
    } else if graph.is_analysed(edge.child) {
        None
    } else if let Some(wdl) = said.get(&(node, edge.uci)) {
        let wdl = if graph.turn(node) == side { *wdl } else { wdl.flipped() };
        Some(wdl.expected_score())
    } else {
        Some(scored(graph, side, node, edge.eval))
    }
}

/// The expected score for a side after a move, with those of the analysed positions by node.
pub fn after_move(
    of: (&Graph, &SaidOfEdges),
    side: Color,
    node: NodeId,
    edge: &Edge,
    expected: &[f64],
) -> f64 {
    let analysed = || expected.get(edge.child.index()).copied().unwrap_or(f64::NAN);
    fixed(of, side, node, edge).unwrap_or_else(analysed)
}

/// A tree with counts.
#[derive(Debug)]
pub struct Ground<'a> {
    pub graph: &'a Graph,
    pub values: &'a Values,
    /// By node; `None` if no game is known.
    pub counts: Vec<Option<&'a MoveCounts>>,
    pub said: SaidOfEdges,
    pub asked: PeopleAsked,
}

impl<'a> Ground<'a> {
    pub fn is_own(&self, node: NodeId) -> bool {
        self.graph.turn(node) == self.asked.side
    }

    pub fn counts_at(&self, node: NodeId) -> Option<&'a MoveCounts> {
        self.counts.get(node.index()).copied().flatten().filter(|counts| !counts.is_empty())
    }

    /// The expected score of a value of a position's side to move, for the side in question.
    pub fn scored(&self, node: NodeId, value: Value) -> f64 {
        scored(self.graph, self.asked.side, node, value)
    }

    /// The expected score after a move whose position is not analysed; `None` if it is.
    pub fn fixed(&self, node: NodeId, edge: &Edge) -> Option<f64> {
        fixed((self.graph, &self.said), self.asked.side, node, edge)
    }

    /// The expected score after a move, with those of the analysed positions by node.
    pub fn after_move(&self, node: NodeId, edge: &Edge, expected: &[f64]) -> f64 {
        after_move((self.graph, &self.said), self.asked.side, node, edge, expected)
    }

    /// The moves that the side in question may play: the included ones that count, if any, else the
    /// sound ones.
    pub fn own_moves(&self, node: NodeId) -> impl Iterator<Item = &'a Edge> + '_ {
        let moves = self.graph.moves(node);
        let is_included = move |edge: &Edge| self.graph.is_included(node, edge.uci);
        let follows = moves.iter().any(is_included);
        let idea = move |edge: &Edge| self.values.idea_of(self.graph, edge);
        let best = if follows { None } else { moves.iter().map(idea).max() };
        let least = best.map_or(i64::MIN, |best| best.less(self.asked.sound));
        moves.iter().filter(move |edge| {
            if follows { is_included(edge) } else { i64::from(idea(edge).get()) >= least }
        })
    }

    /// True if the user has included moves of a position that count.
    pub fn follows_included(&self, node: NodeId) -> bool {
        self.graph.moves(node).iter().any(|edge| self.graph.is_included(node, edge.uci))
    }

    /// The side's move of the greatest expected score; of equal ones the first.
    pub fn best_own(&self, node: NodeId, expected: &[f64]) -> Option<&'a Edge> {
        self.greatest(node, self.own_moves(node), expected)
    }

    /// The one of the greatest expected score among some moves of a position; of equal ones the first.
    pub fn greatest(
        &self,
        node: NodeId,
        moves: impl Iterator<Item = &'a Edge>,
        expected: &[f64],
    ) -> Option<&'a Edge> {
        let mut best: Option<(&Edge, f64)> = None;
        for edge in moves {
            let score = self.after_move(node, edge, expected);
            if best.is_none_or(|(_, greatest)| score > greatest) {
                best = Some((edge, score));
            }
        }
        best.map(|(edge, _)| edge)
    }

    /// The other side's moves that count, each with its weight: by its games, and the rest to the
    /// best one.
    pub fn weighted(&self, node: NodeId) -> Vec<(&'a Edge, f64)> {
        let moves = self.graph.moves(node);
        let counts = self.counts_at(node);
        let all = counts.map_or(0.0, MoveCounts::n_of_all) + GAMES_OF_THE_BEST;
        let weight = |edge: &Edge| counts.map_or(0.0, |c| c.n(edge.uci.unpack()) / all);
        let mut weighted: Vec<(&Edge, f64)> =
            moves.iter().map(|edge| (edge, weight(edge))).collect();
        let left = 1.0 - weighted.iter().map(|(_, weight)| weight).sum::<f64>();
        if let Some((_, weight)) = self.best_place(node).and_then(|at| weighted.get_mut(at)) {
            *weight += left;
        }
        weighted.retain(|(_, weight)| *weight > 0.0);
        weighted
    }

    /// The move of the greatest idea; of equal ones the first.
    pub fn best_by_idea(&self, node: NodeId) -> Option<&'a Edge> {
        self.graph.moves(node).get(self.best_place(node)?)
    }

    /// The move of the greatest idea among those that count; of equal ones the first.
    fn best_place(&self, node: NodeId) -> Option<usize> {
        let ideas = self.graph.moves(node).iter().map(|edge| self.values.idea_of(self.graph, edge));
        // The last of the greatest, from the end: the first.
        let greatest = ideas.enumerate().rev().max_by_key(|(_, idea)| *idea);
        greatest.map(|(place, _)| place)
    }
}

/// A number of games for divisions.
#[expect(clippy::cast_precision_loss, reason = "games are fewer than 2⁵³")]
pub fn as_number(games: u64) -> f64 {
    games as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decided_scores_all_or_nothing() {
        let score = |raw: i64| expected_of(Value::new(raw).unwrap());
        assert_eq!([31_999, 31_001, 30_000].map(score), [1.0; 3]);
        assert_eq!([-32_000, -30_000].map(score), [0.0; 2]);
        assert_eq!(score(0), 0.5);
        assert!((score(100) - 0.591_025_9).abs() < 1e-6, "{}", score(100));
        assert!(score(29_999) > score(1000), "no centipawns are clamped");
        assert!((score(250) + score(-250) - 1.0).abs() < 1e-12);
    }
}
