//! Directives and played moves of positions (ALGORITHM, sections 6 and 8), and the moves that count
//! by them.

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use crate::chess::{GivenValue, Value};

use super::facts::EndKind;
use super::{Edge, Facts, Graph, Grown, NodeId};

/// A user's wishes for a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Moves that do not count and are not followed.
    pub exclude: Vec<UciMove>,
    /// Moves that are followed whatever their value.
    pub include: Vec<UciMove>,
    /// The position's value, if given.
    pub value: Option<GivenValue>,
    /// True if nothing is asked there.
    pub stop: bool,
}

/// An included or played move, and the position that it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// The move.
    pub uci: PackedUciMove,
    /// The position after it.
    pub child: NodeId,
}

/// Record of a position with directives or played moves.
#[derive(Debug, Clone, Default)]
pub struct Directed {
    pub(super) excluded: Vec<PackedUciMove>,
    /// By UCI text.
    pub(super) included: Vec<Followed>,
    /// By UCI text; none of them is excluded or included.
    pub(super) played: Vec<Followed>,
    pub(super) value: Option<GivenValue>,
    /// The moves that count.
    pub(super) moves: Vec<Edge>,
}

impl Graph {
    /// Takes the user's wishes for a position, before anything is listed there: neither value nor
    /// stop, if tables know it. Its included moves are for [`Graph::include`].
    pub fn direct(&mut self, node: NodeId, wish: &Wish) {
        let is_known = self.known(node).is_some();
        let excluded = wish.exclude.iter().map(|uci| PackedUciMove::pack(*uci)).collect();
        let value = wish.value.filter(|_| !is_known);
        self.directed.set(node, Directed { excluded, value, ..Directed::default() });
        let facts = [
            (!wish.exclude.is_empty() || !wish.include.is_empty(), Facts::DIRECTED),
            (wish.stop && !is_known, Facts::STOPPED),
        ];
        if value.is_some() {
            self.set_end(node, EndKind::Valued);
        }
        for (_, fact) in facts.into_iter().filter(|(is_so, _)| *is_so) {
            self.set_fact(node, fact);
        }
    }

    /// Takes the included moves of such a position, before anything is listed there.
    pub fn include(&mut self, node: NodeId, mut included: Vec<Followed>) {
        self.follow(node, &mut included);
        let directed = self.directed.get(node).cloned().unwrap_or_default();
        self.directed.set(node, Directed { included, ..directed });
    }

    /// Takes the played moves of a position that are neither excluded nor included, before anything is listed there.
    pub fn play(&mut self, node: NodeId, mut played: Vec<Followed>) {
        self.follow(node, &mut played);
        let directed = self.directed.get(node).cloned().unwrap_or_default();
        self.directed.set(node, Directed { played, ..directed });
        self.set_fact(node, Facts::DIRECTED);
    }

    /// Sorts moves, and notes where they come from.
    fn follow(&mut self, node: NodeId, moves: &mut [Followed]) {
        moves.sort_by_key(|followed| followed.uci.unpack().to_string());
        for Followed { child, .. } in moves {
            let mut following = self.following.get(*child).cloned().unwrap_or_default();
            following.push(node);
            self.following.set(*child, following);
        }
    }

    /// The user's included moves of a position, by UCI text.
    pub fn included(&self, node: NodeId) -> &[Followed] {
        self.directed_moves(node).map_or(&[], |directed| &directed.included)
    }

    /// The played moves of a position that are neither excluded nor included, by UCI text.
    pub fn played(&self, node: NodeId) -> &[Followed] {
        self.directed_moves(node).map_or(&[], |directed| &directed.played)
    }

    /// True if a position has moves that are followed whatever their value.
    pub fn has_followed(&self, node: NodeId) -> bool {
        !self.included(node).is_empty() || !self.played(node).is_empty()
    }

