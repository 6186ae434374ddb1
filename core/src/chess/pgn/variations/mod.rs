//! Every move of every variation of every game of a PGN file, one after the other.

mod played;

use std::io::BufRead;

use shakmaty::{Chess, Move};

use crate::chess::line::Game;

use super::error::PgnError;
use super::main_line::is_standard;
use super::notation::possible_move;
use super::words::{Token, Words, read_line, text_of};
use played::Played;

/// Who is told of the moves of a file.
pub trait Listener {
    /// What is remembered along a line. A variation goes on with what there was before the move that it
    /// replaces.
    type Along: Clone;
    /// Why the reading ends early.
    type Error: From<PgnError>;

    /// A game begins, the first one being number 1.
    fn begin(&mut self, number: usize, start: &Chess) -> Self::Along;

    /// A move is played.
    ///
    /// # Errors
    ///
    /// Where the reading is to end.
    fn play(
        &mut self,
        along: &Self::Along,
        at: &Chess,
        m: Move,
        after: &Chess,
    ) -> Result<Self::Along, Self::Error>;

    /// A comment on a position, behind the move that leads there or, in front of a variation's first
    /// move, before it.
    fn comment(&mut self, along: &Self::Along, text: &str);
}

/// Plays through all games of a file with all their variations, and says how many games there are. Only
/// the line that is played is in memory. A null move ends its line.
///
/// # Errors
///
/// [`PgnError`] at the first thing that cannot be read or played, or the listener's error.
pub fn play_games<L: Listener>(
    mut file: impl BufRead,
    listener: &mut L,
) -> Result<usize, L::Error> {
    let mut reading = Reading::new(listener);
    let (mut words, mut bytes) = (Words::default(), Vec::new());
    while read_line(&mut file, &mut bytes).map_err(PgnError::Io)? {
        words.line(&text_of(&bytes), |token| reading.take(token))?;
    }
    if words.in_comment() {
        return Err(reading.malformed("a comment is not closed").into());
    }
    reading.end()?;
    if !reading.is_pgn {
        return Err(PgnError::NotPgn.into());
    }
    Ok(reading.number)
}

/// The tags that say how a game is played.
#[derive(Default)]
struct Tags {
    fen: Option<String>,
    variant: Option<String>,
}

struct Reading<'l, L: Listener> {
    listener: &'l mut L,
    /// Of the game that is read, or was read last.
    number: usize,
    /// Whether there was a tag or a move.
    is_pgn: bool,
    /// Those of the game that is to begin.
    tags: Option<Tags>,
    game: Option<Played<L::Along>>,
    /// Whether the game's result was read.
    is_over: bool,
    /// Whether there was a blank line since the last word.
    was_blank: bool,
}

const RESULTS: [&str; 9] = ["1-0", "0-1", "1/2-1/2", "*", "1/2", "1–0", "0–1", "½-½", "½–½"];
/// What some programs write behind moves: a diagram, a novelty, en passant.
const REMARKS: [&str; 3] = ["D", "N", "ep"];

impl<L: Listener> Reading<'_, L> {
    fn new(listener: &mut L) -> Reading<'_, L> {
        let (tags, game) = (None, None);
        let (is_pgn, is_over, was_blank) = (false, false, false);
        Reading { listener, number: 0, is_pgn, tags, game, is_over, was_blank }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), L::Error> {
        match token {
            Token::Blank => {
                self.was_blank = true;
                return Ok(());
            }
            Token::Tag(name, value) => self.tag(name, value)?,
            Token::Word(word) => self.word(word)?,
            Token::Glyph(_) => return Ok(()),
            Token::Comment(text) => {
                self.begin()?;
                if let Some(game) = &mut self.game {
                    game.comment(self.listener, text);
                }
            }
            Token::Open => {
                if !self.game.as_mut().is_some_and(Played::open) {
                    return Err(self.malformed("a variation stands before any move").into());
                }
            }
            Token::Close => {
                if !self.game.as_mut().is_some_and(|game| game.close(self.listener)) {
                    return Err(self.malformed("a variation ends that has not begun").into());
                }
            }
        }
        self.was_blank = false;
        Ok(())
    }

    fn malformed(&self, what: &'static str) -> PgnError {
        PgnError::Malformed { number: self.number.max(1), what }
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), L::Error> {
        self.is_pgn = true;
        // A game may be tags alone; the next one's begin with this.
        if self.game.is_some() || name == "Event" && self.was_blank {
            self.end()?;
        }
        let tags = self.tags.get_or_insert_default();
        if name.eq_ignore_ascii_case("FEN") {
            tags.fen = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("Variant") {
            tags.variant = Some(value.to_owned());
        }
        Ok(())
    }

    /// Begins a game where none has begun.
    fn begin(&mut self) -> Result<(), L::Error> {
        if self.game.is_some() {
            return Ok(());
        }
        self.number += 1;
        let (number, tags) = (self.number, self.tags.take().unwrap_or_default());
        if let Some(variant) = tags.variant.filter(|variant| !is_standard(variant)) {
            return Err(PgnError::Variant { number, variant }.into());
        }
        let game = Game::from_start(tags.fen.as_deref().unwrap_or("startpos"))
            .map_err(|source| PgnError::Game { number, source })?;
        let along = self.listener.begin(number, game.root());
        self.game = Some(Played::new(game.root().clone(), along));
        self.is_over = false;
        Ok(())
    }

    fn end(&mut self) -> Result<(), L::Error> {
        if self.tags.is_some() {
            self.begin()?;
        }
        if self.game.take().is_some_and(|game| game.is_in_variation()) {
            return Err(self.malformed("a variation is not closed").into());
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), L::Error> {
        let is_next = self.is_over || self.was_blank && is_first_number(word);
        if is_next && self.game.as_ref().is_some_and(|game| !game.is_in_variation()) {
            self.end()?;
        }
        if RESULTS.contains(&word) {
            self.begin()?;
            let in_variation = self.game.as_ref().is_some_and(Played::is_in_variation);
            self.is_over = !in_variation;
            return Ok(());
        }
        let token = match possible_move(word) {
            Some(token) if !REMARKS.contains(&token) => token,
            Some(_) => return Ok(()),
            None if word.ends_with("--") => "--",
            None => {
                self.is_pgn |= word.starts_with(|c: char| c.is_ascii_digit());
                return Ok(());
            }
        };
        self.begin()?;
        let number = self.number;
        let Some(game) = &mut self.game else { return Ok(()) };
        let played = game.play(self.listener, token, number);
        if played.is_err() && !self.is_pgn {
            return Err(PgnError::NotPgn.into());
        }
        self.is_pgn = true;
        played
    }
}

/// Whether a word is the number of a game's first move.
fn is_first_number(word: &str) -> bool {
    word == "1" || word.strip_prefix("1.").is_some_and(|rest| !rest.starts_with('.'))
}

#[cfg(test)]
mod tests;
