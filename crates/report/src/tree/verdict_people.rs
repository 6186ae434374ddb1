//! The columns of a verdict beside the score: the engine's win, draw and loss, the games of a move,
//! and its value against people.

use crate::tree::layout::TreeReport;
use deepanalyze_view::{Shown, describe_expected, describe_share, describe_wdl, grouped};

/// The column of win, draw and loss.
const WDL: &str = "W / D / L";
/// Columns shown against people.
const EXPECTED: &str = "expected";
const REACH: &str = "reach";

/// A column of numbers, right-aligned, with two blanks behind it.
pub struct NumberColumn {
    heading: &'static str,
    /// A cell for each move.
    cells: Vec<String>,
    width: usize,
}

impl NumberColumn {
    fn new(heading: &'static str, cells: Vec<String>) -> NumberColumn {
        let width = cells.iter().map(String::len).max().unwrap_or(0).max(heading.len());
        NumberColumn { heading, cells, width }
    }

    /// True if it has this heading.
    pub fn is(&self, heading: &str) -> bool {
        self.heading == heading
    }

    /// Its columns of a terminal.
    pub fn width(&self) -> usize {
        self.width + 2
    }

    /// Its heading, with the blanks behind it.
    pub fn heading(&self) -> String {
        self.written(self.heading)
    }

    /// Its cell for the move at an index.
    pub fn cell(&self, index: usize) -> String {
        self.written(self.cells.get(index).map_or("", String::as_str))
    }

    fn written(&self, text: &str) -> String {
        format!("{text:>0$}  ", self.width)
    }
}

/// The columns for the moves of a position, in order; empty if nothing is known.
pub fn people_columns(report: &TreeReport<'_>, moves: &[Shown<'_>]) -> Vec<NumberColumn> {
    let cells = |of: &dyn Fn(Shown<'_>) -> Option<String>| {
        moves.iter().map(|shown| of(*shown).unwrap_or_default()).collect::<Vec<_>>()
    };
    let growth = report.growth();
    let games = cells(&|shown| Some(grouped(shown.played(growth)?.games?)));
    let share = cells(&|shown| Some(describe_share(shown.played(growth)?.share?)));
    let expected = cells(&|shown| report.expected(shown).map(describe_expected));
    let reach =
        cells(&|shown| report.reach(shown).filter(|reach| *reach > 0.0).map(describe_share));
    let (turn, pov) = (growth.graph().turn(report.start_node()), report.options.pov);
    let figures = cells(&|shown| Some(describe_wdl(report.wdl(shown)?, turn, pov)));
    let all =
        [(WDL, figures), ("games", games), ("share", share), (EXPECTED, expected), (REACH, reach)];
    let is_told = |(_, cells): &(&str, Vec<String>)| cells.iter().any(|cell| !cell.is_empty());
    let told = all.into_iter().filter(is_told);
    told.map(|(heading, cells)| NumberColumn::new(heading, cells)).collect()
}

/// Removes columns until the others have room. Against people, the engine's win, draw and loss go
/// first, and the expected score last.
pub fn keep_what_fits(columns: &mut Vec<NumberColumn>, room: usize) {
    let is_for_people = columns.iter().any(|column| column.heading == EXPECTED);
    let order = if is_for_people {
        [WDL, "games", "share", REACH, EXPECTED]
    } else {
        ["games", "share", WDL, REACH, EXPECTED]
    };
    for heading in order {
        if columns.iter().map(NumberColumn::width).sum::<usize>() > room {
            columns.retain(|column| column.heading != heading);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(headings: &[&'static str], room: usize) -> Vec<&'static str> {
        let column =
            |heading: &&'static str| NumberColumn::new(heading, vec!["12 / 81 / 7".into()]);
        let mut columns: Vec<NumberColumn> = headings.iter().map(column).collect();
        keep_what_fits(&mut columns, room);
        columns.into_iter().map(|column| column.heading).collect()
    }

    #[test]
    fn of_people_the_engines_chances_go_first() {
        let all = [WDL, "games", "share", EXPECTED, REACH];
        let rooms = [65, 64, 51, 38, 25, 12].map(|room| kept(&all, room).join(" "));
        let right = [
            "W / D / L games share expected reach",
            "games share expected reach",
            "share expected reach",
            "expected reach",
            "expected",
            "",
        ];
        assert_eq!(rooms, right);
        assert_eq!(kept(&[WDL, "games", "share"], 38), [WDL, "share"]);
    }
}
