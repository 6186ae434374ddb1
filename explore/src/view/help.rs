//! The help: every key.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::look::Look;
use super::words::put;

const KEYS: [(&str, &str); 22] = [
    ("j k  down up", "select a move"),
    ("^D ^U PgDn PgUp g G", "half a page, a page, first, last"),
    ("l  Enter  right", "play the selected move"),
    ("h  BkSp  left", "take the last move back"),
    ("0 ^", "back to the root"),
    ("n  Space   $  End", "the best line: next move, to its end"),
    ("/", "type moves (SAN or UCI) from here"),
    ("p  f", "turn the scores, the board"),
    ("y Y", "copy the FEN, the line"),
    ("c", "how far the best move is to be trusted"),
    ("r   ?   q  Esc  ^C", "read again, this help, leave"),
    ("", ""),
    ("x  i", "exclude, include the selected move"),
    ("i at the tree's end", "include the line there: follow it"),
    ("I", "type moves from here to include"),
    ("v  s  t", "here: a value, stop, a note (text)"),
    ("u  U", "take back: at the move, here"),
    ("d", "all directives: Enter goes there, u"),
    ("w  b   ]  [", "audit White, Black: next, previous"),
    ("", ""),
    ("alpha idea eval", "on this line, any line, the engine's"),
    ("*  >  =", "candidate, more behind, transposition"),
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
            Span::styled(format!("  {keys:<20}"), look.bold()),
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
