//! Circles as they are valued.

use std::sync::Arc;

use crate::chess::Value;

use super::Values;
use super::circle::Circle;
use super::gain::Standing;
use super::standing::Standings;
use crate::tree::graph::{Edge, Graph, NodeId};

/// A circle whose ways out have their alpha, and its positions' standings before any path.
#[derive(Debug, Default)]
pub struct ValuedCircle {
    circle: Circle,
    standings: Box<[Standing]>,
}

impl ValuedCircle {
    /// The standing of each position, to be changed as positions become drawn ends.
    pub fn standings(&self) -> Standings<'_> {
        Standings::known(&self.circle, &self.standings)
    }

    /// The standing of a position before any path.
    pub fn standing(&self, place: u32) -> Standing {
        self.standings[place as usize]
    }
}

impl Values {
    /// Values a circle as a whole.
    pub(super) fn value_circle(&mut self, graph: &Graph, circle: u32) {
        let nodes = self.circles.positions(circle).to_vec();
        let whole = self.cut_out(graph, circle, |_| false, |edge| self.idea_of(graph, edge));
        let is_repeated = |node| graph.is_repeated(node);
        let alpha = self.alpha.is_some();
        let alpha = alpha
            .then(|| self.cut_out(graph, circle, is_repeated, |edge| self.alpha_of(graph, edge)));
        let ideas = Standings::new(&whole);
        let alphas = alpha.as_ref().map(Standings::new);
        for (local, node) in nodes.iter().enumerate() {
            let alpha = alphas.as_ref().map(|alphas| alphas.value(local as u32));
            self.set(*node, ideas.value(local as u32), alpha);
        }
        let standings = alphas.unwrap_or(ideas).into_known();
        let valued = ValuedCircle { circle: alpha.unwrap_or(whole), standings };
        self.valued.extend_to(self.circles.len(), Arc::default());
        self.valued.set(circle as usize, Arc::new(valued));
    }

    fn cut_out(
        &self,
        graph: &Graph,
        circle: u32,
        is_end: impl Fn(NodeId) -> bool,
        outer: impl Fn(&Edge) -> Value,
    ) -> Circle {
        let nodes = self.circles.positions(circle);
        let mut fixed = vec![Value::MIN; nodes.len()];
        let mut inner = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            for edge in graph.moves(*node) {
                match self.circle_of(edge.child) {
                    Some((other, to)) if other == circle && !is_end(edge.child) => {
                        inner.push((from as u32, to));
                    }
                    _ => fixed[from] = fixed[from].max(outer(edge)),
                }
            }
        }
        let turns = nodes.iter().map(|node| graph.turn(*node)).collect();
        Circle::new(turns, &fixed, &inner, graph.draw())
    }
}
