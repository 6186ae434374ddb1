//! The list to choose from, one a row: the moves of the position with their scores in columns,
//! those known to tablebases, or all directives.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use shakmaty::Position;

use crate::directing::DirectiveEntry;
use crate::explorer::Explorer;
use deepanalyze_core::chess::Value;
use deepanalyze_view::{
    ListedMove, WordedTableMove, are_computed, count, describe_share, describe_wdl, numbered_line,
    seen,
};

use super::bars::ellipsis;
use super::words::{Look, head, put, wrap};

/// Below this width, only alpha is shown.
const WIDE: u16 = 38;

/// The columns of a row up to the end of its move, the least room for a note behind it, and for the
/// line that follows it.
const AFTER_MOVE: usize = 37;
/// Additional columns where games are shown.
const MORE_FOR_PEOPLE: usize = 7;
const LEAST_NOTE: usize = 15;
const CONTINUATION: usize = 20;

/// Greatest number of rows of a move with its line.
const MOST_ROWS: usize = 3;

/// Draws the moves; returns the number of rows for them.
pub fn draw_moves(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let here = explorer.here();
    if here.moves.is_empty() && !here.table_moves.is_empty() {
        return draw_known(explorer, look, area, buffer);
    }
    let heading = match (area.width >= WIDE, explorer.people.is_some()) {
        (true, true) if here.moves.iter().all(|choice| choice.games.is_none()) => {
            "    alpha          share  points  move"
        }
        (true, true) => "    alpha   games  share  points  move",
        (true, false) => "    alpha    idea    eval  move",
        (false, true) => "    alpha  points  move",
        (false, false) => "    alpha  move",
    };
    let listed = here.moves.iter().filter(|choice| choice.eval.is_some()).count();
    let listed = format!("{listed} of {} listed", here.position.legal_moves().len());
    let width = usize::from(area.width);
    let gap = width.saturating_sub(heading.len() + listed.len());
    let listed = if gap > 1 { format!("{:gap$}{listed}", "") } else { String::new() };
    let heading = Line::styled(format!("{heading}{listed}"), look.dim());
    put(buffer, area.x, area.y, &heading, area.width);
    let rows = usize::from(area.height.saturating_sub(1));
    if here.moves.is_empty() {
        let why = Line::styled(format!("  {}", explorer.why_no_move()), look.note());
        put(buffer, area.x, area.y.saturating_add(1), &why, area.width);
        return rows;
    }
    let first = first_row(explorer.selected, here.moves.len(), rows);
    // Where all moves fit, their lines have the rows that are left.
    let each = (rows / here.moves.len()).clamp(1, MOST_ROWS);
    let mut y = area.y.saturating_add(1);
    for (index, choice) in here.moves.iter().enumerate().skip(first) {
        for mut line in rows_of(explorer, choice, look, area.width, each) {
            if y >= area.bottom() {
                return rows;
            }
            if index == explorer.selected {
                // To the end of the row, as a bar.
                let used = line.width();
                line.push_span(" ".repeat(width.saturating_sub(used)));
                for span in &mut line.spans {
                    span.style = span.style.remove_modifier(Modifier::DIM);
                }
                line = line.style(look.bold().add_modifier(Modifier::REVERSED));
            }
            put(buffer, area.x, y, &line, area.width);
            y = y.saturating_add(1);
        }
    }
    rows
}

/// The rows of a move with its line.
fn rows_of(
    explorer: &Explorer,
    choice: &ListedMove,
    look: Look,
    width: u16,
    most: usize,
) -> Vec<Line<'static>> {
    let mut line = row(explorer, choice, look, width);
    let column = line.width() + 2;
    let room = usize::from(width).saturating_sub(column);
    let (position, has_line) = (&explorer.here().position, choice.line.len() > 1);
    if room + 2 < CONTINUATION || !has_line {
        return vec![line];
    }
    let (text, own) = (choice.words_behind(position), choice.own_words(position));
    let more = ellipsis(look, false);
    let style = if choice.candidate { Style::new() } else { look.dim() };
    let room = u16::try_from(room.saturating_sub(more.len())).unwrap_or(u16::MAX);
    let mut behind =
        head(wrap(&[(&text, style), (&own, look.dim())], room), most, more).into_iter();
    line.push_span("  ");
    line.spans.extend(behind.next().unwrap_or_default().spans);
    let further = behind.map(|mut row| {
        row.spans.insert(0, Span::raw(" ".repeat(column)));
        row
    });
    std::iter::once(line).chain(further).collect()
}

/// The first row shown, with the selected one in the middle if possible.
fn first_row(selected: usize, all: usize, rows: usize) -> usize {
    selected.saturating_sub(rows / 2).min(all.saturating_sub(rows))
}

