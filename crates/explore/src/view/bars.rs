//! The bars: title, line to here, best line from here, status, and prompt or message.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use shakmaty::Position;

use crate::action::Mode;
use crate::explorer::Explorer;
use deepanalyze_view::{
    PointOfView, Tree, describe_depth, describe_distance, describe_profile, numbered_line,
    one_line, seen,
};

use super::moves::transposition;
use super::words::{Look, Part, head, put, tail, wrap};

/// Draws the title and how to get help.
pub fn draw_title(tree: &Tree, look: Look, area: Rect, buffer: &mut Buffer) {
    let parts = [
        format!(" {}", describe_profile(&tree.row.profile)),
        describe_distance(&tree.row.settings.breadth, tree.row.settings.draw),
        format!("analysis {}", tree.row.id.0),
    ];
    let left = parts.join(look.divider());
    let help = "? help ";
    let width = usize::from(area.width);
    let used = Span::raw(&left).width() + help.len();
    let gap = " ".repeat(width.saturating_sub(used));
    put(
        buffer,
        area.x,
        area.y,
        &Line::styled(format!("{left}{gap}{help}"), look.title()),
        area.width,
    );
}

/// Draws the tree's progress, and if it grows.
pub fn draw_status(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let row = &explorer.tree().row;
    let settled = describe_depth(row.settled_depth);
    let whose = match explorer.pov {
        PointOfView::Mover => "scores for the mover",
        PointOfView::White => "scores for White",
    };
    let facts = [
        format!("depth {settled} of {}", row.target_depth),
        deepanalyze_view::count(row.positions, "position"),
        deepanalyze_view::count(row.searches, "search"),
        whose.to_owned(),
    ];
    let mut line = Line::styled(format!(" {}", facts.join(look.divider())), look.dim());
    if explorer.tree().is_pending() {
        line.spans.insert(0, Span::styled(" pending", look.note()));
        line.spans.insert(1, Span::raw(look.divider().trim_end()));
    }
    if explorer.growing {
        line.spans.insert(0, Span::styled(" growing", look.alive()));
        line.spans.insert(1, Span::raw(look.divider().trim_end()));
    }
    put(buffer, area.x, area.y, &line, area.width);
}

/// Draws the typed text, the message or the selected move's note; returns the cursor's column if
/// text is typed.
pub fn draw_prompt(
    explorer: &Explorer,
    look: Look,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<u16> {
    if let Mode::Typing(ask, text) = &explorer.mode {
        let prompt = ask.prompt();
        let room = usize::from(area.width).saturating_sub(prompt.len() + 1);
        let hidden = text.chars().count().saturating_sub(room);
        let shown: String = text.chars().skip(hidden).collect();
        let line = Line::raw(format!("{prompt}{shown}"));
        let column = u16::try_from(line.width()).unwrap_or(u16::MAX);
        put(buffer, area.x, area.y, &line, area.width);
        return Some(area.x.saturating_add(column).min(area.right().saturating_sub(1)));
    }
    let note = explorer.choice().and_then(|choice| {
        let remark = choice.ends().map(str::to_owned).or_else(|| transposition(choice))?;
        Some(format!("{}: {remark}", choice.san))
    });
    let own = explorer.here().note.as_ref().map(|note| format!("note: {}", one_line(note)));
    let line = match (explorer.notice.as_ref(), own.or(note)) {
        (Some(notice), _) if notice.is_error => Line::styled(notice.text.clone(), look.error()),
        (Some(notice), _) => Line::raw(notice.text.clone()),
        (None, Some(note)) => Line::styled(note, look.note()),
        (None, None) => return None,
    };
    put(buffer, area.x + area.width.min(1), area.y, &line, area.width.saturating_sub(1));
    None
}

/// Draws a label and rows of text after it.
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

/// Draws the game and the line to here; its end if it is long.
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

/// Draws the best line from here; its beginning if it is long.
pub fn draw_best(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let here = explorer.here();
    let turn = here.position.turn();
    let value = here.worth().map(|value| seen(value, turn, explorer.pov));
    let value = value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let line = here.best.as_ref().map(|best| numbered_line(&best.root, &best.moves));
    let own = here.moves.first().map(|best| best.own_words(&here.position)).unwrap_or_default();
    let line = line.unwrap_or_default();
    let parts: [Part<'_>; 3] = [(&value, look.bold()), (&line, Style::new()), (&own, look.dim())];
    let rows = wrap(&parts, area.width.saturating_sub(LABEL + 4));
    let rows = head(rows, usize::from(area.height), ellipsis(look, false));
    draw_text("best", rows, look, area, buffer);
}
