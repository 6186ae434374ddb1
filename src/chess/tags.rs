//! The tags and the result of a game in a PGN file, as they stand there.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, Skip, Visitor};
use shakmaty::Outcome;

/// What stands around the moves of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heading {
    /// Names and values, in their order.
    pub tags: Vec<(String, String)>,
    /// The result behind the moves, if there is one: `1-0`, `0-1`, `1/2-1/2`, `*`.
    pub result: Option<String>,
}

impl Heading {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads tags and result of a game (the first is 1); nothing where there is no such game.
///
/// # Errors
///
/// Where the file cannot be read.
pub fn heading_from_pgn(file: impl Read, number: usize) -> io::Result<Heading> {
    let mut reader = Reader::new(file);
    for _ in 1..number {
        if !reader.skip_game()? {
            return Ok(Heading::default());
        }
    }
    Ok(reader.read_game(&mut Collector)?.unwrap_or_default())
}

struct Collector;

impl Visitor for Collector {
    type Tags = Heading;
    type Movetext = Heading;
    type Output = Heading;

    fn begin_tags(&mut self) -> ControlFlow<Heading, Heading> {
        ControlFlow::Continue(Heading::default())
    }

    fn tag(&mut self, tags: &mut Heading, name: &[u8], value: RawTag<'_>) -> ControlFlow<Heading> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Heading) -> ControlFlow<Heading, Heading> {
        ControlFlow::Continue(tags)
    }

    fn begin_variation(&mut self, _: &mut Heading) -> ControlFlow<Heading, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, heading: &mut Heading, outcome: Outcome) -> ControlFlow<Heading> {
        heading.result = Some(outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, heading: Heading) -> Heading {
        heading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_in_their_order_with_quotes_read() {
        let pgn = "1. e4 *\n\n[White \"A \\\"B\\\" \\\\C\"]\n[Result \"1-0\"]\n\n1. e4 (1. d4 0-1) e5 1-0\n";
        let heading = heading_from_pgn(pgn.as_bytes(), 2).unwrap();
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(heading.tags, [tag("White", "A \"B\" \\C"), tag("Result", "1-0")]);
        assert_eq!(heading.result.as_deref(), Some("1-0"));
        assert_eq!(heading.tag("White"), Some("A \"B\" \\C"));
        assert_eq!(heading_from_pgn(pgn.as_bytes(), 9).unwrap(), Heading::default());
    }
}
