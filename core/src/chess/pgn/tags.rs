//! The tags and the result of a game in a PGN file, as they stand there.

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

#[cfg(test)]
mod tests {
    use crate::chess::written_game;

    #[test]
    fn tags_come_in_their_order_with_quotes_read() {
        let pgn = "1. e4 *\n\n[White \"A \\\"B\\\" \\\\C\"]\n[Result \"1-0\"]\n\n1. e4 (1. d4 0-1) e5 1-0\n";
        let heading = written_game(pgn.as_bytes(), 2, Some(1)).unwrap().heading;
        let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(heading.tags, [tag("White", "A \"B\" \\C"), tag("Result", "1-0")]);
        assert_eq!(heading.result.as_deref(), Some("1-0"));
        assert_eq!(heading.tag("White"), Some("A \"B\" \\C"));
    }
}
