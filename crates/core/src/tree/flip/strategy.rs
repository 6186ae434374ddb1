//! Strategies of a side for at least some value, and the scores that they rest on.

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::tree::rescoring::game::{GameGraph, Target};
use crate::tree::rescoring::valuation::Valuation;

/// A side's aim for a move of the root.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// The move.
    pub root_move: usize,
    /// The side.
    pub side: Color,
    /// The least value of the move for it, in centipawns.
    pub least: i32,
}

/// Moves of one side that reach its aim, whatever the other does, and the leaves they rest on.
#[derive(Debug, Default)]
pub struct Strategy {
    /// The leaves that may be reached, each once.
    pub leaves: Vec<usize>,
    /// The move that leads to each position that may be reached.
    came: HashMap<usize, usize>,
}

impl Strategy {
    /// The strategy for an aim by the `reachable` values, or by those of `now` where they are
    /// enough.
    ///
    /// If it wants more than a draw, no line of it goes on for ever: in a circle each of its moves
    /// leads to a higher standing, and it never goes back from where the present values are enough.
    pub fn new(
        game: &GameGraph,
        aim: Aim,
        now: &Valuation<'_>,
        reachable: &Valuation<'_>,
    ) -> Strategy {
        let mut strategy = Strategy::default();
        let mut open = vec![aim.root_move];
        while let Some(m) = open.pop() {
            let place = match game.target(m) {
                Target::Fixed => continue,
                Target::Leaf => {
                    strategy.leaves.push(m);
                    continue;
                }
                Target::Below(place) => place as usize,
            };
            if strategy.came.contains_key(&place) {
                continue;
            }
            strategy.came.insert(place, m);
            if game.turn(place) == aim.side {
                let is_enough = now.value_for(place, aim.side) >= aim.least;
                let valuation = if is_enough { now } else { reachable };
                open.extend(valuation.best_move(place));
            } else {
                open.extend(game.moves(place).rev());
            }
        }
        strategy
    }

    /// The moves from the root to a leaf, its own the last.
    pub fn line_to(&self, game: &GameGraph, leaf: usize) -> Vec<UciMove> {
        let mut line = vec![game.uci(leaf)];
        let mut place = game.place_of(leaf);
        while let Some(m) = self.came.get(&place) {
            line.push(game.uci(*m));
            place = game.place_of(*m);
        }
        line.reverse();
        line
    }
}
