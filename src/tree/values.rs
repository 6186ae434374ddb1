//! The values of all positions: idea, and alpha before any path (ALGORITHM, section 3).

use crate::chess::Value;

use super::circle::Circle;
use super::components::components;
use super::graph::{Edge, Graph, NodeId};
use super::standing::Standings;

/// Not in a circle.
const NONE: u32 = u32::MAX;

/// Idea and path-free alpha of every analysed position of a graph, for its side to move.
#[derive(Debug)]
pub struct Values {
    idea: Vec<Value>,
    /// With the game's earlier positions as drawn ends; absent where there are none, so that both
    /// are the same.
    alpha: Option<Vec<Value>>,
    /// Per node, its number among `members`.
    member_of: Vec<u32>,
    /// The positions in circles: which circle, and the local number there.
    members: Vec<(u32, u32)>,
    circles: Vec<Circle>,
}

impl Values {
    /// Values a whole graph. Linear in the listed moves, with a logarithm inside circles.
    pub fn of(graph: &Graph) -> Values {
        let unknown = vec![Value::DRAW; graph.len()];
        let mut values = Values {
            alpha: graph.has_earlier().then(|| unknown.clone()),
            idea: unknown,
            member_of: vec![NONE; graph.len()],
            members: Vec::new(),
            circles: Vec::new(),
        };
        components(graph, |component| match component {
            [single] => values.value_single(graph, *single),
            nodes => values.value_circle(graph, nodes),
        });
        values
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
        match self.member_of[node.index()] {
            NONE => None,
            member => Some(self.members[member as usize]),
        }
    }

    /// A circle, for values after a path: what leaves it is worth its alpha.
    pub fn circle(&self, circle: u32) -> &Circle {
        &self.circles[circle as usize]
    }

    /// How many positions the largest component has; 0 of an empty graph.
    pub fn largest_component(&self, graph: &Graph) -> usize {
        let circles = self.circles.iter().map(Circle::len).max();
        circles.unwrap_or_else(|| usize::from(graph.listed_moves() > 0))
    }

    fn value_single(&mut self, graph: &Graph, node: NodeId) {
        let list = graph.list(node);
        let greatest =
            |value: &dyn Fn(&Edge) -> Value| list.iter().map(value).max().unwrap_or(Value::DRAW);
        let idea = greatest(&|edge| self.idea_of(graph, edge));
        if self.alpha.is_some() {
            let alpha = greatest(&|edge| self.alpha_of(graph, edge));
            self.set_alpha(node, alpha);
        }
        self.idea[node.index()] = idea;
    }

    fn value_circle(&mut self, graph: &Graph, nodes: &[NodeId]) {
        self.number_members(nodes);
        let idea = self.cut_out(graph, nodes, |_| false, |edge| self.idea_of(graph, edge));
        let standings = Standings::new(&idea);
        for (local, node) in nodes.iter().enumerate() {
            self.idea[node.index()] = standings.value(local as u32);
        }
        if self.alpha.is_none() {
            self.circles.push(idea);
            return;
        }
        let is_earlier = |node| graph.is_earlier(node);
        let alpha = self.cut_out(graph, nodes, is_earlier, |edge| self.alpha_of(graph, edge));
        let standings = Standings::new(&alpha);
        for (local, node) in nodes.iter().enumerate() {
            self.set_alpha(*node, standings.value(local as u32));
        }
        self.circles.push(alpha);
    }

    fn number_members(&mut self, nodes: &[NodeId]) {
        let circle = self.circles.len() as u32;
        for (local, node) in nodes.iter().enumerate() {
            self.member_of[node.index()] = self.members.len() as u32;
            self.members.push((circle, local as u32));
        }
    }

    fn cut_out(
        &self,
        graph: &Graph,
        nodes: &[NodeId],
        is_end: impl Fn(NodeId) -> bool,
        outer: impl Fn(&Edge) -> Value,
    ) -> Circle {
        let own = self.circles.len() as u32;
        let mut fixed = vec![Value::MIN; nodes.len()];
        let mut inner = Vec::new();
        for (from, node) in nodes.iter().enumerate() {
            for edge in graph.list(*node) {
                match self.circle_of(edge.child) {
                    Some((circle, to)) if circle == own && !is_end(edge.child) => {
                        inner.push((from as u32, to));
                    }
                    _ => fixed[from] = fixed[from].max(outer(edge)),
                }
            }
        }
        let turns = nodes.iter().map(|node| graph.turn(*node)).collect();
        Circle::new(turns, fixed, inner)
    }

    fn set_alpha(&mut self, node: NodeId, value: Value) {
        if let Some(alpha) = &mut self.alpha {
            alpha[node.index()] = value;
        }
    }
}

/// The value of a move for its mover, from the value of the position that it leads to.
pub fn move_value(graph: &Graph, edge: &Edge, child_value: Value) -> Value {
    if let Some(ending) = graph.ending(edge.child) {
        Graph::end_value(ending).step()
    } else if graph.is_analysed(edge.child) {
        child_value.step()
    } else {
        edge.eval
    }
}
