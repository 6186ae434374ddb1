//! The leaves of a tree asked anew in several orders, and the best move after each answer.

use std::cmp::Reverse;

use deepanalyze_core::chess::Value;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Growth, Leaf, Margin, Recheck, RecheckState, Rescoring};
use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::duel::statistics::SplitMix;
use crate::failure::LabFailure;

use super::cached::CachedEngine;

/// The order of the leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As a recheck asks them.
    Flips,
    /// From the end of the best move's line on down the root's moves.
    Lines,
    /// By the score nearest to the root's value.
    Gap,
    /// Any.
    Random,
}

impl Order {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Order::Flips => "flips",
            Order::Lines => "lines",
            Order::Gap => "gap",
            Order::Random => "random",
        }
    }
}

/// After an answer.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The nodes of all answers so far.
    pub nodes: u64,
    /// The best move then.
    pub best: UciMove,
    /// No change of less than this flips then; for a recheck alone.
    pub at_least: u32,
}

/// The engine asked, and the limit.
pub struct Asking<'a> {
    pub engine: &'a mut CachedEngine,
    pub limit: Limit,
    /// The most nodes, but for the last answer.
    pub most: u64,
}

impl Asking<'_> {
    fn ask(
        &mut self,
        growth: &Growth,
        leaves: &Rescoring,
        leaf: Leaf,
    ) -> Result<(Value, u64), LabFailure> {
        let (node, uci) = leaves.place(leaf);
        let reply = self.engine.ask_move(&growth.position(node), uci, self.limit)?;
        Ok((Value::from(reply.score), reply.nodes.max(1)))
    }
}

/// Asks as a recheck does, until its end or until the nodes are spent.
pub fn by_flips(
    growth: &Growth,
    margin: Margin,
    asking: &mut Asking<'_>,
) -> Result<(Vec<Step>, Recheck), LabFailure> {
    let recheck = Recheck::new(growth.graph(), growth.values(), growth.root(), margin);
    let mut recheck = recheck.ok_or_else(|| LabFailure::new("a root has no move"))?;
    let (mut steps, mut nodes) = (Vec::new(), 0);
    while let Some(leaf) = recheck.next_leaf().filter(|_| nodes < asking.most) {
        let (score, cost) = asking.ask(growth, recheck.leaves(), leaf)?;
        recheck.answer(leaf, score);
        nodes += cost;
        steps.push(Step { nodes, best: recheck.best_move(), at_least: recheck.at_least() });
    }
    debug_assert!(nodes >= asking.most || recheck.state() != RecheckState::Open);
    Ok((steps, recheck))
}

/// Asks all leaves in an order, until the nodes are spent.
pub fn in_order(
    growth: &Growth,
    order: Order,
    asking: &mut Asking<'_>,
) -> Result<Vec<Step>, LabFailure> {
    let mut leaves = Rescoring::new(growth.graph(), growth.values(), growth.root());
    let mut fixed = fixed_order(growth, &leaves, order);
    let (mut steps, mut nodes) = (Vec::new(), 0);
    while nodes < asking.most {
        let next = if order == Order::Lines { end_of_line(&leaves) } else { None };
        let Some(leaf) = next.or_else(|| next_unasked(&leaves, &mut fixed)) else { break };
        let (score, cost) = asking.ask(growth, &leaves, leaf)?;
        leaves.rescore(leaf, score);
        leaves.hold(leaf);
        nodes += cost;
        steps.extend(leaves.best_move().map(|best| Step { nodes, best, at_least: 0 }));
    }
    Ok(steps)
}

fn next_unasked(leaves: &Rescoring, fixed: &mut Vec<Leaf>) -> Option<Leaf> {
    std::iter::from_fn(|| fixed.pop()).find(|leaf| !leaves.is_held(*leaf))
}

/// The last one is asked first.
fn fixed_order(growth: &Growth, leaves: &Rescoring, order: Order) -> Vec<Leaf> {
    let mut all: Vec<Leaf> = leaves.leaves().collect();
    match order {
        Order::Flips | Order::Lines | Order::Gap => {
            let root = root_value(growth, leaves);
            all.sort_by_key(|leaf| Reverse(gap(growth, leaves, *leaf, root)));
        }
        Order::Random => {
            let mut random = SplitMix::new(1);
            for end in (1..all.len()).rev() {
                all.swap(end, random.below(end + 1));
            }
        }
    }
    all
}

/// A leaf's score's distance from a value, both for White.
fn gap(growth: &Growth, leaves: &Rescoring, leaf: Leaf, from: Value) -> (u16, Leaf) {
    let (node, _) = leaves.place(leaf);
    let score = for_white(growth.graph().turn(node), leaves.score(leaf));
    (from.get().abs_diff(score.get()), leaf)
}

fn for_white(turn: Color, value: Value) -> Value {
    if turn == Color::White { value } else { -value }
}

fn root_value(growth: &Growth, leaves: &Rescoring) -> Value {
    let alphas = leaves.alphas().into_iter().map(|(_, alpha)| alpha);
    for_white(growth.graph().turn(growth.root()), alphas.max().unwrap_or(Value::EVEN))
}

/// The first leaf at the end of a root move's line, best move first, not asked yet.
fn end_of_line(leaves: &Rescoring) -> Option<Leaf> {
    let ends = leaves.root_moves().into_iter().filter_map(|root_move| root_move.end);
    ends.into_iter().find(|leaf| !leaves.is_held(*leaf))
}
