//! The algorithm page in the plainest code: no component, no sweep, no memory of what was seen.

use std::collections::BTreeMap;

use deepanalyze::chess::Ending;

use crate::world::World;

/// Positions as bits.
pub type Set = u32;

pub fn bit(place: usize) -> Set {
    1 << place
}

/// Section 2: the value of the move that led to a position of this value.
pub fn step(value: i32) -> i32 {
    let mate = value.abs() > 31_000;
    -(if mate { value - value.signum() } else { value })
}

fn end_value(end: Ending) -> i32 {
    if end == Ending::Checkmate { -32_000 } else { 0 }
}

/// The game's earlier positions.
pub fn history(world: &World) -> Set {
    let earlier = |place: &usize| world.places[*place].earlier;
    (0..world.places.len()).filter(earlier).map(bit).sum()
}

/// Section 3, alpha: a move to a position of `seen` is worth 0 at once; else all paths are walked.
/// `seen` has the path up to the position that the move is played from, and the history.
pub fn after(world: &World, (child, eval): (usize, i32), seen: Set) -> i32 {
    if seen & bit(child) != 0 {
        0
    } else if let Some(end) = world.places[child].end {
        step(end_value(end))
    } else if world.is_analysed(child) {
        let moves = world.list(child).iter();
        step(moves.map(|m| after(world, *m, seen | bit(child))).max().unwrap())
    } else {
        eval
    }
}

/// Section 3, idea, of all positions: play that has not ended after more moves than there are
/// positions never ends, and is a draw.
pub fn ideas(world: &World) -> Vec<i32> {
    let mut values = vec![0; world.places.len()];
    for _ in 0..=world.places.len() {
        let value = |place: usize| {
            world.list(place).iter().map(|m| move_value(world, *m, &values)).max().unwrap_or(0)
        };
        values = (0..world.places.len()).map(value).collect();
    }
    values
}

/// The value of a move, given the values of all positions.
pub fn move_value(world: &World, (child, eval): (usize, i32), values: &[i32]) -> i32 {
    match world.places[child].end {
        Some(end) => step(end_value(end)),
        None if world.is_analysed(child) => step(values[child]),
        None => eval,
    }
}

/// Section 4: the distance at a ply.
pub fn distance_at(distance: i32, ply: u32) -> i32 {
    (1..ply).fold(distance, |distance, _| distance / 2)
}

/// The distance that counts beside this best value.
pub fn reach(best: i32, distance: i32) -> i32 {
    if best.abs() > 31_000 { 0 } else { distance }
}

/// Moves by value, greatest first, equal ones by rank: `(rank, value)`.
pub fn ranked(world: &World, place: usize, seen: Set) -> Vec<(usize, i32)> {
    let moves = world.list(place).iter().enumerate();
    let mut ranked: Vec<(usize, i32)> =
        moves.map(|(rank, m)| (rank, after(world, *m, seen))).collect();
    ranked.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    ranked
}

pub fn is_complete(world: &World, place: usize, best: i32, distance: i32) -> bool {
    let list = world.list(place);
    list.len() == world.places[place].moves.len()
        || list.iter().any(|(_, eval)| *eval <= best - distance)
}

/// What a visit asks of a position: its best value and the distance.
pub type Request = (Option<i32>, i32);

/// The visit of section 4 along all paths; what it asks for, in the order in which it came to it.
pub struct Visit<'a> {
    pub world: &'a World,
    pub distance: i32,
    pub depth: u32,
    pub asked: Vec<(usize, Vec<Request>)>,
}

const INFINITY: i32 = 1_000_000;

impl Visit<'_> {
    pub fn run(world: &World, distance: i32, depth: u32) -> Vec<(usize, Vec<Request>)> {
        let mut visit = Visit { world, distance, depth, asked: Vec::new() };
        visit.visit(0, 0, -INFINITY, INFINITY, history(world));
        visit.asked
    }

    fn visit(&mut self, place: usize, ply: u32, mut lo: i32, hi: i32, seen: Set) {
        let world = self.world;
        if seen & bit(place) != 0 || world.places[place].end.is_some() {
            return;
        }
        let distance = distance_at(self.distance, ply);
        if !world.is_analysed(place) {
            self.request(place, (None, if ply <= 1 { distance } else { 0 }));
            return;
        }
        let seen = seen | bit(place);
        let ranked = ranked(world, place, seen);
        let best = ranked[0].1;
        let distance = reach(best, distance);
        let refuted = ply >= 2 && best >= hi;
        let asks = ply <= 1 || (ply < self.depth && !refuted);
        if asks && !is_complete(world, place, best, distance) {
            self.request(place, (Some(best), distance));
        }
        if ply == self.depth {
            return;
        }
        for (index, (rank, value)) in ranked.into_iter().enumerate() {
            if index > 0 && value <= best - distance {
                continue;
            }
            let (low, high) = if ply == 0 { (-INFINITY, INFINITY) } else { (-hi, -lo) };
            self.visit(world.list(place)[rank].0, ply + 1, low, high, seen);
            lo = lo.max(value);
            if ply >= 2 && lo >= hi {
                return;
            }
        }
    }

    fn request(&mut self, place: usize, request: Request) {
        match self.asked.iter_mut().find(|(other, _)| *other == place) {
            Some((_, requests)) if requests.contains(&request) => {}
            Some((_, requests)) => requests.push(request),
            None => self.asked.push((place, vec![request])),
        }
    }
}

/// Serves a position's requests in a world in which each search lists one move more.
fn serve(world: &mut World, place: usize, requests: &[Request]) {
    let before = world.places[place].listed;
    if before == 0 {
        world.places[place].listed = 1;
    }
    loop {
        let found = world.list(place)[before..].iter().map(|(_, eval)| *eval).max();
        let served = requests.iter().all(|(best, distance)| {
            let top = (*best).max(found).unwrap();
            is_complete(world, place, top, reach(top, *distance))
        });
        if served {
            return;
        }
        world.places[place].listed += 1;
    }
}

/// Grows a tree from nothing through all depths up to one; how many passes each depth took.
pub fn grow(world: &World, distance: i32, depth: u32) -> (World, BTreeMap<u32, u32>) {
    let mut world = world.unlisted();
    let mut passes = BTreeMap::new();
    for depth in 0..=depth {
        loop {
            *passes.entry(depth).or_insert(0) += 1;
            let asked = Visit::run(&world, distance, depth);
            if asked.is_empty() {
                break;
            }
            for (place, requests) in asked {
                serve(&mut world, place, &requests);
            }
        }
    }
    (world, passes)
}
