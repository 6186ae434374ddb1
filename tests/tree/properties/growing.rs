//! Requests of visits, and whole trees grown from synthetic answers.

use std::collections::BTreeMap;

use deepanalyze_core::tree::{Covering, Graph, Request, Service, Values, requests_with};
use proptest::prelude::*;

use super::cases;
use super::naive;
use super::world::{Broad, World, broads, node, uci, value, worlds};

fn asked(world: &World, covering: Covering, broad: &Broad, depth: u32) -> Vec<Service> {
    let graph = world.graph();
    requests_with(covering, &graph, &Values::of(&graph), node(0), &broad.breadth(), depth)
}

/// The services that a plain walk along all paths asks for.
fn expected(world: &World, broad: &Broad, depth: u32) -> Vec<Service> {
    let graph = world.graph();
    let asked = naive::Visit::run(world, broad, depth);
    let services = asked.into_iter().map(|(place, requests)| {
        let mut service = Service::new(&graph, node(place));
        for (best, distance, moves) in requests {
            let best = best.map(value);
            service.request(Request { best, distance: distance.unsigned_abs(), moves });
        }
        service
    });
    services.collect()
}

/// True if serving `a` serves `b`, whatever the answers: a list complete for a best value and a
/// distance is so for that value, a smaller distance and fewer moves.
fn covers(a: &Request, b: &Request) -> bool {
    a.best == b.best && a.distance >= b.distance && a.moves >= b.moves
}

/// Serves with the world's answers; counts the searches.
fn serve(world: &World, service: &mut Service) -> usize {
    while service.wants_search() {
        let (child, eval) = world.places[service.node().index()].moves[service.next_rank()];
        service.answer(uci(child), value(eval));
    }
    service.answers().len()
}

/// Grows a tree from nothing through all depths up to one; returns the passes of each depth.
fn grow(
    world: &World,
    covering: Covering,
    broad: &Broad,
    depth: u32,
) -> (Graph, BTreeMap<u32, u32>) {
    let mut world = world.unlisted();
    let mut graph = world.graph();
    let mut passes = BTreeMap::new();
    for depth in 0..=depth {
        loop {
            *passes.entry(depth).or_insert(0) += 1;
            let values = Values::of(&graph);
            let services =
                requests_with(covering, &graph, &values, node(0), &broad.breadth(), depth);
            if services.is_empty() {
                break;
            }
            let mut answers = Vec::new();
            for mut service in services {
                let place = service.node().index();
                let listed = world.places[place].listed;
                world.places[place].listed += serve(&world, &mut service);
                answers.push((service.node(), world.edges(place, listed)));
            }
            graph.admit(answers);
        }
    }
    (graph, passes)
}

proptest! {
    #![proptest_config(cases(8000))]

    #[test]
    fn a_visit_asks_for_what_the_page_says(
        world in worlds(4..=14),
        broad in broads(),
        depth in 0..=8_u32,
    ) {
        let walked = asked(&world, Covering::Walk, &broad, depth);
        prop_assert_eq!(walked, expected(&world, &broad, depth));
    }

    #[test]
    fn skipping_covered_visits_keeps_requests_in_order(
        world in worlds(4..=14),
        broad in broads(),
        depth in 0..=8_u32,
    ) {
        let walked = asked(&world, Covering::Walk, &broad, depth);
        let skipped = asked(&world, Covering::Skip, &broad, depth);
        prop_assert_eq!(walked.len(), skipped.len());
        for (mut walked, mut skipped) in walked.into_iter().zip(skipped) {
            prop_assert_eq!(walked.node(), skipped.node());
            for request in skipped.requests() {
                prop_assert!(walked.requests().contains(request));
            }
            for request in walked.requests() {
                prop_assert!(skipped.requests().iter().any(|other| covers(other, request)));
            }
            prop_assert_eq!(serve(&world, &mut walked), serve(&world, &mut skipped));
            prop_assert_eq!(walked.answers(), skipped.answers());
        }
    }
}

proptest! {
    #![proptest_config(cases(2500))]

    #[test]
    fn tree_is_equal_with_skipping_without_and_by_page(
        world in worlds(2..=10),
        broad in broads(),
        depth in 0..=7_u32,
    ) {
        let (by_the_page, passes) = naive::grow(&world, &broad, depth);
        for covering in [Covering::Skip, Covering::Walk] {
            let (graph, taken) = grow(&world, covering, &broad, depth);
            prop_assert_eq!(&taken, &passes);
            for place in 0..world.places.len() {
                prop_assert_eq!(graph.list(node(place)), by_the_page.edges(place, 0));
            }
        }
    }
}
