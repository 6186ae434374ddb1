//! The line to here, and the best line from here.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use shakmaty::Position;

use crate::explorer::Explorer;
use crate::here::{Here, ListedMove};
use deepanalyze_report::{after, numbered_line, seen};

use super::look::Look;
use super::words::{Part, head, put, tail, wrap};

/// A label, and rows of text behind it.
fn draw_text(label: &str, rows: Vec<Line<'static>>, look: Look, area: Rect, buffer: &mut Buffer) {
    let label = Line::styled(format!(" {label:<5}"), look.dim());
    put(buffer, area.x, area.y, &label, area.width);
    let text = Rect { x: area.x + LABEL.min(area.width), ..area };
    for (row, y) in rows.into_iter().zip(area.y..area.bottom()) {
        put(buffer, text.x, y, &row, area.width.saturating_sub(LABEL));
    }
}

/// The columns of a label.
const LABEL: u16 = 6;

pub(super) fn ellipsis(look: Look, before: bool) -> &'static str {
    match (look.unicode, before) {
        (true, true) => "… ",
        (true, false) => " …",
        (false, true) => "... ",
        (false, false) => " ...",
    }
}

/// The game and the line to here; its end, where it is long.
pub fn draw_line(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let (tree, here) = (explorer.tree(), explorer.here());
    let game = numbered_line(tree.game.start(), tree.game.moves());
    let line = numbered_line(tree.game.root(), &here.line);
    let parts: [Part<'_>; 2] = [(&game, look.dim()), (&line, look.bold())];
    let mut rows = wrap(&parts, area.width.saturating_sub(LABEL + 4));
    if game.is_empty() && line.is_empty() {
        rows = vec![Line::styled("the root", look.dim())];
    }
    let rows = tail(rows, usize::from(area.height), ellipsis(look, true));
    draw_text("line", rows, look, area, buffer);
}

/// The best line from here; its beginning, where it is long.
pub fn draw_best(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let here = explorer.here();
    let turn = here.position.turn();
    let value = here.value.map(|value| seen(value, turn, explorer.pov()));
    let value = value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let line = numbered_line(&here.position, &here.best_line);
    let own = here.choices.first().map(|best| own_line(here, best)).unwrap_or_default();
    let parts: [Part<'_>; 3] = [(&value, look.bold()), (&line, Style::new()), (&own, look.dim())];
    let rows = wrap(&parts, area.width.saturating_sub(LABEL + 4));
    let rows = head(rows, usize::from(area.height), ellipsis(look, false));
    draw_text("best", rows, look, area, buffer);
}

/// How the engine's own search goes on behind a move's line, in brackets.
pub(super) fn own_line(here: &Here, choice: &ListedMove) -> String {
    if choice.own.is_empty() {
        return String::new();
    }
    let line = std::iter::once(&choice.uci).chain(&choice.continuation);
    format!("[{}]", numbered_line(&after(&here.position, line), &choice.own))
}
