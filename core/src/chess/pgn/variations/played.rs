//! One game of a PGN file as it is played, with the variations that are open.

use shakmaty::{Chess, Position};

use crate::chess::line::{GameError, no_move, written_move};
use crate::chess::notation::Word;
use crate::chess::pgn::PgnError;

use super::Listener;

/// A position on a line.
#[derive(Debug, Clone)]
struct Spot<A> {
    position: Chess,
    along: A,
}

/// A line that is played.
#[derive(Debug, Clone)]
struct Line<A> {
    /// None behind a null move.
    here: Option<Spot<A>>,
    /// Before the last move; none where there is none.
    before: Option<Spot<A>>,
    /// Whether a move has been read.
    has_moves: bool,
}

/// A game as it is played.
#[derive(Debug)]
pub(super) struct Played<A> {
    line: Line<A>,
    /// The lines that the variation stands in, outermost first.
    outer: Vec<Line<A>>,
    /// Comments in front of the first move of a variation.
    in_front: Vec<String>,
}

impl<A: Clone> Played<A> {
    pub(super) fn new(position: Chess, along: A) -> Played<A> {
        let here = Some(Spot { position, along });
        let line = Line { here, before: None, has_moves: false };
        Played { line, outer: Vec::new(), in_front: Vec::new() }
    }

    /// Plays a word that is to be a move, or steps over it behind a null move.
    pub(super) fn play<L: Listener<Along = A>>(
        &mut self,
        listener: &mut L,
        (word, token): (Word, &str),
        wrong: impl FnOnce(GameError) -> PgnError,
    ) -> Result<(), L::Error> {
        self.line.has_moves = true;
        self.line.before = self.line.here.take();
        let Some(Spot { position, along }) = &self.line.before else {
            return Ok(());
        };
        let m = match word {
            Word::Null => {
                self.in_front.clear();
                return Ok(());
            }
            Word::Move => written_move(position, token),
            _ => Err(no_move(position, token)),
        };
        let m = m.map_err(wrong)?;
        let mut after = position.clone();
        after.play_unchecked(m);
        let along = listener.play(along, position, m, &after)?;
        for text in self.in_front.drain(..) {
            listener.comment(&along, &text);
        }
        self.line.here = Some(Spot { position: after, along });
        Ok(())
    }

    pub(super) fn comment<L: Listener<Along = A>>(&mut self, listener: &mut L, text: &str) {
        if !self.outer.is_empty() && !self.line.has_moves {
            self.in_front.push(text.to_owned());
        } else if let Some(here) = &self.line.here {
            listener.comment(&here.along, text);
        }
    }

    /// Begins a variation; whether there is a move that it replaces.
    pub(super) fn open(&mut self) -> bool {
        let here = self.line.before.clone();
        let inner = Line { here, before: None, has_moves: false };
        let has_moves = self.line.has_moves;
        self.outer.push(std::mem::replace(&mut self.line, inner));
        has_moves
    }

    /// Ends a variation.
    pub(super) fn close<L: Listener<Along = A>>(&mut self, listener: &mut L) {
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
