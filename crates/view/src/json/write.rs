//! Writes reports as JSON that is safe to read in a terminal.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::printable::is_unprintable;

/// A report with the number of its format in front.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "{T}"))]
pub struct Numbered<T> {
    /// The number of the format.
    format: u32,
    #[serde(flatten)]
    report: T,
}

/// Writes a report as one JSON object on a line. The format is public; `"format": 1` names it.
///
/// # Errors
///
/// An error of `out`.
pub fn write_json(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_plain_json(&Numbered { format: 1, report }, out)?;
    writeln!(out)
}

/// Writes several as one array, each with the number of the format.
///
/// # Errors
///
/// An error of `out`.
pub fn write_json_array<T: Serialize>(reports: &[T], out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<_> = reports.iter().map(|report| Numbered { format: 1, report }).collect();
    write_plain_json(&all, out)?;
    writeln!(out)
}

/// Writes a value as JSON with control characters and bidirectional controls escaped: safe to read
/// in a terminal.
///
/// # Errors
///
/// An error of `out`.
pub fn write_plain_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, PlainJson))?;
    Ok(())
}

struct PlainJson;

impl serde_json::ser::Formatter for PlainJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        out.write_all(plain_json(fragment).as_bytes())
    }
}

/// JSON with control characters, except newlines, and bidirectional controls escaped: outside of
/// strings it has none.
pub fn plain_json(json: &str) -> Cow<'_, str> {
    let stands_out = |c: char| is_unprintable(c) && c != '\n';
    if !json.contains(stands_out) {
        return Cow::Borrowed(json);
    }
    let mut plain = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        // All of them have four digits.
        if stands_out(c) {
            plain.push_str(&format!("\\u{:04x}", u32::from(c)))
        } else {
            plain.push(c)
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_terminal_is_text_and_the_same_value() {
        let value = "A\u{1b}[31m\u{9b}2J\u{7f}\u{202e}x\u{2028}\"\\ – ½";
        let mut json = Vec::new();
        write_plain_json(&[value], &mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert!(!json.contains(is_unprintable), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [value]);
        let pretty = serde_json::to_string_pretty(&[value]).unwrap();
        let read: Vec<String> = serde_json::from_str(&plain_json(&pretty)).unwrap();
        assert_eq!(read, [value]);
        assert_eq!(plain_json(&pretty).lines().count(), 3);
    }
}