    /// The included moves of a position that do not count, by UCI text.
    pub fn waiting(&self, node: NodeId) -> impl Iterator<Item = Followed> + '_ {
        self.without_counting(node, self.included(node))
    }

    /// The played moves of a position that do not count, by UCI text.
    pub fn waiting_played(&self, node: NodeId) -> impl Iterator<Item = Followed> + '_ {
        self.without_counting(node, self.played(node))
    }

    fn without_counting<'a>(
        &'a self,
        node: NodeId,
        followed: &'a [Followed],
    ) -> impl Iterator<Item = Followed> + 'a {
        let moves = self.moves(node);
        let counts = move |uci: PackedUciMove| moves.iter().any(|edge| edge.uci == uci);
        followed.iter().copied().filter(move |followed| !counts(followed.uci))
    }

    /// True if the user has included a move.
    pub fn is_included(&self, node: NodeId, uci: PackedUciMove) -> bool {
        self.included(node).iter().any(|included| included.uci == uci)
    }

    /// True if a move is played, and neither excluded nor included.
    pub fn is_played(&self, node: NodeId, uci: PackedUciMove) -> bool {
        self.played(node).iter().any(|played| played.uci == uci)
    }

    /// The moves of a position that the user has excluded.
    pub fn excluded(&self, node: NodeId) -> &[PackedUciMove] {
        self.directed_moves(node).map_or(&[], |directed| &directed.excluded)
    }

    /// The rank of the move at an index of [`Graph::moves`]; None if it is not listed.
    pub fn rank(&self, node: NodeId, index: usize) -> Option<usize> {
        if self.directed_moves(node).is_none() {
            return Some(index);
        }
        let uci = self.moves(node).get(index)?.uci;
        self.list(node).iter().position(|edge| edge.uci == uci)
    }

    /// Number of listed moves that count.
    pub fn listed_that_count(&self, node: NodeId) -> usize {
        let (list, excluded) = (self.list(node), self.excluded(node));
        list.iter().filter(|edge| !excluded.contains(&edge.uci)).count()
    }

    fn directed_moves(&self, node: NodeId) -> Option<&Directed> {
        if self.facts(node).is(Facts::DIRECTED) { self.directed.get(node) } else { None }
    }

    /// Updates the moves of a position that count, after its list or the positions behind its
    /// included or played moves have changed.
    pub(super) fn count_moves(&mut self, node: NodeId, grown: &mut Grown) {
        let was_analysed = self.is_analysed(node);
        if self.is_leaf(node) || self.listed_that_count(node) == 0 {
            return;
        }
        let Some(directed) = self.directed.get(node) else {
            return;
        };
        let moves = self.moves_that_count(node, directed);
        if moves == directed.moves {
            return;
        }
        let is_new = |edge: &&Edge| directed.moves.iter().all(|old| old.uci != edge.uci);
        grown.links.extend(moves.iter().filter(is_new).map(|edge| (node, edge.child)));
        let directed = Directed { moves, ..directed.clone() };
        self.directed.set(node, directed);
        if was_analysed {
            grown.changed.push(node);
        } else {
            self.set_analysed(node);
            grown.analysed.push(node);
        }
    }

    fn moves_that_count(&self, node: NodeId, directed: &Directed) -> Vec<Edge> {
        let list = self.list(node);
        let listed = list.iter().filter(|edge| !directed.excluded.contains(&edge.uci));
        let is_listed = |uci| list.iter().any(|edge| edge.uci == uci);
        let counts = |followed: &&Followed| {
            let child = followed.child;
            !is_listed(followed.uci) && (self.is_analysed(child) || self.end(child).is_some())
        };
        let Directed { included, played, .. } = directed;
        let mut unlisted: Vec<&Followed> = included.iter().chain(played).filter(counts).collect();
        unlisted.sort_by_key(|followed| followed.uci.unpack().to_string());
        // The score of a move to an analysed position or an end is never read.
        let edge = |f: &Followed| Edge { child: f.child, eval: Value::EVEN, uci: f.uci };
        listed.copied().chain(unlisted.into_iter().map(edge)).collect()
    }
}
