//! The tree as one self-contained web page: `web/README.md` explains its build.

pub mod data;
pub mod moves;

use std::io::{self, Write};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{fen_of, opening_of};

use crate::tree::html::data::page_data;
use crate::tree::html::moves::{names_of, write_moves};
use crate::tree::layout::TreeReport;
use crate::tree::svg::escaped;
use deepanalyze_view::{after, numbered_line};

/// Markup, style and script of the page of a tree, with marks where the tree goes in.
const PAGE: &str = include_str!("../../../../../web/page/dist/page.html");
/// The most plies that a title spells out.
const TITLE_PLIES: usize = 12;

/// Writes a tree as a page. It opens with the reader's point of view.
pub fn write_html(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = title(report);
    let (names, of_nodes) = names_of(report);
    let data = serde_json::to_string(&page_data(report, names))?;
    let data = as_script(data.strip_suffix('}').unwrap_or(&data));
    write_page(PAGE, &title, out, |out| {
        write!(out, "{data},\"places\":[")?;
        write_moves(report, &of_nodes, out)?;
        write!(out, "]}}")
    })
}

/// Title of the page: the line to it, with its opening's name, or its FEN.
fn title(report: &TreeReport<'_>) -> String {
    let game = &report.tree.game;
    let moves = [game.moves(), &report.line].concat();
    let line = if *game.start() == Chess::default() {
        line_title(game.start(), &moves)
    } else {
        fen_of(&report.start())
    };
    match opening_of(&report.start()) {
        Some(opening) => format!("{line} ({})", opening.name),
        None => line,
    }
}

/// A line that fits in a title: whole, or only its last move.
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

const TITLE: &str = "{{title}}";
const PROGRAM: &str = "{{program}}";
const DATA: &str = "{{data}}";

/// Writes a page with its title and its data.
///
/// # Errors
///
/// Errors of `out` and of the data.
pub fn write_page(
    page: &str,
    title: &str,
    out: &mut dyn Write,
    write_data: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let program = concat!("deepanalyze ", env!("CARGO_PKG_VERSION"));
    let (before, behind) = page.split_once(DATA).unwrap_or((page, ""));
    // The title is inserted last: a mark in it is text.
    let filled = |part: &str| part.replace(PROGRAM, program).replace(TITLE, &escaped(title));
    out.write_all(filled(before).as_bytes())?;
    write_data(out)?;
    out.write_all(filled(behind).as_bytes())
}

/// JSON inside a script element: nothing in it may end the element or begin a comment. JSON has `<`
/// only within strings.
pub fn as_script(json: &str) -> String {
    json.replace('<', "\\u003c")
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

    #[test]
    fn each_page_has_each_mark_where_it_belongs() {
        for page in [PAGE, crate::game::PAGE] {
            for (mark, count) in [(TITLE, 2), (PROGRAM, 1), (DATA, 1)] {
                assert_eq!(page.matches(mark).count(), count, "{mark}");
            }
            assert!(!page.contains("{{script}}") && !page.contains("{{policy}}"));
        }
    }

    #[test]
    fn json_in_a_script_element_cannot_end_it() {
        assert_eq!(as_script(r#"["</script><!--"]"#), r#"["\u003c/script>\u003c!--"]"#);
        assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
