//! The line of the best alpha.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Value;
use crate::tree::{Growth, Line, best_line, root_moves};

use crate::analysis::rows::root_value;

/// How many plies of the best line are given.
const BEST_LINE_PLIES: usize = 12;

/// The line of the best alpha from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// Where it begins.
    pub root: Chess,
    /// Its first moves.
    pub moves: Vec<UciMove>,
    /// Whether it goes on behind them.
    pub goes_on: bool,
    /// The root's alpha, for its side to move.
    pub value: Value,
}

impl BestLine {
    /// Follows the first move by alpha as far as positions are analysed and do not repeat.
    pub fn of(growth: &Growth) -> Option<BestLine> {
        let value = root_value(growth)?;
        let mut line = Line::new(growth.graph(), growth.values());
        let path = line.extend(None, growth.root());
        let plies = BEST_LINE_PLIES + 1;
        let mut moves = best_line(growth.graph(), &mut line, growth.root(), path, plies);
        let goes_on = moves.len() > BEST_LINE_PLIES;
        moves.truncate(BEST_LINE_PLIES);
        Some(BestLine { root: growth.position(growth.root()), moves, goes_on, value })
    }

    /// The same without the best root move; none where there is no other.
    pub fn second(growth: &Growth) -> Option<BestLine> {
        let moves = root_moves(growth.graph(), growth.values(), growth.root());
        let second = moves.into_iter().nth(1)?;
        let goes_on = second.line.len() > BEST_LINE_PLIES;
        let mut moves = second.line;
        moves.truncate(BEST_LINE_PLIES);
        let root = growth.position(growth.root());
        Some(BestLine { root, moves, goes_on, value: second.alpha })
    }
}
