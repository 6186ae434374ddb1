//! Which positions lead to each other, kept up to date as moves are listed.
//!
//! Every component (a circle of positions that lead to each other, or a single position) has a height:
//! more than that of all components that it leads to. A move that goes down closes no circle, and
//! nearly all do. One that does not is looked into: only what is no higher than the position it leads
//! to can lie on a way from there back. If there is none, the move's position rises, and what leads to
//! it. In a growing tree most positions are near its ends, so heights are small and seldom change.
//! (The idea is that of incremental topological orders: Bender, Fineman, Gilbert, Tarjan 2016.)

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::tree::graph::{Graph, NodeId};
use crate::tree::table::Table;

/// Not in a circle.
const NONE: u32 = u32::MAX;

/// A strongly connected component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    /// A position that no line comes back to.
    Single(NodeId),
    /// Positions that lead to each other.
    Circle(u32),
}

/// The strongly connected components of a graph's positions.
#[derive(Debug, Clone, Default)]
pub struct Circles {
    heights: Table<u32>,
    /// Per node, its number among `members`.
    member_of: Table<u32>,
    /// The positions in circles: which circle, and the local number there.
    members: Table<(u32, u32)>,
    /// The positions of each circle; none of one that has become part of another.
    positions: Table<Arc<[NodeId]>>,
    /// Circles that have become part of others since somebody asked.
    absorbed: Vec<u32>,
}

impl Circles {
    /// Numbers positions that nothing is known of yet.
    pub fn add_nodes(&mut self, count: usize) {
        self.heights.extend_to(count, 0);
        self.member_of.extend_to(count, NONE);
    }

    /// Takes a component that is not there yet, after all that it leads to.
    pub fn add(&mut self, graph: &Graph, nodes: &[NodeId]) {
        if let [_, _, ..] = nodes {
            self.positions.push(Arc::from(nodes));
            self.number(self.positions.len() as u32 - 1);
        }
        let height = self.height_needed(graph, nodes);
        for node in nodes {
            self.heights.set(node.index(), height);
        }
    }

    /// The circle that a position is in, and its local number there.
    pub fn circle_of(&self, node: NodeId) -> Option<(u32, u32)> {
        match self.member_of[node.index()] {
            NONE => None,
            member => Some(self.members[member as usize]),
        }
    }

    /// The component that a position is in.
    pub fn component_of(&self, node: NodeId) -> Component {
        self.circle_of(node)
            .map_or(Component::Single(node), |(circle, _)| Component::Circle(circle))
    }

    /// The positions of a circle, by local number.
    pub fn positions(&self, circle: u32) -> &Arc<[NodeId]> {
        &self.positions[circle as usize]
    }

    /// How many circles have been numbered.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A component's height: more than that of any other that it leads to.
    pub fn height(&self, component: Component) -> u32 {
        let node = match component {
            Component::Single(node) => Some(node),
            Component::Circle(circle) => self.positions(circle).first().copied(),
        };
        node.map_or(0, |node| self.heights[node.index()])
    }

