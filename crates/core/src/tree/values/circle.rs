//! Values inside one strongly connected component with a circle: two sweeps in Dijkstra's order.
//!
//! Source: ALGORITHM, section 3. The side that can force more than a draw does so without ever
//! repeating; what neither side can force is a draw.

use shakmaty::Color;

use crate::chess::{DrawValue, Value};

use super::gain::Standing;

/// A component cut out of the graph: a move that leaves it is a fixed value, one that stays in it
/// is an edge between local numbers.
#[derive(Debug, Clone, Default)]
pub struct Circle {
    draw: DrawValue,
    turns: Vec<Color>,
    /// Per position, the mover's best move that leaves the component or ends the game. If there is
    /// none, it is as one too bad to play.
    exits: Vec<Standing>,
    inner: Adjacency,
    /// The edges turned around.
    back: Adjacency,
}

fn exits(turns: &[Color], fixed: &[Value], draw: DrawValue) -> Vec<Standing> {
    let exit = |(value, turn): (&Value, &Color)| Standing::of_exit(*value, *turn, draw);
    fixed.iter().zip(turns).map(exit).collect()
}

/// Edges between local numbers, one array.
#[derive(Debug, Clone, Default)]
struct Adjacency {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// Linear in the edges.
    fn new(sources: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Adjacency {
        let mut starts = vec![0; sources + 1];
        for (source, _) in edges.clone() {
            starts[source as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // These are the ends so far; each target moves its source's one down.
        let mut targets = vec![0; end as usize];
        for (source, target) in edges {
            let start = &mut starts[source as usize];
            *start -= 1;
            targets[*start as usize] = target;
        }
        Adjacency { starts, targets }
    }

    fn of(&self, source: u32) -> &[u32] {
        let source = source as usize;
        &self.targets[self.starts[source] as usize..self.starts[source + 1] as usize]
    }
}

impl Circle {
    /// A component from its positions' sides to move, the values of their best moves out of it
    /// ([`Value::MIN`] if there are none), the moves that stay inside, as pairs of local numbers,
    /// and the value of a draw.
    pub fn new(
        turns: Vec<Color>,
        fixed: &[Value],
        inner: &[(u32, u32)],
        draw: DrawValue,
    ) -> Circle {
        Circle {
            draw,
            inner: Adjacency::new(turns.len(), inner.iter().copied()),
            back: Adjacency::new(turns.len(), inner.iter().map(|(from, to)| (*to, *from))),
            exits: exits(&turns, fixed, draw),
            turns,
        }
    }

    /// Takes other values of the best moves out of it.
    pub fn set_exits(&mut self, fixed: &[Value]) {
        self.exits = exits(&self.turns, fixed, self.draw);
    }

    /// The value of a draw.
    pub fn draw(&self) -> DrawValue {
        self.draw
    }

    /// Number of its positions.
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

    /// Standing of the mover's best move out of the component.
    pub fn exit(&self, place: u32) -> Standing {
        self.exits[place as usize]
    }
}
