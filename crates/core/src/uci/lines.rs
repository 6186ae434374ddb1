//! Lines of bytes from a pipe, an engine's or a GUI's: of any length, in any encoding.

use std::io::BufRead;

/// Longer lines are thrown away. The longest real ones have some 2,000 bytes (a long pv).
const LONGEST: usize = 64 * 1024;

/// Calls `each` with every line, without its end (LF or CRLF), decoded lossily, until the end of
/// the input, a read error, or `each` says that it has enough.
///
/// `BufRead::lines` would end for good at the first byte that is not UTF-8. A line that is too
/// long is given as an empty one, at its end: a flood without a newline needs no memory, and is no
/// line either.
pub fn for_each_line(mut from: impl BufRead, mut each: impl FnMut(&str) -> bool) {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let available = match from.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut parts = available.splitn(2, |byte| *byte == b'\n');
        let part = parts.next().unwrap_or_default();
        let ended = parts.next().is_some();
        too_long |= line.len() + part.len() > LONGEST;
        if !too_long {
            line.extend_from_slice(part);
        }
        let consumed = part.len() + usize::from(ended);
        from.consume(consumed);
        if ended && !give(&mut line, &mut too_long, &mut each) {
            return;
        }
    }
    if !line.is_empty() {
        give(&mut line, &mut too_long, &mut each);
    }
}

fn give(line: &mut Vec<u8>, too_long: &mut bool, each: &mut impl FnMut(&str) -> bool) -> bool {
    if *too_long {
        line.clear();
    }
    let text = String::from_utf8_lossy(line);
    let more = each(text.strip_suffix('\r').unwrap_or(&text));
    line.clear();
    *too_long = false;
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        // A tiny buffer, so that every line is put together from parts.
        for_each_line(std::io::BufReader::with_capacity(3, bytes), |line| {
            lines.push(line.to_owned());
            true
        });
        lines
    }

    #[test]
    fn odd_ends_foreign_bytes_and_a_missing_end_are_read() {
        assert_eq!(
            lines(b"uciok\r\nid name F\xfcnf\n\nreadyok"),
            ["uciok", "id name F\u{fffd}nf", "", "readyok"]
        );
    }

    #[test]
    fn overlong_line_is_dropped_and_the_next_is_read() {
        let mut flood = vec![b'x'; LONGEST + 1];
        flood.extend_from_slice(b"\nuciok\n");
        assert_eq!(lines(&flood), ["", "uciok"]);
        assert_eq!(lines(&vec![b'y'; LONGEST]).len(), 1);
    }

    #[test]
    fn reading_stops_when_it_is_told_to() {
        let mut count = 0;
        for_each_line(&b"a\nb\nc\n"[..], |_| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }
}