    /// The circles that have become part of others since this was asked last.
    pub fn take_absorbed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.absorbed)
    }

    /// Calls back with each position of a component.
    pub fn each_of(&self, component: Component, mut each: impl FnMut(NodeId)) {
        match component {
            Component::Single(node) => each(node),
            Component::Circle(circle) => self.positions(circle).iter().copied().for_each(each),
        }
    }

    /// Takes a move that the graph has just linked. Moves that are listed and not yet linked come
    /// later: to rise above what they lead to before their circle is found would never end.
    pub fn link(&mut self, graph: &Graph, from: NodeId, to: NodeId) {
        if self.heights[from.index()] > self.heights[to.index()] {
            return;
        }
        let (from, to) = (self.component_of(from), self.component_of(to));
        if from == to {
            return;
        }
        let on_the_way = self.between(graph, to, from);
        if on_the_way.is_empty() {
            self.raise(graph, from, self.height(to) + 1);
        } else {
            self.merge(graph, &on_the_way);
        }
    }

    /// The components on all ways from one to another that is not higher, the two among them; empty
    /// where there is no way.
    fn between(&self, graph: &Graph, first: Component, last: Component) -> Vec<Component> {
        let greatest = self.height(first);
        let mut before_last: HashSet<Component> = [last].into_iter().collect();
        let mut open = vec![last];
        while let Some(component) = open.pop() {
            self.each_of(component, |node| {
                for parent in graph.parents(node) {
                    let above = self.component_of(parent);
                    if self.heights[parent.index()] <= greatest && before_last.insert(above) {
                        open.push(above);
                    }
                }
            });
        }
        if !before_last.remove(&first) {
            return Vec::new();
        }
        let (mut found, mut next) = (vec![first], 0);
        while let Some(component) = found.get(next).copied() {
            next += 1;
            self.each_of(component, |node| {
                let below = graph.moves(node).iter().map(|edge| self.component_of(edge.child));
                found.extend(below.filter(|below| before_last.remove(below)));
            });
        }
        found
    }

    /// Raises a component, and what leads to it as far as needed.
    fn raise(&mut self, graph: &Graph, component: Component, height: u32) {
        let mut waiting = VecDeque::from([(component, height)]);
        while let Some((component, height)) = waiting.pop_front() {
            if self.height(component) >= height {
                continue;
            }
            self.set_height(component, height);
            self.each_of(component, |node| {
                for parent in graph.parents(node) {
                    let above = self.component_of(parent);
                    if above != component && self.heights[parent.index()] <= height {
                        waiting.push_back((above, height + 1));
                    }
                }
            });
        }
    }

    fn set_height(&mut self, component: Component, height: u32) {
        match component {
            Component::Single(node) => self.heights.set(node.index(), height),
            Component::Circle(circle) => {
                for node in Arc::clone(self.positions(circle)).iter() {
                    self.heights.set(node.index(), height);
                }
            }
        }
    }

    /// Makes one circle of several components.
    fn merge(&mut self, graph: &Graph, components: &[Component]) {
        let height = components.iter().map(|component| self.height(*component)).max().unwrap_or(0);
        let mut positions = Vec::new();
        for component in components {
            self.each_of(*component, |node| positions.push(node));
        }
        let circles = components.iter().filter_map(|component| match component {
            Component::Circle(circle) => Some(*circle),
            Component::Single(_) => None,
        });
        let circles: Vec<u32> = circles.collect();
        let own = circles.iter().copied().max_by_key(|circle| self.positions(*circle).len());
        for circle in circles {
            self.positions.set(circle as usize, Arc::from([]));
            if Some(circle) != own {
                self.absorbed.push(circle);
            }
        }
        let own = own.unwrap_or_else(|| {
            self.positions.push(Arc::from([]));
            self.positions.len() as u32 - 1
        });
        self.positions.set(own as usize, Arc::from(positions));
        self.number(own);
        let height = height.max(self.height_needed(graph, &Arc::clone(self.positions(own))));
        self.set_height(Component::Circle(own), height);
        let mut low = Vec::new();
        self.each_of(Component::Circle(own), |node| {
            let parents = graph.parents(node).filter(|p| self.heights[p.index()] <= height);
            low.extend(parents.map(|parent| self.component_of(parent)));
        });
        for component in low {
            if component != Component::Circle(own) {
                self.raise(graph, component, height + 1);
            }
        }
    }

    /// Tells a circle's positions where they are.
    fn number(&mut self, circle: u32) {
        for (local, node) in Arc::clone(self.positions(circle)).iter().enumerate() {
            let place = (circle, local as u32);
            match self.member_of[node.index()] {
                NONE => {
                    self.member_of.set(node.index(), self.members.len() as u32);
                    self.members.push(place);
                }
                member => self.members.set(member as usize, place),
            }
        }
    }

    /// One more than the heights of all that a component's positions lead to outside of it.
    fn height_needed(&self, graph: &Graph, nodes: &[NodeId]) -> u32 {
        let own = nodes.first().map(|node| self.component_of(*node));
        let children = nodes.iter().flat_map(|node| graph.moves(*node)).map(|edge| edge.child);
        let outside = children.filter(|child| Some(self.component_of(*child)) != own);
        outside.map(|child| self.heights[child.index()] + 1).max().unwrap_or(0)
    }

    /// From now on, everything can be taken back.
    pub fn mark(&mut self) {
        self.heights.mark();
        self.member_of.mark();
        self.members.mark();
        self.positions.mark();
    }

    /// Takes back what was changed since the mark.
    pub fn take_back(&mut self) {
        self.heights.take_back();
        self.member_of.take_back();
        self.members.take_back();
        self.positions.take_back();
    }
}
