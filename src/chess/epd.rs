//! Files of positions: one EPD record or FEN a line.

use shakmaty::Chess;

use super::fen::{FenError, parse_fen};

/// A position of an EPD file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpdRecord {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The operand of its `id`, if it has one.
    pub id: Option<String>,
    /// The position.
    pub position: Chess,
}

/// Reads records of EPD, or FENs, one a line; blank lines and comments (`#`, `;`) are skipped, and
/// operations other than `id` do not count.
///
/// # Errors
///
/// Every line that is no position, with its number from 1.
pub fn read_epd(text: &str) -> Result<Vec<EpdRecord>, Vec<(usize, FenError)>> {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let text = text.trim_start_matches('\u{feff}');
    for (line, record) in text.lines().map(str::trim).enumerate() {
        if record.is_empty() || record.starts_with(['#', ';']) {
            continue;
        }
        match parse_fen(record) {
            Ok(position) => records.push(EpdRecord { line: line + 1, id: id_of(record), position }),
            Err(error) => errors.push((line + 1, error)),
        }
    }
    if errors.is_empty() { Ok(records) } else { Err(errors) }
}

/// The operand of `id`: a string in quotes, or the word behind it.
fn id_of(record: &str) -> Option<String> {
    let mut rest = skip_fields(record)?;
    while !rest.is_empty() {
        let end = end_of_operation(rest);
        let (operation, tail) = rest.split_at(end);
        let operation = operation.trim();
        if let Some(operand) = operation.strip_prefix("id ") {
            let operand = operand.trim().trim_matches('"');
            return Some(operand.to_owned()).filter(|operand| !operand.is_empty());
        }
        rest = tail.strip_prefix(';').unwrap_or(tail).trim_start();
    }
    None
}

/// What stands behind the fields of the position: behind the clocks, where there are any.
fn skip_fields(record: &str) -> Option<&str> {
    let mut rest = record.trim_start();
    for _ in 0..4 {
        let end = rest.find(char::is_whitespace)?;
        rest = rest.get(end..)?.trim_start();
    }
    Some(rest.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace()))
}

/// Where an operation ends: a semicolon inside quotes is part of the operand.
fn end_of_operation(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::fen_of;

    #[test]
    fn positions_are_read_with_their_names() {
        let text = "\u{feff}# a suite\n\n4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"castle; or not\";\n\
            ; another\n  4k3/8/8/8/8/8/4P3/4K3 w - - 3 7\r\n4k3/8/8/8/8/8/4P3/4K3 b - - id WAC.001;\n\
            4k3/8/8/8/8/8/3P4/4K3 w - - 0 1; id \"six fields\";";
        let records = read_epd(text).unwrap();
        let names: Vec<_> = records.iter().map(|r| (r.line, r.id.as_deref())).collect();
        let names_right =
            [(3, Some("castle; or not")), (5, None), (6, Some("WAC.001")), (7, Some("six fields"))];
        assert_eq!(names, names_right);
        assert_eq!(fen_of(&records[1].position), "4k3/8/8/8/8/8/4P3/4K3 w - - 3 7");
    }

    #[test]
    fn every_line_that_is_no_position_is_named() {
        let text = "4k3/8/8/8/8/8/8/4K2R w K -\nnonsense\n\n8/8/8/8/8/8/8/4K3 w - -\n";
        let errors = read_epd(text).unwrap_err();
        let lines: Vec<usize> = errors.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 4]);
    }
}
