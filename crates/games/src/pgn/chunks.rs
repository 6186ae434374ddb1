//! Cuts a file into pieces of whole games, which may be read in any order.
//!
//! A piece ends before a tag that follows moves, or before a tag `Event` that follows an empty
//! line, and nowhere else. The core's reader ends a game there in any case, so that the pieces have
//! the games of the whole file.

use std::io::{self, Read};

/// Bytes of a file read at once.
const AT_ONCE: usize = 1 << 20;
/// The longest game of a valid file.
const LONGEST_GAME: usize = 64 << 20;
/// Bytes in which the end of a comment with tags in it is sought; the core's reader gives up after
/// 1 MiB of text.
const LONGEST_COMMENT: usize = 4 << 20;

/// A piece of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunk {
    /// Its number among all pieces of all files, from 0.
    pub(crate) number: u64,
    /// Its file's number, from 0.
    pub(crate) file: usize,
    /// Lines of the file before it.
    pub(crate) lines: u64,
    /// True if it is a whole file.
    pub(crate) is_whole: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Cuts a file into pieces.
pub(crate) struct Chunks<R> {
    file: R,
    /// Bytes read after the last whole game.
    rest: Vec<u8>,
    /// Lines before that.
    lines: u64,
    is_first: bool,
    is_at_end: bool,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(file: R) -> Chunks<R> {
        Chunks { file, rest: Vec::new(), lines: 0, is_first: true, is_at_end: false }
    }

    /// The next piece; its number and file are yet to be set.
    ///
    /// # Errors
    ///
    /// File errors, and one if a game has no end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Chunk>> {
        let mut beginnings = Beginnings::default();
        while !self.is_at_end {
            self.read()?;
            let last = std::iter::from_fn(|| beginnings.next(&self.rest, false)).last();
            if let Some(end) = last {
                let rest = self.rest.split_off(end);
                return Ok(Some(self.take(rest)));
            }
            if self.rest.len() > LONGEST_GAME {
                let what =
                    "there is no beginning of a game in 64 MiB: games in PGN begin with tags";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        Ok((!self.rest.is_empty()).then(|| self.take(Vec::new())))
    }

    fn read(&mut self) -> io::Result<()> {
        let room = AT_ONCE.saturating_sub(self.rest.len()).max(AT_ONCE / 4) as u64;
        let read = (&mut self.file).take(room).read_to_end(&mut self.rest)?;
        self.is_at_end = (read as u64) < room;
        Ok(())
    }

    fn take(&mut self, rest: Vec<u8>) -> Chunk {
        let bytes = std::mem::replace(&mut self.rest, rest);
        let lines = self.lines;
        self.lines += line_ends(&bytes);
        let is_whole = std::mem::take(&mut self.is_first) && self.is_at_end && self.rest.is_empty();
        Chunk { number: 0, file: 0, lines, is_whole, bytes }
    }
}

/// Counts line ends: a line feed, a carriage return, or both.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    let is_alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let returns = memchr::memchr_iter(b'\r', bytes).filter(is_alone).count();
    (memchr::memchr_iter(b'\n', bytes).count() + returns) as u64
}

/// Certain beginnings of games, in order.
#[derive(Debug, Default)]
struct Beginnings {
    /// The last beginning, or the text's.
    start: usize,
    /// Where to look for the next one.
    from: usize,
    /// True if the last brace of the game before `seen` opens a comment.
    is_open: bool,
    seen: usize,
    /// The last brace found.
    brace: usize,
}

impl Beginnings {
    /// The next one after the text's own; `None` if there is none, or if more must be read to know.
    /// `is_all` means that the text is complete.
    fn next(&mut self, bytes: &[u8], is_all: bool) -> Option<usize> {
        while let Some(at) = memchr::memchr(b'[', bytes.get(self.from..)?) {
            let at = self.from + at;
            if self.is_one(bytes, at, is_all)? {
                *self = Beginnings { start: at, from: at + 1, seen: at, is_open: false, ..*self };
                return Some(at);
            }
            self.from = at + 1;
        }
        self.from = bytes.len();
        None
    }

