//! The moves of a root that endgame tables know: what each comes to, and how soon.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::explorer::Explorer;
use crate::here::KnownMove;
use deepanalyze_report::{count, numbered_line};

use super::look::Look;
use super::words::put;

/// Draws the result and the moves, the best first; gives how many rows there are for moves. Those for which there is
/// no room are counted.
pub fn draw_known(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let moves = &explorer.here().table_moves;
    let room = usize::from(area.height.saturating_sub(2));
    let shown = if moves.len() > room { room.saturating_sub(1) } else { moves.len() };
    let why = Line::styled(format!("  {}", explorer.why_no_move()), look.note());
    let heading = Line::styled("      DTZ  move", look.dim());
    let rows = moves.iter().take(shown).map(|m| row(explorer, m, look));
    let left = moves.len() - shown;
    let more = (left > 0).then(|| count(left as u64, "more move"));
    let more = more.map(|more| Line::styled(format!("           {more}"), look.dim()));
    let lines = [why, heading].into_iter().chain(rows).chain(more);
    for (line, y) in lines.zip(area.y..area.bottom()) {
        put(buffer, area.x, y, &line, area.width);
    }
    room
}

fn row(explorer: &Explorer, m: &KnownMove, look: Look) -> Line<'static> {
    let dtz = m.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
    let san = numbered_line(&explorer.here().position, &[m.uci]);
    Line::from(vec![
        Span::raw(format!("{dtz:>9}  {san:<10}")),
        Span::styled(format!("  {}", m.words), look.note()),
    ])
}
