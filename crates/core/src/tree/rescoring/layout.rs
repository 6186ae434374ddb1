//! Layout of the game behind a root: the graph is walked once, each of its moves looked up where it
//! is found, and the result is put in order by numbers alone. (A graph's positions lie in memory as
//! they came; looking moves up again in each step took six times as long for half a million
//! positions.)

use std::ops::Range;

use shakmaty::packed::PackedUciMove;

use crate::chess::Value;

use super::game::Target;
use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::values::circles::{Circles, Component};

/// Not found, or in no circle.
const NONE: u32 = u32::MAX;
/// The root's number.
const ROOT: u32 = 0;

/// A move of the game.
#[derive(Debug, Clone, Copy)]
pub struct GameMove {
    /// Its target: a number while positions are found, a place once they are in order.
    pub target: Target,
    /// Its value for its mover, if it leads to no place.
    pub score: Value,
    /// The move.
    pub uci: PackedUciMove,
}

/// The analysed positions behind a root that no line comes to after a repetition alone, by number: the root is
/// the first, the others come in the order in which they were found.
#[derive(Debug)]
pub struct Found {
    nodes: Vec<NodeId>,
    /// The range of each position's moves.
    spans: Vec<Range<u32>>,
    moves: Vec<GameMove>,
}

/// The components that positions are in, by number.
#[derive(Debug)]
struct Components {
    /// The first of its positions that was found: a component is known by that.
    firsts: Vec<u32>,
    /// The circle, if it is one.
    circles: Vec<u32>,
    /// Its height in the growing tree: more than that of all that it leads to.
    heights: Vec<u32>,
}

/// Numbers in the order of their places: each after all that it leads to, but for circles, which
/// stand together; the root is the last. Equal for the same tree, in whatever order it was grown.
#[derive(Debug)]
pub struct InOrder {
    /// The numbers.
    pub numbers: Vec<u32>,
    /// The places of each circle, but the root.
    pub circles: Vec<Range<usize>>,
}

impl Found {
    /// Finds the positions and their moves.
    pub fn behind(graph: &Graph, root: NodeId) -> Found {
        let mut number_of = vec![NONE; graph.len()];
        number_of[root.index()] = ROOT;
        let mut found =
            Found { nodes: vec![root], spans: vec![Range::default()], moves: Vec::new() };
        let mut open = vec![ROOT];
        while let Some(number) = open.pop() {
            let start = found.moves.len() as u32;
            for edge in graph.moves(found.nodes[number as usize]) {
                let known = &mut number_of[edge.child.index()];
                let (target, score) = found.look(graph, edge, known);
                if target == Target::Below(found.nodes.len() as u32) {
                    open.push(*known);
                    found.nodes.push(edge.child);
                    found.spans.push(Range::default());
                }
                found.moves.push(GameMove { target, score, uci: edge.uci });
            }
            found.spans[number as usize] = start..found.moves.len() as u32;
        }
        found
    }

    /// The target of a move, and its value if that is no place. A newly found position gets the
    /// next number.
    fn look(&self, graph: &Graph, edge: &Edge, number: &mut u32) -> (Target, Value) {
        let child = edge.child;
        match *number {
            ROOT => (Target::Fixed, -graph.drawn(child)),
            NONE if graph.is_repeated(child) => (Target::Fixed, -graph.drawn(child)),
            NONE => match graph.end(child) {
                Some(end) => (Target::Fixed, end.step()),
                None if graph.is_analysed(child) => {
                    *number = self.nodes.len() as u32;
                    (Target::Below(*number), Value::EVEN)
                }
                None => (Target::Leaf, edge.eval),
            },
            known => (Target::Below(known), Value::EVEN),
        }
    }

    /// The position of a number.
    pub fn node(&self, number: u32) -> NodeId {
        self.nodes[number as usize]
    }

    /// The moves of a number's position.
    pub fn moves(&self, number: u32) -> &[GameMove] {
        let Range { start, end } = self.spans[number as usize];
        &self.moves[start as usize..end as usize]
    }

    /// Number of moves found.
    pub fn moves_in_all(&self) -> usize {
        self.moves.len()
    }

    /// Orders all but the root by the longest way down from their component, then by when the
    /// component's first was found: heights and components as a growing tree keeps them depend on
    /// how it grew.
    pub fn in_order(&self, circles: &Circles) -> InOrder {
        let components = self.components(circles);
        let heights = self.heights(&components);
        let found: Vec<u32> = (ROOT + 1..self.nodes.len() as u32).collect();
        let mut numbers = sorted(&sorted(&found, &components.firsts), &heights);
        let circles = ranges(&numbers, &components.circles);
        numbers.push(ROOT);
        InOrder { numbers, circles }
    }

    fn components(&self, circles: &Circles) -> Components {
        let mut circle_firsts = vec![NONE; circles.len()];
        let mut components =
            Components { firsts: vec![ROOT], circles: vec![NONE], heights: vec![0] };
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let component = circles.component_of(*node);
            let mut first = number as u32;
            let mut of = NONE;
            if let Component::Circle(circle) = component {
                of = circle;
                let known = &mut circle_firsts[circle as usize];
                *known = first.min(*known);
                first = *known;
            }
            components.firsts.push(first);
            components.circles.push(of);
            components.heights.push(circles.height(component));
        }
        components
    }

    /// The longest way down from the component of each.
    fn heights(&self, Components { firsts, heights, .. }: &Components) -> Vec<u32> {
        let found: Vec<u32> = (ROOT + 1..self.nodes.len() as u32).collect();
        let mut longest = vec![0; self.nodes.len()];
        for number in sorted(&found, heights) {
            let first = firsts[number as usize];
            let mut height = longest[first as usize];
            for m in self.moves(number) {
                let Target::Below(below) = m.target else { continue };
                let below = firsts[below as usize];
                if below != first {
                    height = height.max(longest[below as usize] + 1);
                }
            }
            longest[first as usize] = height;
        }
        firsts.iter().map(|first| longest[*first as usize]).collect()
    }
}

/// Sorts numbers by their keys, stably. Linear in them and in the greatest key: heights and numbers
/// are at most as many as there are positions.
fn sorted(numbers: &[u32], keys: &[u32]) -> Vec<u32> {
    let greatest = keys.iter().max().map_or(0, |key| *key as usize);
    let mut starts = vec![0_u32; greatest + 2];
    for number in numbers {
        starts[keys[*number as usize] as usize + 1] += 1;
    }
    for key in 1..starts.len() {
        starts[key] += starts[key - 1];
    }
    let mut sorted = vec![0; numbers.len()];
    for number in numbers {
        let start = &mut starts[keys[*number as usize] as usize];
        sorted[*start as usize] = *number;
        *start += 1;
    }
    sorted
}

/// The places of each circle.
fn ranges(numbers: &[u32], circle_of: &[u32]) -> Vec<Range<usize>> {
    let circle = |number: &u32| circle_of[*number as usize];
    let (mut ranges, mut start) = (Vec::new(), 0);
    for same in numbers.chunk_by(|a, b| circle(a) == circle(b)) {
        let range = start..start + same.len();
        start = range.end;
        if same.first().is_some_and(|number| circle(number) != NONE) {
            ranges.push(range);
        }
    }
    ranges
}
