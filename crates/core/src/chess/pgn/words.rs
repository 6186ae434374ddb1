//! The words of a PGN file, line by line: tags, moves, comments, variations.

use std::borrow::Cow;
use std::ops::Range;

use crate::chess::notation::{WordPart, parts};

/// A token of a PGN file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PgnToken<'a> {
    /// A tag.
    Tag(&'a str, &'a str),
    /// A line that is meant to be a tag, or what is left of one.
    BadTag(&'a str),
    /// Text behind a tag that is neither a tag nor moves.
    Behind,
    /// A comment, its lines as one.
    Comment(&'a str),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// A numbered glyph: `$2`; None if the number is not a glyph's.
    Glyph(Option<u8>),
    /// The end of a comment that has not begun.
    EndOfComment,
    /// A move, its number, both in one, or a result.
    Word(&'a str),
}

/// No move with markup around it is longer.
const LONGEST_MARKED_WORD: usize = 100;
/// Lines of a comment beyond this many bytes are left out.
const LONGEST_COMMENT: usize = 1 << 20;

/// Splits a file into tokens line by line.
#[derive(Debug, Default)]
pub(super) struct PgnWords {
    /// The comment that is not closed yet.
    comment: Option<String>,
}

impl PgnWords {
    /// True if a comment is not closed yet.
    pub(super) fn in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Calls `tell` with the tokens of the next line.
    pub(super) fn line(&mut self, line: &str, mut tell: impl FnMut(PgnToken<'_>)) {
        let mut rest = line;
        if self.comment.is_none() {
            if rest.starts_with('%') {
                return;
            }
            while let Some((name, value, behind)) = tag(rest) {
                tell(PgnToken::Tag(name, &value));
                rest = behind;
                let behind = rest.trim();
                if tag(rest).is_some() || behind.is_empty() || behind.starts_with(['{', ';']) {
                    continue;
                }
                if behind.ends_with(']') && !has_moves(rest) {
                    return tell(PgnToken::BadTag(rest));
                }
                if !has_moves(rest) {
                    return tell(PgnToken::Behind);
                }
            }
        }
        loop {
            if let Some(comment) = &mut self.comment {
                let Some((inside, behind)) = rest.split_once('}') else {
                    // It may be one that has no end.
                    if comment.len() < LONGEST_COMMENT {
                        comment.push_str(rest.trim_end());
                        comment.push(' ');
                    }
                    return;
                };
                comment.push_str(inside);
                tell(PgnToken::Comment(comment));
                self.comment = None;
                rest = behind;
            }
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { return };
            let (sign, behind) = rest.split_at(first.len_utf8());
            rest = behind;
            match sign {
                "{" => self.comment = Some(String::new()),
                "(" => tell(PgnToken::Open),
                ")" => tell(PgnToken::Close),
                "}" => tell(PgnToken::EndOfComment),
                ";" => return tell(PgnToken::Comment(behind)),
                "$" => {
                    let (glyph, behind) = glyph(behind);
                    tell(PgnToken::Glyph(glyph));
                    rest = behind;
                }
                _ => {
                    let line =
                        line.get(line.len() - behind.len() - sign.len()..).unwrap_or_default();
                    if let Some((result, behind)) = result_apart(line) {
                        tell(PgnToken::Word(result));
                        rest = behind;
                        continue;
                    }
                    let (word, behind) = line.split_at(end_of_word(line));
                    let (word, behind) = match markup(word, behind) {
                        Some(markup) => {
                            let behind = line.get(markup.end..).unwrap_or_default();
                            (line.get(..markup.start).unwrap_or_default(), behind)
                        }
                        None => (word, behind),
                    };
                    if !word.is_empty() {
                        tell(PgnToken::Word(word));
                    }
                    rest = behind;
                }
            }
        }
    }
}

/// The glyph behind a `$`, and the rest: a blank or a sign may stand in front of its number.
fn glyph(text: &str) -> (Option<u8>, &str) {
    let number = text.trim_start();
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (found, behind) = digits.split_at(end);
    let is_glued = digits.len() == text.len();
    // `$ 1.` and `$ 1-0` are no glyph's.
    if !is_glued && (found.is_empty() || !behind.is_empty() && !behind.starts_with(is_end)) {
        return (None, text);
    }
    let is_signed = digits.len() < number.len();
    (found.parse().ok().filter(|_| !is_signed), behind)
}

/// A result with blanks in it: `1 - 0`.
fn result_apart(text: &str) -> Option<(&'static str, &str)> {
    let results = [("1 - 0", "1-0"), ("0 - 1", "0-1")];
    results.into_iter().find_map(|(written, result)| {
        let behind = text.strip_prefix(written)?;
        (behind.is_empty() || behind.starts_with(is_end)).then_some((result, behind))
    })
}

/// The range of markup in a word that was copied from a page: `<b>`; `behind` is the text after it.
fn markup(word: &str, behind: &str) -> Option<Range<usize>> {
    const NAMES: [&str; 8] = ["b", "br", "em", "font", "i", "p", "strong", "u"];
    if word.len() > LONGEST_MARKED_WORD {
        return None;
    }
    word.match_indices('<').find_map(|(start, _)| {
        let inside = word.get(start + 1..)?;
        let (inside, _) = inside.split_once('>')?;
        let name = inside.trim_matches('/');
        let end = start + inside.len() + 2;
        // A `<b>` in front of a square that is not closed may be a bishop.
        let near = || behind.char_indices().take(LONGEST_MARKED_WORD);
        let closes = |(at, _)| behind.get(at..).is_some_and(|behind| behind.starts_with("</b>"));
        let is_closed = || word.contains("</b>") || near().any(closes);
        let is_bishop = || {
            let next =
                word.get(end..)?.chars().chain(behind.chars()).find(|c| !c.is_whitespace())?;
            Some(('a'..='h').contains(&next) || next == 'x')
        };
        let is_markup = name != "b" || is_closed() || is_bishop() != Some(true);
        (NAMES.contains(&name) && is_markup).then_some(start..end)
    })
}

/// The end of a text's first word: at `(`, unless a promotion stands in brackets (`a8(Q)`).
fn end_of_word(text: &str) -> usize {
    let end = text.find(is_end).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    let becomes = ["(Q)", "(R)", "(B)", "(N)"].iter().any(|role| behind.starts_with(role));
    let is_at_last_rank = word.ends_with(['1', '8']) && has_moves(word);
    end + if becomes && is_at_last_rank { 3 } else { 0 }
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || "{}();$".contains(c)
}

/// True if a line is meant to be a tag, with or without faults.
pub(super) fn is_like_tag(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('[') && !line.starts_with("[%")
}

/// True if there is a move in a line.
pub(super) fn has_moves(line: &str) -> bool {
    let is_move = |word: &str| parts(word).iter().any(|(part, _)| *part == WordPart::Move);
    line.split(is_end).any(is_move)
}

/// The tag that a line begins with: name, value, and the rest of the line. Quotes in a value are
/// doubled, have a backslash in front, or stand as they are: the first one with a bracket behind it
/// is the last.
pub(super) fn tag(line: &str) -> Option<(&str, Cow<'_, str>, &str)> {
    let (name, quoted) = line.trim_start().strip_prefix('[')?.split_once('"')?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_+#=:-".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let (value, behind) = value(quoted)?;
    let value = if value.contains(['\\', '"']) {
        Cow::Owned(value.replace("\\\"", "\"").replace("\\\\", "\\").replace("\"\"", "\""))
    } else {
        Cow::Borrowed(value)
    };
    Some((name, value, behind))
}

/// A tag's value without its last quote, and the rest behind the bracket.
fn value(quoted: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    // A backslash at the end of a value (`C:\`) is none in front of a quote.
    let mut last = None;
    for (at, c) in quoted.char_indices() {
        if c == '"'
            && let Some((value, behind)) = quoted.split_at_checked(at)
            && let Some(behind) = behind.get(1..).map(str::trim_start)
            && let Some(behind) = behind.strip_prefix(']')
        {
            last = Some((value, behind));
            if !is_escaped {
                break;
            }
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (mut words, mut told) = (PgnWords::default(), Vec::new());
        for line in text.lines() {
            words.line(line, |token| {
                told.push(match token {
                    PgnToken::Tag(name, value) => format!("[{name}={value}]"),
                    PgnToken::Comment(text) => format!("{{{text}}}"),
                    PgnToken::Word(word) => word.to_owned(),
                    sign => format!("{sign:?}"),
                });
            });
        }
        told
    }

    #[test]
    fn a_file_is_taken_apart() {
        let text = "[White \"a \\\"b\\\"\"] [Black \"c]\"]\n% (\n\n1.e4$12{x (y\nz}e5(1...c5)2.\u{a0}Nf3!}$999 $1Nf6;end";
        let expected = [
            "[White=a \"b\"]",
            "[Black=c]]",
            "1.e4",
            "Glyph(Some(12))",
            "{x (y z}",
            "e5",
            "Open",
            "1...c5",
            "Close",
            "2.",
            "Nf3!",
            "EndOfComment",
            "Glyph(None)",
            "Glyph(Some(1))",
            "Nf6",
            "{end}",
        ];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn quotes_in_a_tag_are_part_of_its_value() {
        for (line, value) in [
            ("[Event \"Club \"Zug\" Open\"]", "Club \"Zug\" Open"),
            ("[Event \"Club \"\"Zug\"\"\"]", "Club \"Zug\""),
            ("[Event \"\"]", ""),
            ("[Event \"C:\\\"]", "C:\\"),
            ("[Event \"a \\\" ] b\" ]", "a \" ] b"),
            (" [ Event  \"a\" ]  ", "a"),
        ] {
            assert_eq!(words(line), [format!("[Event={value}]")], "{line}");
        }
        assert_eq!(words("[%eval \"x\"]"), ["[%eval", "\"x\"]"]);
    }
}
