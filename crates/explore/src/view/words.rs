//! Text on the screen: how it looks, rows, and words broken into rows.

use deepanalyze_core::printable::printable;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// The look of things: the terminal's abilities and the user's choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Chess figures and other signs beyond ASCII; letters otherwise.
    pub unicode: bool,
    /// Colours; without them, weight and reversal say the same.
    pub colour: bool,
}

impl Look {
    /// For less important text.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// For emphasis.
    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// For notes on moves.
    pub fn note(self) -> Style {
        self.coloured(Style::new(), Color::Cyan)
    }

    /// For errors.
    pub fn error(self) -> Style {
        self.coloured(self.bold(), Color::Red)
    }

    /// For work in progress.
    pub fn alive(self) -> Style {
        self.coloured(self.bold(), Color::Green)
    }

    /// The bars at the top and around the help.
    pub fn title(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        if self.colour { style.fg(colour) } else { style }
    }

    /// A divider of a line's parts.
    pub fn divider(self) -> &'static str {
        if self.unicode { " · " } else { " | " }
    }
}

/// Text in a style.
pub type Part<'a> = (&'a str, Style);

/// Puts a row of text at a place, if the window has it: there may be no rows at all. Names in it
/// cannot leave the row.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, line: &Line<'_>, width: u16) {
    if buffer.area.contains(Position::new(x, y)) {
        let shown =
            |span: &Span<'_>| Span::styled(printable(&span.content).into_owned(), span.style);
        let shown: Line<'_> = line.iter().map(shown).collect();
        buffer.set_line(x, y, &shown.style(line.style), width);
    }
}

/// Breaks texts into rows of a width, between words where that is possible.
pub fn wrap(parts: &[Part<'_>], width: u16) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let mut rows = vec![Line::default()];
    for (text, style) in parts {
        for word in words(text) {
            let span = Span::styled(word, *style);
            let used = rows.last().map_or(0, Line::width);
            if used > 0 && used + 1 + span.width() > width {
                rows.push(Line::default());
            } else if used > 0
                && let Some(row) = rows.last_mut()
            {
                row.push_span(Span::styled(" ", *style));
            }
            if let Some(row) = rows.last_mut() {
                row.push_span(span);
            }
        }
    }
    rows
}

/// The words of a text; a move number belongs to its move.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last) if last.ends_with('.') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The first rows, with a mark where there are more.
pub fn head(mut rows: Vec<Line<'static>>, count: usize, more: &'static str) -> Vec<Line<'static>> {
    if rows.len() > count {
        rows.truncate(count);
        if let Some(last) = rows.last_mut() {
            last.push_span(Span::raw(more));
        }
    }
    rows
}

/// The last rows, with a mark where there are more before them.
pub fn tail(mut rows: Vec<Line<'static>>, count: usize, more: &'static str) -> Vec<Line<'static>> {
    if rows.len() > count {
        rows.drain(..rows.len() - count);
        if let Some(first) = rows.first_mut() {
            first.spans.insert(0, Span::raw(more));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, width: u16) -> Vec<String> {
        let rows = wrap(&[(text, Style::new())], width);
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_ends_between_moves_and_never_behind_a_number() {
        assert_eq!(rows("1. e4 e5 2. Nf3 Nc6", 11), ["1. e4 e5", "2. Nf3 Nc6"]);
        assert_eq!(rows("12... Nbxd7 13. O-O", 3), ["12... Nbxd7", "13. O-O"], "too narrow");
        assert_eq!(rows("", 9), [""]);
    }
}
