//! Rechecked leaves, against the same tree with the new scores in its lists, and against all
//! changes of the others.

use std::collections::BTreeSet;

use deepanalyze_core::tree::{Margin, Recheck, RecheckState, Values};
use proptest::collection::vec;
use proptest::prelude::*;

use super::cases;
use super::flipping::{Leaf, MOST_LEAVES, best, can_flip, leaves, rank_of, with};
use super::rescoring::{alphas, by_hand};
use super::world::{World, evals, node, uci, value, worlds};

/// A leaf's place in its world.
fn leaf_of(world: &World, recheck: &Recheck, leaf: deepanalyze_core::tree::Leaf) -> Leaf {
    let (node, m) = recheck.place(leaf);
    let place = node.index();
    let child = world.counting(place).into_iter().find(|of| uci(of.child) == m).unwrap().child;
    (place, rank_of(world, place, child))
}

/// The new engine's score of a leaf.
fn answer(scores: &[i32], (place, rank): Leaf) -> i32 {
    scores[(place * 5 + rank) % scores.len()]
}

fn of(world: &World, margin: u32) -> Option<Recheck> {
    let graph = world.graph();
    Recheck::new(&graph, &Values::of(&graph), node(0), Margin::Fixed(margin))
}

/// Asks to the end; returns the world with the new scores, and the leaves that have them.
fn ask(world: &World, recheck: &mut Recheck, scores: &[i32]) -> (World, BTreeSet<Leaf>) {
    let (mut then, mut asked) = (world.clone(), BTreeSet::new());
    while let Some(next) = recheck.next_leaf() {
        assert_eq!(recheck.state(), RecheckState::Open);
        assert!(recheck.at_least() <= recheck.within(), "no change within the margin flips");
        let leaf = leaf_of(world, recheck, next);
        assert!(asked.insert(leaf), "asked again");
        let new = answer(scores, leaf);
        recheck.answer(next, value(new));
        then = with(&then, std::iter::once((leaf, new)));
        assert_eq!(alphas(recheck.leaves()), by_hand(&then));
        assert_eq!(best(&then).map(uci), Some(recheck.best_move()));
    }
    (then, asked)
}

/// With the causes alone the best move stays, and without any of them it does not.
fn check_causes(world: &World, recheck: &Recheck) {
    let causes = recheck.causes();
    assert_eq!(causes.is_empty(), recheck.best_move() == recheck.tree_best());
    let moved: Vec<(Leaf, i32)> = causes
        .iter()
        .map(|cause| (leaf_of(world, recheck, cause.leaf), i32::from(cause.new.get())))
        .collect();
    let best_with = |moved: Vec<(Leaf, i32)>| best(&with(world, moved.into_iter())).map(uci);
    assert_eq!(best_with(moved.clone()), Some(recheck.best_move()));
    for without in 0..moved.len() {
        let mut fewer = moved.clone();
        fewer.remove(without);
        assert_ne!(best_with(fewer), Some(recheck.best_move()));
    }
}

fn check(world: &World, scores: &[i32], margin: u32) {
    let Some(mut recheck) = of(world, margin) else {
        assert!(world.counting(0).is_empty());
        return;
    };
    let tree_best = best(world).map(uci);
    assert_eq!(Some(recheck.tree_best()), tree_best);
    let (then, asked) = ask(world, &mut recheck, scores);
    let state =
        if best(&then).map(uci) == tree_best { RecheckState::Stays } else { RecheckState::Changed };
    assert_eq!(recheck.state(), state);
    check_causes(world, &recheck);
    let mut others: BTreeSet<Leaf> = leaves(&then).into_iter().flatten().collect();
    others.retain(|leaf| !asked.contains(leaf));
    if others.len() <= MOST_LEAVES {
        assert!(!can_flip(&then, &others, margin as i32), "not asked: {others:?}");
        assert!(!can_flip(&then, &others, recheck.at_least() as i32 - 1));
    }
}

/// The leaves ahead are those asked if each keeps its score, however many are wanted.
fn check_ahead(world: &World, margin: u32) {
    let Some(recheck) = of(world, margin) else { return };
    let (mut then, mut asked) = (recheck.clone(), Vec::new());
    while let Some(leaf) = then.next_leaf() {
        then.answer(leaf, then.leaves().score(leaf));
        asked.push(leaf);
    }
    for most in [0, 1, 3, usize::MAX] {
        assert_eq!(recheck.ahead(most), asked[..asked.len().min(most)]);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn recheck_ends_when_open_leaves_cannot_change_it(
        world in worlds(1..=7),
        scores in vec(evals(), 1..=12),
        margin in 0..=60_u32,
    ) {
        check(&world, &scores, margin);
    }

    #[test]
    fn so_it_does_in_larger_worlds(
        world in worlds(8..=12),
        scores in vec(evals(), 1..=12),
        margin in 0..=60_u32,
    ) {
        check(&world, &scores, margin);
        check_ahead(&world, margin);
    }
}
