//! A move of a position on a line, whether or not it counts there.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::tree::{Aside, Child, Growth, NodeId, Place};

use crate::people::traps::describe_trap;
use crate::people::words::MovePlayed;
use crate::tree::Tree;
use crate::words::manner::describe_value;

/// A move of a place, whether or not it counts there.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The move.
    pub uci: UciMove,
    /// The node it is played from.
    pub from: NodeId,
    /// The node it leads to.
    pub node: NodeId,
    /// The move with its values; `None` if it does not count: an included one that leads to no
    /// analysed position yet, or an excluded one.
    pub child: Option<&'a Child>,
    /// Its rank in the engine's list; `None` if it is not there.
    pub rank: Option<usize>,
    /// The engine's score, for the mover; `None` if the engine has not listed it.
    pub eval: Option<Value>,
    /// True if the user has included it.
    pub included: bool,
    /// True if the user has excluded it.
    pub excluded: bool,
    /// True if it is followed because it is played, or a closing search has found it, and not for
    /// its value.
    pub only_played: bool,
}

impl<'a> Shown<'a> {
    /// The moves of a place, those that count first.
    pub fn of_place(place: &'a Place) -> impl Iterator<Item = Shown<'a>> {
        Shown::each(place.node, &place.moves, &place.aside)
    }

    /// The moves of a position, those that count first.
    pub(crate) fn each(
        from: NodeId,
        counting: &'a [Child],
        beside: &'a [Aside],
    ) -> impl Iterator<Item = Shown<'a>> {
        let counting = counting.iter().map(move |child| Shown::counting(from, child));
        counting.chain(beside.iter().map(move |aside| Shown::aside(from, aside)))
    }

    /// A move of a place by its number.
    pub fn at(place: &'a Place, index: usize) -> Option<Shown<'a>> {
        let from = place.node;
        let aside = || place.aside.get(index - place.moves.len()).map(|m| Shown::aside(from, m));
        place.moves.get(index).map(|child| Shown::counting(from, child)).or_else(aside)
    }

    fn counting(from: NodeId, child: &'a Child) -> Shown<'a> {
        Shown {
            from,
            uci: child.edge.uci.unpack(),
            node: child.edge.child,
            child: Some(child),
            rank: child.rank,
            eval: child.eval(),
            included: child.included,
            excluded: false,
            only_played: child.only_played,
        }
    }

    fn aside(from: NodeId, aside: &'a Aside) -> Shown<'a> {
        Shown {
            from,
            uci: aside.uci.unpack(),
            node: aside.child,
            child: None,
            rank: aside.listed.map(|(rank, _)| rank),
            eval: aside.listed.map(|(_, eval)| eval),
            included: aside.listed.is_none(),
            excluded: aside.listed.is_some(),
            only_played: false,
        }
    }

    /// Its counts in games; `None` if they are not counted.
    pub fn played(self, growth: &Growth) -> Option<MovePlayed> {
        MovePlayed::of(growth, self.from, self.uci)
    }

    /// True if it is followed because a closing search has found it, and neither for its value nor
    /// for its games.
    pub fn is_found(self, growth: &Growth) -> bool {
        self.only_played && !self.played(growth).is_some_and(|played| played.is_followed)
    }

    /// The directives on it and on the position behind it, each in words, notes apart.
    pub fn marks(self, growth: &Growth) -> Vec<String> {
        let (graph, mut marks) = (growth.graph(), Vec::new());
        let is_stopped = graph.is_stopped(self.node);
        if self.excluded {
            marks.push("excluded".to_owned());
        }
        if self.included {
            let waits = self.child.is_none() && !is_stopped;
            marks.push(if waits { "included, not analysed yet" } else { "included" }.to_owned());
        }
        if self.is_found(growth) {
            marks.push("followed since the closing search chose it".to_owned());
        }
        let value = graph.given(self.node);
        marks.extend(value.map(|value| format!("your value: {}", describe_value(value))));
        if is_stopped {
            marks.push("stopped here".to_owned());
        }
        marks
    }

    /// The likeliest trap that it sets, in words: `trap: 41% play Bxd1, which loses 3.20`.
    pub fn trap(self, tree: &Tree) -> Option<String> {
        describe_trap(&tree.growth, &tree.refuted, self.from, self.node, self.idea()?)
    }

    /// Its value on this line, for the mover; `None` if it does not count.
    pub fn alpha(self) -> Option<Value> {
        self.child.map(|child| child.alpha)
    }

    /// Its value on any line, for the mover; `None` if it does not count.
    pub fn idea(self) -> Option<Value> {
        self.child.map(|child| child.idea)
    }

    /// Its value on any line, for the mover, if its score differs from alpha.
    pub fn other_idea(self) -> Option<Value> {
        let child = self.child?;
        (Score::from(child.idea) != Score::from(child.alpha)).then_some(child.idea)
    }

    /// True if it is the first or within the distance of the first.
    pub fn is_candidate(self) -> bool {
        self.child.is_some_and(|child| child.candidate)
    }

    /// True if it returns to the path or the game.
    pub fn is_repetition(self) -> bool {
        self.child.is_some_and(|child| child.repetition)
    }

    /// True if the position's moves are printed elsewhere.
    pub fn is_transposition(self) -> bool {
        self.child.is_some_and(|child| child.transposition)
    }

    /// The place of the position's moves, if it is this one.
    pub fn place(self) -> Option<usize> {
        self.child.and_then(|child| child.place)
    }
}
