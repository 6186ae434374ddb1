//! A tree as the game that its root's best move comes from, ready to be valued again and again with other
//! scores: alpha after the root (ALGORITHM, section 3) in flat arrays.

use std::ops::Range;

use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::chess::{DrawValue, Value};

use super::layout::{Found, InOrder};
use crate::tree::graph::{Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::values::circle::Circle;

/// Target of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// To an end, or to a repetition of the root or of the game before it: no engine's score.
    Fixed,
    /// Out of the tree: its worth is the engine's score.
    Leaf,
    /// To an analysed position, by its place.
    Below(u32),
}

impl Target {
    /// The target with places for numbers.
    fn by(self, place_of: &[u32]) -> Target {
        match self {
            Target::Below(number) => Target::Below(place_of[number as usize]),
            out => out,
        }
    }
}

/// The analysed positions behind a root, by places: each after all that it leads to, but for circles, which
/// stand together; the root is the last. Moves are numbered through.
#[derive(Debug)]
pub struct GameGraph {
    nodes: Vec<NodeId>,
    turns: Vec<Color>,
    /// Start of the moves of each place, and the end of the last ones.
    starts: Vec<u32>,
    targets: Vec<Target>,
    ucis: Vec<shakmaty::packed::PackedUciMove>,
    /// The worth of each move that leads to no place, for its mover.
    scores: Vec<Value>,
    circles: Vec<(Range<usize>, Circle)>,
}

impl GameGraph {
    /// Lays out the game behind a root.
    pub fn new(graph: &Graph, values: &Values, root: NodeId) -> GameGraph {
        let found = Found::behind(graph, root);
        let InOrder { numbers, circles } = found.in_order(values.circles());
        let mut place_of = vec![0; numbers.len()];
        for (place, number) in numbers.iter().enumerate() {
            place_of[*number as usize] = place as u32;
        }
        let mut game = GameGraph::with_room(numbers.len(), found.moves_in_all());
        for number in numbers {
            game.nodes.push(found.node(number));
            game.turns.push(graph.turn(found.node(number)));
            for m in found.moves(number) {
                game.targets.push(m.target.by(&place_of));
                game.scores.push(m.score);
                game.ucis.push(m.uci);
            }
            game.starts.push(game.targets.len() as u32);
        }
        let cut_out = |range: Range<usize>| (range.clone(), game.cut_out(range, graph.draw()));
        game.circles = circles.into_iter().map(cut_out).collect();
        game
    }

    fn with_room(places: usize, moves: usize) -> GameGraph {
        let mut starts = Vec::with_capacity(places + 1);
        starts.push(0);
        GameGraph {
            nodes: Vec::with_capacity(places),
            turns: Vec::with_capacity(places),
            starts,
            targets: Vec::with_capacity(moves),
            ucis: Vec::with_capacity(moves),
            scores: Vec::with_capacity(moves),
            circles: Vec::new(),
        }
    }

    /// A circle without the worth of the moves that leave it.
    fn cut_out(&self, places: Range<usize>, draw: DrawValue) -> Circle {
        let mut inner = Vec::new();
        for place in places.clone() {
            let children = self.moves(place).filter_map(|m| self.inside(&places, m));
            inner.extend(children.map(|child| ((place - places.start) as u32, child)));
        }
        let fixed = vec![Value::MIN; places.len()];
        Circle::new(self.turns[places].to_vec(), &fixed, &inner, draw)
    }

    /// The local number of the place that a move leads to, if it is in a circle.
    pub fn inside(&self, circle: &Range<usize>, m: usize) -> Option<u32> {
        match self.targets[m] {
            Target::Below(place) if circle.contains(&(place as usize)) => {
                Some((place as usize - circle.start) as u32)
            }
            _ => None,
        }
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// The root's place.
    pub fn root(&self) -> usize {
        self.len() - 1
    }

    /// The position of a place.
    pub fn node(&self, place: usize) -> NodeId {
        self.nodes[place]
    }

    /// The side to move.
    pub fn turn(&self, place: usize) -> Color {
        self.turns[place]
    }

    /// The moves of a place.
    pub fn moves(&self, place: usize) -> Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    /// Number of moves.
    pub fn moves_in_all(&self) -> usize {
        self.targets.len()
    }

    /// Number of positions in circles.
    pub fn in_circles(&self) -> usize {
        self.circles.iter().map(|(places, _)| places.len()).sum()
    }

    /// The place that a move is played from.
    pub fn place_of(&self, m: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= m) - 1
    }

    /// The target of a move.
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
}
