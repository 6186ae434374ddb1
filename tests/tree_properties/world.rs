//! Random small graphs: a position for each number, its moves in the engine's order, and how many
//! of them are listed.

use deepanalyze::chess::{Ending, Value};
use deepanalyze::tree::{Edge, Graph, NodeId};
use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Color, Square};

/// One position: what the rules say of it, and what an engine would answer.
#[derive(Debug, Clone)]
pub struct Place {
    pub white: bool,
    pub end: Option<Ending>,
    /// Whether the game has been here before the root.
    pub earlier: bool,
    /// All legal moves in rank order: where each leads, and its score for the mover.
    pub moves: Vec<(usize, i32)>,
    /// How many of them are listed; the engine has not been asked for the others.
    pub listed: usize,
}

/// A graph that may have circles; its root is position 0.
#[derive(Debug, Clone)]
pub struct World {
    pub places: Vec<Place>,
}

impl World {
    /// The listed moves of a position, none at an end.
    pub fn list(&self, place: usize) -> &[(usize, i32)] {
        let place = &self.places[place];
        &place.moves[..place.listed]
    }

    pub fn is_analysed(&self, place: usize) -> bool {
        self.places[place].listed > 0
    }

    /// The same world before any engine has been asked.
    pub fn unlisted(&self) -> World {
        let mut world = self.clone();
        world.places.iter_mut().for_each(|place| place.listed = 0);
        world
    }

    /// The graph under test, its nodes numbered as the places are.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::default();
        for place in &self.places {
            let turn = if place.white { Color::White } else { Color::Black };
            let node = graph.add_node(turn, place.moves.len() as u8, place.end);
            if place.earlier {
                graph.mark_earlier(node);
            }
        }
        let lists = (0..self.places.len()).map(|place| (node(place), self.edges(place, 0)));
        graph.admit(lists.collect());
        graph
    }

    /// The listed moves of a position from some rank on.
    pub fn edges(&self, place: usize, from: usize) -> Vec<Edge> {
        self.list(place)[from..].iter().map(|(child, eval)| edge(*child, *eval)).collect()
    }
}

pub fn node(place: usize) -> NodeId {
    NodeId::from_index(place)
}

pub fn value(raw: i32) -> Value {
    Value::new(i64::from(raw)).unwrap()
}

pub fn edge(child: usize, eval: i32) -> Edge {
    Edge { child: node(child), eval: value(eval), uci: PackedUciMove::pack(uci(child)) }
}

/// A move that says where it leads, in small graphs.
pub fn uci(child: usize) -> UciMove {
    let to = Square::new((child % 63) as u32);
    UciMove::Normal { from: Square::H8, to, promotion: None }
}

/// Scores that often tie or differ by little, drawn and clamped ones, and announced mates, near
/// ones and such as turn into clamped scores on their way up.
pub fn evals() -> impl Strategy<Value = i32> {
    let mates = prop_oneof![31_985..=31_999, 31_000..=31_004];
    prop_oneof![
        6 => -40..=40,
        3 => -4..=4,
        1 => Just(0),
        1 => mates.clone(),
        1 => mates.prop_map(|mate: i32| -mate),
    ]
}

/// What a place is made of before it is known how many there are.
type Seed = (u32, bool, Vec<(usize, i32)>, usize);

fn seeds(places: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Seed>> {
    let moves = vec((0_usize..64, evals()), 1..=5);
    vec((0_u32..40, prop::bool::weighted(0.15), moves, 0_usize..=15), places)
}

/// Worlds of that many places; half of them with a game before the root. In half of them moves lead
/// anywhere, in the others mostly a little onwards, so that many lines of different lengths meet.
pub fn worlds(places: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = World> {
    let parts = (seeds(places), any::<[bool; 3]>());
    parts.prop_map(|(seeds, flags)| build(&seeds, flags))
}

/// The other side's places are those of the other parity: it is to move after a move.
fn child_of(number: usize, target: usize, count: usize, onwards: bool) -> Option<usize> {
    let child = if onwards && target < 56 {
        number + 1 + target % 3 * 2
    } else {
        let others = (count + number % 2) / 2;
        target % others.max(1) * 2 + (number + 1) % 2
    };
    (child < count).then_some(child)
}

fn build(seeds: &[Seed], [white_first, history, onwards]: [bool; 3]) -> World {
    let place = |(number, (kind, earlier, targets, listed)): (usize, &Seed)| {
        let mut end = if number == 0 { None } else { ending(*kind) };
        let mut moves: Vec<(usize, i32)> = Vec::new();
        for (target, eval) in targets {
            let child = child_of(number, *target, seeds.len(), onwards);
            let new = |child: &usize| moves.iter().all(|(other, _)| other != child);
            if let Some(child) = child.filter(new) {
                moves.push((child, *eval));
            }
        }
        if end.is_some() {
            moves.clear();
        } else if moves.is_empty() {
            end = Some(Ending::Stalemate);
        }
        Place {
            white: (number % 2 == 0) == white_first,
            end,
            earlier: history && *earlier && number > 0 && end.is_none(),
            // One position in sixteen is not analysed, most of the others to the last move.
            listed: moves.len().min(*listed),
            moves,
        }
    };
    World { places: seeds.iter().enumerate().map(place).collect() }
}

fn ending(kind: u32) -> Option<Ending> {
    match kind {
        0 | 3 => Some(Ending::Checkmate),
        1 => Some(Ending::Stalemate),
        2 => Some(Ending::InsufficientMaterial),
        _ => None,
    }
}
