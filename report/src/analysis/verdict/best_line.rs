//! The lines of the best alphas.

use std::sync::Arc;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Growth, first_lines};

use crate::analysis::rows::root_value;

/// Which of the root's lines are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinesTold {
    /// How many at most.
    pub count: usize,
    /// How many plies of each.
    pub plies: usize,
}

/// What people see of a run: the best line.
impl Default for LinesTold {
    fn default() -> LinesTold {
        LinesTold { count: 1, plies: 12 }
    }
}

/// A line of best alphas from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// Where it begins.
    pub root: Chess,
    /// Its first moves.
    pub moves: Vec<UciMove>,
    /// Whether it goes on behind them.
    pub goes_on: bool,
    /// The alpha of its first move, that of the root for the best one, for the root's side to move.
    pub value: Value,
}

/// The best lines of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BestLines {
    /// The line of the best alpha; without a move where the root is an end.
    pub best: Option<Arc<BestLine>>,
    /// Those behind it, where several are told.
    pub others: Arc<[BestLine]>,
}

impl BestLine {
    /// Follows the first move by alpha as far as positions are analysed and do not repeat.
    pub fn of(growth: &Growth) -> Option<BestLine> {
        BestLine::lines(growth, LinesTold::default()).into_iter().next()
    }

    /// The same without the best root move; none where there is no other.
    pub fn second(growth: &Growth) -> Option<BestLine> {
        let told = LinesTold { count: 2, ..LinesTold::default() };
        BestLine::lines(growth, told).into_iter().nth(1)
    }

    /// The best lines, each with another first move.
    fn lines(growth: &Growth, told: LinesTold) -> Vec<BestLine> {
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        let position = growth.position(root);
        let wanted = (told.count.max(1), told.plies + 1);
        let line = |(value, mut moves): (Value, Vec<UciMove>)| {
            let goes_on = moves.len() > told.plies;
            moves.truncate(told.plies);
            BestLine { root: position.clone(), moves, goes_on, value }
        };
        let lines: Vec<_> =
            first_lines(graph, values, root, wanted).into_iter().map(line).collect();
        if !lines.is_empty() {
            return lines;
        }
        let end =
            |value| BestLine { root: position.clone(), moves: Vec::new(), goes_on: false, value };
        root_value(growth).map(end).into_iter().collect()
    }
}

impl BestLines {
    /// As many lines of a tree as are told.
    pub fn of(growth: &Growth, told: LinesTold) -> BestLines {
        let mut lines = BestLine::lines(growth, told).into_iter();
        BestLines { best: lines.next().map(Arc::new), others: lines.collect() }
    }

    /// All of them, the best one first.
    pub fn all(&self) -> impl Iterator<Item = &BestLine> {
        self.best.as_deref().into_iter().chain(self.others.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{grown_of, root_moves};

    #[test]
    fn as_many_lines_are_told_as_are_asked_for_by_alpha() {
        let game = Game::from_start("startpos").unwrap();
        let lists: [(&str, &[(&str, i32)]); 3] = [
            ("", &[("e2e4", 30), ("d2d4", 28), ("c2c4", 25)]),
            ("e4", &[("e7e5", -10)]),
            ("d4", &[("g8f6", -27)]),
        ];
        let growth = grown_of(&game, 30, &lists);
        let right = root_moves(growth.graph(), growth.values(), growth.root());
        let right: Vec<_> = right.into_iter().map(|m| (m.alpha, m.line)).collect();
        for count in [0, 1, 2, 3, 9] {
            let lines = BestLines::of(&growth, LinesTold { count, plies: 9 });
            let told: Vec<_> = lines.all().map(|line| (line.value, line.moves.clone())).collect();
            assert_eq!(told, right[..count.clamp(1, 3)]);
        }
        assert_eq!(BestLine::second(&growth).map(|second| second.moves), Some(right[1].1.clone()));
        let short = BestLines::of(&growth, LinesTold { count: 2, plies: 1 });
        assert_eq!(short.all().map(|line| line.goes_on).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_finished_root_has_a_value_and_no_move() {
        let mate = Game::from_start("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let line = BestLine::of(&grown_of(&mate, 10, &[])).unwrap();
        assert_eq!((line.value, line.moves.len()), (Value::MATED, 0));
        let game = Game::from_start("startpos").unwrap();
        assert_eq!(BestLine::of(&grown_of(&game, 10, &[])), None);
    }
}