    /// True if a game begins at a bracket; `None` if more must be read to know.
    fn is_one(&mut self, bytes: &[u8], at: usize, is_all: bool) -> Option<bool> {
        let game = bytes.get(self.start..at).unwrap_or_default();
        if !matches!(game.last(), Some(b'\n' | b'\r')) {
            return Some(false);
        }
        let line = bytes.get(at..).unwrap_or_default();
        let Some(end) = memchr::memchr2(b'\n', b'\r', line) else {
            return is_all.then_some(false);
        };
        let Some(name) = line.get(..end).and_then(tag_name) else { return Some(false) };
        let text = trim_line_ends(game);
        let gap = game.get(text.len()..).unwrap_or_default();
        let is_behind_blank = !matches!(gap, b"\n" | b"\r" | b"\r\n");
        if !(is_behind_blank && name == b"Event" || ends_with_moves(text)) {
            return Some(false);
        }
        // A comment may go on here, and end later.
        if self.may_be_in_comment(bytes, at) {
            let may_end = is_behind_blank || name == b"Event";
            return if may_end { self.closes_none(bytes, at, is_all) } else { Some(false) };
        }
        Some(true)
    }

    fn may_be_in_comment(&mut self, bytes: &[u8], at: usize) -> bool {
        let unseen = bytes.get(self.seen..at).unwrap_or_default();
        if let Some(last) = memchr::memrchr2(b'{', b'}', unseen) {
            self.is_open = unseen.get(last) == Some(&b'{');
        }
        self.seen = at;
        self.is_open
    }

    /// True if a comment open here does not end before another begins; `None` if more must be read
    /// to know.
    fn closes_none(&mut self, bytes: &[u8], at: usize, is_all: bool) -> Option<bool> {
        if self.brace < at {
            let found = memchr::memchr2(b'{', b'}', bytes.get(at..).unwrap_or_default());
            let Some(found) = found else {
                return (is_all || bytes.len() - at > LONGEST_COMMENT).then_some(true);
            };
            self.brace = at + found;
        }
        Some(bytes.get(self.brace) == Some(&b'{') || self.brace - at > LONGEST_COMMENT)
    }
}

/// The tag name of a line that is certainly a tag.
fn tag_name(line: &[u8]) -> Option<&[u8]> {
    let inside = line.strip_prefix(b"[")?.strip_suffix(b"\"]")?;
    let end = inside.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let (name, value) = inside.split_at_checked(end)?;
    let value = value.strip_prefix(b" \"")?;
    let is_doubtful = memchr::memchr2(b'\\', b'\x1a', value).is_some();
    (!name.is_empty() && !is_doubtful).then_some(name)
}

fn trim_line_ends(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
    text.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
}

/// True if the last line of a text that ends outside of a comment certainly has moves or a result.
fn ends_with_moves(text: &[u8]) -> bool {
    let begin = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |end| end + 1);
    let line = text.get(begin..).unwrap_or_default().trim_ascii();
    // A tag, a line that is not PGN, one that ends in a comment, or several for the core
    // (`lines.rs` says why).
    if matches!(line.first(), Some(b'[' | b'%')) || memchr::memchr2(b';', b'\x1a', line).is_some() {
        return false;
    }
    let brace = memchr::memrchr2(b'{', b'}', line);
    let behind = brace.map_or(line, |brace| line.get(brace + 1..).unwrap_or_default());
    let last = behind.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let is_number = brace.is_none() && line.first().is_some_and(u8::is_ascii_digit);
    is_number || matches!(last, b"1-0" | b"0-1" | b"1/2-1/2" | b"*")
}

