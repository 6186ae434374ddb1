//! A printed move, whether it counts in its position or not.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::tree::{Aside, Child, NodeId};

/// A move of a place.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) enum Shown<'a> {
    /// One that counts.
    Counts(&'a Child),
    /// An included one that leads to no analysed position yet, or an excluded one.
    Aside(&'a Aside),
}

impl<'a> Shown<'a> {
    /// The move.
    pub(in crate::render) fn uci(self) -> UciMove {
        match self {
            Shown::Counts(child) => child.edge.uci.unpack(),
            Shown::Aside(aside) => aside.uci.unpack(),
        }
    }

    /// Where it leads.
    pub(in crate::render) fn node(self) -> NodeId {
        match self {
            Shown::Counts(child) => child.edge.child,
            Shown::Aside(aside) => aside.child,
        }
    }

    /// The move with its values; none where it does not count.
    pub(in crate::render) fn child(self) -> Option<&'a Child> {
        match self {
            Shown::Counts(child) => Some(child),
            Shown::Aside(_) => None,
        }
    }

    /// Its place in the engine's list; none where it is not there.
    pub(in crate::render) fn rank(self) -> Option<usize> {
        match self {
            Shown::Counts(child) => child.rank,
            Shown::Aside(aside) => aside.listed.map(|(rank, _)| rank),
        }
    }

    /// The engine's score, for the mover; none where the engine has not listed it.
    pub(in crate::render) fn eval(self) -> Option<Value> {
        match self {
            Shown::Counts(child) => child.eval(),
            Shown::Aside(aside) => aside.listed.map(|(_, eval)| eval),
        }
    }

    /// Its value on this line, for the mover; none where it does not count.
    pub(in crate::render) fn alpha(self) -> Option<Value> {
        self.child().map(|child| child.alpha)
    }

    /// Its value on any line, for the mover, where that is another score than alpha.
    pub(in crate::render) fn other_idea(self) -> Option<Value> {
        let child = self.child()?;
        (Score::from(child.idea) != Score::from(child.alpha)).then_some(child.idea)
    }

    /// Its value on any line, for the mover; none where it does not count.
    pub(in crate::render) fn idea(self) -> Option<Value> {
        self.child().map(|child| child.idea)
    }

    /// Whether it is the first or within the distance of the first.
    pub(in crate::render) fn is_candidate(self) -> bool {
        self.child().is_some_and(|child| child.candidate)
    }

    /// Whether it returns to the path or the game.
    pub(in crate::render) fn is_repetition(self) -> bool {
        self.child().is_some_and(|child| child.repetition)
    }

    /// Whether the position's moves are printed elsewhere.
    pub(in crate::render) fn is_transposition(self) -> bool {
        self.child().is_some_and(|child| child.transposition)
    }

    /// The place of the position's moves, where it is this one.
    pub(in crate::render) fn place(self) -> Option<usize> {
        self.child().and_then(|child| child.place)
    }

    /// Whether the user has included it.
    pub(in crate::render) fn is_included(self) -> bool {
        match self {
            Shown::Counts(child) => child.included,
            Shown::Aside(aside) => aside.listed.is_none(),
        }
    }

    /// Whether the user has excluded it.
    pub(in crate::render) fn is_excluded(self) -> bool {
        matches!(self, Shown::Aside(aside) if aside.listed.is_some())
    }
}
