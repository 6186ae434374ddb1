//! Packs rows: positions and lines in few bytes that SQL can read again (`migrations/schema.sql`).
//!
//! Values that packing would not reproduce exactly stay text.

use std::fmt::Write;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::{Value, ValueRef};
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

/// The stored form of an answer's line, both as UCI text: the moves behind its own, packed; the
/// whole line as text unless it begins with the move and has only plain moves.
pub fn line_behind(uci: &str, line: &str) -> Value {
    packed_line(uci, line).map_or_else(|| line.to_owned().into(), Value::Blob)
}

fn packed_line(uci: &str, line: &str) -> Option<Vec<u8>> {
    let mut words = line.split(' ');
    if words.next() != Some(uci) {
        return None;
    }
    let bytes = |word: &str| {
        let uci = UciMove::from_str(word).ok()?;
        let is_plain = matches!(uci, UciMove::Normal { .. }) && uci.to_string() == word;
        is_plain.then(|| PackedUciMove::pack(uci).to_bytes())
    };
    words.map(bytes).collect::<Option<Vec<[u8; 2]>>>().map(|moves| moves.concat())
}

/// The line of an answer from its move and stored form, as UCI text.
pub fn read_line(uci: &str, line: ValueRef<'_>) -> String {
    let packed = match line {
        ValueRef::Blob(packed) => packed,
        ValueRef::Text(text) => return String::from_utf8_lossy(text).into_owned(),
        _ => &[],
    };
    let (moves, _) = packed.as_chunks();
    let mut line = uci.to_owned();
    for bytes in moves {
        // A foreign line may have thousands.
        let _ = write!(line, " {}", PackedUciMove::from_bytes(*bytes).unpack());
    }
    line
}

/// Signs of the hexadecimal digits; runs of empty squares are 1, 2 and 4 long.
const SIGNS: [u8; 16] = *b"/124PNRQKpnBbrqk";
/// The end of a rank; omitted at the very end.
const SLASH: u8 = 0;

/// The columns of a position's EPD.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedEpd {
    /// The board, two signs in a byte; an EPD that cannot be packed, as text.
    pub board: Value,
    /// The fields behind the board, without each `-` at the end.
    pub state: String,
}

/// CRC-32 of an EPD as SQLite's four bytes.
pub fn hash_of(epd: &str) -> i32 {
    crc32fast::hash(epd.as_bytes()).cast_signed()
}

impl PackedEpd {
    /// Packs an EPD.
    pub fn of(epd: &str) -> PackedEpd {
        let packed = packed(epd);
        packed.filter(|(board, state)| unpacked(board, state).as_deref() == Some(epd)).map_or_else(
            || PackedEpd { board: epd.to_owned().into(), state: String::new() },
            |(board, state)| PackedEpd { board: board.into(), state },
        )
    }
}

/// The EPD of a row whose board is in a column, and the other fields in the next. Empty if
/// unreadable.
pub fn read_epd(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(epd) => String::from_utf8_lossy(epd).into_owned(),
        ValueRef::Blob(board) => {
            let state = row.get_ref(column + 1)?.as_str().unwrap_or_default();
            unpacked(board, state).unwrap_or_default()
        }
        _ => String::new(),
    })
}

fn packed(epd: &str) -> Option<(Vec<u8>, String)> {
    let (board, mut state) = epd.split_once(' ')?;
    while let Some(shorter) = state.strip_suffix(" -") {
        state = shorter;
    }
    let mut digits = Vec::with_capacity(64);
    for sign in board.bytes() {
        match sign {
            b'1'..=b'8' => digits.extend(run(sign - b'0')),
            _ => digits.push(digit_of(sign)?),
        }
    }
    let bytes = digits.chunks(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        [high] => high << 4 | SLASH,
        _ => 0,
    });
    Some((bytes.collect(), state.to_owned()))
}

/// The digits of a run of empty squares.
fn run(empty: u8) -> impl Iterator<Item = u8> {
    let (two_fours, rest) = (empty / 4, empty % 4);
    let fours = std::iter::repeat_n(3, usize::from(two_fours));
    let (two, one) = (rest / 2, rest % 2);
    fours
        .chain(std::iter::repeat_n(2, usize::from(two)))
        .chain(std::iter::repeat_n(1, usize::from(one)))
}

fn digit_of(sign: u8) -> Option<u8> {
    let digit = SIGNS.iter().position(|of| *of == sign)?;
    u8::try_from(digit).ok()
}

fn unpacked(board: &[u8], state: &str) -> Option<String> {
    let mut epd = String::with_capacity(80);
    let mut empty = 0;
    for digit in board.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
        let sign = *SIGNS.get(usize::from(digit))?;
        if sign.is_ascii_digit() {
            empty += sign - b'0';
            continue;
        }
        push_run(&mut epd, &mut empty);
        epd.push(char::from(sign));
    }
    push_run(&mut epd, &mut empty);
    epd.truncate(epd.trim_end_matches('/').len());
    epd.push(' ');
    epd.push_str(state);
    let fields = state.matches(' ').count() + 1;
    (fields..3).for_each(|_| epd.push_str(" -"));
    Some(epd)
}

fn push_run(epd: &mut String, empty: &mut u8) {
    if *empty > 0 {
        epd.push_str(&empty.to_string());
    }
    *empty = 0;
}

#[cfg(test)]
mod tests;
