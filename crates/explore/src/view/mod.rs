//! The screen: the state of a walk as cells of a terminal.

mod bars;
mod board;
mod moves;
mod overlay;
mod pixels;
mod words;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position as Place, Rect};
use ratatui::text::Line;
use shakmaty::{Color, Position};

use bars::{draw_best, draw_line, draw_prompt, draw_status, draw_title};
use board::{BoardView, fitting};
use overlay::{draw_help, draw_trust, draw_why};

use deepanalyze_view::{EndOfLine, describe_value, seen};

use super::action::Mode;
use super::explorer::Explorer;
use moves::{draw_list, draw_moves};
pub use words::Look;
use words::put;

/// The least width that the moves need beside the board.
const MOVES_WIDTH: u16 = 46;
/// The least height that they need below it.
const MOVES_HEIGHT: u16 = 5;

/// Draws a walk; returns the rows for moves.
pub fn draw(frame: &mut Frame<'_>, explorer: &Explorer, look: Look) -> usize {
    let area = frame.area();
    // Room for the lines grows with the screen; the moves come first.
    let text_rows = (area.height / 10).clamp(1, 4);
    let [title, body, line, best, status, prompt] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(text_rows),
        Constraint::Length(text_rows),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let buffer = frame.buffer_mut();
    draw_title(explorer.tree(), look, title, buffer);
    let rows = match &explorer.mode {
        Mode::List { entries, selected } => draw_list(entries, *selected, look, body, buffer),
        _ => draw_body(explorer, look, body, buffer),
    };
    draw_line(explorer, look, line, buffer);
    draw_best(explorer, look, best, buffer);
    draw_status(explorer, look, status, buffer);
    let cursor = draw_prompt(explorer, look, prompt, buffer);
    match &explorer.mode {
        Mode::Help => draw_help(look, area, buffer),
        Mode::Trust => draw_trust(explorer, look, area, buffer),
        Mode::Why => draw_why(explorer, look, area, buffer),
        _ => cursor.into_iter().for_each(|x| frame.set_cursor_position(Place::new(x, prompt.y))),
    }
    rows
}

/// Draws the board and the moves: side by side, stacked, or the moves alone.
fn draw_body(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let beside = fitting(area.width.saturating_sub(MOVES_WIDTH), area.height);
    let below = fitting(area.width, area.height.saturating_sub(MOVES_HEIGHT));
    let (square, board, moves) = match (beside, below) {
        (Some((square, (width, _))), _) => {
            let areas = Layout::horizontal([Constraint::Length(width + 1), Constraint::Min(1)]);
            let [board, moves] = areas.areas(area);
            (square, board, moves)
        }
        (None, Some((square, (_, height)))) => {
            let areas = Layout::vertical([Constraint::Length(height), Constraint::Min(1)]);
            let [board, moves] = areas.areas(area);
            (square, board, moves)
        }
        (None, None) => return draw_moves(explorer, look, area, buffer),
    };
    let here = explorer.here();
    let view = BoardView {
        board: here.position.board(),
        flipped: explorer.flipped,
        last: last_move(explorer),
        selected: explorer.choice().map(|choice| choice.uci),
        look,
    };
    view.draw(square, board, buffer);
    let facts = Rect { y: board.y + 8 * square.1 + 2, ..board };
    if facts.y < board.bottom() && facts.y <= area.bottom() {
        let facts = Rect { height: board.bottom() - facts.y, ..facts };
        draw_facts(explorer, look, facts, buffer);
    }
    draw_moves(explorer, look, moves, buffer)
}

fn last_move(explorer: &Explorer) -> Option<shakmaty::uci::UciMove> {
    let here = &explorer.here().line;
    here.last().or_else(|| explorer.tree().game.moves().last()).copied()
}

/// Draws facts of the position.
fn draw_facts(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let here = explorer.here();
    let turn = here.position.turn();
    let side = if turn == Color::White { "White" } else { "Black" };
    let value = here.worth().map(|value| seen(value, turn, explorer.pov));
    let value = value.map_or("not known".to_owned(), |value| value.to_string());
    let mut facts =
        vec![format!("{side} to move"), format!("ply {}, value {value}", here.line.len())];
    if here.end == Some(EndOfLine::Repetition) {
        facts.push("repetition: a draw".to_owned());
    }
    if let Some(value) = here.value {
        facts.push(format!("your value: {}", describe_value(value)));
    }
    if here.stopped {
        facts.push("stopped here".to_owned());
    }
    for (fact, y) in facts.into_iter().zip(area.y..area.bottom()) {
        put(buffer, area.x, y, &Line::styled(format!("  {fact}"), look.dim()), area.width);
    }
}
