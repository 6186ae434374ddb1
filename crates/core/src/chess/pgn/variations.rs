//! Every move of every variation of a game, one after the other.

use shakmaty::{Chess, Move, Position};

use crate::chess::line::{GameError, no_move, written_move};
use crate::chess::notation::WordPart;

use super::PgnError;
use super::text::{GameText, Is};

/// Receiver of the moves of a file.
pub trait MoveListener {
    /// State along a line. A variation goes on with the state before the move that it replaces.
    type Along: Clone;
    /// Error that ends the reading early.
    type Error: From<PgnError>;

    /// Called at the start of each game; the first is number 1.
    fn begin(&mut self, number: usize, start: &Chess) -> Self::Along;

    /// Called for each move.
    ///
    /// # Errors
    ///
    /// Any error ends the reading.
    fn play(
        &mut self,
        along: &Self::Along,
        at: &Chess,
        m: Move,
        after: &Chess,
    ) -> Result<Self::Along, Self::Error>;

    /// Called for each comment, behind the move to its position or, in front of a variation's first
    /// move, before it.
    fn comment(&mut self, along: &Self::Along, text: &str);

    /// Called for each numeric glyph behind the move to a position: 1 is `!`, 2 is `?`.
    fn glyph(&mut self, _along: &Self::Along, _glyph: u8) {}
}

impl GameText {
    /// Plays through all variations of the game. A null move ends its line.
    ///
    /// # Errors
    ///
    /// [`PgnError`] at the first thing that cannot be read or played, or the listener's error.
    pub fn play<L: MoveListener>(&self, listener: &mut L) -> Result<(), L::Error> {
        let start = self.begin()?;
        let along = listener.begin(self.number, start.root());
        let mut game = PlayedGame::new(start.root().clone(), along);
        for item in &self.items {
            let (number, line, text) = (self.number, item.line, self.text_of(item));
            match item.is {
                Is::Comment => game.comment(listener, text),
                Is::Open => {
                    if !game.open() {
                        let what = "a variation comes before any move";
                        return Err(PgnError::Malformed { number, line, what }.into());
                    }
                }
                Is::Close => game.close(listener),
                Is::Word(word @ (WordPart::Move | WordPart::Null | WordPart::Unreadable)) => {
                    let wrong = |source| PgnError::Game { number, line, source };
                    game.play(listener, word, text, wrong)?;
                }
                Is::Word(WordPart::Glyph(glyph)) => game.glyph(listener, glyph),
                Is::Word(_) => {}
            }
        }
        Ok(self.is_whole()?)
    }

    /// Checks that all variations of the game can be read and played.
    ///
    /// # Errors
    ///
    /// [`PgnError`] at the first thing that cannot.
    pub fn check(&self) -> Result<(), PgnError> {
        self.play(&mut NoListener)
    }
}

/// Ignores all moves.
struct NoListener;

impl MoveListener for NoListener {
    type Along = ();
    type Error = PgnError;

    fn begin(&mut self, _: usize, _: &Chess) {}

    fn play(&mut self, (): &(), _: &Chess, _: Move, _: &Chess) -> Result<(), PgnError> {
        Ok(())
    }

    fn comment(&mut self, (): &(), _: &str) {}
}

/// A position on a line.
#[derive(Debug, Clone)]
struct LinePosition<A> {
    position: Chess,
    along: A,
}

/// A line that is played.
#[derive(Debug, Clone)]
struct PlayedLine<A> {
    /// None behind a null move.
    here: Option<LinePosition<A>>,
    /// The position before the last move, if any.
    before: Option<LinePosition<A>>,
    /// True once a move has been read.
    has_moves: bool,
}

/// A game as it is played.
#[derive(Debug)]
struct PlayedGame<A> {
    line: PlayedLine<A>,
    /// The lines that the variation stands in, outermost first.
    outer: Vec<PlayedLine<A>>,
    /// Comments in front of the first move of a variation.
    in_front: Vec<String>,
}

impl<A: Clone> PlayedGame<A> {
    fn new(position: Chess, along: A) -> PlayedGame<A> {
        let here = Some(LinePosition { position, along });
        let line = PlayedLine { here, before: None, has_moves: false };
        PlayedGame { line, outer: Vec::new(), in_front: Vec::new() }
    }

    /// Plays a word that is to be a move, or steps over it behind a null move.
    fn play<L: MoveListener<Along = A>>(
        &mut self,
        listener: &mut L,
        word: WordPart,
        token: &str,
        wrong: impl FnOnce(GameError) -> PgnError,
    ) -> Result<(), L::Error> {
        self.line.has_moves = true;
        self.line.before = self.line.here.take();
        let Some(LinePosition { position, along }) = &self.line.before else {
            return Ok(());
        };
        let m = match word {
            WordPart::Null => {
                self.in_front.clear();
                return Ok(());
            }
            WordPart::Move => written_move(position, token),
            _ => Err(no_move(position, token)),
        };
        let m = m.map_err(wrong)?;
        let mut after = position.clone();
        after.play_unchecked(m);
        let along = listener.play(along, position, m, &after)?;
        for text in self.in_front.drain(..) {
            listener.comment(&along, &text);
        }
        self.line.here = Some(LinePosition { position: after, along });
        Ok(())
    }

    fn comment<L: MoveListener<Along = A>>(&mut self, listener: &mut L, text: &str) {
        if !self.outer.is_empty() && !self.line.has_moves {
            self.in_front.push(text.to_owned());
        } else if let Some(here) = &self.line.here {
            listener.comment(&here.along, text);
        }
    }

    fn glyph<L: MoveListener<Along = A>>(&self, listener: &mut L, glyph: u8) {
        if let Some(here) = self.line.here.as_ref().filter(|_| self.line.has_moves) {
            listener.glyph(&here.along, glyph);
        }
    }

    /// Begins a variation; true if there is a move that it replaces.
    fn open(&mut self) -> bool {
        let here = self.line.before.clone();
        let inner = PlayedLine { here, before: None, has_moves: false };
        let has_moves = self.line.has_moves;
        self.outer.push(std::mem::replace(&mut self.line, inner));
        has_moves
    }

    /// Ends a variation.
    fn close<L: MoveListener<Along = A>>(&mut self, listener: &mut L) {
        // There was no move in it.
        if let Some(here) = &self.line.here {
            self.in_front.drain(..).for_each(|text| listener.comment(&here.along, &text));
        }
        self.in_front.clear();
        if let Some(outer) = self.outer.pop() {
            self.line = outer;
        }
    }
}

#[cfg(test)]
mod tests;
