//! A tree as the game that its root's best move comes from, ready to be valued again and again with other
//! scores: alpha after the root (ALGORITHM, section 3) in flat arrays.

use std::ops::Range;

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::values::circle::Circle;
use crate::tree::values::circles::{Circles, Component};

/// Not reached.
const NONE: u32 = u32::MAX;

/// Where a move leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// To an end, or to a repetition of the root or of the game before it: its worth is no engine's.
    Fixed,
    /// Out of the tree: its worth is the engine's score.
    Leaf,
    /// To an analysed position, by its place.
    Below(u32),
}

/// The analysed positions behind a root, by places: each after all that it leads to, but for circles, which
/// stand together; the root is the last. Moves are numbered through.
#[derive(Debug)]
pub struct GameGraph {
    turns: Vec<Color>,
    /// Where the moves of each place begin, and where the last ones end.
    starts: Vec<u32>,
    targets: Vec<Target>,
    ucis: Vec<shakmaty::packed::PackedUciMove>,
    /// The worth of each move that leads to no place, for its mover.
    scores: Vec<Value>,
    circles: Vec<(Range<usize>, Circle)>,
}

impl GameGraph {
    /// Lays out what lies behind a root.
    pub fn new(graph: &Graph, values: &Values, root: NodeId) -> GameGraph {
        let (nodes, place_of) = in_order(graph, values.circles(), root);
        let mut game = GameGraph {
            turns: nodes.iter().map(|node| graph.turn(*node)).collect(),
            starts: vec![0],
            targets: Vec::new(),
            ucis: Vec::new(),
            scores: Vec::new(),
            circles: Vec::new(),
        };
        for node in &nodes {
            for edge in graph.moves(*node) {
                let (target, score) = game_move(graph, edge, root, &place_of);
                game.targets.push(target);
                game.scores.push(score);
                game.ucis.push(edge.uci);
            }
            game.starts.push(game.targets.len() as u32);
        }
        let ranges = circle_ranges(&nodes, values.circles());
        game.circles =
            ranges.into_iter().map(|range| (range.clone(), game.cut_out(range))).collect();
        game
    }

    /// A circle without the worth of the moves that leave it.
    fn cut_out(&self, places: Range<usize>) -> Circle {
        let mut inner = Vec::new();
        for place in places.clone() {
            let children = self.moves(place).filter_map(|m| self.inside(&places, m));
            inner.extend(children.map(|child| ((place - places.start) as u32, child)));
        }
        let fixed = vec![Value::MIN; places.len()];
        Circle::new(self.turns[places].to_vec(), &fixed, &inner)
    }

