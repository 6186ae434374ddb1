//! PGN movetext, broken into lines.

use std::io::{self, Write};

use shakmaty::{Chess, Color, Position};

/// No line is longer, as the PGN export format asks.
const LINE_WIDTH: usize = 79;

/// Writes moves, glyphs, comments and variations.
pub(super) struct Movetext<'a> {
    out: &'a mut dyn Write,
    column: usize,
    /// Whether Black's next move needs its number: at the start, after a comment or a variation.
    number_due: bool,
}

impl<'a> Movetext<'a> {
    /// At the start of a game.
    pub(super) fn new(out: &'a mut dyn Write) -> Movetext<'a> {
        Movetext { out, column: 0, number_due: true }
    }

    /// A move in SAN, with its number where one is due.
    pub(super) fn write_move(&mut self, position: &Chess, san: &str) -> io::Result<()> {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => self.token(&format!("{number}."))?,
            Color::Black if self.number_due => self.token(&format!("{number}..."))?,
            Color::Black => {}
        }
        self.number_due = false;
        self.token(san)
    }

    /// A glyph by its number.
    pub(super) fn nag(&mut self, nag: u8) -> io::Result<()> {
        self.token(&format!("${nag}"))
    }

    /// A comment; it has no closing brace in it.
    pub(super) fn comment(&mut self, comment: &str) -> io::Result<()> {
        self.number_due = true;
        self.token("{")?;
        let mut rest = comment;
        while !rest.is_empty() {
            let (word, tail) = rest.split_at(end_of_word(rest));
            self.token(word)?;
            rest = tail.trim_start();
        }
        self.token("}")
    }

    /// Begins a variation.
    pub(super) fn open(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token("(")
    }

    /// Ends a variation.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token(")")
    }

    /// Ends the game with its result: `1-0`, `0-1`, `1/2-1/2`, or `*` where it is not known.
    pub(super) fn end(mut self, result: &str) -> io::Result<()> {
        self.token(result)?;
        writeln!(self.out)
    }

    /// A word of a variation that is written as it was: a move, its number, a result.
    pub(super) fn word(&mut self, word: &str) -> io::Result<()> {
        self.number_due = false;
        self.token(word)
    }

    fn token(&mut self, token: &str) -> io::Result<()> {
        let width = token.chars().count();
        if self.column > 0 && self.column + 1 + width > LINE_WIDTH {
            writeln!(self.out)?;
            // A line that begins with a percent sign is no part of the game.
            self.column = usize::from(token.starts_with('%'));
            write!(self.out, "{:1$}", "", self.column)?;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += width;
        write!(self.out, "{token}")
    }
}

/// Where the first word of a comment ends. Programs look for `[%eval 0.17]` on one line.
fn end_of_word(text: &str) -> usize {
    let (mut at, blank) = (0, |at| text.get(at..).and_then(|rest: &str| rest.find(' ')));
    while let Some(rest) = text.get(at..).filter(|rest| rest.starts_with("[%"))
        && let Some(end) = rest.find(']')
    {
        at += end + 1;
    }
    blank(at).map_or(text.len(), |blank| at + blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_stays_on_its_line_and_what_follows_it_stays_with_it() {
        let filler = "x".repeat(60);
        let mut out = Vec::new();
        let mut text = Movetext::new(&mut out);
        text.comment(&format!("[%eval]: said {filler} [%eval 0.17] [%clk 0:01:00]")).unwrap();
        text.end("*").unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("{{ [%eval]: said {filler}\n[%eval 0.17] [%clk 0:01:00] }} *\n"));
    }
}
