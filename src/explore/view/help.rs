//! The help: every key.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::look::Look;
use super::words::put;

const KEYS: [(&str, &str); 20] = [
    ("j k  down up", "select a move"),
    ("^D ^U  PgDn PgUp", "half a page, a page"),
    ("g G  Home", "first, last move"),
    ("l  Enter  right", "play the selected move"),
    ("h  BkSp  left", "take the last move back"),
    ("0 ^", "back to the root"),
    ("n  Space", "next move of the best line"),
    ("$  End", "to the end of the best line"),
    ("/", "type moves (SAN or UCI) from here"),
    ("p", "scores for the mover, or for White"),
    ("f", "flip the board"),
    ("y Y", "copy the FEN, the line"),
    ("r", "read the tree again"),
    ("?", "this help"),
    ("q  Esc  ^C", "leave"),
    ("", ""),
    ("alpha", "a move's worth on exactly this line"),
    ("idea  eval", "on any line; to the engine alone"),
    ("*  >", "a candidate; there is more behind it"),
    ("=", "transposition"),
];

/// Draws the help over whatever is there.
pub fn draw_help(look: Look, area: Rect, buffer: &mut Buffer) {
    let height = u16::try_from(KEYS.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 60.min(area.width);
    let left = area.x + (area.width - width) / 2;
    let top = area.y + (area.height - height) / 2;
    let place = Rect::new(left, top, width, height);
    Clear.render(place, buffer);
    let title = format!("{:^1$}", "keys", usize::from(width));
    put(buffer, left, top, &Line::styled(title, look.title()), width);
    for ((keys, does), y) in KEYS.iter().zip(top + 1..(top + height).saturating_sub(1)) {
        let line = Line::from(vec![
            Span::styled(format!("  {keys:<18}"), look.bold()),
            Span::raw((*does).to_owned()),
        ]);
        put(buffer, left, y, &line, width);
    }
    let bottom = format!("{:^1$}", "Esc leaves the help", usize::from(width));
    let last = (top + height).saturating_sub(1);
    if height > 1 {
        put(buffer, left, last, &Line::styled(bottom, look.title()), width);
    }
}
