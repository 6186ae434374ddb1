//! The bars: the title, how the tree stands, and what is typed or told.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::action::Mode;
use crate::explorer::Explorer;
use deepanalyze_report::LiveTree;
use deepanalyze_report::{PointOfView, describe_depth, describe_profile, one_line};

use super::look::Look;
use super::words::put;

/// What is shown, and how to get help.
pub fn draw_title(tree: &LiveTree, look: Look, area: Rect, buffer: &mut Buffer) {
    let parts = [
        format!(" {}", describe_profile(&tree.row.profile)),
        format!("distance {}", tree.row.breadth),
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

/// How far the tree has come, and whether it grows.
pub fn draw_status(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let row = &explorer.tree().row;
    let settled = describe_depth(row.settled_depth);
    let whose = match explorer.pov() {
        PointOfView::Mover => "scores for the mover",
        PointOfView::White => "scores for White",
    };
    let facts = [
        format!("depth {settled} settled of {}", row.target_depth),
        deepanalyze_report::count(row.positions, "position"),
        format!("{} searches", row.searches),
        whose.to_owned(),
    ];
    let mut line = Line::styled(format!(" {}", facts.join(look.divider())), look.dim());
    if explorer.tree().is_pending() {
        line.spans.insert(0, Span::styled(" pending", look.note()));
        line.spans.insert(1, Span::raw(look.divider().trim_end()));
    }
    if explorer.is_growing() {
        line.spans.insert(0, Span::styled(" growing", look.alive()));
        line.spans.insert(1, Span::raw(look.divider().trim_end()));
    }
    put(buffer, area.x, area.y, &line, area.width);
}

/// What is typed, or what happened, or what the selected move's note says; gives the cursor's
/// column where something is typed.
pub fn draw_prompt(
    explorer: &Explorer,
    look: Look,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<u16> {
    if let Mode::Typing(ask, text) = explorer.mode() {
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
        let note = choice.note.as_ref()?;
        Some(format!("{}: {}", choice.san, note.text()))
    });
    let own = explorer.here().said.note.as_ref().map(|note| format!("note: {}", one_line(note)));
    let line = match (explorer.notice(), own.or(note)) {
        (Some(notice), _) if notice.is_error => Line::styled(notice.text.clone(), look.error()),
        (Some(notice), _) => Line::raw(notice.text.clone()),
        (None, Some(note)) => Line::styled(note, look.note()),
        (None, None) => return None,
    };
    put(buffer, area.x + area.width.min(1), area.y, &line, area.width.saturating_sub(1));
    None
}
