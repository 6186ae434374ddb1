//! An engine's line behind its first move: two bytes for each move.

use std::fmt::Write;

use std::str::FromStr;

use rusqlite::types::{Value, ValueRef};
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

/// The stored form of an answer's line, both as UCI text: the moves behind its own, packed; the
/// whole line as text unless it begins with the move and has only plain moves.
pub fn line_behind(uci: &str, line: &str) -> Value {
    packed(uci, line).map_or_else(|| line.to_owned().into(), Value::Blob)
}

fn packed(uci: &str, line: &str) -> Option<Vec<u8>> {
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
