//! Every move of every variation of a game, one after the other.

mod played;

use shakmaty::{Chess, Move};

use crate::chess::notation::Word;

use super::error::PgnError;
use super::games::{GameText, Is};
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

impl GameText {
    /// Plays through all variations of the game. A null move ends its line.
    ///
    /// # Errors
    ///
    /// [`PgnError`] at the first thing that cannot be read or played, or the listener's error.
    pub fn play<L: Listener>(&self, listener: &mut L) -> Result<(), L::Error> {
        let start = self.begin()?;
        let along = listener.begin(self.number, start.root());
        let mut game = Played::new(start.root().clone(), along);
        for item in &self.items {
            let (number, line, text) = (self.number, item.line, self.text_of(item));
            match item.is {
                Is::Comment => game.comment(listener, text),
                Is::Open => {
                    if !game.open() {
                        let what = "a variation stands before any move";
                        return Err(PgnError::Malformed { number, line, what }.into());
                    }
                }
                Is::Close => game.close(listener),
                Is::Word(word @ (Word::Move | Word::Null | Word::Unreadable)) => {
                    let wrong = |source| PgnError::Game { number, line, source };
                    game.play(listener, (word, text), wrong)?;
                }
                Is::Word(_) => {}
            }
        }
        Ok(self.is_whole()?)
    }

    /// Whether all variations of the game can be read and played.
    ///
    /// # Errors
    ///
    /// [`PgnError`] at the first thing that cannot.
    pub fn check(&self) -> Result<(), PgnError> {
        self.play(&mut Nobody)
    }
}

/// Hears of no move.
struct Nobody;

impl Listener for Nobody {
    type Along = ();
    type Error = PgnError;

    fn begin(&mut self, _: usize, _: &Chess) {}

    fn play(&mut self, (): &(), _: &Chess, _: Move, _: &Chess) -> Result<(), PgnError> {
        Ok(())
    }

    fn comment(&mut self, (): &(), _: &str) {}
}

#[cfg(test)]
mod tests;
