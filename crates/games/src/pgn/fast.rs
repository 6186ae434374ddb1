//! The quick way through a game as programs write it: tags, then moves in SAN with their numbers,
//! comments and glyphs after them.
//!
//! For anything else (a variation, a move that cannot be played, a number that does not fit, text
//! that is not UTF-8), this reader gives up, and the core's strict one reads the game: so the games
//! are those that the core finds, and eight times as many in a second
//! (`docs/measurements/games.txt`).

use shakmaty::san::San;
use shakmaty::{Chess, Color, Position, Role};

use super::counted::{Line, Tags};

/// The game of a part of a file; `None` if the strict reader must look.
pub(super) fn game_of<'t>(part: &'t [u8], line: &mut Line, tags: &mut Tags<'t>) -> Option<()> {
    let text = str::from_utf8(part).ok()?;
    let mut rest = text.as_bytes();
    while rest.first() == Some(&b'[') {
        let end = memchr::memchr(b'\n', rest)?;
        let (tag, behind) = rest.split_at_checked(end)?;
        tags.take(tag.trim_ascii_end())?;
        rest = behind.get(1..)?;
    }
    line.begin(tags.start()?);
    let mut words = Words { rest: blank_line(rest)? };
    tags.result = moves(&mut words, line)?;
    words.is_at_end().then_some(())
}

/// The text after the empty line between tags and moves.
fn blank_line(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\n").or_else(|| text.strip_prefix(b"\r\n"))
}

/// Plays the moves up to the result, and returns it.
fn moves<'t>(words: &mut Words<'t>, line: &mut Line) -> Option<&'t str> {
    // True after the number of a move: only the move or a comment may follow.
    let mut is_behind_number = false;
    loop {
        let word = words.next()?;
        match *word.first()? {
            b'{' => {}
            b'$' if is_behind_number || line.is_at_start() => return None,
            b'$' => {
                let number =
                    word.get(1..).filter(|number| number.iter().all(u8::is_ascii_digit))?;
                str::from_utf8(number).ok()?.parse::<u8>().ok()?;
            }
            b'0'..=b'9' | b'*' if is_result(word) => {
                return str::from_utf8(word).ok().filter(|_| !is_behind_number);
            }
            b'1'..=b'9' => {
                let behind = number_fits(word, line.position())?;
                is_behind_number = behind.is_empty();
                if !is_behind_number {
                    play(behind, line)?;
                }
            }
            _ => {
                play(word, line)?;
                is_behind_number = false;
            }
        }
    }
}

fn is_result(word: &[u8]) -> bool {
    matches!(word, b"1-0" | b"0-1" | b"1/2-1/2" | b"*")
}

/// The text after a move number that fits: `12.`, `12...`, `12.e4`.
fn number_fits<'t>(word: &'t [u8], position: &Chess) -> Option<&'t [u8]> {
    let digits = word.iter().position(|byte| !byte.is_ascii_digit())?;
    let (number, behind) = word.split_at_checked(digits)?;
    let number: u32 = str::from_utf8(number).ok()?.parse().ok()?;
    let behind = match position.turn() {
        Color::White => behind.strip_prefix(b".")?,
        Color::Black => behind.strip_prefix(b"...")?,
    };
    let is_more = behind.first() == Some(&b'.');
    (number == position.fullmoves().get() && !is_more).then_some(behind)
}

fn play(word: &[u8], line: &mut Line) -> Option<()> {
    let word = without_glyph(word)?;
    let word = word.strip_suffix(b"+").or_else(|| word.strip_suffix(b"#")).unwrap_or(word);
    let san = San::from_ascii(word).ok()?;
    if matches!(san, San::Put { .. } | San::Null) {
        return None;
    }
    let played = san.to_move(line.position()).ok()?;
    // The core wants a capturing pawn's file, and no other origin of a pawn.
    if let San::Normal { role: Role::Pawn, file, rank, .. } = san
        && (rank.is_some() || file.is_some() != played.is_capture())
    {
        return None;
    }
    line.play(played)
}

/// A move without `!?` after it; `None` if it has other signs.
fn without_glyph(word: &[u8]) -> Option<&[u8]> {
    let Some(at) = memchr::memchr2(b'!', b'?', word) else { return Some(word) };
    let (word, glyph) = word.split_at_checked(at)?;
    matches!(glyph, b"!" | b"?" | b"!!" | b"??" | b"!?" | b"?!").then_some(word)
}

/// The words of the moves.
struct Words<'t> {
    rest: &'t [u8],
}

impl<'t> Words<'t> {
    /// The next word or comment; `None` if it needs a closer look.
    fn next(&mut self) -> Option<&'t [u8]> {
        self.skip_blanks()?;
        let end = match self.rest.first()? {
            b'{' => memchr::memchr(b'}', self.rest)? + 1,
            _ => {
                let end = self.rest.iter().position(|byte| !is_of_word(*byte));
                end.unwrap_or(self.rest.len())
            }
        };
        let (word, rest) = self.rest.split_at_checked(end)?;
        if word.first() == Some(&b'{') && !is_plain_comment(word) {
            return None;
        }
        // Allowed after a word: a blank, a comment, a glyph.
        if !matches!(rest.first(), None | Some(b' ' | b'\n' | b'\r' | b'{' | b'$')) {
            return None;
        }
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Skips blanks and line ends, but not an empty line.
    fn skip_blanks(&mut self) -> Option<()> {
        let mut lines = 0;
        while let Some((first, rest)) = self.rest.split_first() {
            match first {
                b' ' => {}
                b'\r' if rest.first() == Some(&b'\n') => {}
                b'\n' if rest.first() == Some(&b'%') => return None,
                b'\n' => lines += 1,
                _ => break,
            }
            self.rest = rest;
        }
        (lines < 2).then_some(())
    }

    /// True if nothing is left.
    fn is_at_end(&self) -> bool {
        self.rest.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\r'))
    }
}

/// Characters of moves, their numbers and results.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".-+#=!?/*$".contains(&byte)
}

/// A comment without a line that could be something else.
fn is_plain_comment(comment: &[u8]) -> bool {
    let inside = comment.get(1..).unwrap_or_default();
    let behind = |at: usize| inside.get(at + 1).copied().unwrap_or_default();
    memchr::memchr2(b'{', b'\x1a', inside).is_none()
        && memchr::memchr_iter(b'\r', inside).all(|at| behind(at) == b'\n')
        && memchr::memchr_iter(b'\n', inside).all(|at| !b"\n\r[ \t".contains(&behind(at)))
}
