//! The root's moves with their lines, against walks over all paths.

use deepanalyze_core::tree::{Values, best_root_move, root_moves};
use proptest::prelude::*;
use shakmaty::uci::UciMove;

use super::cases;
use super::naive::{self, Set, bit};
use super::world::{World, node, uci, worlds};

/// The line of best alphas that begins with a move of the root.
fn line(world: &World, mut child: usize) -> Vec<UciMove> {
    let mut seen: Set = naive::history(world) | bit(0);
    let mut line = vec![uci(child)];
    while seen & bit(child) == 0 && world.is_analysed(child) {
        seen |= bit(child);
        child = naive::ranked(world, child, seen)[0].0.child;
        line.push(uci(child));
    }
    line
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn root_moves_have_alphas_and_lines_of_best_alphas(world in worlds(4..=14)) {
        let graph = world.graph();
        let values = Values::of(&graph);
        let moves = root_moves(&graph, &values, node(0));
        let ranked = naive::ranked(&world, 0, naive::history(&world) | bit(0));
        prop_assert_eq!(moves.len(), ranked.len());
        for (m, (counting, alpha)) in moves.iter().zip(&ranked) {
            let idea = naive::move_value(&world, *counting, &naive::ideas(&world));
            let listed = m.listed.map(|(rank, eval)| (rank, i32::from(eval.get())));
            prop_assert_eq!(listed, counting.rank.map(|rank| (rank, counting.eval)));
            prop_assert_eq!((i32::from(m.alpha.get()), i32::from(m.idea.get())), (*alpha, idea));
            prop_assert_eq!(m.uci, uci(counting.child));
            prop_assert_eq!(&m.line, &line(&world, counting.child));
        }
        let best = moves.first().map(|m| (m.uci, m.alpha));
        prop_assert_eq!(best_root_move(&graph, &values, node(0)), best);
    }
}
