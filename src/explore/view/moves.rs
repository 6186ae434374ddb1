//! The moves of the position, one a row, with their scores in columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use shakmaty::Position;

use crate::chess::Value;
use crate::explore::explorer::Explorer;
use crate::explore::here::{ListedMove, Note};
use crate::render::{after, numbered_line, seen};

use super::look::Look;
use super::words::put;

/// Below this width, only alpha is shown.
const WIDE: u16 = 38;

/// The columns of a row up to the end of its move, the least room for a note behind it, and for the
/// line that follows it.
const AFTER_MOVE: usize = 37;
const LEAST_NOTE: usize = 15;
const CONTINUATION: usize = 20;

/// Draws the moves; gives how many rows there are for them.
pub fn draw_moves(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let here = explorer.here();
    let heading = match area.width >= WIDE {
        true => "    alpha    idea    eval  move",
        false => "    alpha  move",
    };
    let listed = here.choices.iter().filter(|choice| choice.eval.is_some()).count();
    let listed = format!("{listed} of {} listed", here.legal_moves);
    let width = usize::from(area.width);
    let gap = width.saturating_sub(heading.len() + listed.len());
    let listed = if gap > 1 { format!("{:gap$}{listed}", "") } else { String::new() };
    let heading = Line::styled(format!("{heading}{listed}"), look.dim());
    put(buffer, area.x, area.y, &heading, area.width);
    let rows = usize::from(area.height.saturating_sub(1));
    if here.choices.is_empty() {
        let why = Line::styled(format!("  {}", explorer.why_no_move()), look.note());
        put(buffer, area.x, area.y.saturating_add(1), &why, area.width);
        return rows;
    }
    let first = first_row(explorer.selected(), here.choices.len(), rows);
    let shown = here.choices.iter().enumerate().skip(first).take(rows);
    for ((index, choice), y) in shown.zip(area.y + 1..) {
        let mut line = row(explorer, choice, look, area.width);
        if index == explorer.selected() {
            // To the end of the row, as a bar.
            let used = line.width();
            line.push_span(" ".repeat(width.saturating_sub(used)));
            line = line.style(look.bold().add_modifier(Modifier::REVERSED));
        }
        put(buffer, area.x, y, &line, area.width);
    }
    rows
}

/// The first row that is shown, so that the selected one is in the middle where it can be.
pub(super) fn first_row(selected: usize, all: usize, rows: usize) -> usize {
    selected.saturating_sub(rows / 2).min(all.saturating_sub(rows))
}

fn row(explorer: &Explorer, choice: &ListedMove, look: Look, width: u16) -> Line<'static> {
    let here = explorer.here();
    let style = if choice.candidate { look.bold() } else { look.dim() };
    let mark = if choice.candidate { '*' } else { ' ' };
    let score = |value: Option<Value>| {
        let seen = value.map(|value| seen(value, here.position.turn(), explorer.pov()));
        seen.map(|seen| seen.to_string()).unwrap_or_default()
    };
    let mut scores = format!("{mark}{:>8}", score(choice.alpha));
    if width >= WIDE {
        let eval = score(choice.eval.filter(|eval| Some(*eval) != choice.idea));
        scores.push_str(&format!("{:>8}{eval:>8}", score(choice.idea)));
    }
    let onward = if choice.analysed { " >" } else { "" };
    let san = format!("  {}{onward}", numbered_line(&here.position, &[choice.uci]));
    let mut line = Line::from(vec![Span::styled(scores, style), Span::styled(san, style)]);
    let width = usize::from(width);
    if width >= AFTER_MOVE + LEAST_NOTE {
        line.push_span(" ".repeat(AFTER_MOVE.saturating_sub(line.width())));
    }
    if !choice.marks.is_empty() {
        line.push_span(Span::styled(format!("  {}", choice.marks.join(", ")), look.note()));
    }
    if let Some(note) = &choice.note {
        let room = width.saturating_sub(line.width() + 2);
        line.push_span(Span::styled(format!("  {}", short(note, room)), look.note()));
    }
    if width >= line.width() + CONTINUATION && !choice.continuation.is_empty() {
        let next = after(&here.position, [&choice.uci]);
        let text = format!("  {}", numbered_line(&next, &choice.continuation));
        line.push_span(Span::styled(text, look.dim()));
    }
    line
}

/// The note, without the line of a transposition where there is no room for it.
fn short(note: &Note, room: usize) -> String {
    let text = note.text();
    match note {
        Note::Transposition(_) if text.chars().count() > room => {
            let word = "transposition";
            if word.len() > room { "=".to_owned() } else { word.to_owned() }
        }
        _ => text,
    }
}