    /// The local number of the place that a move leads to, where it is one of a circle's.
    pub fn inside(&self, circle: &Range<usize>, m: usize) -> Option<u32> {
        match self.targets[m] {
            Target::Below(place) if circle.contains(&(place as usize)) => {
                Some((place as usize - circle.start) as u32)
            }
            _ => None,
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// The root's place.
    pub fn root(&self) -> usize {
        self.len() - 1
    }

    /// The side to move.
    pub fn turn(&self, place: usize) -> Color {
        self.turns[place]
    }

    /// The moves of a place.
    pub fn moves(&self, place: usize) -> Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    /// How many moves there are.
    pub fn moves_in_all(&self) -> usize {
        self.targets.len()
    }

    /// How many of the positions are in circles.
    pub fn in_circles(&self) -> usize {
        self.circles.iter().map(|(places, _)| places.len()).sum()
    }

    /// The place that a move is played from.
    pub fn place_of(&self, m: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= m) - 1
    }

    /// Where a move leads.
    pub fn target(&self, m: usize) -> Target {
        self.targets[m]
    }

    /// A move.
    pub fn uci(&self, m: usize) -> UciMove {
        self.ucis[m].unpack()
    }

    /// The circles, in the order of their places.
    pub fn circles(&self) -> &[(Range<usize>, Circle)] {
        &self.circles
    }

    /// The worth of each move that leads to no place, for its mover, as the tree has it.
    pub fn scores(&self) -> &[Value] {
        &self.scores
    }

    /// The same with all leaves moved by so many centipawns in favour of a side.
    pub fn shifted(&self, centipawns: i32, side: Color) -> Vec<Value> {
        let mut scores = self.scores.clone();
        for place in 0..self.len() {
            let by = if self.turn(place) == side { centipawns } else { -centipawns };
            for m in self.moves(place).filter(|m| self.targets[*m] == Target::Leaf) {
                scores[m] = scores[m].shifted(by);
            }
        }
        scores
    }
}

/// The positions behind a root, it being the last, each after what it leads to; and the place of each. The same for
/// the same tree, in whatever order it was grown.
fn in_order(graph: &Graph, circles: &Circles, root: NodeId) -> (Vec<NodeId>, Vec<u32>) {
    let mut nodes = canonical(graph, circles, &reached(graph, root));
    nodes.push(root);
    let place_of = numbers(graph, &nodes);
    (nodes, place_of)
}

/// The number of each node in a list of them.
fn numbers(graph: &Graph, nodes: &[NodeId]) -> Vec<u32> {
    let mut numbers = vec![NONE; graph.len()];
    for (number, node) in nodes.iter().enumerate() {
        numbers[node.index()] = number as u32;
    }
    numbers
}

/// Positions by the longest way down from their component, then by when the component's first was found: heights
/// and components as a growing tree keeps them depend on how it grew.
fn canonical(graph: &Graph, circles: &Circles, found: &[NodeId]) -> Vec<NodeId> {
    let number_of = numbers(graph, found);
    // A component is known by the first of its positions that was found.
    let mut circle_firsts = HashMap::new();
    let firsts: Vec<usize> = (0..found.len())
        .map(|at| match circles.component_of(found[at]) {
            Component::Single(_) => at,
            circle @ Component::Circle(_) => *circle_firsts.entry(circle).or_insert(at),
        })
        .collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_cached_key(|at| (circles.height(circles.component_of(found[*at])), firsts[*at]));
    let mut heights = vec![0_u32; found.len()];
    for at in &order {
        let below = graph.moves(found[*at]).iter().map(|edge| number_of[edge.child.index()]);
        for below in below.filter(|below| *below != NONE).map(|below| firsts[below as usize]) {
            if below != firsts[*at] {
                heights[firsts[*at]] = heights[firsts[*at]].max(heights[below] + 1);
            }
        }
    }
    order.sort_by_key(|at| (heights[firsts[*at]], firsts[*at], *at));
    order.into_iter().map(|at| found[at]).collect()
}

/// The analysed positions behind a root, without it, that no line comes to after a repetition alone.
fn reached(graph: &Graph, root: NodeId) -> Vec<NodeId> {
    let mut seen = vec![false; graph.len()];
    seen[root.index()] = true;
    let (mut nodes, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        for child in graph.moves(node).iter().map(|edge| edge.child) {
            let is_below = graph.is_analysed(child) && !graph.is_earlier(child);
            if is_below && !std::mem::replace(&mut seen[child.index()], true) {
                nodes.push(child);
                open.push(child);
            }
        }
    }
    nodes
}

/// Where a move leads, and what it is worth where that is to no place.
fn game_move(graph: &Graph, edge: &Edge, root: NodeId, place_of: &[u32]) -> (Target, Value) {
    let child = edge.child;
    if child == root || graph.is_earlier(child) {
        (Target::Fixed, Value::DRAW)
    } else if let Some(end) = graph.end(child) {
        (Target::Fixed, end.step())
    } else if graph.is_analysed(child) {
        (Target::Below(place_of[child.index()]), Value::DRAW)
    } else {
        (Target::Leaf, edge.eval)
    }
}

/// The places of each circle, but the root.
fn circle_ranges(nodes: &[NodeId], circles: &Circles) -> Vec<Range<usize>> {
    let (mut ranges, mut start) = (Vec::new(), 0);
    let behind = &nodes[..nodes.len() - 1];
    for same in behind.chunk_by(|a, b| circles.component_of(*a) == circles.component_of(*b)) {
        let range = start..start + same.len();
        start = range.end;
        let is_circle = same.first().map(|node| circles.component_of(*node));
        if matches!(is_circle, Some(Component::Circle(_))) {
            ranges.push(range);
        }
    }
    ranges
}
