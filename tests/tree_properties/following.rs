//! The root's moves with their lines, against walks over all paths.

use deepanalyze::tree::{Values, best_root_move, root_moves};
use proptest::prelude::*;
use shakmaty::uci::UciMove;

use crate::cases;
use crate::naive::{self, Set, bit};
use crate::world::{World, node, uci, worlds};

/// The line of best alphas that begins with the root's move of a rank.
fn line(world: &World, rank: usize) -> Vec<UciMove> {
    let mut child = world.list(0)[rank].0;
    let mut seen: Set = naive::history(world) | bit(0);
    let mut line = vec![uci(child)];
    while seen & bit(child) == 0 && world.is_analysed(child) {
        seen |= bit(child);
        let (best, _) = naive::ranked(world, child, seen)[0];
        child = world.list(child)[best].0;
        line.push(uci(child));
    }
    line
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn every_root_move_has_its_alpha_and_the_line_of_best_alphas(world in worlds(4..=14)) {
        let graph = world.graph();
        let values = Values::of(&graph);
        let moves = root_moves(&graph, &values, node(0));
        let ranked = naive::ranked(&world, 0, naive::history(&world) | bit(0));
        prop_assert_eq!(moves.len(), ranked.len());
        for (m, (rank, alpha)) in moves.iter().zip(&ranked) {
            let (child, eval) = world.list(0)[*rank];
            let idea = naive::move_value(&world, (child, eval), &naive::ideas(&world));
            prop_assert_eq!((m.rank, i32::from(m.alpha.get())), (*rank, *alpha));
            prop_assert_eq!((i32::from(m.eval.get()), i32::from(m.idea.get())), (eval, idea));
            prop_assert_eq!(m.uci, uci(child));
            prop_assert_eq!(&m.line, &line(&world, *rank));
        }
        let best = moves.first().map(|m| (m.uci, m.alpha));
        prop_assert_eq!(best_root_move(&graph, &values, node(0)), best);
    }
}
