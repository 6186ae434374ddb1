//! A game as a PGN file has it: tags, and the words of its moves.

use std::ops::Range;

use crate::chess::line::Game;
use crate::chess::notation::WordPart;

use super::PgnError;

/// A game as a file has it: its tags and the words of its moves, unchecked.
#[derive(Debug, Default)]
pub struct GameText {
    /// Its number in the file, from 1.
    pub(super) number: usize,
    /// The line of the file that its last tag stands in, or its first word if there are no tags.
    pub(super) line: usize,
    pub(super) tags: Vec<(String, String)>,
    /// The texts that items point to, one after the other.
    text: String,
    /// The items up to the fault, if there is one.
    pub(super) items: Vec<Item>,
    pub(super) fault: Option<Fault>,
    /// True if there is anything that only a game has: a tag, a move, a move number.
    pub(super) is_pgn: bool,
}

/// An item in the moves of a game.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The line of the file that it stands in, from 1.
    pub(super) line: usize,
    pub(super) is: Is,
    text: Range<usize>,
}

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Word(WordPart),
    Comment,
    Open,
    Close,
}

/// A fault after which the moves are uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    line: usize,
    what: &'static str,
}

/// No game has more tags or more in its moves; a file that is no game may.
pub(super) const MOST_TAGS: usize = 1_000;

const MOST_ITEMS: usize = 4_000_000;

/// Variant names of chess, without blanks and signs: servers write the speed there, too.
const STANDARD: [&str; 22] = [
    "",
    "blitz",
    "bullet",
    "casual",
    "chess",
    "classical",
    "correspondence",
    "daily",
    "fromposition",
    "hyperbullet",
    "lightning",
    "normal",
    "orthodox",
    "rapid",
    "rated",
    "regular",
    "standard",
    "standardchess",
    "ultrabullet",
    "unknown",
    "unrated",
    "untimed",
];

/// Variant names of Chess960; servers number it (`wild/fr`, `Wild 22`).
const CHESS960: [&str; 19] = [
    "960",
    "9lx",
    "chess960",
    "chess960fischerandom",
    "chess960fischerrandom",
    "chess9lx",
    "dfrc",
    "doublefischerandom",
    "doublefischerrandom",
    "fischerandom",
    "fischerandomchess",
    "fischerrandom",
    "fischerrandomchess",
    "frc",
    "freestyle",
    "freestylechess",
    "ucichess960",
    "wild22",
    "wildfr",
];

/// A variant's name without blanks and signs.
fn bare_variant(variant: &str) -> String {
    let letters = variant.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// True if a variant name is Chess960's.
pub(super) fn is_chess960(variant: &str) -> bool {
    CHESS960.contains(&bare_variant(variant).as_str())
}

impl GameText {
    /// An empty game of this number.
    pub(super) fn new(number: usize) -> GameText {
        GameText { number, ..GameText::default() }
    }

    /// Its number in the file, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Names and values of its tags, in their order.
    pub fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// The text of an item.
    pub(super) fn text_of(&self, item: &Item) -> &str {
        self.text.get(item.text.clone()).unwrap_or_default()
    }

    /// The value of its first tag of a name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The error to report: [`PgnError::NotPgn`] if this is all of a file that may be no PGN.
    #[must_use]
    pub fn wrong(&self, error: PgnError, is_last: bool) -> PgnError {
        if self.number == 1 && is_last && !self.is_pgn { PgnError::NotPgn } else { error }
    }

    /// The game before its first move.
    ///
    /// # Errors
    ///
    /// [`PgnError`] if it is not chess, or has no legal position.
    pub(super) fn begin(&self) -> Result<Game, PgnError> {
        let (number, line) = (self.number, self.line);
        let last = |name: &str| {
            let found = self.tags.iter().rev().find(|(other, _)| other.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim())
        };
        let variant = last("Variant").unwrap_or_default();
        let is_chess960 = is_chess960(variant);
        if !is_chess960 && !STANDARD.contains(&bare_variant(variant).as_str()) {
            return Err(PgnError::Variant { number, variant: variant.to_owned() });
        }
        let malformed = |what| Err(PgnError::Malformed { number, line, what });
        let fen = match last("FEN") {
            Some(fen) => fen,
            None if is_chess960 => {
                return malformed(
                    "it is Chess960, and there is no tag FEN that says where it begins",
                );
            }
            None if last("SetUp") == Some("1") => {
                return malformed(
                    "the tag SetUp says that it begins with a position, and there is no tag FEN",
                );
            }
            None => "startpos",
        };
        Game::from_start(fen).map_err(|source| PgnError::Game { number, line, source })
    }

    /// Checks that the items are complete.
    ///
    /// # Errors
    ///
    /// [`PgnError::Malformed`] if the moves behind them are uncertain.
    pub(super) fn is_whole(&self) -> Result<(), PgnError> {
        let number = self.number;
        let malformed = |Fault { line, what }| Err(PgnError::Malformed { number, line, what });
        self.fault.map_or(Ok(()), malformed)
    }

    /// The result behind the moves.
    pub(super) fn result(&self) -> Option<&'static str> {
        let mut open = 0_usize;
        self.items.iter().rev().find_map(|item| {
            match item.is {
                Is::Close => open += 1,
                Is::Open => open = open.saturating_sub(1),
                Is::Word(WordPart::Result(result)) if open == 0 => return Some(result),
                _ => {}
            }
            None
        })
    }

    pub(super) fn push(&mut self, line: usize, is: Is, text: &str) {
        if self.items.len() >= MOST_ITEMS {
            self.fails(line, "a game has no more than 4,000,000 moves, comments and signs");
        }
        if self.fault.is_none() {
            let start = self.text.len();
            self.text.push_str(text);
            self.items.push(Item { line, is, text: start..self.text.len() });
        }
    }

    pub(super) fn fails(&mut self, line: usize, what: &'static str) {
        self.fault.get_or_insert(Fault { line, what });
    }
}
