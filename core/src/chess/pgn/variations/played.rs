//! One game of a PGN file as it is played, with the variations that are open.

use shakmaty::{Chess, Position};

use crate::chess::line::parse_move;
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

/// Moves that leave the other side to move once more: nothing can be analysed behind them.
const NULL_MOVES: [&str; 3] = ["--", "Z0", "0000"];

impl<A: Clone> Played<A> {
    pub(super) fn new(position: Chess, along: A) -> Played<A> {
        let here = Some(Spot { position, along });
        let line = Line { here, before: None, has_moves: false };
        Played { line, outer: Vec::new(), in_front: Vec::new() }
    }

    pub(super) fn is_in_variation(&self) -> bool {
        !self.outer.is_empty()
    }

    /// Plays a move, or steps over it behind a null move.
    pub(super) fn play<L: Listener<Along = A>>(
        &mut self,
        listener: &mut L,
        token: &str,
        number: usize,
    ) -> Result<(), L::Error> {
        self.line.has_moves = true;
        self.line.before = self.line.here.take();
        let Some(Spot { position, along }) = &self.line.before else {
            return Ok(());
        };
        if NULL_MOVES.contains(&token) {
            self.in_front.clear();
            return Ok(());
        }
        let m = parse_move(position, token).map_err(|source| PgnError::Game { number, source })?;
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
        if self.is_in_variation() && !self.line.has_moves {
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

    /// Ends a variation; whether there was one.
    pub(super) fn close<L: Listener<Along = A>>(&mut self, listener: &mut L) -> bool {
        // There was no move in it.
        if let Some(here) = &self.line.here {
            self.in_front.drain(..).for_each(|text| listener.comment(&here.along, &text));
        }
        self.in_front.clear();
        let outer = self.outer.pop();
        let was_open = outer.is_some();
        if let Some(outer) = outer {
            self.line = outer;
        }
        was_open
    }
}
