//! The words of a PGN file, line by line: tags, moves, comments, variations.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// What stands in a PGN file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A line with nothing on it, outside comments.
    Blank,
    /// A tag.
    Tag(&'a str, &'a str),
    /// A comment, its lines as one.
    Comment(&'a str),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// A numbered glyph: `$2`.
    Glyph(u8),
    /// A move, its number, both in one, or a result.
    Word(&'a str),
}

/// No line of a PGN file is as long as this.
const LONGEST_LINE: u64 = 16 << 20;

/// Lines of a comment beyond so many bytes are left out.
const LONGEST_COMMENT: usize = 1 << 20;

/// What is told apart line by line.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The comment that is not closed yet.
    comment: Option<String>,
}

impl Words {
    /// Whether a comment is not closed yet.
    pub(super) fn in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Tells the words of the next line one after the other.
    pub(super) fn line<E>(
        &mut self,
        line: &str,
        mut tell: impl FnMut(Token<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = line.trim_end();
        if self.comment.is_none() {
            if rest.starts_with('%') {
                return Ok(());
            }
            if rest.is_empty() {
                return tell(Token::Blank);
            }
            while let Some((name, value, behind)) = tag(rest) {
                tell(Token::Tag(name, &value))?;
                rest = behind;
            }
        }
        loop {
            if let Some(comment) = &mut self.comment {
                let Some((inside, behind)) = rest.split_once('}') else {
                    // It may be one that has no end.
                    if comment.len() < LONGEST_COMMENT {
                        comment.push_str(rest);
                        comment.push(' ');
                    }
                    return Ok(());
                };
                comment.push_str(inside);
                tell(Token::Comment(comment))?;
                self.comment = None;
                rest = behind;
            }
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            let (sign, behind) = rest.split_at(first.len_utf8());
            match sign {
                "{" => self.comment = Some(String::new()),
                "(" => tell(Token::Open)?,
                ")" => tell(Token::Close)?,
                ";" => return tell(Token::Comment(behind)),
                "}" => {}
                "$" => {
                    let end = behind.find(|c: char| !c.is_ascii_digit());
                    let (digits, behind) = behind.split_at(end.unwrap_or(behind.len()));
                    // There is no other glyph.
                    if let Ok(glyph) = digits.parse() {
                        tell(Token::Glyph(glyph))?;
                    }
                    rest = behind;
                    continue;
                }
                _ => {
                    let end = rest.find(is_end).unwrap_or(rest.len());
                    let (word, behind) = rest.split_at(end);
                    tell(Token::Word(word))?;
                    rest = behind;
                    continue;
                }
            }
            rest = behind;
        }
    }
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || "{}();$".contains(c)
}

/// The tag that a line begins with: name, value, and what stands behind it.
fn tag(line: &str) -> Option<(&str, Cow<'_, str>, &str)> {
    let (name, quoted) = line.trim_start().strip_prefix('[')?.split_once('"')?;
    let mut is_escaped = false;
    let end = quoted.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let (value, behind) = quoted.split_at(end.unwrap_or(quoted.len()));
    let behind = behind.split_once(']').map_or("", |(_, behind)| behind);
    let value = if value.contains('\\') {
        Cow::Owned(value.replace("\\\"", "\"").replace("\\\\", "\\"))
    } else {
        Cow::Borrowed(value)
    };
    Some((name.trim(), value, behind))
}

/// Reads the next line into a buffer; whether there was one.
pub(super) fn read_line(file: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let read = file.take(LONGEST_LINE).read_until(b'\n', bytes)?;
    if read as u64 == LONGEST_LINE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not PGN: a line has no end"));
    }
    Ok(read > 0)
}

/// A line as text: UTF-8, or Latin-1, in which the standard wrote PGN.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (mut words, mut told) = (Words::default(), Vec::new());
        for line in text.lines() {
            words
                .line(line, |token| {
                    told.push(match token {
                        Token::Tag(name, value) => format!("[{name}={value}]"),
                        Token::Comment(text) => format!("{{{text}}}"),
                        Token::Word(word) => word.to_owned(),
                        sign => format!("{sign:?}"),
                    });
                    Ok::<(), ()>(())
                })
                .unwrap();
        }
        told
    }

    #[test]
    fn a_file_is_taken_apart() {
        let text =
            "[White \"a \\\"b\\\"\"] [Black \"c]\"]\n% (\n\n1.e4$12{x (y\nz}e5(1...c5)2. Nf3!;end";
        let expected = [
            "[White=a \"b\"]",
            "[Black=c]]",
            "Blank",
            "1.e4",
            "Glyph(12)",
            "{x (y z}",
            "e5",
            "Open",
            "1...c5",
            "Close",
            "2.",
            "Nf3!",
            "{end}",
        ];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn what_is_not_utf_8_is_latin_1() {
        assert_eq!(text_of(b"caf\xe9"), "caf\u{e9}");
        assert_eq!(text_of("\u{feff}café".as_bytes()), "café");
    }
}
