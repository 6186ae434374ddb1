//! The values of all positions: idea, and alpha before any path (ALGORITHM, section 3), worked out
//! anew only where something below has changed.

pub(super) mod circle;
pub(super) mod circles;
pub(super) mod components;
pub(super) mod line;
mod gain;
mod members;
pub(super) mod standing;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::chess::Value;

use crate::tree::graph::{Edge, Graph, Grown, NodeId};
use crate::tree::table::Table;
use circle::Circle;
use circles::{Circles, Component};
use components::components;
use gain::Standing;
use standing::Standings;

/// Idea and path-free alpha of every analysed position of a graph, for its side to move.
#[derive(Debug, Clone)]
pub struct Values {
    idea: Table<Value>,
    /// With the game's earlier positions as drawn ends; absent where there are none, so that both
    /// are the same.
    alpha: Option<Table<Value>>,
    circles: Circles,
    /// Per circle, what it is for values after a path.
    valued: Table<Arc<ValuedCircle>>,
}

/// A circle whose ways out are worth their alpha, and what its positions are worth before any path.
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

/// What moves that were listed have changed.
#[derive(Debug, Default)]
pub struct Changed {
    /// Positions that are worth something else, or are analysed for the first time.
    pub values: Vec<NodeId>,
    /// Positions some of whose moves are worth something else, on some line, or are new.
    pub moves: Vec<NodeId>,
}

impl Values {
    /// Values a whole graph. Linear in the listed moves, with a logarithm inside circles.
    pub fn of(graph: &Graph) -> Values {
        let mut values = Values {
            alpha: graph.has_earlier().then(Table::default),
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

    /// Takes moves that count from now on, and links them. The cost is that of the components that have
    /// changed, and of what leads to them.
    pub(in crate::tree) fn update(&mut self, graph: &mut Graph, grown: &Grown) -> Changed {
        self.add_nodes(graph.len());
        for (parent, child) in &grown.links {
            graph.link(*parent, *child);
            self.circles.link(graph, *parent, *child);
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
            let changed = match component {
                Component::Single(node) => self.revalue_single(graph, node, &update),
                Component::Circle(circle) => self.revalue_circle(graph, circle, &mut update),
            };
            for node in changed {
                update.changed.values.push(node);
                for parent in graph.parents(node) {
                    update.changed.moves.push(parent);
                    if self.circles.component_of(parent) != component {
                        update.revalue(&self.circles, parent);
                    }
                }
            }
        }
        update.changed
    }

    /// The value of a position when nothing is known of the line to it.
    pub fn idea(&self, node: NodeId) -> Value {
        self.idea[node.index()]
    }

    /// The same with the game's earlier positions as drawn ends.
    pub fn alpha(&self, node: NodeId) -> Value {
        self.alpha.as_ref().unwrap_or(&self.idea)[node.index()]
    }

    /// The value of a listed move for its mover, whatever line led to it.
    pub fn idea_of(&self, graph: &Graph, edge: &Edge) -> Value {
        move_value(graph, edge, self.idea(edge.child))
    }

    /// The value of a listed move for its mover after a path that has nothing to do with it.
    pub fn alpha_of(&self, graph: &Graph, edge: &Edge) -> Value {
        if graph.is_earlier(edge.child) {
            return Value::DRAW;
        }
        move_value(graph, edge, self.alpha(edge.child))
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

    /// How many positions the largest component has; 0 of an empty graph.
    pub fn largest_component(&self, graph: &Graph) -> usize {
        let circles = 0..self.circles.len() as u32;
        let largest = circles.map(|circle| self.circles.positions(circle).len()).max();
        largest
            .filter(|len| *len > 0)
            .unwrap_or_else(|| usize::from(graph.analysed_positions() > 0))
    }

    fn add_nodes(&mut self, count: usize) {
        self.idea.extend_to(count, Value::DRAW);
        if let Some(alpha) = &mut self.alpha {
            alpha.extend_to(count, Value::DRAW);
        }
        self.circles.add_nodes(count);
    }

    fn revalue_single(&mut self, graph: &Graph, node: NodeId, update: &Update) -> Vec<NodeId> {
        let changed = self.value_single(graph, node) || update.new.contains(&node);
        if changed { vec![node] } else { Vec::new() }
    }

    /// Values a circle anew; which of its positions are worth something else.
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

    /// Values a position that is in no circle; whether it is worth something else than before.
    fn value_single(&mut self, graph: &Graph, node: NodeId) -> bool {
        let list = graph.moves(node);
        let greatest =
            |value: &dyn Fn(&Edge) -> Value| list.iter().map(value).max().unwrap_or(Value::DRAW);
        let idea = greatest(&|edge| self.idea_of(graph, edge));
        let alpha = self.alpha.is_some().then(|| greatest(&|edge| self.alpha_of(graph, edge)));
        self.set(node, idea, alpha)
    }

    fn value_circle(&mut self, graph: &Graph, circle: u32) {
        let nodes = self.circles.positions(circle).to_vec();
        let whole = self.cut_out(graph, circle, |_| false, |edge| self.idea_of(graph, edge));
        let is_earlier = |node| graph.is_earlier(node);
        let alpha = self.alpha.is_some();
        let alpha = alpha
            .then(|| self.cut_out(graph, circle, is_earlier, |edge| self.alpha_of(graph, edge)));
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
        Circle::new(turns, &fixed, &inner)
    }

    /// Whether the values are others than before.
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

    /// From now on, everything can be taken back.
    pub(in crate::tree) fn mark(&mut self) {
        self.idea.mark();
        self.alpha.iter_mut().for_each(Table::mark);
        self.circles.mark();
        self.valued.mark();
    }

    /// Takes back what was changed since the mark.
    pub(in crate::tree) fn take_back(&mut self) {
        self.idea.take_back();
        self.alpha.iter_mut().for_each(Table::take_back);
        self.circles.take_back();
        self.valued.take_back();
    }
}

/// The components that are to be valued anew, the lowest first: what they lead to has its value by
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

/// The value of a move for its mover, from the value of the position that it leads to.
pub fn move_value(graph: &Graph, edge: &Edge, child_value: Value) -> Value {
    if let Some(end) = graph.end(edge.child) {
        end.step()
    } else if graph.is_analysed(edge.child) {
        child_value.step()
    } else {
        edge.eval
    }
}
