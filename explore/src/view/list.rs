//! All directives, to walk through.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use crate::list::Entry;

use super::look::Look;
use super::moves::first_row;
use super::words::put;

/// Draws the list over the board and the moves; gives how many rows there are for it.
pub fn draw_list(
    entries: &[Entry],
    selected: usize,
    look: Look,
    area: Rect,
    buffer: &mut Buffer,
) -> usize {
    Clear.render(area, buffer);
    let heading = format!("  directives ({}): Enter goes there, u takes one back", entries.len());
    put(buffer, area.x, area.y, &Line::styled(heading, look.dim()), area.width);
    let rows = usize::from(area.height.saturating_sub(1));
    let shown = entries.iter().enumerate().skip(first_row(selected, entries.len(), rows));
    for ((index, entry), y) in shown.take(rows).zip(area.y + 1..) {
        let mut line = Line::raw(format!("  {}", entry.words));
        if index == selected {
            line.push_span(" ".repeat(usize::from(area.width).saturating_sub(line.width())));
            line = line.style(look.bold().add_modifier(Modifier::REVERSED));
        }
        put(buffer, area.x, y, &line, area.width);
    }
    rows
}
