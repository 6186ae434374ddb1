//! Cutting a file into pieces of whole games, which may be read in any order.
//!
//! A game begins with a tag `Event` behind an empty line: there, and nowhere else, a piece may end. The core's reader
//! ends a game there in any case, so that the pieces have the games that the whole file has.

use std::io::{self, Read};

use memchr::memmem::Finder;

/// As much of a file is read at once.
const AT_ONCE: usize = 1 << 20;
/// No game is longer, or a file is none of games.
const LONGEST_GAME: usize = 64 << 20;

const EVENT: &[u8] = b"\n[Event \"";

/// A piece of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunk {
    /// Its number among all pieces of all files, from 0.
    pub(crate) number: u64,
    /// Which file it is of, from 0.
    pub(crate) file: usize,
    /// The lines of the file in front of it.
    pub(crate) lines: u64,
    /// Whether it is a whole file.
    pub(crate) is_whole: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Cuts a file into pieces.
pub(crate) struct Chunks<R> {
    file: R,
    /// What was read behind the last game that is whole.
    rest: Vec<u8>,
    /// The lines in front of that.
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
    /// Those of the file, and where a game has no end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Chunk>> {
        let mut searched = 0;
        while !self.is_at_end {
            self.read()?;
            if let Some(end) = last_beginning(&self.rest, searched) {
                let rest = self.rest.split_off(end);
                return Ok(Some(self.take(rest)));
            }
            searched = self.rest.len().saturating_sub(4096);
            if self.rest.len() > LONGEST_GAME {
                let what = "there is no beginning of a game in 64 MiB: games in PGN begin with \
                            a tag Event behind an empty line";
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

/// How many lines end in a text, by a line feed, a carriage return, or both.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    let is_alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let returns = memchr::memchr_iter(b'\r', bytes).filter(is_alone).count();
    (memchr::memchr_iter(b'\n', bytes).count() + returns) as u64
}

/// Where the last game begins behind a place; none where none does.
fn last_beginning(bytes: &[u8], from: usize) -> Option<usize> {
    let mut end = bytes.len();
    loop {
        let found = memchr::memmem::rfind(bytes.get(from..end)?, EVENT)? + from;
        if is_beginning(bytes, found) {
            return Some(found + 1);
        }
        end = found + EVENT.len() - 1;
    }
}

/// Whether a line of a tag, whose line feed in front is here, stands behind an empty line and is one tag.
fn is_beginning(bytes: &[u8], found: usize) -> bool {
    let before = bytes.get(..found).unwrap_or_default();
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let line = bytes.get(found + EVENT.len()..).unwrap_or_default();
    let Some(end) = memchr::memchr(b'\n', line) else { return false };
    let line = line.get(..end).unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let value = line.strip_suffix(b"\"]");
    before.ends_with(b"\n") && value.is_some_and(|value| !value.contains(&b'\\'))
}

/// The games of a piece, one after the other. A part may have several where they begin otherwise.
pub(crate) fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let finder = Finder::new(EVENT);
    let (mut at, mut rest) = (0, Some(bytes));
    std::iter::from_fn(move || {
        let all = rest?;
        let mut from = at;
        loop {
            let Some(found) = all.get(from..).and_then(|behind| finder.find(behind)) else {
                rest = None;
                return all.get(at..).filter(|last| !last.is_empty());
            };
            let found = from + found;
            if is_beginning(all, found) {
                let part = all.get(at..=found);
                at = found + 1;
                return part;
            }
            from = found + 1;
        }
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
    fn a_part_ends_where_a_tag_event_stands_behind_an_empty_line_and_nowhere_else() {
        for (text, count) in [
            ("[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n*\n", 2),
            ("[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n[Event \"b\"]\r\n\r\n*\r\n", 2),
            ("[Event \"a\"]\n\n1. e4 *\n[Event \"b\"]\n\n*\n", 1),
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
}
