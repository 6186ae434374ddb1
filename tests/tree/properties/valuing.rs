//! Idea and alpha against walks over all paths.

use std::collections::VecDeque;

use deepanalyze_core::tree::{Bound, Graph, PathSet, PathValues, Values};
use proptest::prelude::*;

use super::cases;
use super::naive::{self, Set, bit};
use super::world::{Counting, World, node, worlds};

/// Compares the moves after every path from a position on that repeats nothing.
struct AllPaths<'a> {
    world: &'a World,
    graph: &'a Graph,
    values: &'a Values,
    /// One memory for all paths, as a visit has it.
    after: PathValues<'a>,
    paths: usize,
}

impl AllPaths<'_> {
    fn check(&mut self, path: &mut Vec<usize>, before: Option<PathSet>, seen: Set) {
        self.paths += 1;
        let place = *path.last().unwrap();
        let set = self.after.extend(before, node(place));
        let mut fresh = PathValues::new(self.graph, self.values);
        let fresh_set = path.iter().fold(None, |set, place| fresh.extend(set, node(*place)));
        for (edge, m) in self.graph.moves(node(place)).iter().zip(self.world.counting(place)) {
            let expected = naive::after(self.world, m, seen);
            let alpha = i32::from(self.after.alpha(edge, set).get());
            assert_eq!(alpha, expected, "after {path:?}, the move to {}", m.child);
            let alpha = i32::from(fresh.alpha(edge, fresh_set).get());
            assert_eq!(alpha, expected, "after {path:?} from nothing, the move to {}", m.child);
            let repeats = seen & bit(m.child) != 0;
            assert_eq!(self.after.repeats(edge.child, set), repeats, "{path:?} {}", m.child);
        }
        for Counting { child, .. } in self.world.counting(place) {
            if seen & bit(child) == 0 && self.world.is_analysed(child) {
                path.push(child);
                self.check(path, set, seen | bit(child));
                path.pop();
            }
        }
    }
}

/// Checks from path to path breadth first, each time from one end of the graph to another.
fn check_across(world: &World, graph: &Graph, values: &Values) {
    let mut after = PathValues::new(graph, values);
    let mut queue = VecDeque::from([(0, None, naive::history(world) | bit(0))]);
    while let Some((place, before, seen)) = queue.pop_front() {
        let set = after.extend(before, node(place));
        for (edge, m) in graph.moves(node(place)).iter().zip(world.counting(place)) {
            let expected = naive::after(world, m, seen);
            assert_eq!(i32::from(after.alpha(edge, set).get()), expected, "{seen:b} {place} {m:?}");
            if seen & bit(m.child) == 0 && world.is_analysed(m.child) {
                queue.push_back((m.child, set, seen | bit(m.child)));
            }
        }
    }
}

/// Every path from the root without repetition: its last place, its set, the places on it.
fn all_paths(world: &World, after: &mut PathValues<'_>) -> Vec<(usize, Option<PathSet>, Set)> {
    let seen = naive::history(world) | bit(0);
    let mut paths = vec![(0, after.extend(None, node(0)), seen)];
    let mut next = 0;
    while let Some((place, set, seen)) = paths.get(next).copied() {
        next += 1;
        for Counting { child, .. } in world.counting(place) {
            if seen & bit(child) == 0 && world.is_analysed(child) {
                paths.push((child, after.extend(set, node(child)), seen | bit(child)));
            }
        }
    }
    paths
}

/// Asks for some values, in some order, once all paths are there: the effect of one more position
/// on a path is computed when asked for.
fn check_some(world: &World, order: u64) {
    let graph = world.graph();
    let values = Values::of(&graph);
    let mut after = PathValues::new(&graph, &values);
    let mut paths = all_paths(world, &mut after);
    let hash = |(place, _, seen): &(usize, Option<PathSet>, Set)| {
        (u64::from(*seen) ^ (*place as u64) << 32 ^ order).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    paths.sort_by_key(hash);
    for (place, set, seen) in paths {
        for (edge, m) in graph.moves(node(place)).iter().zip(world.counting(place)) {
            let expected = naive::after(world, m, seen);
            let Bound { value, is_exact } = after.bound(edge, set);
            // The gain over a draw.
            let more = expected + world.drawn(m.child);
            let bound = i32::from(value.get()) + world.drawn(m.child);
            let is_between = more.signum() * bound.signum() >= 0 && more.abs() <= bound.abs();
            assert!(is_between && (!is_exact || bound == more), "{bound} for {more}");
            if hash(&(m.child, set, seen)) % 3 == 0 {
                let alpha = i32::from(after.alpha(edge, set).get());
                assert_eq!(alpha, expected, "{seen:b} {place} {m:?}");
            }
        }
    }
}

/// Compares after all paths from the root; returns their number.
fn check_alpha(world: &World) -> usize {
    if !world.is_analysed(0) {
        return 0;
    }
    let graph = world.graph();
    let values = Values::of(&graph);
    let after = PathValues::new(&graph, &values);
    let mut all = AllPaths { world, graph: &graph, values: &values, after, paths: 0 };
    all.check(&mut vec![0], None, naive::history(world) | bit(0));
    check_across(world, &graph, &values);
    all.paths
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn idea_is_the_value_with_endless_play_drawn(world in worlds(4..=14)) {
        let graph = world.graph();
        let values = Values::of(&graph);
        let ideas = naive::ideas(&world);
        for place in 0..world.places.len() {
            for (edge, m) in graph.moves(node(place)).iter().zip(world.counting(place)) {
                let idea = i32::from(values.idea_of(&graph, edge).get());
                prop_assert_eq!(idea, naive::move_value(&world, m, &ideas));
            }
            if world.is_analysed(place) {
                let idea = i32::from(values.idea(node(place)).get());
                prop_assert_eq!(idea, ideas[place]);
                // The first repetition draws, on walks from the position itself, without a game.
                let moves = world.counting(place).into_iter();
                let mut no_game = world.clone();
                no_game.places.iter_mut().for_each(|place| place.earlier = false);
                let walked = moves.map(|m| naive::after(&no_game, m, bit(place))).max();
                prop_assert_eq!(Some(idea), walked);
            }
        }
    }

    #[test]
    fn alpha_is_the_value_of_a_walk_over_all_paths(world in worlds(4..=14)) {
        check_alpha(&world);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn alpha_does_not_depend_on_earlier_requests(
        world in worlds(4..=14),
        order in any::<u64>(),
    ) {
        if world.is_analysed(0) {
            check_some(&world, order);
        }
    }
}

#[test]
fn random_graphs_have_paths_circles_and_mates() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::new(cases(1));
    let (mut paths, mut circles, mut mates) = (0, 0, 0);
    for _ in 0..500 {
        let world = worlds(4..=14).new_tree(&mut runner).unwrap().current();
        let graph = world.graph();
        paths += check_alpha(&world);
        circles += usize::from(Values::of(&graph).largest_component(&graph) > 3);
        mates += usize::from(naive::ideas(&world).iter().any(|idea| idea.abs() > 31_000));
    }
    println!("{paths} paths, {circles} graphs with a circle of four or more, {mates} with a mate");
    assert!(paths > 3000 && circles > 100 && mates > 50, "{paths} {circles} {mates}");
}
