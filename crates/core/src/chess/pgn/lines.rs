//! The lines of a file as text, with any line ends and encoding.

use std::io::{self, BufRead};

/// No line of a PGN file is as long as this.
const LONGEST_LINE: usize = 16 << 20;

/// Reads a file line by line.
#[derive(Debug)]
pub(super) struct PgnLines<R> {
    file: R,
    /// Number of lines read.
    read: usize,
    /// True if the last one ended with a carriage return: a line feed behind it belongs to it.
    is_half: bool,
    /// True after an error, which nothing follows.
    has_failed: bool,
    /// True if the last one had an end other than the file's.
    is_ended: bool,
    bytes: Vec<u8>,
}

impl<R: BufRead> PgnLines<R> {
    pub(super) fn new(file: R) -> PgnLines<R> {
        PgnLines {
            file,
            read: 0,
            is_half: false,
            has_failed: false,
            is_ended: false,
            bytes: Vec::new(),
        }
    }

    /// The number of the line that was read last, from 1.
    pub(super) fn number(&self) -> usize {
        self.read
    }

    /// The next line, without its end. None behind the last one and behind an error.
    ///
    /// # Errors
    ///
    /// Errors of the file, and a line without an end.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        if self.has_failed {
            return Ok(None);
        }
        let line = self.read_line();
        self.has_failed = line.is_err();
        line
    }

    fn read_line(&mut self) -> io::Result<Option<String>> {
        self.bytes.clear();
        let is_read = self.read_bytes()?;
        self.read += usize::from(is_read);
        if self.read == 1
            && [[0xff, 0xfe], [0xfe, 0xff]].iter().any(|mark| self.bytes.starts_with(mark))
        {
            let what = "it is in UTF-16: save it as UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let is_last = !self.is_ended;
        Ok(is_read.then(|| line_of(&self.bytes, is_last)))
    }

    fn read_bytes(&mut self) -> io::Result<bool> {
        let mut is_any = false;
        loop {
            let buffer = self.file.fill_buf()?;
            if self.is_half && !buffer.is_empty() {
                self.is_half = false;
                if buffer.starts_with(b"\n") {
                    self.file.consume(1);
                    continue;
                }
            }
            if buffer.is_empty() {
                self.is_ended = false;
                return Ok(is_any);
            }
            is_any = true;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let line = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            if self.bytes.len() + line.len() > LONGEST_LINE {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "not PGN: a line is too long",
                ));
            }
            self.bytes.extend_from_slice(line);
            let (length, last) = (line.len(), end.and_then(|end| buffer.get(end)).copied());
            self.file.consume(length + usize::from(last.is_some()));
            if last.is_some() {
                self.is_half = last == Some(b'\r');
                self.is_ended = true;
                return Ok(true);
            }
        }
    }
}

/// Windows-1252 between 0x80 and 0x9f; the rest is Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Text as most programs write it, UTF-8; bytes that are not are Windows-1252, which others write.
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| {
            let windows = byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at)));
            windows.copied().unwrap_or(char::from(*byte))
        }));
    }
    text
}

/// Ctrl-Z: DOS ended files with it, and joining them left it in the middle.
pub(super) const CTRL_Z: char = '\u{1a}';

/// The text of a line, which may be the file's last.
///
/// Joined files have byte order marks and the ends of files in the middle; a power cut leaves zeros in front of the next
/// game. Zeros behind moves may have been moves, but for those that fill up the end of a file.
fn line_of(bytes: &[u8], is_last: bool) -> String {
    let text = text_of(bytes);
    let is_padding = |c: char| c == CTRL_Z || is_last && c == '\0';
    let text = text.trim_end_matches(is_padding);
    let bare = text.trim_start_matches(['\u{feff}', '\0', CTRL_Z]);
    let is_bare = bare.is_empty() || bare.starts_with('[') || text.starts_with('\u{feff}');
    if is_bare { bare.to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], buffer: usize) -> Vec<String> {
        let mut lines = PgnLines::new(io::BufReader::with_capacity(buffer, text));
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn lines_end_as_on_every_system() {
        for buffer in 1..8 {
            assert_eq!(
                lines(b"a\nb\r\nc\rd\n\ne\r\r\nf", buffer),
                ["a", "b", "c", "d", "", "e", "", "f"]
            );
            assert_eq!(lines(b"a\r\n", buffer), ["a"]);
            assert_eq!(lines(b"", buffer), [""; 0]);
        }
    }

    #[test]
    fn what_is_not_utf_8_is_windows_1252() {
        assert_eq!(lines("\u{feff}é".as_bytes(), 9), ["é"]);
        assert_eq!(
            lines(b"M\xfcller \x96 \xc5ngstr\xf6m, \xe2\x80\xa6", 9),
            ["Müller – Ångström, …"]
        );
    }

    #[test]
    fn marks_and_zeros_in_front_of_a_game_are_nothing() {
        assert_eq!(
            lines("\u{feff}\u{feff}[a\n\u{feff}b\n\0\0[c\n\0\nd".as_bytes(), 9),
            ["[a", "b", "[c", "", "d"]
        );
        assert_eq!(lines(b"\0\0e4", 9), ["\0\0e4"], "moves may have been there");
        let mut utf_16 = PgnLines::new(io::BufReader::new(&b"\xff\xfe[\0"[..]));
        assert!(utf_16.next().unwrap_err().to_string().contains("UTF-16"));
    }

    #[test]
    fn the_end_of_a_dos_file_is_nothing() {
        assert_eq!(lines(b"1-0\n\x1a", 9), ["1-0", ""]);
        assert_eq!(lines(b"1-0\x1a", 9), ["1-0"]);
        assert_eq!(lines(b"1-0\x1a\x1a\0\0", 9), ["1-0"]);
        assert_eq!(lines(b"1-0\0\x1a\r\n\x1a[c\n\x1a\r\n", 9), ["1-0\0", "[c", ""]);
        assert_eq!(lines(b"e4\0\0\ne5\0", 9), ["e4\0\0", "e5"], "moves may have been there");
        assert_eq!(lines(b"\x1af3", 9), ["\u{1a}f3"], "a figurine may have been there");
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut lines = PgnLines::new(io::BufReader::new(io::repeat(b'a')));
        assert!(lines.next().unwrap_err().to_string().contains("a line is too long"));
        assert_eq!(lines.next().unwrap(), None, "it is told once");
    }
}