/// The games of a piece, in order. A part may have several if they begin otherwise.
pub(crate) fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut beginnings = Beginnings::default();
    std::iter::from_fn(move || {
        let start = beginnings.start;
        // Nothing follows the last one.
        let end = beginnings.next(bytes, true).unwrap_or_else(|| {
            beginnings.start = bytes.len();
            bytes.len()
        });
        bytes.get(start..end).filter(|part| !part.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str) -> Vec<Chunk> {
        let mut chunks = Chunks::new(text.as_bytes());
        std::iter::from_fn(|| chunks.next().unwrap()).collect()
    }

    #[test]
    fn pieces_have_whole_games_and_all_of_the_file() {
        let game = |at: usize| format!("[Event \"g{at}\"]\n[White \"a\"]\n\n1. e4 e5 {{x}} *\n\n");
        let text: String = (0..60_000).map(game).collect();
        let chunks = chunks(&text);
        assert!(chunks.len() > 2, "{}", chunks.len());
        let mut lines = 0;
        for chunk in &chunks {
            assert_eq!(chunk.lines, lines);
            lines += chunk.bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            assert!(chunk.bytes.starts_with(b"[Event ") && !chunk.is_whole);
        }
        let joined: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.bytes.clone()).collect();
        assert!(joined == text.as_bytes());
        assert_eq!(chunks.iter().flat_map(|chunk| parts(&chunk.bytes)).count(), 60_000);
    }

    #[test]
    fn a_part_ends_where_a_game_begins_beyond_doubt() {
        let open = "[Event \"a\"]\n\n1. e4 {see\n\n[Event \"b\"]\n\n";
        for (text, count) in [
            ("[Site \"a\"]\n\n1. e4 *\n\n[Site \"b\"]\n\n*\n", 2),
            ("[Site \"a\"]\n\n1. e4 e5\n\n[White \"b\"]\n\n*\n", 2),
            ("[Site \"a\"]\r\r1. e4 *\r\r[Site \"b\"]\r\r*\r", 2),
            ("[Site \"a\"]\n\n[White \"b\"]\n\n*\n", 1),
            ("[Site \"a\"]\n\n{ 1. e4 *}\n\n[Site \"b\"]\n\n*\n", 1),
            ("[Site \"a\"]\n\n1. e4 {[%clk 1]} 1-0\n\n[Site \"b\"]\n\n*\n", 2),
            ("[Site \"a\"]\n\n; 1. e4 *\n\n[Site \"b\"]\n\n*\n", 1),
            (&format!("{open}here}} e5 *\n"), 1),
            (&format!("{open}1. d4 {{x}} d5 *\n"), 2),
            (&format!("{open}1. d4 d5 *\n"), 2),
            ("[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n*\n", 2),
            ("[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n[Event \"b\"]\r\n\r\n*\r\n", 2),
            ("[Event \"a\"]\n\n1. e4 *\n[Event \"b\"]\n\n*\n", 2),
            ("[Event \"a\"]\n[Event \"b\"]\n\n*\n", 1),
            ("[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\\\"]\n\n*\n", 1),
            ("[Event \"a\"]\n\n1. e4 *\n\n[Event b]\n\n*\n", 1),
            ("1. e4 *\n\n[Event \"b\"]", 1),
            ("", 0),
        ] {
            let parts: Vec<&[u8]> = parts(text.as_bytes()).collect();
            assert_eq!(parts.len(), count, "{text:?}");
            assert_eq!(parts.concat(), text.as_bytes());
        }
        assert!(chunks("x").iter().all(|chunk| chunk.is_whole));
    }

    #[test]
    fn games_of_a_long_file_may_begin_with_any_tag() {
        for head in ["[Site \"s\"]\n[Event \"e\"]\n", "[White \"w\"]\r\n"] {
            let game = format!("{head}\n1. e4 e5 2. Nf3 {{x}} Nc6 1/2-1/2\n\n");
            let text = game.repeat((LONGEST_GAME + AT_ONCE) / game.len() + 1);
            let chunks = chunks(&text);
            assert!(chunks.len() > 32, "{}", chunks.len());
            assert!(chunks.iter().all(|chunk| chunk.bytes.len().is_multiple_of(game.len())));
        }
    }

    #[test]
    fn a_comment_with_games_in_it_stays_in_its_piece() {
        let comment = format!("{{{}}}", "\n\n[Event \"old\"]\n\n1. d4 *".repeat(40_000));
        let game = format!("[Event \"a\"]\n\n1. e4 {comment} e5 *\n\n");
        let text = game.repeat(4);
        let chunks = chunks(&text);
        assert!(chunks.len() > 1 && chunks.iter().all(|chunk| chunk.bytes.ends_with(b"e5 *\n\n")));
    }
}
