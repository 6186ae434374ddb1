//! A tree with new scores of its leaves, against the same tree with these scores in its lists.

use deepanalyze_core::tree::{Rescoring, Values};
use proptest::prelude::*;

use super::cases;
use super::naive::{self, bit, ranked};
use super::world::{World, node, uci, value, worlds};

/// The values of the root's moves, in their order, by going through all lines.
pub fn by_hand(world: &World) -> Vec<(shakmaty::uci::UciMove, i32)> {
    let moves = ranked(world, 0, naive::history(world) | bit(0));
    let worth = |child| moves.iter().find(|(m, _)| m.child == child).unwrap().1;
    world.counting(0).into_iter().map(|m| (uci(m.child), worth(m.child))).collect()
}

pub fn alphas(tree: &Rescoring) -> Vec<(shakmaty::uci::UciMove, i32)> {
    tree.alphas().into_iter().map(|(uci, alpha)| (uci, i32::from(alpha.get()))).collect()
}

/// The listed move at the end of a line from the root: its position, and its rank there.
fn end_of(world: &World, line: &[shakmaty::uci::UciMove]) -> (usize, usize) {
    let (mut at, mut end) = (0, None);
    for m in line {
        let moves = &world.places[at].moves;
        let place = moves.iter().position(|(child, _)| uci(*child) == *m).unwrap();
        end = Some((at, place));
        at = moves[place].0;
    }
    end.unwrap()
}

/// Gives the ends of all moves' lines these scores, one after the other, and checks each step.
fn check(mut world: World, scores: &[i32]) {
    let graph = world.graph();
    let mut tree = Rescoring::new(&graph, &Values::of(&graph), node(0));
    assert_eq!(alphas(&tree), by_hand(&world));
    for score in scores {
        let moves = tree.root_moves();
        assert!(moves.is_sorted_by(|a, b| a.alpha >= b.alpha));
        let Some((leaf, line)) = moves.iter().find_map(|of| Some((of.end?, of.line.clone())))
        else {
            return;
        };
        let (at, place) = end_of(&world, &line);
        assert_eq!(i32::from(tree.score(leaf).get()), world.places[at].moves[place].1);
        tree.rescore(leaf, value(*score));
        world.places[at].moves[place].1 = *score;
        assert_eq!(alphas(&tree), by_hand(&world));
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn rescored_leaves_equal_a_tree_with_these_scores(
        world in worlds(1..=9),
        scores in proptest::collection::vec(-60..=60_i32, 5),
    ) {
        check(world, &scores);
    }
}
