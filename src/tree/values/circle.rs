//! Values inside one strongly connected component with a circle: two sweeps in Dijkstra's order.
//!
//! Source: ALGORITHM, section 3. The side that can force more than a draw does so without ever
//! repeating; what neither side can force is a draw.

use shakmaty::Color;

use crate::chess::Value;

/// A component cut out of the graph: what leaves it is a fixed value, what stays in it is an edge
/// between local numbers.
#[derive(Debug, Clone, Default)]
pub struct Circle {
    turns: Vec<Color>,
    /// Per position, the best move that leaves the component or ends the game, for the mover;
    /// [`Value::MIN`] where there is none.
    fixed: Vec<Value>,
    inner: Adjacency,
    /// The same edges turned around.
    back: Adjacency,
}

/// Edges between local numbers, one array.
#[derive(Debug, Clone, Default)]
struct Adjacency {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    fn new(sources: usize, edges: &mut [(u32, u32)]) -> Adjacency {
        edges.sort_unstable();
        let mut starts = vec![0; sources + 1];
        for (source, _) in edges.iter() {
            starts[*source as usize + 1] += 1;
        }
        for source in 0..sources {
            starts[source + 1] += starts[source];
        }
        Adjacency { starts, targets: edges.iter().map(|(_, target)| *target).collect() }
    }

    fn of(&self, source: u32) -> &[u32] {
        let source = source as usize;
        &self.targets[self.starts[source] as usize..self.starts[source + 1] as usize]
    }
}

impl Circle {
    /// A component from its positions' sides to move, their best fixed moves, and the moves that
    /// stay inside, as pairs of local numbers.
    pub fn new(turns: Vec<Color>, fixed: Vec<Value>, mut inner: Vec<(u32, u32)>) -> Circle {
        let mut back: Vec<(u32, u32)> = inner.iter().map(|(from, to)| (*to, *from)).collect();
        Circle {
            inner: Adjacency::new(turns.len(), &mut inner),
            back: Adjacency::new(turns.len(), &mut back),
            turns,
            fixed,
        }
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// The side to move in a position.
    pub fn turn(&self, place: u32) -> Color {
        self.turns[place as usize]
    }

    /// The positions that moves inside lead to.
    pub fn children(&self, place: u32) -> &[u32] {
        self.inner.of(place)
    }

    /// The positions from which moves lead to this one.
    pub fn parents(&self, place: u32) -> &[u32] {
        self.back.of(place)
    }

    /// The best move that leaves the component or ends the game, for the mover.
    pub fn fixed(&self, place: u32) -> Option<Value> {
        let fixed = self.fixed[place as usize];
        (fixed != Value::MIN).then_some(fixed)
    }
}
