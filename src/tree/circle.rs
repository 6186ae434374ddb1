//! Values inside one strongly connected component with a circle: two sweeps in Dijkstra's order.
//!
//! Source: ALGORITHM, section 3. The side that can force more than a draw does so without ever
//! repeating; what neither side can force is a draw.

use std::collections::BinaryHeap;

use shakmaty::Color;

use crate::chess::Value;

/// A component cut out of the graph: what leaves it is a fixed value, what stays in it is an edge
/// between local numbers.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
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

    fn of(&self, source: usize) -> &[u32] {
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

    /// The value of each position for its side to move, with some positions (local numbers) as
    /// drawn ends. A drawn end itself gets 0.
    pub fn values(&self, drawn: &[u32]) -> Vec<Value> {
        let mut is_drawn = vec![false; self.turns.len()];
        for place in drawn {
            is_drawn[*place as usize] = true;
        }
        let mut values = vec![Value::DRAW; self.turns.len()];
        for winner in [Color::White, Color::Black] {
            Sweep::new(self, winner, &is_drawn).run(&mut values);
        }
        values
    }
}

/// Settles the positions in which one side gets more than a draw, greatest values first.
struct Sweep<'a> {
    circle: &'a Circle,
    winner: Color,
    /// Per position, how many moves must be settled before it is: one for the winner, all for the
    /// other side; none are left once it is settled, and a drawn end never is.
    awaited: Vec<u32>,
    /// Moves that are settled, by their value for the winner.
    settled_moves: BinaryHeap<(Value, u32)>,
}

/// For positions that this sweep must leave alone.
const NEVER: u32 = u32::MAX;

impl<'a> Sweep<'a> {
    fn new(circle: &'a Circle, winner: Color, is_drawn: &[bool]) -> Sweep<'a> {
        let mut sweep = Sweep {
            circle,
            winner,
            awaited: Vec::with_capacity(is_drawn.len()),
            settled_moves: BinaryHeap::new(),
        };
        for place in 0..is_drawn.len() {
            let awaited = if is_drawn[place] { NEVER } else { sweep.start(place, is_drawn) };
            sweep.awaited.push(awaited);
        }
        sweep
    }

    /// How many moves of a position must be settled; its best fixed move is settled from the start.
    fn start(&mut self, place: usize, is_drawn: &[bool]) -> u32 {
        let fixed = self.circle.fixed[place];
        let inner = self.circle.inner.of(place);
        let own = self.circle.turns[place] == self.winner;
        let has_fixed = fixed != Value::MIN;
        let for_winner = if own { fixed } else { -fixed };
        if has_fixed && for_winner > Value::DRAW {
            self.settled_moves.push((for_winner, place as u32));
        }
        if own {
            return 1;
        }
        let saved = has_fixed && for_winner <= Value::DRAW;
        if saved || inner.iter().any(|child| is_drawn[*child as usize]) {
            return NEVER;
        }
        inner.len() as u32 + u32::from(has_fixed)
    }

    fn run(mut self, values: &mut [Value]) {
        while let Some((value, place)) = self.settled_moves.pop() {
            let awaited = &mut self.awaited[place as usize];
            if *awaited == 0 || *awaited == NEVER {
                continue;
            }
            *awaited -= 1;
            if *awaited > 0 {
                continue;
            }
            let own = self.circle.turns[place as usize] == self.winner;
            values[place as usize] = if own { value } else { -value };
            for parent in self.circle.back.of(place as usize) {
                self.settled_moves.push((value.ply_later(), *parent));
            }
        }
    }
}
