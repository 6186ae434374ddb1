//! Components, admitted lists, and deep graphs.

use deepanalyze_core::tree::{Edge, Graph, NodeId, Values, requests};
use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::Color;

use super::cases;
use super::world::{Counting, World, edge, node, worlds};

/// The analysed positions reachable from each over analysed positions, by following moves until
/// nothing new is found.
fn reachable(world: &World) -> Vec<Vec<bool>> {
    let count = world.places.len();
    let mut reaches = vec![vec![false; count]; count];
    for _ in 0..count {
        for from in 0..count {
            for Counting { child, .. } in world.counting(from) {
                if world.is_analysed(child) {
                    reaches[from][child] = true;
                    for to in 0..count {
                        reaches[from][to] |= reaches[child][to];
                    }
                }
            }
        }
    }
    reaches
}

/// Lists of a naive model: per node, the evals in order.
type Model = Vec<Vec<(usize, i32)>>;

fn assert_same(graph: &Graph, model: &Model) {
    assert_eq!(graph.len(), model.len());
    for (place, list) in model.iter().enumerate() {
        let list: Vec<Edge> = list.iter().map(|(child, eval)| edge(*child, *eval)).collect();
        assert_eq!(graph.list(node(place)), list);
        assert_eq!(graph.is_analysed(node(place)), !list.is_empty());
    }
    let analysed: Vec<usize> = graph.analysed().map(NodeId::index).collect();
    let listed: Vec<usize> = (0..model.len()).filter(|place| !model[*place].is_empty()).collect();
    assert_eq!(analysed, listed);
    assert_eq!(graph.listed_moves(), model.iter().map(Vec::len).sum::<usize>());
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn circles_are_the_positions_that_lead_to_each_other(world in worlds(2..=14)) {
        let graph = world.graph();
        let values = Values::of(&graph);
        let reaches = reachable(&world);
        let circle_of = |place: usize| values.circle_of(node(place));
        let mut largest = usize::from(graph.analysed_positions() > 0);
        for a in 0..world.places.len() {
            let mates = (0..world.places.len()).filter(|b| reaches[a][*b] && reaches[*b][a]);
            let mates: Vec<usize> = mates.collect();
            prop_assert_eq!(circle_of(a).is_some(), !mates.is_empty());
            for b in 0..world.places.len() {
                let together = a != b && circle_of(a).is_some_and(|(circle, local)| {
                    circle_of(b).is_some_and(|(other, place)| circle == other && local != place)
                });
                prop_assert_eq!(together, a != b && mates.contains(&b), "{} {}", a, b);
            }
            largest = largest.max(mates.len());
        }
        prop_assert_eq!(values.largest_component(&graph), largest);
    }

    #[test]
    fn admitted_answers_match_a_list_of_lists(
        batches in vec((1..4_usize, vec((0..12_usize, 0..12_usize, -50..50_i32), 0..9)), 1..6),
    ) {
        let (mut graph, mut model) = (Graph::default(), Model::new());
        for (new, answers) in batches {
            for _ in 0..new {
                graph.add_node(Color::White, 20, None);
                model.push(Vec::new());
            }
            let mut batch: Vec<(NodeId, Vec<Edge>)> = Vec::new();
            for (place, child, eval) in answers {
                let (place, child) = (place % model.len(), child % model.len());
                model[place].push((child, eval));
                match batch.iter_mut().find(|(other, _)| *other == node(place)) {
                    Some((_, list)) => list.push(edge(child, eval)),
                    None => batch.push((node(place), vec![edge(child, eval)])),
                }
            }
            graph.admit(batch);
            assert_same(&graph, &model);
        }
    }
}

/// A line of `count` positions whose last four are a circle.
fn long_line(count: usize) -> Graph {
    let mut graph = Graph::default();
    for place in 0..count {
        let turn = if place % 2 == 0 { Color::White } else { Color::Black };
        graph.add_node(turn, 20, None);
    }
    let next = |place: usize| if place + 1 < count { place + 1 } else { count - 4 };
    let list = |place: usize| (node(place), vec![edge(next(place), 5)]);
    graph.admit((0..count).map(list).collect());
    graph
}

#[test]
fn nothing_recurses_with_depth() {
    let deep = || {
        let graph = long_line(200_000);
        let values = Values::of(&graph);
        assert_eq!(values.largest_component(&graph), 4);
        let asked = requests(&graph, &values, node(0), &20.into(), 1_000_000);
        assert_eq!(asked.len(), 200_000, "the end of the line is a draw, below all scores");
        let places = deepanalyze_core::tree::places(
            &graph,
            &values,
            &[node(0)],
            &20.into(),
            deepanalyze_core::tree::Layout::default(),
        );
        assert_eq!(places.len(), 200_000);
    };
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(deep).unwrap();
    thread.join().unwrap();
}
