//! The screen: the state of a walk as cells of a terminal.

mod board;
mod help;
mod look;
mod moves;
mod words;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position as Place, Rect};
use ratatui::text::{Line, Span};
use shakmaty::{Color, Position};

use crate::render::{PointOfView, describe_profile, numbered_line, seen};

use super::explorer::{Explorer, Mode};
use super::snapshot::Snapshot;

use board::{BoardView, fitting};
use help::draw_help;
pub use look::Look;
use moves::draw_moves;
use words::{Part, head, put, tail, wrap};

/// The least width that the moves need beside the board.
const MOVES_WIDTH: u16 = 46;
/// The least height that they need below it.
const MOVES_HEIGHT: u16 = 5;

/// Draws a walk; gives how many rows there are for moves.
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
    let rows = draw_body(explorer, look, body, buffer);
    draw_line(explorer, look, line, buffer);
    draw_best(explorer, look, best, buffer);
    draw_status(explorer, look, status, buffer);
    let cursor = draw_prompt(explorer, look, prompt, buffer);
    if *explorer.mode() == Mode::Help {
        draw_help(look, area, buffer);
    } else if let Some(x) = cursor {
        frame.set_cursor_position(Place::new(x, prompt.y));
    }
    rows
}

fn draw_title(tree: &Snapshot, look: Look, area: Rect, buffer: &mut Buffer) {
    let parts = [
        format!(" {}", describe_profile(&tree.row.profile)),
        format!("distance {}", tree.row.distance),
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

/// The board and the moves: side by side, one below the other, or the moves alone.
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
        flipped: explorer.is_flipped(),
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

/// What there is to say of the position.
fn draw_facts(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let here = explorer.here();
    let turn = here.position.turn();
    let side = if turn == Color::White { "White" } else { "Black" };
    let value = here.value.map(|value| seen(value, turn, explorer.pov()));
    let value = value.map_or("not known".to_owned(), |value| value.to_string());
    let mut facts =
        vec![format!("{side} to move"), format!("ply {}, value {value}", here.line.len())];
    if here.repeated {
        facts.push("repetition: a draw".to_owned());
    }
    for (fact, y) in facts.into_iter().zip(area.y..area.bottom()) {
        put(buffer, area.x, y, &Line::styled(format!("  {fact}"), look.dim()), area.width);
    }
}

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

fn ellipsis(look: Look, before: bool) -> &'static str {
    match (look.unicode, before) {
        (true, true) => "… ",
        (true, false) => " …",
        (false, true) => "... ",
        (false, false) => " ...",
    }
}

/// The game and the line to here; its end, where it is long.
fn draw_line(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let (tree, here) = (explorer.tree(), explorer.here());
    let game = numbered_line(tree.game.start(), tree.game.moves());
    let line = tree.numbered(&here.line);
    let parts: [Part<'_>; 2] = [(&game, look.dim()), (&line, look.bold())];
    let mut rows = wrap(&parts, area.width.saturating_sub(LABEL + 4));
    if game.is_empty() && line.is_empty() {
        rows = vec![Line::styled("the root", look.dim())];
    }
    let rows = tail(rows, usize::from(area.height), ellipsis(look, true));
    draw_text("line", rows, look, area, buffer);
}

/// The best line from here; its beginning, where it is long.
fn draw_best(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let here = explorer.here();
    let turn = here.position.turn();
    let value = here.value.map(|value| seen(value, turn, explorer.pov()));
    let value = value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let line = numbered_line(&here.position, &here.best_line);
    let parts: [Part<'_>; 2] = [(&value, look.bold()), (&line, ratatui::style::Style::new())];
    let rows = wrap(&parts, area.width.saturating_sub(LABEL + 4));
    let rows = head(rows, usize::from(area.height), ellipsis(look, false));
    draw_text("best", rows, look, area, buffer);
}

fn draw_status(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let row = &explorer.tree().row;
    let settled = row.settled_depth.map_or("none".to_owned(), |depth| depth.to_string());
    let whose = match explorer.pov() {
        PointOfView::Mover => "scores for the mover",
        PointOfView::White => "scores for White",
    };
    let facts = [
        format!("depth {settled} settled of {}", row.target_depth),
        format!("{} positions", row.positions),
        format!("{} searches", row.searches),
        whose.to_owned(),
    ];
    let mut line = Line::styled(format!(" {}", facts.join(look.divider())), look.dim());
    if explorer.is_growing() {
        line.spans.insert(0, Span::styled(" growing", look.alive()));
        line.spans.insert(1, Span::raw(look.divider().trim_end()));
    }
    put(buffer, area.x, area.y, &line, area.width);
}

/// What is typed, or what happened, or what the selected move's note says; gives the cursor's
/// column where something is typed.
fn draw_prompt(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> Option<u16> {
    if let Mode::Typing(text) = explorer.mode() {
        let room = usize::from(area.width.saturating_sub(2));
        let hidden = text.chars().count().saturating_sub(room);
        let shown: String = text.chars().skip(hidden).collect();
        let line = Line::raw(format!("/{shown}"));
        let column = u16::try_from(line.width()).unwrap_or(u16::MAX);
        put(buffer, area.x, area.y, &line, area.width);
        return Some(area.x.saturating_add(column).min(area.right().saturating_sub(1)));
    }
    let note = explorer.choice().and_then(|choice| {
        let note = choice.note.as_ref()?;
        Some(format!("{}: {}", choice.san, note.text()))
    });
    let line = match (explorer.notice(), note) {
        (Some(notice), _) if notice.is_error => Line::styled(notice.text.clone(), look.error()),
        (Some(notice), _) => Line::raw(notice.text.clone()),
        (None, Some(note)) => Line::styled(note, look.note()),
        (None, None) => return None,
    };
    put(buffer, area.x + area.width.min(1), area.y, &line, area.width.saturating_sub(1));
    None
}
