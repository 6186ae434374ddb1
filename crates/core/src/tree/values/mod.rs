//! The values of all positions: idea, and alpha before any path (ALGORITHM, section 3), worked out
//! anew only where something below has changed.

pub(super) mod circle;
pub(super) mod circles;
pub(super) mod components;
pub(super) mod gain;
mod members;
pub(super) mod paths;
pub(super) mod standing;
mod update;
mod valued;

use std::sync::Arc;

use crate::chess::Value;

use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::table::Table;
use circles::Circles;
use components::components;
use valued::ValuedCircle;

/// Idea and path-free alpha of every analysed position of a graph, for its side to move.
#[derive(Debug, Clone)]
pub struct Values {
    idea: Table<Value>,
    /// With the positions that the game has repeated as drawn ends; absent if there are none, so
    /// that both are the same.
    alpha: Option<Table<Value>>,
    circles: Circles,
    /// Per circle, its data for values after a path.
    valued: Table<Arc<ValuedCircle>>,
}

impl Values {
    /// Values a whole graph. Linear in the listed moves, with a logarithm inside circles.
    pub fn of(graph: &Graph) -> Values {
        let mut values = Values {
            alpha: graph.has_repeated().then(Table::default),
            idea: Table::default(),
            circles: Circles::default(),
            valued: Table::default(),
        };
        values.add_nodes(graph.len());
        components(graph, |component| {
            values.circles.add(graph, component);
            match component {
                [single] => _ = values.value_single(graph, *single),
                [first, ..] => {
                    if let Some((circle, _)) = values.circle_of(*first) {
                        values.value_circle(graph, circle);
                    }
                }
                [] => {}
            }
        });
        values
    }

    /// The value of a position when nothing is known of the line to it.
    pub fn idea(&self, node: NodeId) -> Value {
        self.idea[node.index()]
    }

    /// The value with the positions that the game has repeated as drawn ends.
    pub fn alpha(&self, node: NodeId) -> Value {
        self.alpha.as_ref().unwrap_or(&self.idea)[node.index()]
    }

    /// The value of a listed move for its mover, whatever line led to it.
    pub fn idea_of(&self, graph: &Graph, edge: &Edge) -> Value {
        move_value(graph, edge, || self.idea(edge.child))
    }

    /// The value of a listed move for its mover after a path that has nothing to do with it.
    pub fn alpha_of(&self, graph: &Graph, edge: &Edge) -> Value {
        if graph.is_repeated(edge.child) {
            return -graph.drawn(edge.child);
        }
        move_value(graph, edge, || self.alpha(edge.child))
    }

    /// The circle that a position is in, and its local number there.
    pub fn circle_of(&self, node: NodeId) -> Option<(u32, u32)> {
        self.circles.circle_of(node)
    }

    /// A circle, for values after a path.
    pub fn circle(&self, circle: u32) -> &ValuedCircle {
        &self.valued[circle as usize]
    }

    /// The positions that lead to each other.
    pub(in crate::tree) fn circles(&self) -> &Circles {
        &self.circles
    }

    /// Number of positions of the largest component; 0 for an empty graph.
    pub fn largest_component(&self, graph: &Graph) -> usize {
        let circles = 0..self.circles.len() as u32;
        let largest = circles.map(|circle| self.circles.positions(circle).len()).max();
        largest
            .filter(|len| *len > 0)
            .unwrap_or_else(|| usize::from(graph.analysed_positions() > 0))
    }

    fn add_nodes(&mut self, count: usize) {
        self.idea.extend_to(count, Value::EVEN);
        if let Some(alpha) = &mut self.alpha {
            alpha.extend_to(count, Value::EVEN);
        }
        self.circles.add_nodes(count);
    }

    /// Values a position that is in no circle; true if its value has changed.
    fn value_single(&mut self, graph: &Graph, node: NodeId) -> bool {
        let list = graph.moves(node);
        let greatest =
            |value: &dyn Fn(&Edge) -> Value| list.iter().map(value).max().unwrap_or(Value::EVEN);
        let idea = greatest(&|edge| self.idea_of(graph, edge));
        let alpha = self.alpha.is_some().then(|| greatest(&|edge| self.alpha_of(graph, edge)));
        self.set(node, idea, alpha)
    }

    /// Sets values; true if they have changed.
    fn set(&mut self, node: NodeId, idea: Value, alpha: Option<Value>) -> bool {
        let mut changed = self.idea(node) != idea;
        if changed {
            self.idea.set(node.index(), idea);
        }
        if let (Some(table), Some(alpha)) = (&mut self.alpha, alpha)
            && table[node.index()] != alpha
        {
            table.set(node.index(), alpha);
            changed = true;
        }
        changed
    }

    /// Marks the present state for [`Values::undo`].
    pub(in crate::tree) fn mark(&mut self) {
        self.idea.mark();
        self.alpha.iter_mut().for_each(Table::mark);
        self.circles.mark();
        self.valued.mark();
    }

    /// Undoes the changes since the mark.
    pub(in crate::tree) fn undo(&mut self) {
        self.idea.undo();
        self.alpha.iter_mut().for_each(Table::undo);
        self.circles.undo();
        self.valued.undo();
    }
}

/// The value of a move for its mover, from the value of the position that it leads to, which is
/// looked up only if it counts.
pub fn move_value(graph: &Graph, edge: &Edge, child_value: impl FnOnce() -> Value) -> Value {
    if let Some(end) = graph.end(edge.child) {
        end.step()
    } else if graph.is_analysed(edge.child) {
        child_value().step()
    } else {
        edge.eval
    }
}
