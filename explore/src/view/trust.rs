//! How far the best move of the root is to be trusted, over whatever is there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use crate::explorer::Explorer;
use deepanalyze_report::{describe_closing, describe_holds, describe_stays, numbered_line};

use super::look::Look;
use super::words::{put, wrap};

/// The columns of a label, and of the whole at most.
const LABEL: u16 = 10;
const WIDTH: u16 = 76;

/// Draws what is known of it.
pub fn draw_trust(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let width = WIDTH.min(area.width);
    let rows = rows(explorer, look, width);
    let height = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(place, buffer);
    let columns = usize::from(width);
    let bar = |text: &str| Line::styled(format!("{text:^columns$}"), look.title());
    put(buffer, place.x, place.y, &bar("how far the best move is to be trusted"), width);
    for (row, y) in rows.iter().zip(place.y + 1..) {
        put(buffer, place.x, y, row, width);
    }
    if height > 1 {
        put(buffer, place.x, place.bottom() - 1, &bar("Esc leaves this"), width);
    }
}

/// What `show` tells of it, each with its label.
fn rows(explorer: &Explorer, look: Look, width: u16) -> Vec<Line<'static>> {
    let (root, trust) = (explorer.tree().game.root(), explorer.trust());
    let holds = trust.and_then(|trust| trust.stability.as_ref());
    let holds = holds.map(|stability| describe_holds(root, stability, explorer.pov()));
    let stays = trust.and_then(|trust| trust.stays);
    let stays = stays.map(|stays| describe_stays(stays, &numbered_line(root, &[stays.best])));
    let limit = explorer.tree().row.profile.limit;
    let closing = explorer.tree().closing.as_ref();
    let closing = closing.map(|closing| describe_closing(root, closing, limit, explorer.pov()));
    let known = [("holds", holds), ("chance", stays), ("closing", closing)];
    let known = known.into_iter().filter_map(|(label, text)| Some((label, text?)));
    let rows: Vec<Line<'static>> =
        known.flat_map(|(label, text)| labelled(label, &text, look, width)).collect();
    match rows.is_empty() {
        true => vec![Line::raw("  nothing is known of that yet")],
        false => rows,
    }
}

fn labelled(label: &str, text: &str, look: Look, width: u16) -> Vec<Line<'static>> {
    let text = if look.unicode { text.to_owned() } else { in_ascii(text) };
    let rows = wrap(&[(&text, Style::new())], width.saturating_sub(LABEL + 2));
    let mut label = Some(label);
    let row = |mut row: Line<'static>| {
        let label = format!("  {:<1$}", label.take().unwrap_or_default(), usize::from(LABEL - 2));
        row.spans.insert(0, Span::styled(label, look.dim()));
        row
    };
    rows.into_iter().map(row).collect()
}

fn in_ascii(text: &str) -> String {
    text.replace('→', "->").replace('…', "...")
}
