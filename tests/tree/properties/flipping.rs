//! The smallest change of scores that makes another move the best, against all possible changes.

use std::collections::BTreeSet;

use deepanalyze_core::tree::{Flip, MOST_CHANGE, Stability, Values, stability};
use proptest::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::cases;
use super::naive::{self, Set, bit, ranked};
use super::world::{World, node, uci, worlds};

/// A listed move: where it is played, and its rank.
pub type Leaf = (usize, usize);

/// With more leaves there are too many changes to try.
pub const MOST_LEAVES: usize = 8;

fn seen(world: &World) -> Set {
    naive::history(world) | bit(0)
}

pub fn best(world: &World) -> Option<usize> {
    ranked(world, 0, seen(world)).first().map(|(m, _)| m.child)
}

/// The leaves behind a move, none of them announced mates.
fn leaves_behind(world: &World, from: usize, rank: usize, found: &mut BTreeSet<Leaf>) {
    let mut open = vec![(from, rank)];
    let mut gone = BTreeSet::new();
    while let Some((from, rank)) = open.pop() {
        let (child, eval) = world.places[from].moves[rank];
        if seen(world) & bit(child) != 0 || world.end(child).is_some() {
            continue;
        }
        if !world.is_analysed(child) {
            if eval.abs() <= 31_000 {
                found.insert((from, rank));
            }
        } else if gone.insert(child) {
            open.extend(
                world.counting(child).into_iter().map(|m| (child, rank_of(world, child, m.child))),
            );
        }
    }
}

/// The index among all moves of a position of the one that leads to another.
pub fn rank_of(world: &World, place: usize, child: usize) -> usize {
    world.places[place].moves.iter().position(|(other, _)| *other == child).unwrap()
}

/// The leaves behind each of the root's moves.
pub fn leaves(world: &World) -> Vec<BTreeSet<Leaf>> {
    let behind = |child: usize| {
        let mut found = BTreeSet::new();
        leaves_behind(world, 0, rank_of(world, 0, child), &mut found);
        found
    };
    world.counting(0).into_iter().map(|m| behind(m.child)).collect()
}

pub fn with(world: &World, scores: impl Iterator<Item = (Leaf, i32)>) -> World {
    let mut world = world.clone();
    for ((place, rank), score) in scores {
        world.places[place].moves[rank].1 = score;
    }
    world
}

pub fn score(world: &World, (place, rank): Leaf) -> i32 {
    world.places[place].moves[rank].1
}

/// True if some change of at most this makes another move the best: then one does in which each
/// leaf moves as far as that, up or down (a leaf that needs a given value may exceed it).
pub fn can_flip(world: &World, leaves: &BTreeSet<Leaf>, change: i32) -> bool {
    (0..1_u32 << leaves.len()).any(|ups| {
        let moved = leaves.iter().enumerate().map(|(index, leaf)| {
            let by = if ups >> index & 1 == 1 { change } else { -change };
            (*leaf, (score(world, *leaf) + by).clamp(-31_000, 31_000))
        });
        best(&with(world, moved)) != best(world)
    })
}

fn smallest(world: &World, leaves: &BTreeSet<Leaf>) -> Option<u32> {
    let most = MOST_CHANGE as i32;
    if !can_flip(world, leaves, most) {
        return None;
    }
    let (mut closed, mut open) = (0, most);
    while open - closed > 1 {
        let middle = i32::midpoint(closed, open);
        if can_flip(world, leaves, middle) { open = middle } else { closed = middle }
    }
    Some(open as u32)
}

/// The last leaf of a reported line.
fn leaf_of(world: &World, line: &[shakmaty::uci::UciMove]) -> Leaf {
    let (mut place, mut leaf) = (0, None);
    for m in line {
        let counting = world.counting(place);
        let child = counting.iter().map(|m| m.child).find(|child| uci(*child) == *m).unwrap();
        leaf = Some((place, rank_of(world, place, child)));
        place = child;
    }
    leaf.unwrap()
}

/// A reported flip is one, of its stated size, and needs all its leaves.
fn check_flip(world: &World, flip: &Flip) {
    let leaf = |moved: &deepanalyze_core::tree::MovedLeaf| {
        let leaf = leaf_of(world, &moved.line);
        assert_eq!(i32::from(moved.from.get()), score(world, leaf));
        (leaf, i32::from(moved.to.get()))
    };
    let moved: Vec<(Leaf, i32)> = flip.leaves.iter().map(leaf).collect();
    let then = with(world, moved.iter().copied());
    assert_ne!(best(&then), best(world));
    assert_eq!(best(&then).map(uci), Some(flip.best));
    let change = moved.iter().map(|(leaf, to)| (to - score(world, *leaf)).unsigned_abs()).max();
    assert_eq!(change, Some(flip.change));
    for without in 0..moved.len() {
        let others = moved.iter().enumerate().filter(|(index, _)| *index != without);
        let fewer = with(world, others.map(|(_, moved)| *moved));
        assert_eq!(best(&fewer), best(world), "without {without}");
    }
}

/// True if the bound was the smallest change; `None` if unknown.
fn check(world: &World) -> Option<bool> {
    let graph = world.graph();
    let told = stability(&graph, &Values::of(&graph), node(0));
    assert_eq!(told.is_some(), world.counting(0).len() >= 2);
    let Stability { at_least, flip } = told?;
    if let Some(flip) = &flip {
        check_flip(world, flip);
        assert!(flip.change >= at_least);
    }
    let leaves = leaves(world);
    let all: BTreeSet<Leaf> = leaves.iter().flatten().copied().collect();
    if all.len() > MOST_LEAVES {
        return None;
    }
    let right = smallest(world, &all);
    assert!(right.is_none_or(|right| at_least <= right), "{at_least} {right:?}");
    let found = flip.map(|flip| flip.change);
    assert!(found.is_none_or(|found| right.is_some_and(|right| right <= found)));
    let are_apart = leaves.iter().map(BTreeSet::len).sum::<usize>() == all.len();
    if are_apart {
        assert_eq!(found, right);
        assert_eq!(at_least, right.unwrap_or(MOST_CHANGE + 1));
    }
    Some(found == right)
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn no_smaller_change_makes_another_move_the_best(world in worlds(1..=7)) {
        check(&world);
    }

    #[test]
    fn best_move_holds_as_reported_in_larger_worlds(world in worlds(8..=12)) {
        check(&world);
    }
}

#[test]
fn smallest_change_with_shared_leaves_nearly_always() {
    let mut runner = TestRunner::new(cases(3000));
    let (mut known, mut found) = (0_u32, 0_u32);
    for _ in 0..3000 {
        let world = worlds(4..=8).new_tree(&mut runner).unwrap().current();
        if let Some(is_right) = check(&world) {
            known += 1;
            found += u32::from(is_right);
        }
    }
    println!("{found} of {known}");
    assert!(known > 500 && found * 100 >= known * 98, "{found} of {known}");
}
