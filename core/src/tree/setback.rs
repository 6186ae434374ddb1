//! How far positions are from mattering to the root.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Graph, NodeId};
use super::values::Values;
use super::visit::service::Service;

/// The setback of each position that is found: the least sum, over the moves of a way from the root to it, of the centipawns by
/// which each is worth less than the best one where it is played (by idea). It is 0 along the best line; elsewhere so much has to
/// change at most until the position is on it. (The penalties of R. L. Rivest, "Game tree searching by min/max approximation",
/// Artificial Intelligence 34, 1987, are such sums.)
fn setbacks(graph: &Graph, values: &Values, root: NodeId) -> Vec<Option<u32>> {
    let mut setbacks = vec![None; graph.len()];
    let mut open = BinaryHeap::from([Reverse((0_u32, root))]);
    while let Some(Reverse((setback, node))) = open.pop() {
        let Some(known @ None) = setbacks.get_mut(node.index()) else { continue };
        *known = Some(setback);
        let best = i32::from(values.idea(node).get());
        for edge in graph.moves(node) {
            let behind = best.abs_diff(i32::from(values.idea_of(graph, edge).get()));
            open.push(Reverse((setback.saturating_add(behind), edge.child)));
        }
    }
    setbacks
}

/// The places of services by the setbacks of their positions, the least first, of equal ones in their order. As good as linear
/// in the tree.
pub fn by_setback(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    services: &[Service],
) -> Vec<usize> {
    let setbacks = setbacks(graph, values, root);
    let setback = |service: &Service| setbacks.get(service.node().index()).copied().flatten();
    let mut places: Vec<usize> = (0..services.len()).collect();
    places.sort_by_cached_key(|place| {
        let of = services.get(*place).and_then(setback);
        of.unwrap_or(u32::MAX)
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::tree::grown_of;

    #[test]
    fn the_ends_of_the_lines_come_in_the_order_of_how_much_has_to_change() {
        // e4 e5 is the best line. d4 is 5 behind, and d5 the best there; c5 is 2 worse than e5; c4 is 8 behind.
        let lists: [(&str, &[(&str, i32)]); 3] = [
            ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", 22)]),
            ("e4", &[("e7e5", -30), ("c7c5", -32)]),
            ("d4", &[("d7d5", -25), ("g8f6", -31)]),
        ];
        let start = Game::from_position(shakmaty::Chess::default());
        let growth = grown_of(&start, 10, &lists);
        let graph = growth.graph();
        let node = |line: &str| {
            let mut game = start.clone();
            game.play_line(line).unwrap();
            growth.find(&crate::chess::PositionKey::of(game.root())).unwrap()
        };
        let lines = ["c4", "d4 Nf6", "d4 d5", "e4 c5", "e4 e5"];
        let services: Vec<Service> =
            lines.iter().map(|line| Service::new(graph, node(line))).collect();
        let order = by_setback(graph, growth.values(), growth.root(), &services);
        let order: Vec<&str> = order.into_iter().map(|place| lines[place]).collect();
        assert_eq!(order, ["e4 e5", "e4 c5", "d4 d5", "c4", "d4 Nf6"]);
        let all = setbacks(graph, growth.values(), growth.root());
        let told = |line| all[node(line).index()];
        assert_eq!(lines.map(told), [Some(8), Some(11), Some(5), Some(2), Some(0)]);
        assert_eq!(told("d4"), Some(5));
    }
}
