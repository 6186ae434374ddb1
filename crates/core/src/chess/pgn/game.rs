//! The main line of a game of a PGN file, with the remarks around and between the moves.

use crate::chess::line::{Game, GameError, move_number, no_move, written_move};
use crate::chess::notation::WordPart;

use crate::printable::printable;

use super::PgnError;
use super::games::Games;
use super::text::{GameText, Is, Item, is_chess960};

/// A game as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenGame {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its moves, perhaps up to a ply.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// The remarks in front of the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
}

/// A remark behind a move, or in front of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A numeric glyph: 1 is `!`, 2 is `?`.
    Glyph(u8),
    /// A comment.
    Comment(String),
    /// A word of a variation: a move, its number, a result.
    Word(String),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
}

/// Takes a game (the first is 1) of a file with all its remarks, up to a ply or to its end.
///
/// # Errors
///
/// [`PgnError`] if the game or the ply does not exist, or a move cannot be played.
pub fn written_game(
    pgn: &[u8],
    number: usize,
    ply: Option<usize>,
) -> Result<WrittenGame, PgnError> {
    let mut found = 0;
    let mut games = Games::new(pgn).peekable();
    while let Some(game) = games.next() {
        let game = game?;
        found = game.number;
        if found == number {
            return game.main_line(ply).map_err(|error| game.wrong(error, games.peek().is_none()));
        }
    }
    Err(PgnError::NoSuchGame { number, found })
}

impl GameText {
    /// The main line with all its remarks, up to a ply or to its end.
    ///
    /// # Errors
    ///
    /// [`PgnError`] if the ply does not exist, or a word up to there is no move or cannot be
    /// played.
    pub fn main_line(&self, ply: Option<usize>) -> Result<WrittenGame, PgnError> {
        let mut playing = Playing::new(self, ply)?;
        playing.all()?;
        let mut written = playing.written;
        let found = written.game.moves().len();
        if self.tags.is_empty() && found == 0 {
            let (number, line, what) = (self.number, self.line, "it has neither tags nor moves");
            return Err(PgnError::Malformed { number, line, what });
        }
        if let Some(ply) = ply.filter(|ply| *ply > found) {
            return Err(PgnError::NoSuchPly { number: self.number, ply, found });
        }
        written.heading.result = self.result().map(str::to_owned);
        Ok(written)
    }
}

/// A game whose main line is played.
struct Playing<'t> {
    text: &'t GameText,
    last_ply: usize,
    written: WrittenGame,
    /// Number of open variations.
    open: usize,
}

impl<'t> Playing<'t> {
    fn new(text: &'t GameText, ply: Option<usize>) -> Result<Playing<'t>, PgnError> {
        let (game, heading) = (text.begin()?, Heading { tags: text.tags.clone(), result: None });
        let written = WrittenGame { number: text.number, game, heading, remarks: vec![Vec::new()] };
        Ok(Playing { text, last_ply: ply.unwrap_or(usize::MAX), written, open: 0 })
    }

    /// Plays up to the last ply, and takes the remarks behind it.
    fn all(&mut self) -> Result<(), PgnError> {
        let mut is_behind_n = false;
        for item in &self.text.items {
            let was_behind_n = std::mem::replace(
                &mut is_behind_n,
                item.is == Is::Word(WordPart::Note) && self.text.text_of(item) == "N",
            );
            let is_word = self.open == 0 && matches!(item.is, Is::Word(word) if !word.is_remark());
            if !is_word {
                self.note(item);
                continue;
            }
            let Is::Word(word @ (WordPart::Move | WordPart::Null | WordPart::Unreadable)) = item.is
            else {
                if let Is::Word(WordPart::Result(_)) = item.is {
                    break;
                }
                continue;
            };
            if self.is_at_end() {
                break;
            }
            let token = self.text.text_of(item);
            let played = if was_behind_n && self.may_be_a_knight_s(token) {
                self.play(WordPart::Unreadable, &format!("N {token}"))
            } else {
                self.play(word, token)
            };
            played.map_err(|source| PgnError::Game {
                number: self.text.number,
                line: item.line,
                source,
            })?;
        }
        if self.is_at_end() { Ok(()) } else { self.text.is_whole() }
    }

    fn is_at_end(&self) -> bool {
        self.written.game.moves().len() >= self.last_ply
    }

    /// Adds a remark to the last move.
    fn note(&mut self, item: &Item) {
        let text = self.text.text_of(item);
        let last = self.written.remarks.last_mut();
        let remark = match item.is {
            // As it stands there: `Nf3!`.
            Is::Word(WordPart::Glyph(_)) if self.open > 0 && !text.is_empty() => {
                if let Some(Remark::Word(word)) = last.and_then(|last| last.last_mut()) {
                    word.push_str(text);
                }
                return;
            }
            Is::Open => {
                self.open += 1;
                Remark::Open
            }
            Is::Close => {
                self.open = self.open.saturating_sub(1);
                Remark::Close
            }
            Is::Comment => Remark::Comment(text.trim().to_owned()),
            Is::Word(WordPart::Glyph(glyph)) => Remark::Glyph(glyph),
            Is::Word(_) if self.open > 0 => Remark::Word(printable(text).into_owned()),
            Is::Word(_) => return,
        };
        if let Some(last) = last {
            last.push(remark);
        }
    }

    /// True if `N c6` may be a knight's move with a blank in it, not a pawn's.
    fn may_be_a_knight_s(&self, token: &str) -> bool {
        written_move(self.written.game.root(), &format!("N{token}")).is_ok()
    }

    fn play(&mut self, word: WordPart, token: &str) -> Result<(), GameError> {
        let game = &mut self.written.game;
        let m = match word {
            WordPart::Move => written_move(game.root(), token)?,
            WordPart::Null => return Err(GameError::Null { number: move_number(game.root(), 0) }),
            _ => return Err(no_move(game.root(), token)),
        };
        game.play(m);
        self.written.remarks.push(Vec::new());
        Ok(())
    }
}

/// The tags and the result of a game.
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

    /// True if the game calls itself Chess960, in any spelling.
    pub fn is_chess960(&self) -> bool {
        let mut named = self.tags.iter().filter(|(name, _)| name.eq_ignore_ascii_case("Variant"));
        named.any(|(_, variant)| is_chess960(variant))
    }
}

#[cfg(test)]
mod tests;
