//! Foreign text made safe to show: names of engines, sources, sets, players and files, and messages
//! of engines and networks.

use std::borrow::Cow;

/// True if a character is no part of a name in any language: it controls a terminal (escape, bell,
/// the controls of ISO 6429 beyond ASCII), ends a line, or turns the direction of the text behind
/// it, so that a line misleads.
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || is_separator(c) || turns_text(c)
}

fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// The controls of the Unicode Bidirectional Algorithm.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text safe to show: a blank for each control character and line end, nothing for what turns text.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(is_unprintable) {
        text.chars().filter_map(shown).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// A character as it may be shown; None if it is left out.
fn shown(c: char) -> Option<char> {
    match c {
        c if turns_text(c) => None,
        c if is_unprintable(c) => Some(' '),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_or_turns_text_is_taken_out() {
        for (text, shown) in [
            ("Stockfish 17", "Stockfish 17"),
            ("A\u{1b}[31mRED\u{1b}]0;owned\u{7}", "A [31mRED ]0;owned "),
            ("\u{9b}2J\u{7f}\r\nx\t\0", " 2J   x  "),
            ("evil\u{202e}gnp.db", "evilgnp.db"),
            ("\u{61c}\u{200e}\u{200f}\u{202a}\u{2066}\u{2069}", ""),
            ("a\u{2028}b\u{2029}c", "a b c"),
            ("Müller – Ångström 王皓 اَلْعَرَبِيَّةُ 👩‍💻", "Müller – Ångström 王皓 اَلْعَرَبِيَّةُ 👩‍💻"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
            assert!(!printable(text).contains(is_unprintable));
        }
    }
}
