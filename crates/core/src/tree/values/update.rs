//! Values worked out anew from new answers upwards, as far as they change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::chess::Value;

use super::Values;
use super::circles::{Circles, Component};
use crate::tree::graph::{Graph, Grown, NodeId};
use crate::tree::work::{Spent, Work};

/// Steps to value one position of a circle.
const IN_A_CIRCLE: u64 = 6;

/// Effects of newly listed moves.
#[derive(Debug, Default)]
pub struct Changed {
    /// Positions whose value has changed, or that are analysed for the first time.
    pub values: Vec<NodeId>,
    /// Positions with a move whose value has changed, on some line, or that is new.
    pub moves: Vec<NodeId>,
}

impl Values {
    /// Takes moves that count from now on, and links them. The cost is that of the components that have
    /// changed, and of what leads to them.
    ///
    /// # Errors
    ///
    /// [`Spent`] if that is too much: the values are of no use then until they are undone.
    pub(in crate::tree) fn update(
        &mut self,
        graph: &mut Graph,
        grown: &Grown,
        work: &mut Work,
    ) -> Result<Changed, Spent> {
        self.add_nodes(graph.len());
        for (parent, child) in &grown.links {
            work.spend(1)?;
            graph.link(*parent, *child);
            self.circles.link(graph, *parent, *child, work)?;
        }
        self.valued.extend_to(self.circles.len(), Arc::default());
        for circle in self.circles.take_absorbed() {
            self.valued.set(circle as usize, Arc::default());
        }
        let mut update = Update::default();
        for node in grown.analysed.iter().chain(&grown.changed) {
            update.revalue(&self.circles, *node);
        }
        update.new.extend(&grown.analysed);
        update.changed.moves.extend(&grown.changed);
        while let Some(component) = update.next() {
            work.spend(self.steps_to_value(graph, component))?;
            let changed = match component {
                Component::Single(node) => self.revalue_single(graph, node, &update),
                Component::Circle(circle) => self.revalue_circle(graph, circle, &mut update),
            };
            for node in changed {
                update.changed.values.push(node);
                for parent in graph.parents(node) {
                    work.spend(1)?;
                    update.changed.moves.push(parent);
                    if self.circles.component_of(parent) != component {
                        update.revalue(&self.circles, parent);
                    }
                }
            }
        }
        Ok(update.changed)
    }

    fn steps_to_value(&self, graph: &Graph, component: Component) -> u64 {
        match component {
            Component::Single(node) => 1 + graph.moves(node).len() as u64,
            Component::Circle(circle) => self.circles.positions(circle).len() as u64 * IN_A_CIRCLE,
        }
    }

    fn revalue_single(&mut self, graph: &Graph, node: NodeId, update: &Update) -> Vec<NodeId> {
        let changed = self.value_single(graph, node) || update.new.contains(&node);
        if changed { vec![node] } else { Vec::new() }
    }

    /// Values a circle anew; returns its positions whose values have changed.
    fn revalue_circle(&mut self, graph: &Graph, circle: u32, update: &mut Update) -> Vec<NodeId> {
        let positions = self.circles.positions(circle).to_vec();
        let values = |values: &Values| -> Vec<(Value, Value)> {
            positions.iter().map(|node| (values.idea(*node), values.alpha(*node))).collect()
        };
        let before = values(self);
        self.value_circle(graph, circle);
        update.changed.moves.extend(positions.iter());
        let changed = positions.iter().zip(before.into_iter().zip(values(self)));
        let is_new = |node: &NodeId| update.new.contains(node);
        let changed = changed.filter(|(node, (old, new))| old != new || is_new(node));
        changed.map(|(node, _)| *node).collect()
    }
}

/// The components to be valued anew, the lowest first: those they lead to have their values by
/// then, so each comes once.
#[derive(Default)]
struct Update {
    waiting: BinaryHeap<Reverse<(u32, Component)>>,
    seen: HashSet<Component>,
    /// Positions that are analysed for the first time.
    new: HashSet<NodeId>,
    changed: Changed,
}

impl Update {
    fn revalue(&mut self, circles: &Circles, node: NodeId) {
        let component = circles.component_of(node);
        if self.seen.insert(component) {
            self.waiting.push(Reverse((circles.height(component), component)));
        }
    }

    fn next(&mut self) -> Option<Component> {
        self.waiting.pop().map(|Reverse((_, component))| component)
    }
}
