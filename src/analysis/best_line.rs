//! The line of the best alpha.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Value;
use crate::tree::{Growth, Line, best_line};

use super::rows::root_value;

/// How many plies of the best line are given.
const BEST_LINE_PLIES: usize = 12;

/// The line of the best alpha from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// Where it begins.
    pub root: Chess,
    /// Its moves.
    pub moves: Vec<UciMove>,
    /// The root's alpha, for its side to move.
    pub value: Value,
}

impl BestLine {
    /// Follows the first move by alpha as far as positions are analysed and do not repeat.
    pub fn of(growth: &Growth) -> Option<BestLine> {
        let value = root_value(growth)?;
        let mut line = Line::new(growth.graph(), growth.values());
        let path = line.extend(None, growth.root());
        let moves = best_line(growth.graph(), &mut line, growth.root(), path, BEST_LINE_PLIES);
        Some(BestLine { root: growth.position(growth.root()), moves, value })
    }
}
