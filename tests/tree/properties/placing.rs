//! Places of positions in a printed tree.

use std::collections::VecDeque;

use deepanalyze_core::tree::{Layout, NodeId, Place, Values, places};
use proptest::prelude::*;

use super::cases;
use super::naive::{self, Set, bit};
use super::world::{Broad, Counting, World, broads, node, worlds};

/// The expected row of a printed move, in the order of printing.
#[derive(Debug, PartialEq)]
struct Row {
    node: usize,
    ply: u32,
    visit_ply: u32,
    rank: Option<usize>,
    alpha: i32,
    candidate: bool,
    repetition: bool,
    transposition: bool,
    place: Option<usize>,
}

/// A breadth-first walk with whole paths, and a search through all places before each new one.
fn expected(world: &World, line: &[usize], broad: &Broad, plies: u32) -> Vec<Row> {
    let seen = naive::history(world) | line.iter().map(|place| bit(*place)).sum::<Set>();
    let start = *line.last().unwrap();
    let first_ply = line.len() as u32 - 1;
    let mut rows = Vec::new();
    let mut placed = vec![start];
    let is_included = |from: usize, to: usize| world.places[from].included.contains(&to);
    let included = line.windows(2).filter(|pair| is_included(pair[0], pair[1])).count();
    let mut queue = VecDeque::from([(start, first_ply, first_ply - included as u32, seen)]);
    while let Some((node, ply, visit_ply, seen)) = queue.pop_front() {
        let ranked = naive::ranked(world, node, seen);
        let best = ranked[0].1;
        let distance =
            naive::reach(best, naive::distance_at(broad, world.places[node].white, visit_ply));
        let least = if visit_ply == 0 { broad.least as usize } else { 1 };
        for (index, (m, alpha)) in ranked.iter().enumerate() {
            let Counting { child, rank, .. } = *m;
            let repetition = seen & bit(child) != 0;
            let goes_on = !repetition && world.is_analysed(child);
            let transposition = goes_on && placed.contains(&child);
            let new = goes_on && !transposition && ply + 1 < first_ply + plies;
            let place = new.then_some(placed.len());
            if new {
                placed.push(child);
                let next = visit_ply + u32::from(!is_included(node, child));
                queue.push_back((child, ply + 1, next, seen | bit(child)));
            }
            let is_played = world.played(node).contains(&child);
            let candidate = index < least || *alpha > best - distance || is_played;
            let alpha = *alpha;
            rows.push(Row {
                node,
                ply,
                visit_ply,
                rank,
                alpha,
                candidate,
                repetition,
                transposition,
                place,
            });
        }
    }
    rows
}

fn found(places: &[Place]) -> Vec<Row> {
    let rows = places.iter().flat_map(|place| {
        place.moves.iter().map(|child| Row {
            node: place.node.index(),
            ply: place.ply,
            visit_ply: place.visit_ply,
            rank: child.rank,
            alpha: i32::from(child.alpha.get()),
            candidate: child.candidate,
            repetition: child.repetition,
            transposition: child.transposition,
            place: child.place,
        })
    });
    rows.collect()
}

/// A line from the root over analysed positions that repeats nothing, led by some choices.
fn line(world: &World, choices: &[usize]) -> Vec<usize> {
    let mut line = vec![0];
    for choice in choices {
        let moves = world.counting(line[line.len() - 1]);
        let Some(Counting { child, .. }) = moves.get(choice % moves.len().max(1)) else { break };
        let new = !line.contains(child) && !world.places[*child].earlier;
        if !new || !world.is_analysed(*child) {
            break;
        }
        line.push(*child);
    }
    line
}

/// The analysed positions that lines from the end of `line` lead to without a repetition.
fn within_reach(world: &World, line: &[usize]) -> Vec<usize> {
    let mut found = vec![line[line.len() - 1]];
    let mut next = 0;
    while let Some(place) = found.get(next) {
        let children = world.counting(*place).into_iter().map(|m| m.child);
        for child in children.collect::<Vec<_>>() {
            let repeats = line.contains(&child) || world.places[child].earlier;
            if !repeats && world.is_analysed(child) && !found.contains(&child) {
                found.push(child);
            }
        }
        next += 1;
    }
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn positions_are_placed_once_in_breadth_first_order(
        world in worlds(2..=10),
        choices in prop::collection::vec(0..3_usize, 0..4),
        broad in broads(),
        plies in prop::option::of(0..=5_u32),
    ) {
        prop_assume!(world.is_analysed(0));
        let graph = world.graph();
        let values = Values::of(&graph);
        let line = line(&world, &choices);
        let nodes: Vec<NodeId> = line.iter().map(|place| node(*place)).collect();
        let layout = Layout { plies, ..Layout::default() };
        let places = places(&graph, &values, &nodes, &broad.breadth(), layout);
        if plies == Some(0) {
            prop_assert!(places.is_empty());
            return Ok(());
        }
        let rows = expected(&world, &line, &broad, plies.unwrap_or(1000));
        prop_assert_eq!(found(&places), rows);
        if plies.is_none() {
            let mut placed: Vec<usize> = places.iter().map(|place| place.node.index()).collect();
            placed.sort_unstable();
            prop_assert_eq!(placed, within_reach(&world, &line));
        }
    }

    #[test]
    fn best_line_first_is_whole_and_positions_unique(
        world in worlds(2..=10),
        choices in prop::collection::vec(0..3_usize, 0..4),
        broad in broads(),
    ) {
        prop_assume!(world.is_analysed(0));
        let graph = world.graph();
        let values = Values::of(&graph);
        let line = line(&world, &choices);
        let nodes: Vec<NodeId> = line.iter().map(|place| node(*place)).collect();
        let layout = Layout { best_line_first: true, ..Layout::default() };
        let places = places(&graph, &values, &nodes, &broad.breadth(), layout);
        let mut at = 0;
        while let Some(next) = places[at].moves[0].place {
            at = next;
        }
        let last = &places[at].moves[0];
        prop_assert!(!last.transposition, "the best line breaks off");
        prop_assert!(last.repetition || !graph.is_analysed(last.edge.child));
        let mut placed: Vec<usize> = places.iter().map(|place| place.node.index()).collect();
        placed.sort_unstable();
        prop_assert_eq!(placed, within_reach(&world, &line));
    }

    #[test]
    fn fewer_moves_are_the_best_ones(
        world in worlds(2..=10),
        count in 1..=3_usize,
    ) {
        prop_assume!(world.is_analysed(0));
        let graph = world.graph();
        let values = Values::of(&graph);
        let layout = Layout { moves: Some(count), plies: Some(1), ..Layout::default() };
        let all = places(&graph, &values, &[node(0)], &20.into(), Layout { moves: None, ..layout });
        let some = places(&graph, &values, &[node(0)], &20.into(), layout);
        let ranks = |places: &[Place]| -> Vec<Option<usize>> {
            places[0].moves.iter().map(|m| m.rank).collect()
        };
        let mut best = ranks(&all);
        best.truncate(count);
        prop_assert_eq!(ranks(&some), best);
    }
}
