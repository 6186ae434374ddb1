//! A side's repertoire in a tree: at its turn the user's included moves, or the tree's good ones if
//! none is included; at the other side's, every move that counts.

pub mod reach;

use shakmaty::Color;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Edge, Growth, NodeId};

/// A move of a repertoire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepertoireMove {
    /// The move.
    pub uci: UciMove,
    /// Where it leads.
    pub child: NodeId,
    /// Its value on any line, for its mover; `None` if it is included but does not count yet.
    pub idea: Option<Value>,
}

/// The moves of a position that count, by idea, best first, ties by rank, then by UCI text.
pub fn counting(growth: &Growth, node: NodeId) -> Vec<RepertoireMove> {
    let (graph, values) = (growth.graph(), growth.values());
    let of = |edge: &Edge| RepertoireMove {
        uci: edge.uci.unpack(),
        child: edge.child,
        idea: Some(values.idea_of(graph, edge)),
    };
    let mut moves: Vec<RepertoireMove> = graph.moves(node).iter().map(of).collect();
    // Equal moves keep their order.
    moves.sort_by_key(|m| std::cmp::Reverse(m.idea));
    moves
}

/// The moves that the side to move may choose: the included ones, or if none, those whose idea is
/// at most `sound` centipawns below the best one's. The best come first, included ones that do not
/// count yet last.
pub fn own_moves(growth: &Growth, node: NodeId, sound: u32) -> Vec<RepertoireMove> {
    let (graph, mut moves) = (growth.graph(), counting(growth, node));
    if graph.included(node).is_empty() {
        let best = moves.first().and_then(|best| best.idea);
        let least = best.map_or(i64::MIN, |best| best.less(sound));
        moves.retain(|m| m.idea.is_some_and(|idea| i64::from(idea.get()) >= least));
        return moves;
    }
    moves.retain(|m| graph.is_included(node, PackedUciMove::pack(m.uci)));
    let waiting = graph.waiting(node);
    let waiting =
        waiting.map(|m| RepertoireMove { uci: m.uci.unpack(), child: m.child, idea: None });
    moves.extend(waiting);
    moves
}

/// A repertoire with the positions that it reaches.
#[derive(Debug)]
pub struct Repertoire<'a> {
    /// The tree.
    pub growth: &'a Growth,
    /// Its side.
    pub side: Color,
    /// Own moves that lose more centipawns are left out, unless the user has included moves there.
    pub sound: u32,
    reached: Vec<bool>,
}

impl<'a> Repertoire<'a> {
    /// A tree's, from its root.
    pub fn new(growth: &'a Growth, side: Color, sound: u32) -> Repertoire<'a> {
        let reached = vec![false; growth.graph().len()];
        let mut repertoire = Repertoire { growth, side, sound, reached };
        let mut next = vec![growth.root()];
        while let Some(node) = next.pop() {
            let seen = repertoire.reached.get_mut(node.index());
            if seen.is_some_and(|seen| !std::mem::replace(seen, true)) {
                next.extend(repertoire.moves(node).iter().map(|m| m.child));
            }
        }
        repertoire
    }

    /// Its moves in a position.
    pub fn moves(&self, node: NodeId) -> Vec<RepertoireMove> {
        match self.growth.graph().turn(node) == self.side {
            true => own_moves(self.growth, node, self.sound),
            false => counting(self.growth, node),
        }
    }

    /// True if its moves lead to a position from the root.
    pub fn has(&self, node: NodeId) -> bool {
        self.reached.get(node.index()).copied().unwrap_or(false)
    }

    /// Number of its positions that have a move.
    pub fn positions(&self) -> usize {
        let analysed = self.growth.graph().analysed();
        analysed.filter(|node| self.has(*node)).count()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use deepanalyze_core::chess::{Game, PositionKey};
    use deepanalyze_core::tree::{Breadth, Lists, Selection, Wish, Wishes, grown_of};

    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 10), ("c2c4", -1)]),
        ("e4", &[("e7e5", -30), ("a7a6", -90)]),
        ("e4 e5", &[("g1f3", 31), ("f2f4", -40)]),
        ("d4", &[("d7d5", -10)]),
        ("c4", &[("e7e5", 1)]),
    ];

    fn moves(growth: &Growth, side: Color, line: &str) -> String {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(line).unwrap();
        let repertoire = Repertoire::new(growth, side, 30);
        let node = growth.find(&PositionKey::of(game.root())).unwrap();
        assert!(repertoire.has(node), "{line}");
        let each = repertoire.moves(node).into_iter().map(|m| m.uci.to_string());
        each.collect::<Vec<_>>().join(" ")
    }

    fn selection(include: &[&str]) -> Selection {
        let game = Game::from_start("startpos").unwrap();
        let include = include.iter().map(|uci| uci.parse().unwrap()).collect();
        let wish = Wish { include, ..Wish::default() };
        let wishes: Wishes = [(PositionKey::of(game.root()), wish)].into_iter().collect();
        Selection { wishes: Arc::new(wishes), ..Breadth::from(10).into() }
    }

    #[test]
    fn without_included_moves_the_sound_ones_count() {
        let game = Game::from_start("startpos").unwrap();
        let growth = grown_of(&game, 10, LISTS);
        assert_eq!(moves(&growth, Color::White, ""), "e2e4 d2d4", "31 centipawns are too many");
        assert_eq!(moves(&growth, Color::White, "e4"), "e7e5 a7a6");
        assert_eq!(moves(&growth, Color::White, "e4 e5"), "g1f3");
        assert_eq!(moves(&growth, Color::Black, ""), "e2e4 d2d4 c2c4");
        assert_eq!(Repertoire::new(&growth, Color::White, 30).positions(), 4);
    }

    #[test]
    fn included_moves_are_chosen_at_any_value() {
        let game = Game::from_start("startpos").unwrap();
        let growth = grown_of(&game, selection(&["c2c4", "a2a3"]), LISTS);
        assert_eq!(moves(&growth, Color::White, ""), "c2c4 a2a3");
        assert_eq!(moves(&growth, Color::White, "c4"), "e7e5");
        assert_eq!(moves(&growth, Color::White, "a3"), "", "it waits");
    }
}
