//! Circles of positions that lead to each other, kept up to date as moves are listed.
//!
//! Every component (a circle of positions that lead to each other, or a single position) has a
//! height: more than that of all components that it leads to. A move that goes down closes no
//! circle, and nearly all do. Any other is looked into: only components no higher than the position
//! it leads to can lie on a way from there back. If there is none, the move's position rises, and
//! all that lead to it. In a growing tree most positions are near its ends, so heights are small
//! and seldom change. A circle can have many thousands of positions, and many passes make it
//! larger: it keeps those it has, and only the added ones are walked.
//! (The idea is that of incremental topological orders: Bender, Fineman, Gilbert, Tarjan 2016.)

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::members::Members;
use crate::tree::graph::{Graph, NodeId};
use crate::tree::table::Table;
use crate::tree::work::{Spent, Work};

/// Moves that lead to a position and from it, nearly always fewer.
const MOVES: u64 = 4;

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
    /// Heights of positions that are in no circle.
    heights: Table<u32>,
    circle_heights: Table<u32>,
    members: Members,
    /// Circles absorbed by others since they were last taken.
    absorbed: Vec<u32>,
}

impl Circles {
    /// Numbers positions that nothing is known of yet.
    pub fn add_nodes(&mut self, count: usize) {
        self.heights.extend_to(count, 0);
        self.members.add_nodes(count);
    }

    /// Adds a component, after all that it leads to.
    pub fn add(&mut self, graph: &Graph, nodes: &[NodeId]) {
        let component = match nodes {
            [] => return,
            [single] => Component::Single(*single),
            _ => {
                let circle = self.begin_circle();
                self.members.append(circle, nodes);
                Component::Circle(circle)
            }
        };
        self.set_height(component, self.height_needed(graph, nodes));
    }

    fn begin_circle(&mut self) -> u32 {
        self.circle_heights.push(0);
        self.members.begin()
    }

    /// The circle that a position is in, and its local number there.
    pub fn circle_of(&self, node: NodeId) -> Option<(u32, u32)> {
        self.members.circle_of(node)
    }

    /// The component that a position is in.
    pub fn component_of(&self, node: NodeId) -> Component {
        self.circle_of(node)
            .map_or(Component::Single(node), |(circle, _)| Component::Circle(circle))
    }

    /// The positions of a circle, by local number.
    pub fn positions(&self, circle: u32) -> &[NodeId] {
        self.members.of(circle)
    }

    /// Number of circles numbered.
    pub fn len(&self) -> usize {
        self.members.circles()
    }

    /// A component's height: more than that of any other that it leads to.
    pub fn height(&self, component: Component) -> u32 {
        match component {
            Component::Single(node) => self.heights[node.index()],
            Component::Circle(circle) => self.circle_heights[circle as usize],
        }
    }

    fn set_height(&mut self, component: Component, height: u32) {
        match component {
            Component::Single(node) => self.heights.set(node.index(), height),
            Component::Circle(circle) => self.circle_heights.set(circle as usize, height),
        }
    }

