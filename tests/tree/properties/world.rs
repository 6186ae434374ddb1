//! Random small graphs: a position for each number, its moves in the engine's order, and the number
//! of listed ones.

use deepanalyze_core::chess::{
    DrawValue, Ending, FiftyMoves, GivenValue, TableEnd, Tables, Value, Wdl,
};
use deepanalyze_core::tree::{Breadth, Edge, Followed, Graph, NodeId, Widths, Wish};
use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Color, Square};

/// One position: the rules' results, and an engine's answers.
#[derive(Debug, Clone)]
pub struct Place {
    pub white: bool,
    pub end: Option<Ending>,
    /// Tables' result for the side to move.
    pub known: Option<TableEnd>,
    /// True if the game has been here before the root.
    pub earlier: bool,
    /// All legal moves in rank order: their target, and their score for the mover.
    pub moves: Vec<(usize, i32)>,
    /// Number of listed ones; the engine has not been asked for the others.
    pub listed: usize,
    /// The user's directives: moves by their targets, and its value.
    pub excluded: Vec<usize>,
    pub included: Vec<usize>,
    /// Moves that are played there, whatever the user's directives.
    pub plays: Vec<usize>,
    pub value: Option<GivenValue>,
    pub stopped: bool,
}

/// A graph that may have circles; its root is position 0.
#[derive(Debug, Clone)]
pub struct World {
    /// The value of a draw, in centipawns for White.
    pub draw: i32,
    pub places: Vec<Place>,
}

impl World {
    /// The listed moves of a position; empty at an end.
    pub fn list(&self, place: usize) -> &[(usize, i32)] {
        let place = &self.places[place];
        &place.moves[..place.listed]
    }

    pub fn is_analysed(&self, place: usize) -> bool {
        let Place { excluded, value, stopped, known, .. } = &self.places[place];
        let counts = |(child, _): &(usize, i32)| !excluded.contains(child);
        !stopped && value.is_none() && known.is_none() && self.list(place).iter().any(counts)
    }

    /// The value of a position for its side to move, if it is drawn.
    pub fn drawn(&self, place: usize) -> i32 {
        self.for_mover(place, self.draw)
    }

    fn for_mover(&self, place: usize, white: i32) -> i32 {
        if self.places[place].white { white } else { -white }
    }

    /// The value of a position for its side to move, if it is an end.
    pub fn end(&self, place: usize) -> Option<i32> {
        let Place { end, known, value, .. } = &self.places[place];
        // Tables precede the user's value.
        Some(match (known, value, end) {
            (Some(known), ..) if known.value != Value::EVEN => i32::from(known.value.get()),
            (None, Some(GivenValue::Centipawns(white)), _) => self.for_mover(place, *white),
            (None, None, Some(Ending::Checkmate)) => -32_000,
            (None, None, None) => return None,
            _ => self.drawn(place),
        })
    }

    /// True if a position is a drawn end.
    pub fn is_drawn_end(&self, place: usize) -> bool {
        let Place { end, known, value, .. } = &self.places[place];
        match (known, value) {
            (Some(known), _) => known.value == Value::EVEN,
            (None, Some(given)) => *given == GivenValue::Draw,
            (None, None) => end.is_some_and(|end| end != Ending::Checkmate),
        }
    }

    /// The moves of a position that count, in the order of the page: their target, score and rank.
    pub fn counting(&self, place: usize) -> Vec<Counting> {
        if !self.is_analysed(place) {
            return Vec::new();
        }
        let Place { excluded, included, .. } = &self.places[place];
        let followed = [&included[..], &self.played(place)].concat();
        let mut counting = Vec::new();
        for (rank, (child, eval)) in self.list(place).iter().enumerate() {
            if !excluded.contains(child) {
                counting.push(Counting { child: *child, eval: *eval, rank: Some(rank) });
            }
        }
        let is_listed = |child: usize| self.list(place).iter().any(|(other, _)| *other == child);
        for child in in_words(&followed) {
            if !is_listed(child) && (self.is_analysed(child) || self.end(child).is_some()) {
                counting.push(Counting { child, eval: 0, rank: None });
            }
        }
        counting
    }

    /// The moves that are played in a position, without those the user has excluded or included.
    pub fn played(&self, place: usize) -> Vec<usize> {
        let Place { excluded, included, plays, .. } = &self.places[place];
        let said = |child: &&usize| excluded.contains(child) || included.contains(child);
        plays.iter().filter(|child| !said(child)).copied().collect()
    }