fn row(explorer: &Explorer, choice: &ListedMove, look: Look, width: u16) -> Line<'static> {
    let here = explorer.here();
    let style = if choice.candidate { look.bold() } else { look.dim() };
    let is_best = here.best.as_ref().is_some_and(|best| best.best() == Some(choice.uci));
    let mark = match choice.candidate {
        _ if is_best => '*',
        true => '+',
        false => ' ',
    };
    let score = |value: Option<Value>| {
        let seen = value.map(|value| seen(value, here.position.turn(), explorer.pov));
        seen.map(|seen| seen.to_string()).unwrap_or_default()
    };
    let mut scores = format!("{mark}{:>8}", score(choice.alpha));
    let has_people = explorer.people.is_some();
    if has_people {
        scores.push_str(&against_people(choice, width));
    } else if width >= WIDE {
        let eval = score(choice.eval.filter(|eval| Some(*eval) != choice.idea));
        scores.push_str(&format!("{:>8}{eval:>8}", score(choice.idea)));
    }
    let onward = if choice.analysed { " >" } else { "" };
    let san = format!("  {}{onward}", numbered_line(&here.position, &[choice.uci]));
    let mut line = Line::from(vec![Span::styled(scores, style), Span::styled(san, style)]);
    let width = usize::from(width);
    let after_move = AFTER_MOVE + if has_people { MORE_FOR_PEOPLE } else { 0 };
    if width >= after_move + LEAST_NOTE {
        line.push_span(" ".repeat(after_move.saturating_sub(line.width())));
    }
    if let Some(wdl) = choice.said.filter(|_| width >= after_move + LEAST_NOTE) {
        let words = describe_wdl(wdl, here.position.turn(), explorer.pov);
        let computed = are_computed(&explorer.tree().row.profile);
        let from = if computed { ", computed from the score" } else { "" };
        line.push_span(Span::styled(format!("  ({words}{from})"), look.dim()));
    }
    let note = choice.note.as_ref().map(|_| "note");
    let marks: Vec<&str> = choice.marks.iter().map(String::as_str).chain(note).collect();
    if !marks.is_empty() {
        line.push_span(Span::styled(format!("  {}", marks.join(", ")), look.note()));
    }
    let remark = choice.ends().map(str::to_owned).or_else(|| {
        let room = width.saturating_sub(line.width() + 2);
        transposition(choice).map(|whole| short(whole, room))
    });
    line.extend(remark.map(|remark| Span::styled(format!("  {remark}"), look.note())));
    line
}

/// Number of games with a move, its share, and the points that it scores in 100 of them.
fn against_people(choice: &ListedMove, width: u16) -> String {
    let points = choice.expected.map(|expected| format!("{:.1}", 100.0 * expected));
    let points = points.unwrap_or_default();
    let games = choice.games.map(|games| games.to_string()).unwrap_or_default();
    let share = choice.share.map(describe_share).unwrap_or_default();
    if width >= WIDE { format!("{games:>8}{share:>7}{points:>8}") } else { format!("{points:>8}") }
}

/// The tree's first line to the position behind a move, if that is a transposition.
pub(super) fn transposition(choice: &ListedMove) -> Option<String> {
    choice.transposition.as_ref().map(|line| format!("transposition: {line}"))
}

/// A transposition without its line, or as a sign, if short of room.
fn short(whole: String, room: usize) -> String {
    let word = "transposition";
    if whole.chars().count() > room {
        if word.len() > room { "=" } else { word }.to_owned()
    } else {
        whole
    }
}

/// Draws the result and the moves of a root that tablebases know, the best first; returns the
/// number of rows for moves. Moves without room are counted.
fn draw_known(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let moves = &explorer.here().table_moves;
    let room = usize::from(area.height.saturating_sub(2));
    let shown = if moves.len() > room { room.saturating_sub(1) } else { moves.len() };
    let why = Line::styled(format!("  {}", explorer.why_no_move()), look.note());
    let heading = Line::styled("      DTZ  move", look.dim());
    let rows = moves.iter().take(shown).map(|m| known_row(explorer, m, look));
    let left = moves.len() - shown;
    let more = (left > 0).then(|| count(left as u64, "more move"));
    let more = more.map(|more| Line::styled(format!("           {more}"), look.dim()));
    let lines = [why, heading].into_iter().chain(rows).chain(more);
    for (line, y) in lines.zip(area.y..area.bottom()) {
        put(buffer, area.x, y, &line, area.width);
    }
    room
}

fn known_row(explorer: &Explorer, m: &WordedTableMove, look: Look) -> Line<'static> {
    let dtz = m.of.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
    let san = numbered_line(&explorer.here().position, &[m.of.named.uci]);
    Line::from(vec![
        Span::raw(format!("{dtz:>9}  {san:<10}")),
        Span::styled(format!("  {}", m.known), look.note()),
    ])
}

/// Draws the list over the board and the moves; returns the number of rows for it.
pub fn draw_list(
    entries: &[DirectiveEntry],
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