    /// The circles that have become part of others since the last call.
    pub fn take_absorbed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.absorbed)
    }

    /// The positions of a component.
    pub fn nodes<'a>(&'a self, component: &'a Component) -> &'a [NodeId] {
        match component {
            Component::Single(node) => std::slice::from_ref(node),
            Component::Circle(circle) => self.positions(*circle),
        }
    }

    /// Takes a move that the graph has just linked. Moves that are listed and not yet linked come
    /// later: rising above the positions they lead to before their circle is found would never end.
    ///
    /// # Errors
    ///
    /// [`Spent`] if that is too much work.
    pub fn link(
        &mut self,
        graph: &Graph,
        from: NodeId,
        to: NodeId,
        work: &mut Work,
    ) -> Result<(), Spent> {
        let (from, to) = (self.component_of(from), self.component_of(to));
        if from == to || self.height(from) > self.height(to) {
            return Ok(());
        }
        let on_the_way = self.between(graph, to, from, work)?;
        if on_the_way.is_empty() {
            self.raise(graph, from, self.height(to) + 1, work)
        } else {
            self.merge(graph, &on_the_way, work)
        }
    }

    /// The components on all ways from one to another that is not higher, the two among them; empty
    /// if there is no way. The search begins at the smaller one and does not go through the other.
    /// Ways back to where it began count, too: the moves that are listed and not yet linked can
    /// close several circles at once.
    fn between(
        &self,
        graph: &Graph,
        first: Component,
        last: Component,
        work: &mut Work,
    ) -> Result<Vec<Component>, Spent> {
        let forward = self.nodes(&first).len() < self.nodes(&last).len();
        let (start, end) = if forward { (first, last) } else { (last, first) };
        let bound = self.height(end);
        let mut reached_from: HashMap<Component, Vec<Component>> = HashMap::new();
        let mut open = vec![start];
        while let Some(component) = open.pop() {
            work.spend(self.steps_through(component))?;
            let reach = |node: NodeId| {
                let next = self.component_of(node);
                let height = self.height(next);
                let is_outside = if forward { height < bound } else { height > bound };
                if is_outside || next == component {
                    return;
                }
                let before = reached_from.entry(next).or_insert_with(|| {
                    open.extend((next != end && next != start).then_some(next));
                    Vec::new()
                });
                if before.last() != Some(&component) {
                    before.push(component);
                }
            };
            self.each_neighbour(graph, component, forward, reach);
        }
        Ok(way_back(reached_from, end))
    }

    /// Steps to go through a component's moves.
    fn steps_through(&self, component: Component) -> u64 {
        self.nodes(&component).len() as u64 * MOVES
    }

    /// Calls back with the positions that the moves of a component lead to, or else come from.
    fn each_neighbour(
        &self,
        graph: &Graph,
        component: Component,
        forward: bool,
        mut each: impl FnMut(NodeId),
    ) {
        for node in self.nodes(&component) {
            if forward {
                graph.moves(*node).iter().for_each(|edge| each(edge.child));
            } else {
                graph.parents(*node).for_each(&mut each);
            }
        }
    }

    /// Raises a component, and those that lead to it as far as needed.
    fn raise(
        &mut self,
        graph: &Graph,
        component: Component,
        height: u32,
        work: &mut Work,
    ) -> Result<(), Spent> {
        let mut waiting = VecDeque::from([(component, height)]);
        while let Some((component, height)) = waiting.pop_front() {
            if self.height(component) < height {
                work.spend(self.steps_through(component))?;
                self.set_height(component, height);
                let above = self.not_above(graph, self.nodes(&component), component);
                waiting.extend(above.into_iter().map(|above| (above, height + 1)));
            }
        }
        Ok(())
    }

    /// The other components from which moves lead to positions of a component, and that are no higher.
    fn not_above(&self, graph: &Graph, nodes: &[NodeId], component: Component) -> Vec<Component> {
        let height = self.height(component);
        let above = nodes.iter().flat_map(|node| graph.parents(*node));
        let above = above.map(|parent| self.component_of(parent));
        above.filter(|above| *above != component && self.height(*above) <= height).collect()
    }

    /// Makes one circle of several components: the largest circle takes the others in. Only those
    /// are walked, unless the circle must rise.
    fn merge(
        &mut self,
        graph: &Graph,
        components: &[Component],
        work: &mut Work,
    ) -> Result<(), Spent> {
        let largest = components.iter().filter_map(|component| match component {
            Component::Circle(circle) => Some(*circle),
            Component::Single(_) => None,
        });
        let largest = largest.max_by_key(|circle| self.positions(*circle).len());
        let own = largest.unwrap_or_else(|| self.begin_circle());
        let circle = Component::Circle(own);
        let others: Vec<Component> = components.iter().copied().filter(|c| *c != circle).collect();
        work.spend(others.iter().map(|other| self.steps_through(*other)).sum())?;
        let added: Vec<(u32, Vec<NodeId>)> =
            others.into_iter().map(|other| (self.height(other), self.take_out(other))).collect();
        for (_, nodes) in &added {
            self.members.append(own, nodes);
        }
        let before = self.height(circle);
        // Added components were higher than all that they lead to, and may have moves that are not
        // linked.
        let needed =
            added.iter().map(|(height, nodes)| self.height_needed(graph, nodes).min(*height));
        let height = needed.fold(before, u32::max);
        self.set_height(circle, height);
        let mut low = Vec::new();
        for (_, nodes) in added.iter().filter(|(before, _)| *before < height) {
            low.extend(self.not_above(graph, nodes, circle));
        }
        if before < height {
            work.spend(self.steps_through(circle))?;
            low.extend(self.not_above(graph, self.positions(own), circle));
        }
        low.into_iter().try_for_each(|component| self.raise(graph, component, height + 1, work))
    }

    /// The positions of a component that becomes part of a circle.
    fn take_out(&mut self, component: Component) -> Vec<NodeId> {
        match component {
            Component::Single(node) => vec![node],
            Component::Circle(circle) => {
                self.absorbed.push(circle);
                self.members.empty(circle)
            }
        }
    }

    /// One more than the heights of all that a component's positions lead to outside of it.
    fn height_needed(&self, graph: &Graph, nodes: &[NodeId]) -> u32 {
        let own = nodes.first().map(|node| self.component_of(*node));
        let height = |child: NodeId| match graph.is_analysed(child) {
            // A position that leads nowhere is in no circle and has no height: nothing is to be
            // looked up.
            false => Some(0),
            true => {
                let below = Some(self.component_of(child)).filter(|below| Some(*below) != own);
                below.map(|below| self.height(below))
            }
        };
        let children = nodes.iter().flat_map(|node| graph.moves(*node));
        let greatest = children.filter_map(|edge| height(edge.child)).max();
        greatest.map_or(0, |height| height + 1)
    }

    /// Marks the present state for [`Circles::undo`].
    pub fn mark(&mut self) {
        self.heights.mark();
        self.circle_heights.mark();
        self.members.mark();
    }

    /// Undoes the changes since the mark.
    pub fn undo(&mut self) {
        self.heights.undo();
        self.circle_heights.undo();
        self.members.undo();
        self.absorbed.clear();
    }
}

/// All components on the ways along which a search has reached one.
fn way_back(
    mut reached_from: HashMap<Component, Vec<Component>>,
    end: Component,
) -> Vec<Component> {
    if !reached_from.contains_key(&end) {
        return Vec::new();
    }
    let (mut found, mut open) = (Vec::new(), vec![end]);
    while let Some(component) = open.pop() {
        found.push(component);
        open.extend(reached_from.remove(&component).unwrap_or_default());
    }
    found.sort_unstable();
    found.dedup();
    found
}
