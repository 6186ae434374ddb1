//! Windows over the rest of the screen: the help, and the trust in the root's best move.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use shakmaty::Position;

use crate::explorer::Explorer;
use deepanalyze_view::{
    describe_closing, describe_drawn, describe_holds, describe_sureness, numbered_line, seen,
};

use super::words::{Look, put, wrap};

/// Greatest width of the help.
const HELP_WIDTH: u16 = 60;

/// Every key.
const KEYS: [(&str, &str); 22] = [
    ("j k  down up", "select a move"),
    ("^D ^U PgDn PgUp g G", "half a page, a page, first, last"),
    ("l  Enter  right", "play the selected move"),
    ("h  BkSp  left", "take the last move back"),
    ("0 ^", "back to the root"),
    ("n  Space   $  End", "the best line: next move, to its end"),
    ("/", "type moves (SAN or UCI) from here"),
    ("p  f  e", "turn scores, board; what people play"),
    ("y Y", "copy the FEN, the line"),
    ("c", "how far to trust the best move"),
    ("a", "why not the selected, or typed, move?"),
    ("r   ?   q  Esc  ^C", "read again, this help, leave"),
    ("x  i", "exclude, include the selected move"),
    ("i at the tree's end", "include the line there: follow it"),
    ("I", "type moves from here to include"),
    ("v  s  t", "here: a value, stop, a note (text)"),
    ("u  U", "take back: at the move, here"),
    ("d  D", "directives (u), what a draw is worth"),
    ("w  b   ]  [", "audit White, Black: next, previous"),
    ("", ""),
    ("alpha idea eval", "on this line, any line, the engine's"),
    ("*  +  >  =", "best, candidate, more, transposition"),
];

/// Draws the help.
pub fn draw_help(look: Look, area: Rect, buffer: &mut Buffer) {
    let row = |(keys, does): &(&str, &'static str)| {
        Line::from(vec![Span::styled(format!("  {keys:<20}"), look.bold()), Span::raw(*does)])
    };
    let rows: Vec<Line<'static>> = KEYS.iter().map(row).collect();
    draw_window(("keys", &rows, "Esc leaves the help"), HELP_WIDTH, look, area, buffer);
}

/// Greatest width of the trust window, and width of its labels.
const TRUST_WIDTH: u16 = 76;
const LABEL: u16 = 10;

/// Draws the trust window.
pub fn draw_trust(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let rows = trust_rows(explorer, look, TRUST_WIDTH.min(area.width));
    let title = "how far to trust the best move";
    draw_window((title, &rows, "Esc leaves this"), TRUST_WIDTH, look, area, buffer);
}

/// Draws the window about a move.
pub fn draw_why(explorer: &Explorer, look: Look, area: Rect, buffer: &mut Buffer) {
    let Some(asked) = &explorer.asked else { return };
    let (mut told, mut title) = (Vec::new(), "looking it up".to_owned());
    if let Some(why) = &asked.why {
        title = why.headline(explorer.pov);
        told.extend(why.sentences(explorer.pov));
        told.extend(why.search_sentences(explorer.pov));
    }
    told.extend(asked.is_searching.then(|| "an engine searches the position behind it".to_owned()));
    told.extend(asked.failed.clone());
    let width = TRUST_WIDTH.min(area.width);
    let rows = std::iter::once((title, look.bold()))
        .chain(told.into_iter().map(|sentence| (sentence, Style::new())));
    let rows: Vec<Line<'static>> = rows
        .flat_map(|(text, style)| {
            let text = if look.unicode { text } else { in_ascii(&text) };
            wrap(&[(&text, style)], width.saturating_sub(4))
        })
        .map(|mut row| {
            row.spans.insert(0, Span::raw("  "));
            row
        })
        .collect();
    draw_window(("why not this move?", &rows, "Esc leaves this"), TRUST_WIDTH, look, area, buffer);
}

/// Draws a window in the middle, between two bars; its last rows go if short of room.
fn draw_window(
    (title, rows, bottom): (&str, &[Line<'static>], &str),
    most: u16,
    look: Look,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = most.min(area.width);
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
    put(buffer, place.x, place.y, &bar(title), width);
    for (row, y) in rows.iter().zip(place.y + 1..(place.y + height).saturating_sub(1)) {
        put(buffer, place.x, y, row, width);
    }
    if height > 1 {
        put(buffer, place.x, place.bottom() - 1, &bar(bottom), width);
    }
}

/// The facts as in `show`, each with its label.
fn trust_rows(explorer: &Explorer, look: Look, width: u16) -> Vec<Line<'static>> {
    let (root, trust) = (explorer.tree().game.root(), explorer.trust.as_ref());
    let drawn = trust.and_then(|trust| trust.drawn.as_ref());
    let drawn = drawn.map(|drawn| describe_drawn(root, drawn, explorer.pov));
    let holds = trust.and_then(|trust| trust.stability.as_ref());
    let told = explorer.tree().verdict();
    let holds = holds.map(|stability| describe_holds(root, stability, told.as_ref(), explorer.pov));
    let stays = told.as_ref().and_then(|told| describe_sureness(told, trust?.stays));
    let limit = explorer.tree().row.profile.limit;
    let closing = explorer.tree().closing.as_ref();
    let closing = closing.map(|closing| describe_closing(root, closing, limit, explorer.pov));
    let verdict = told.and_then(|told| {
        let (best, score) = (told.best(), told.choice.score());
        let score = seen(score, root.turn(), explorer.pov);
        let whose = told.describe(explorer.pov)?;
        Some(format!("{} {score}: {whose}", numbered_line(root, &[best])))
    });
    let known = [
        ("verdict", verdict),
        ("a draw", drawn),
        ("holds", holds),
        ("chance", stays),
        ("closing", closing),
    ];
    let known = known.into_iter().filter_map(|(label, text)| Some((label, text?)));
    let rows: Vec<Line<'static>> =
        known.flat_map(|(label, text)| labelled(label, &text, look, width)).collect();
    if rows.is_empty() { vec![Line::raw("  nothing is known of that yet")] } else { rows }
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