    /// The included or played moves among these that do not count.
    pub fn waiting(&self, place: usize, followed: &[usize]) -> Vec<usize> {
        let counting = self.counting(place);
        let counts = |child: &usize| counting.iter().any(|m| m.child == *child);
        in_words(followed).into_iter().filter(|c| !counts(c)).collect()
    }

    /// This world before any search.
    pub fn unlisted(&self) -> World {
        let mut world = self.clone();
        world.places.iter_mut().for_each(|place| place.listed = 0);
        world
    }

    /// The graph under test, its nodes numbered as the places are.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::new(DrawValue::new(i64::from(self.draw)).unwrap());
        for place in &self.places {
            let turn = if place.white { Color::White } else { Color::Black };
            let node = graph.add_node(turn, place.moves.len() as u8, place.end);
            if place.earlier {
                graph.mark_repeated(node);
            }
            if let Some(known) = place.known {
                graph.know(node, known);
            }
        }
        for (number, place) in self.places.iter().enumerate() {
            let moves = |children: &[usize]| children.iter().map(|child| uci(*child)).collect();
            let wish = Wish {
                exclude: moves(&place.excluded),
                include: moves(&place.included),
                value: place.value,
                stop: place.stopped,
            };
            if wish != Wish::default() {
                graph.direct(node(number), &wish);
                graph.include(node(number), place.included.iter().map(followed).collect());
            }
            let played = self.played(number);
            if !played.is_empty() {
                graph.play(node(number), played.iter().map(followed).collect());
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

fn followed(child: &usize) -> Followed {
    Followed { uci: PackedUciMove::pack(uci(*child)), child: node(*child) }
}

/// The value of tables' result, spelled out.
fn worth(wdl: Wdl, fifty: FiftyMoves) -> i32 {
    match (wdl, fifty) {
        (Wdl::Win, _) | (Wdl::CursedWin, FiftyMoves::Iccf) => 30_000,
        (Wdl::Loss, _) | (Wdl::BlessedLoss, FiftyMoves::Iccf) => -30_000,
        _ => 0,
    }
}

/// A move that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    pub child: usize,
    /// 0 if the move is not listed.
    pub eval: i32,
    pub rank: Option<usize>,
}

/// Moves by their UCI text.
fn in_words(children: &[usize]) -> Vec<usize> {
    let mut children = children.to_vec();
    children.sort_by_key(|child| uci(*child).to_string());
    children
}

/// The breadth of a tree, for the code under test and for the plain one.
#[derive(Debug, Clone)]
pub struct Broad {
    /// White's distances, then Black's, and whether the last stays.
    pub widths: [(Vec<u32>, bool); 2],
    pub least: u32,
}

impl Broad {
    pub fn breadth(&self) -> Breadth {
        let [white, black] = self.widths.clone().map(|(list, stays)| Widths::new(list, stays));
        Breadth { white: white.unwrap(), black: black.unwrap(), least: self.least }
    }
}

/// Plain distances in one half, all kinds of lists in the other.
pub fn broads() -> impl Strategy<Value = Broad> {
    let list = || (vec(0..=60_u32, 1..=4), any::<bool>());
    let plain = (0..=60_u32).prop_map(|distance| Broad {
        widths: [(vec![distance], false), (vec![distance], false)],
        least: 1,
    });
    let any = (list(), list(), 1..=4_u32).prop_map(|(white, black, least)| {
        let falling = |(mut list, stays): (Vec<u32>, bool)| {
            list.sort_unstable_by(|a, b| b.cmp(a));
            (list, stays)
        };
        Broad { widths: [falling(white), falling(black)], least }
    });
    prop_oneof![plain, any]
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

/// A move that names its target, in small graphs.
pub fn uci(child: usize) -> UciMove {
    let to = Square::new((child % 63) as u32);
    UciMove::Normal { from: Square::H8, to, promotion: None }
}

/// Scores that often tie or differ by little, drawn and clamped ones, and announced mates, near
/// ones and those that turn into clamped scores on their way up.
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

/// The ingredients of a place before the number of places is known.
type Seed = (u32, bool, Vec<(usize, i32)>, usize, Said);

/// The user's directives for a place: on its moves, and on it.
type Said = (Vec<u8>, u8, GivenValue);

fn seeds(places: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Seed>> {
    let moves = vec((0_usize..64, evals()), 1..=5);
    let given = prop_oneof![-60..=60, Just(30_000), Just(-30_000)].prop_map(GivenValue::Centipawns);
    let given = prop_oneof![3 => given, 1 => Just(GivenValue::Draw)];
    let said = (vec(0_u8..10, 5), 0_u8..16, given);
    vec((0_u32..40, prop::bool::weighted(0.15), moves, 0_usize..=15, said), places)
}

/// Worlds of that many places; half of them with a game before the root, half with directives, half
/// with played moves, half with one place in eight in the tables, whose fifty-move rule counts in
/// half of them. In half of them a draw has a value. In half of them moves lead anywhere, in the
/// others mostly a little onwards, so that many lines of different lengths meet.
pub fn worlds(places: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = World> {
    let draw = prop_oneof![5 => -45..=45, 1 => Just(1000), 1 => Just(-1000)];
    let parts = (seeds(places), any::<[bool; 7]>(), prop_oneof![Just(0), draw]);
    parts.prop_map(|(seeds, flags, draw)| World { draw, places: build(&seeds, flags) })
}

/// The other side's places have the other parity: it is to move after a move.
fn child_of(number: usize, target: usize, count: usize, onwards: bool) -> Option<usize> {
    let child = if onwards && target < 56 {
        number + 1 + target % 3 * 2
    } else {
        let others = (count + number % 2) / 2;
        target % others.max(1) * 2 + (number + 1) % 2
    };
    (child < count).then_some(child)
}

fn build(
    seeds: &[Seed],
    [white_first, history, onwards, directed, played, tables, iccf]: [bool; 7],
) -> Vec<Place> {
    let fifty = if iccf { FiftyMoves::Iccf } else { FiftyMoves::Fide };
    let place = |(number, (kind, earlier, targets, listed, said)): (usize, &Seed)| {
        let mut end = if number == 0 { None } else { ending(*kind) };
        let mut moves: Vec<(usize, i32)> = Vec::new();
        for (target, eval) in targets {
            let child = child_of(number, *target, seeds.len(), onwards);
            let new = |child: &usize| moves.iter().all(|(other, _)| other != child);
            if let Some(child) = child.filter(new) {
                moves.push((child, *eval));
            }
        }
        let known =
            if !tables || number == 0 || end.is_some() { None } else { known(*kind, fifty) };
        if end.is_some() || known.is_some() {
            moves.clear();
        } else if moves.is_empty() {
            end = Some(Ending::Stalemate);
        }
        let mut place = Place {
            white: (number % 2 == 0) == white_first,
            end,
            known,
            earlier: history && *earlier && number > 0 && end.is_none(),
            // One position in sixteen is not analysed, most of the others to the last move.
            listed: moves.len().min(*listed),
            moves,
            excluded: Vec::new(),
            included: Vec::new(),
            plays: Vec::new(),
            value: None,
            stopped: false,
        };
        if directed && place.end.is_none() {
            direct(&mut place, said, number == 0);
        }
        if played && place.end.is_none() {
            play(&mut place, &said.0);
        }
        place
    };
    seeds.iter().enumerate().map(place).collect()
}

/// Excludes never all moves; the root and ends have no value and are not stopped.
fn direct(place: &mut Place, (of_moves, of_place, value): &Said, is_root: bool) {
    for ((child, _), said) in place.moves.iter().zip(of_moves) {
        match said {
            0 if place.excluded.len() + 1 < place.moves.len() => place.excluded.push(*child),
            1 | 2 => place.included.push(*child),
            _ => {}
        }
    }
    match of_place {
        0 if !is_root => place.value = Some(*value),
        1 if !is_root => place.stopped = true,
        _ => {}
    }
}

/// Some of the moves that the user has excluded or included, and some others.
fn play(place: &mut Place, of_moves: &[u8]) {
    let moves = place.moves.iter().zip(of_moves);
    let played = moves.filter(|(_, said)| matches!(said, 0 | 1 | 3));
    place.plays = played.map(|((child, _), _)| *child).collect();
}

/// One of the five results for some kinds; the code under test gives its value in the tree.
fn known(kind: u32, fifty: FiftyMoves) -> Option<TableEnd> {
    let wdl = match kind {
        4 => Wdl::Win,
        5 => Wdl::Loss,
        6 => Wdl::Draw,
        7 => Wdl::CursedWin,
        8 => Wdl::BlessedLoss,
        _ => return None,
    };
    let end = TableEnd { wdl, value: Tables { men: 5, fifty }.value(wdl) };
    assert_eq!(end.value, value(worth(wdl, fifty)));
    Some(end)
}

fn ending(kind: u32) -> Option<Ending> {
    match kind {
        0 | 3 => Some(Ending::Checkmate),
        1 => Some(Ending::Stalemate),
        2 => Some(Ending::InsufficientMaterial),
        _ => None,
    }
}
