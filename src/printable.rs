//! The last layer before a terminal or a pipe: whatever a text holds, it moves no cursor and turns no line.

use std::fmt::Write as _;
use std::io::{self, Write};

use deepanalyze_core::printable::{is_unprintable, printable};

/// A line of a message is cut beyond this many letters: it may quote a file or an engine.
const LONGEST: usize = 1000;

/// A message for standard error: its lines as they may be shown, none without an end.
pub fn message(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = printable(line);
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line.into_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The codes of the styles that reports have: bold, dim, and their colours. A stranger's text could look like them, and
/// does no more.
const STYLES: [&str; 6] = ["0", "1", "2", "32", "33", "36"];
/// The longest sequence of a style: `ESC [ 3 2 m`.
const LONGEST_STYLE: usize = 5;

/// Takes out of a text what is not for a terminal: control characters but for blanks, tabs and ends of lines, what turns
/// text, bytes that are no text, and escape sequences, but for those of styles where the text has any.
#[derive(Debug)]
pub struct PrintableWriter<W> {
    out: W,
    has_styles: bool,
    /// The beginning of a character or a style whose end comes later.
    begun: Vec<u8>,
}

impl<W: Write> PrintableWriter<W> {
    /// In front of a terminal or a pipe.
    pub fn new(out: W, has_styles: bool) -> PrintableWriter<W> {
        PrintableWriter { out, has_styles, begun: Vec::new() }
    }

    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut printed = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            let is_last = chunks.peek().is_none();
            let rest =
                self.push(chunk.valid(), is_last && chunk.invalid().is_empty(), &mut printed);
            self.begun.extend_from_slice(rest.as_bytes());
            match chunk.invalid() {
                [] => {}
                // At the end it may be the beginning of a character.
                cut if is_last
                    && std::str::from_utf8(cut).is_err_and(|error| error.error_len().is_none()) =>
                {
                    self.begun.extend_from_slice(cut);
                }
                _ => printed.push(char::REPLACEMENT_CHARACTER),
            }
        }
        self.out.write_all(printed.as_bytes())
    }

    /// Appends what may be shown of a text; gives the end of it that may be the beginning of a style.
    fn push<'t>(&self, text: &'t str, is_end: bool, printed: &mut String) -> &'t str {
        let mut rest = text;
        while let Some(at) = rest.find(is_unprintable) {
            let (plain, behind) = rest.split_at(at);
            printed.push_str(plain);
            let mut signs = behind.chars();
            let sign = signs.next().unwrap_or_default();
            rest = signs.as_str();
            match sign {
                '\n' | '\t' => printed.push(sign),
                '\r' if rest.starts_with('\n') => printed.push(sign),
                '\r' if rest.is_empty() && is_end => return behind,
                '\u{1b}' if self.has_styles => match style(behind) {
                    Style::Whole(style) => {
                        printed.push_str(style);
                        rest = behind.get(style.len()..).unwrap_or_default();
                    }
                    Style::Begun if is_end => return behind,
                    Style::Begun | Style::None => printed.push(' '),
                },
                sign => _ = write!(printed, "{}", printable(sign.encode_utf8(&mut [0; 4]))),
            }
        }
        printed.push_str(rest);
        ""
    }
}

/// Meaning of the bytes after an escape character.
enum Style<'t> {
    Whole(&'t str),
    Begun,
    None,
}

fn style(text: &str) -> Style<'_> {
    let whole = STYLES.iter().map(|code| format!("\u{1b}[{code}m"));
    for sequence in whole {
        match text.get(..sequence.len()) {
            Some(begin) if begin == sequence => return Style::Whole(begin),
            None if text.len() < LONGEST_STYLE && sequence.starts_with(text) => {
                return Style::Begun;
            }
            _ => {}
        }
    }
    Style::None
}

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
        if self.begun.is_empty() && bytes.iter().all(is_plain) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let all = [&std::mem::take(&mut self.begun), bytes].concat();
        self.write_text(&all)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output for a text written in pieces of this many bytes.
    fn written(text: &[u8], at_once: usize, has_styles: bool) -> String {
        let mut writer = PrintableWriter::new(Vec::new(), has_styles);
        text.chunks(at_once).for_each(|piece| writer.write_all(piece).unwrap());
        String::from_utf8(writer.out).unwrap()
    }

    #[test]
    fn nothing_but_text_and_styles_comes_through() {
        for at_once in 1..20 {
            let through = |text: &str, has_styles| written(text.as_bytes(), at_once, has_styles);
            let styled = "\u{1b}[1mname\u{1b}[0m – ½\r\nKönig\t\u{1b}[32mNf3\u{1b}[0m\n";
            assert_eq!(through(styled, true), styled);
            assert_eq!(through("\u{1b}[1mname\n", false), " [1mname\n");
            for (text, shown) in [
                ("a\u{1b}[31mRED\u{1b}]0;owned\u{7}b\n", "a [31mRED ]0;owned b\n"),
                ("a\u{1b}[2Jb\u{9b}2Jc\n", "a [2Jb 2Jc\n"),
                ("evil\u{202e}gnp.db\rover\n", "evilgnp.db over\n"),
            ] {
                assert_eq!([true, false].map(|styles| through(text, styles)), [shown, shown]);
            }
            assert_eq!(written(b"a\x9b2Jb\xff\n", at_once, true), "a\u{fffd}2Jb\u{fffd}\n");
        }
    }

    #[test]
    fn a_message_has_plain_lines_of_bounded_length() {
        let long = "x".repeat(3_000_000);
        let told = message(&format!("cannot read \u{1b}[31m{long}\n  caused by: \u{202e}it"));
        let [first, second] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
        assert!(first.starts_with("cannot read  [31mxxx") && first.ends_with("x…"), "{first}");
        assert_eq!(first.chars().count(), LONGEST + 1);
        assert_eq!(second, "  caused by: it");
    }
}
