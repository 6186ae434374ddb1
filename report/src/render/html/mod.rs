//! The tree as one web page that needs nothing else: `assets/README.md` says how it is made.

mod data;
mod game;
mod lines;
mod moves;
mod names;
mod page;

use std::io::{self, Write};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::analysis::{Prospect, StageCourse};
use deepanalyze_core::chess::{fen_of, opening_of};

use super::pov::PointOfView;
use super::report::Report;
use super::words::{after, numbered_line};
use data::page_data;
use moves::write_moves;
use names::names_of;
use page::{as_script, write_page};

pub use game::write_game_html;

/// Markup, style and script of the page of a tree, with marks where the tree goes in.
const PAGE: &str = include_str!("../../../../assets/page/dist/page.html");
/// A title names all moves of a line up to that many.
const TITLE_PLIES: usize = 12;

/// What a page shows beside the tree.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The moves of the position where printing begins, each with its line.
    pub prospects: &'a [Prospect],
    /// How the verdict went in each stage of the root.
    pub courses: &'a [StageCourse],
}

/// Writes a tree as a page. `pov` is the point of view that it opens with.
pub fn write_html(
    report: &Report<'_>,
    beside: Beside<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = title(report);
    let (names, of_nodes) = names_of(report);
    let data = serde_json::to_string(&page_data(report, beside, pov, names))?;
    let data = as_script(data.strip_suffix('}').unwrap_or(&data));
    write_page((PAGE, &title), out, |out| {
        write!(out, "{data},\"places\":[")?;
        write_moves(report, &of_nodes, out)?;
        write!(out, "]}}")
    })
}

/// What the page is called: the line to it, with its opening's name, or its FEN.
fn title(report: &Report<'_>) -> String {
    let game = &report.tree.game;
    let moves = [game.moves(), &report.line].concat();
    let line = match *game.start() == Chess::default() {
        true => line_title(game.start(), &moves),
        false => fen_of(&report.start()),
    };
    match opening_of(&report.start()) {
        Some(opening) => format!("{line} ({})", opening.name),
        None => line,
    }
}

/// A line that fits in a title: all of it, or its last move.
fn line_title(start: &Chess, moves: &[UciMove]) -> String {
    match moves.split_last() {
        None => "Starting position".to_owned(),
        Some((last, before)) if before.len() >= TITLE_PLIES => {
            let last = numbered_line(&after(start, before), std::slice::from_ref(last));
            format!("After {last}")
        }
        Some(_) => numbered_line(start, moves),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_named_by_its_last_move() {
        let mut game = deepanalyze_core::chess::Game::from_start("startpos").unwrap();
        let mut title = |line: &str| {
            game.play_line(line).unwrap();
            line_title(game.start(), game.moves())
        };
        assert_eq!(title(""), "Starting position");
        assert_eq!(title("e4 e5 Nf3"), "1. e4 e5 2. Nf3");
        assert_eq!(title("Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3"), "After 7. Bb3");
    }
}
