//! The algorithm page in the plainest code: no components, no sweeps, no caches.

use std::collections::BTreeMap;

use super::world::{Broad, Counting, World};

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

/// The game's earlier positions.
pub fn history(world: &World) -> Set {
    let earlier = |place: &usize| world.places[*place].earlier;
    (0..world.places.len()).filter(earlier).map(bit).sum()
}

/// Section 3, alpha: a move to a position of `seen` is a draw at once; else all paths are walked.
/// `seen` has the path up to the position that the move is played from, and the history.
pub fn after(world: &World, m: Counting, seen: Set) -> i32 {
    let child = m.child;
    if seen & bit(child) != 0 {
        -world.drawn(child)
    } else if let Some(end) = world.end(child) {
        step(end)
    } else if world.is_analysed(child) {
        let moves = world.counting(child).into_iter();
        step(moves.map(|m| after(world, m, seen | bit(child))).max().unwrap())
    } else {
        m.eval
    }
}

/// Section 3, idea, of all positions: play that has not ended after more moves than there are
/// positions never ends, and is a draw.
pub fn ideas(world: &World) -> Vec<i32> {
    let mut values: Vec<i32> = (0..world.places.len()).map(|place| world.drawn(place)).collect();
    for _ in 0..=world.places.len() {
        let value = |place: usize| {
            let moves = world.counting(place).into_iter();
            moves.map(|m| move_value(world, m, &values)).max().unwrap_or(0)
        };
        values = (0..world.places.len()).map(value).collect();
    }
    values
}

/// The value of a move, given the values of all positions.
pub fn move_value(world: &World, m: Counting, values: &[i32]) -> i32 {
    match world.end(m.child) {
        Some(end) => step(end),
        None if world.is_analysed(m.child) => step(values[m.child]),
        None => m.eval,
    }
}

/// Sections 4 and 6: the distance at a ply of the side to move; a single one counts for plies 0
/// and 1.
pub fn distance_at(broad: &Broad, white: bool, ply: u32) -> i32 {
    let (list, stays) = &broad.widths[usize::from(!white)];
    let mut distances: Vec<u32> = list.clone();
    if list.len() == 1 && !stays {
        distances.push(list[0]);
    }
    while distances.len() <= ply as usize {
        let last = distances[distances.len() - 1];
        distances.push(if *stays { last } else { last / 2 });
    }
    distances[ply as usize] as i32
}

fn least_at(broad: &Broad, ply: u32) -> usize {
    if ply == 0 { broad.least as usize } else { 1 }
}

/// The distance that counts beside this best value.
pub fn reach(best: i32, distance: i32) -> i32 {
    if best.abs() > 31_000 { 0 } else { distance }
}

/// The moves that count by value, greatest first, equal ones as they stand: `(move, value)`.
pub fn ranked(world: &World, place: usize, seen: Set) -> Vec<(Counting, i32)> {
    let moves = world.counting(place).into_iter();
    let mut ranked: Vec<(Counting, i32)> = moves.map(|m| (m, after(world, m, seen))).collect();
    ranked.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    ranked
}

pub fn is_complete(world: &World, place: usize, best: i32, distance: i32, least: usize) -> bool {
    let (list, excluded) = (world.list(place), &world.places[place].excluded);
    list.len() == world.places[place].moves.len()
        || list.iter().any(|(_, eval)| *eval <= best - distance)
            && list.iter().filter(|(child, _)| !excluded.contains(child)).count() >= least
}

/// A visit's request to a position: its best value, the distance, and the number of moves.
pub type Request = (Option<i32>, i32, usize);

/// The visit of sections 6 and 8 along all paths; its requests, in the order of the visit.
pub struct Visit<'a> {
    pub world: &'a World,
    pub broad: &'a Broad,
    pub depth: u32,
    pub asked: Vec<(usize, Vec<Request>)>,
}

const INFINITY: i32 = 1_000_000;

impl Visit<'_> {
    pub fn run(world: &World, broad: &Broad, depth: u32) -> Vec<(usize, Vec<Request>)> {
        let mut visit = Visit { world, broad, depth, asked: Vec::new() };
        visit.visit(0, 0, -INFINITY, INFINITY, history(world));
        visit.asked
    }

    fn visit(&mut self, place: usize, ply: u32, mut lo: i32, hi: i32, seen: Set) {
        let world = self.world;
        let said = &world.places[place];
        if seen & bit(place) != 0 || world.end(place).is_some() || said.stopped {
            return;
        }
        let distance = distance_at(self.broad, said.white, ply);
        let least = least_at(self.broad, ply);
        if !world.is_analysed(place) {
            self.request(place, (None, if ply <= 1 { distance } else { 0 }, least));
            return;
        }
        let seen = seen | bit(place);
        let ranked = ranked(world, place, seen);
        let best = ranked[0].1;
        let distance = reach(best, distance);
        let refuted = ply >= 2 && best >= hi;
        let asks = ply <= 1 || (ply < self.depth && !refuted);
        if asks && !is_complete(world, place, best, distance, least) {
            self.request(place, (Some(best), distance, least));
        }
        let played = world.played(place);
        let mut cut = ply == self.depth;
        for (index, (m, value)) in ranked.into_iter().enumerate() {
            let within = index < least || value > best - distance;
            let candidate = !cut && (within || played.contains(&m.child));
            let (low, high) = window(ply, lo, hi);
            if said.included.contains(&m.child) {
                self.visit(m.child, ply, -INFINITY, INFINITY, seen);
            } else if candidate {
                self.visit(m.child, ply + 1, low, high, seen);
            }
            if candidate {
                lo = lo.max(value);
                cut = ply >= 2 && lo >= hi;
            }
        }
        for child in world.waiting(place, &said.included) {
            self.visit(child, ply, -INFINITY, INFINITY, seen);
        }
        for child in world.waiting(place, &played) {
            if !cut {
                let (low, high) = window(ply, lo, hi);
                self.visit(child, ply + 1, low, high, seen);
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

/// The window of a move that costs a ply.
fn window(ply: u32, lo: i32, hi: i32) -> (i32, i32) {
    if ply == 0 { (-INFINITY, INFINITY) } else { (-hi, -lo) }
}

/// Serves a position's requests in a world in which each search lists one move more.
fn serve(world: &mut World, place: usize, requests: &[Request]) {
    let before = world.places[place].listed;
    while !world.is_analysed(place) {
        world.places[place].listed += 1;
    }
    loop {
        let new = world.list(place)[before..].iter();
        let new = new.filter(|(child, _)| !world.places[place].excluded.contains(child));
        let found = new.map(|(_, eval)| *eval).max();
        let served = requests.iter().all(|(best, distance, least)| {
            let top = (*best).max(found).unwrap();
            is_complete(world, place, top, reach(top, *distance), *least)
        });
        if served {
            return;
        }
        world.places[place].listed += 1;
    }
}

/// Grows a tree from nothing through all depths up to one; returns the passes of each depth.
pub fn grow(world: &World, broad: &Broad, depth: u32) -> (World, BTreeMap<u32, u32>) {
    let mut world = world.unlisted();
    let mut passes = BTreeMap::new();
    for depth in 0..=depth {
        loop {
            *passes.entry(depth).or_insert(0) += 1;
            let asked = Visit::run(&world, broad, depth);
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
