//! PGN movetext, broken into lines.

use std::io::{self, Write};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Value, san_of};

use deepanalyze_view::play;

/// No line is longer, as the PGN export format asks.
const LINE_WIDTH: usize = 79;

/// Writes moves, glyphs, comments and variations.
pub struct Movetext<'a> {
    out: &'a mut dyn Write,
    column: usize,
    /// True if Black's next move needs its number: at the start, after a comment or a variation.
    number_due: bool,
}

impl<'a> Movetext<'a> {
    /// At the start of a game.
    pub fn new(out: &'a mut dyn Write) -> Movetext<'a> {
        Movetext { out, column: 0, number_due: true }
    }

    /// Writes a move in SAN, with its number if due.
    pub fn write_move(&mut self, position: &Chess, uci: UciMove) -> io::Result<()> {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => self.token(&format!("{number}."))?,
            Color::Black if self.number_due => self.token(&format!("{number}..."))?,
            Color::Black => {}
        }
        self.number_due = false;
        self.token(&san_of(position, uci))
    }

    /// Writes a line's moves, with a comment behind the first; returns the position after them.
    pub fn write_line<'m>(
        &mut self,
        start: &Chess,
        line: impl IntoIterator<Item = &'m UciMove>,
        mut comment: Option<&str>,
    ) -> io::Result<Chess> {
        let mut position = start.clone();
        for uci in line {
            self.write_move(&position, *uci)?;
            comment.take().map_or(Ok(()), |comment| self.comment(comment))?;
            play(&mut position, *uci);
        }
        Ok(position)
    }

    /// Writes a glyph.
    pub fn nag(&mut self, nag: u8) -> io::Result<()> {
        self.token(&format!("${nag}"))
    }

    /// Writes a comment without a closing brace.
    pub fn comment(&mut self, comment: &str) -> io::Result<()> {
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
    pub fn open(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token("(")
    }

    /// Ends a variation.
    pub fn close(&mut self) -> io::Result<()> {
        self.number_due = true;
        self.token(")")
    }

    /// Ends the game with its result: `1-0`, `0-1`, `1/2-1/2`, or `*` if unknown.
    pub fn end(mut self, result: &str) -> io::Result<()> {
        self.token(result)?;
        writeln!(self.out)
    }

    /// A word of a variation, as written in the file: a move, its number, a result.
    pub fn word(&mut self, word: &str) -> io::Result<()> {
        self.number_due = false;
        self.token(word)
    }

    fn token(&mut self, token: &str) -> io::Result<()> {
        let width = token.chars().count();
        if self.column > 0 && self.column + 1 + width > LINE_WIDTH {
            writeln!(self.out)?;
            // A line that begins with a percent sign is not part of the game.
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

/// The end of a comment's first word. Programs look for `[%eval 0.17]` on one line.
fn end_of_word(text: &str) -> usize {
    let (mut at, blank) = (0, |at| text.get(at..).and_then(|rest: &str| rest.find(' ')));
    while let Some(rest) = text.get(at..).filter(|rest| rest.starts_with("[%"))
        && let Some(end) = rest.find(']')
    {
        at += end + 1;
    }
    blank(at).map_or(text.len(), |blank| at + blank)
}

/// Losses in winning chances (from −1 to 1) that deserve glyphs, greatest first.
const BAD: [(f64, u8); 3] = [(0.3, 4), (0.2, 2), (0.1, 6)];
/// Advantages in centipawns that deserve glyphs for White; Black's are one more.
const ADVANTAGE: [(i32, u8); 3] = [(150, 18), (75, 16), (25, 14)];
/// Equal chances.
const EQUAL: u8 = 10;

/// The glyph of a move that loses winning chances against the best one: `$6` dubious, `$2` mistake,
/// `$4` blunder.
pub fn nag_of_move(best: Value, alpha: Value) -> Option<u8> {
    let loss = best.winning_chances() - alpha.winning_chances();
    BAD.iter().find(|(least, _)| loss >= *least).map(|(_, nag)| *nag)
}

/// A glyph of [`nag_of_move`] as in books.
pub fn sign_of_nag(nag: u8) -> &'static str {
    match nag {
        2 => "?",
        4 => "??",
        6 => "?!",
        _ => "",
    }
}

/// The glyph of a position that a line ends with, from the value of the last move for its mover:
/// `$10` equal, `$14` to `$19` better, much better, winning.
pub fn nag_of_end(alpha: Value, mover: Color) -> u8 {
    let (advantage, side) = match (i32::from(alpha.get()), mover) {
        (cp, mover) if cp >= 0 => (cp, mover),
        (cp, mover) => (-cp, !mover),
    };
    let found = ADVANTAGE.iter().find(|(least, _)| advantage >= *least);
    found.map_or(EQUAL, |(_, nag)| nag + u8::from(side == Color::Black))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_comment_stay_on_one_line() {
        let filler = "x".repeat(60);
        let mut out = Vec::new();
        let mut text = Movetext::new(&mut out);
        text.comment(&format!("[%eval]: said {filler} [%eval 0.17] [%clk 0:01:00]")).unwrap();
        text.end("*").unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, format!("{{ [%eval]: said {filler}\n[%eval 0.17] [%clk 0:01:00] }} *\n"));
    }
}

#[cfg(test)]
mod tests_of_nag {
    use super::*;
    use deepanalyze_core::chess::Score;

    fn value(score: Score) -> Value {
        Value::from(score)
    }

    #[test]
    fn glyphs_go_by_winning_chances() {
        for (best, alpha, nag) in [
            (20, -30, None),
            (20, -36, Some(6)),
            (20, -92, Some(2)),
            (20, -155, Some(4)),
            (900, 700, None),
            (2000, 1000, None),
            (-700, -900, None),
        ] {
            let (best, alpha) = (value(Score::Cp(best)), value(Score::Cp(alpha)));
            assert_eq!(nag_of_move(best, alpha), nag, "{best} {alpha}");
        }
        assert_eq!(nag_of_move(value(Score::Mate(2)), value(Score::Mate(5))), None);
        assert_eq!(nag_of_move(value(Score::Mate(2)), value(Score::Cp(100))), Some(4));
        assert_eq!(nag_of_move(value(Score::Cp(0)), value(Score::Mate(-3))), Some(4));
    }

    #[test]
    fn a_line_ends_with_the_side_that_is_better() {
        for (cp, mover, nag) in [
            (24, Color::White, 10),
            (25, Color::White, 14),
            (25, Color::Black, 15),
            (-80, Color::White, 17),
            (-80, Color::Black, 16),
            (150, Color::White, 18),
            (-31_000, Color::White, 19),
        ] {
            assert_eq!(nag_of_end(value(Score::Cp(cp)), mover), nag, "{cp} {mover:?}");
        }
        assert_eq!(nag_of_end(value(Score::Mate(-1)), Color::Black), 18);
    }
}
