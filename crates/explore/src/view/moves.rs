//! What is chosen among, one a row: the moves of the position with their scores in columns, those that tablebases
//! know, or all directives.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use shakmaty::Position;

use crate::explorer::Explorer;
use crate::here::{KnownMove, ListedMove, Note};
use crate::list::DirectiveEntry;
use deepanalyze_core::chess::Value;
use deepanalyze_view::{
    ExpectedScores, after, are_computed, count, describe_wdl, numbered_line, seen,
};

use super::bars::{ellipsis, own_line};
use super::words::{Look, head, put, wrap};

/// Below this width, only alpha is shown.
const WIDE: u16 = 38;

/// The columns of a row up to the end of its move, the least room for a note behind it, and for the
/// line that follows it.
const AFTER_MOVE: usize = 37;
/// How many more those are where games are shown.
const MORE_FOR_PEOPLE: usize = 7;
const LEAST_NOTE: usize = 15;
const CONTINUATION: usize = 20;

/// How many rows a move with its line has at most.
const MOST_ROWS: usize = 3;

/// Draws the moves; gives how many rows there are for them.
pub fn draw_moves(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) -> usize {
    let here = explorer.here();
    if here.choices.is_empty() && !here.table_moves.is_empty() {
        return draw_known(explorer, look, area, buffer);
    }
    let heading = match (area.width >= WIDE, explorer.people.is_some()) {
        (true, true) => "    alpha   games  share  points  move",
        (true, false) => "    alpha    idea    eval  move",
        (false, true) => "    alpha  points  move",
        (false, false) => "    alpha  move",
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
    let first = first_row(explorer.selected, here.choices.len(), rows);
    // Where all moves fit, their lines have the rows that are left.
    let each = (rows / here.choices.len()).clamp(1, MOST_ROWS);
    let mut y = area.y.saturating_add(1);
    for (index, choice) in here.choices.iter().enumerate().skip(first) {
        for mut line in rows_of(explorer, choice, look, (area.width, each)) {
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

/// A move with its line, which may go on in further rows.
fn rows_of(
    explorer: &Explorer,
    choice: &ListedMove,
    look: Look,
    (width, most): (u16, usize),
) -> Vec<Line<'static>> {
    let mut line = row(explorer, choice, look, width);
    let column = line.width() + 2;
    let room = usize::from(width).saturating_sub(column);
    let own = own_line(explorer.here(), choice);
    if room + 2 < CONTINUATION || choice.continuation.is_empty() && own.is_empty() {
        return vec![line];
    }
    let next = after(&explorer.here().position, [&choice.uci]);
    let text = numbered_line(&next, &choice.continuation);
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

/// The first row that is shown, so that the selected one is in the middle where it can be.
fn first_row(selected: usize, all: usize, rows: usize) -> usize {
    selected.saturating_sub(rows / 2).min(all.saturating_sub(rows))
}

fn row(explorer: &Explorer, choice: &ListedMove, look: Look, width: u16) -> Line<'static> {
    let here = explorer.here();
    let style = if choice.candidate { look.bold() } else { look.dim() };
    let is_best = here.best_line.first() == Some(&choice.uci);
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
    let people = explorer.people.as_ref();
    if let Some(people) = people {
        scores.push_str(&against_people(people, explorer, choice, width));
    } else if width >= WIDE {
        let eval = score(choice.eval.filter(|eval| Some(*eval) != choice.idea));
        scores.push_str(&format!("{:>8}{eval:>8}", score(choice.idea)));
    }
    let onward = if choice.analysed { " >" } else { "" };
    let san = format!("  {}{onward}", numbered_line(&here.position, &[choice.uci]));
    let mut line = Line::from(vec![Span::styled(scores, style), Span::styled(san, style)]);
    let width = usize::from(width);
    let after_move = AFTER_MOVE + people.map_or(0, |_| MORE_FOR_PEOPLE);
    if width >= after_move + LEAST_NOTE {
        line.push_span(" ".repeat(after_move.saturating_sub(line.width())));
    }
    if let Some(wdl) = choice.own.wdl.filter(|_| width >= after_move + LEAST_NOTE) {
        let words = describe_wdl(wdl, here.position.turn(), explorer.pov);
        let computed = are_computed(&explorer.tree().row.profile);
        let from = if computed { ", computed from the score" } else { "" };
        line.push_span(Span::styled(format!("  ({words}{from})"), look.dim()));
    }
    if !choice.marks.is_empty() {
        line.push_span(Span::styled(format!("  {}", choice.marks.join(", ")), look.note()));
    }
    if let Some(note) = &choice.note {
        let room = width.saturating_sub(line.width() + 2);
        line.push_span(Span::styled(format!("  {}", short(note, room)), look.note()));
    }
    line
}

/// In how many games a move was played, with which share, and the points that it scores in 100 of them.
fn against_people(
    people: &ExpectedScores,
    explorer: &Explorer,
    choice: &ListedMove,
    width: u16,
) -> String {
    let (graph, node) = (explorer.tree().growth.graph(), explorer.here().node);
    let points =
        choice.edge.map(|edge| format!("{:.1}", 100.0 * people.of_move(graph, node, &edge)));
    let points = points.unwrap_or_default();
    let games = choice.games.map(|games| games.to_string()).unwrap_or_default();
    match width >= WIDE {
        true => format!("{games:>8}{:>7}{points:>8}", choice.share),
        false => format!("{points:>8}"),
    }
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

/// Draws the result and the moves of a root that tablebases know, the best first; gives how many rows there are for
/// moves. Those for which there is no room are counted.
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

fn known_row(explorer: &Explorer, m: &KnownMove, look: Look) -> Line<'static> {
    let dtz = m.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
    let san = numbered_line(&explorer.here().position, &[m.uci]);
    Line::from(vec![
        Span::raw(format!("{dtz:>9}  {san:<10}")),
        Span::styled(format!("  {}", m.words), look.note()),
    ])
}

/// Draws the list over the board and the moves; gives how many rows there are for it.
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
