//! The expected score of each analysed position, children first.

use deepanalyze_core::tree::{Edge, NodeId, components};

use super::ground::Ground;

/// Iterations over the positions of a circle.
const ROUNDS: usize = 100;
/// Not in the present circle.
const OUTSIDE: u32 = u32::MAX;

/// The side's expected score by node; NaN if the position is not analysed. Linear in the moves, and
/// within a circle a hundred times that.
pub fn expected_scores(ground: &Ground<'_>) -> Vec<f64> {
    let len = ground.graph.len();
    let (expected, places) = (vec![f64::NAN; len], vec![OUTSIDE; len]);
    let mut scoring = Scoring { ground, expected, places };
    components(ground.graph, |nodes| scoring.score(nodes));
    scoring.expected
}

struct Scoring<'a> {
    ground: &'a Ground<'a>,
    expected: Vec<f64>,
    /// Places of the present circle's positions.
    places: Vec<u32>,
}

/// A position of a circle: the score from its moves out of it, and the places that its other moves
/// lead to.
struct Member {
    is_own: bool,
    /// The greatest score of the side's own moves, or the weighted sum of the other's.
    outside: f64,
    /// Places, with weights that matter at the other side's positions.
    inside: Vec<(u32, f64)>,
}

impl Member {
    fn score(&self, before: &[f64]) -> f64 {
        let of = |place: u32| before.get(place as usize).copied().unwrap_or_default();
        let inside = self.inside.iter();
        if self.is_own {
            inside.fold(self.outside, |best, (place, _)| best.max(of(*place)))
        } else {
            inside.fold(self.outside, |sum, (place, weight)| sum + weight * of(*place))
        }
    }
}

impl Scoring<'_> {
    fn score(&mut self, nodes: &[NodeId]) {
        match nodes {
            [single] if !self.leads_to_itself(*single) => {
                let score = self.member(*single).score(&[]);
                self.set(*single, score);
            }
            circle => self.score_circle(circle),
        }
    }

    fn leads_to_itself(&self, node: NodeId) -> bool {
        self.ground.graph.moves(node).iter().any(|edge| edge.child == node)
    }

    fn set(&mut self, node: NodeId, score: f64) {
        if let Some(entry) = self.expected.get_mut(node.index()) {
            *entry = score;
        }
    }

    fn score_circle(&mut self, nodes: &[NodeId]) {
        self.place(nodes, |place| place);
        let members: Vec<Member> = nodes.iter().map(|node| self.member(*node)).collect();
        self.place(nodes, |_| OUTSIDE);
        let Ground { values, .. } = self.ground;
        let idea = |node: &NodeId| self.ground.scored(*node, values.idea(*node));
        let mut scores: Vec<f64> = nodes.iter().map(idea).collect();
        for _ in 0..ROUNDS {
            let next: Vec<f64> = members.iter().map(|member| member.score(&scores)).collect();
            let is_still = next == scores;
            scores = next;
            if is_still {
                break;
            }
        }
        for (node, score) in nodes.iter().zip(scores) {
            self.set(*node, score);
        }
    }

    fn place(&mut self, nodes: &[NodeId], place_of: impl Fn(u32) -> u32) {
        for (place, node) in (0..).zip(nodes) {
            if let Some(entry) = self.places.get_mut(node.index()) {
                *entry = place_of(place);
            }
        }
    }

    fn member(&self, node: NodeId) -> Member {
        let mut inside = Vec::new();
        let mut outer = |edge: &Edge, weight: f64| {
            let place = self.places.get(edge.child.index()).copied().unwrap_or(OUTSIDE);
            let fixed = self.ground.fixed(node, edge);
            if place == OUTSIDE || fixed.is_some() {
                return Some(self.ground.after_move(node, edge, &self.expected));
            }
            inside.push((place, weight));
            None
        };
        let is_own = self.ground.is_own(node);
        let outside = if is_own {
            let own = self.ground.own_moves(node);
            own.filter_map(|edge| outer(edge, 1.0)).fold(f64::NEG_INFINITY, f64::max)
        } else {
            let theirs = self.ground.weighted(node).into_iter();
            theirs.filter_map(|(edge, weight)| Some(weight * outer(edge, weight)?)).sum()
        };
        Member { is_own, outside, inside }
    }
}
