//! A side's repertoire in a tree: at its turn the user's included moves, or the tree's good ones if
//! none is included; at the other side's, every move that counts. The chance that a game reaches a
//! position, if the side plays it.

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value};
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
        if self.growth.graph().turn(node) == self.side {
            own_moves(self.growth, node, self.sound)
        } else {
            counting(self.growth, node)
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

/// Walks end this many plies behind the settled depth: included moves cost none.
const MORE_PLIES: u32 = 100;

/// The chance, by node, that a game from the root reaches each position, if a side plays its
/// included moves (in equal parts) or its best one, and the other side plays as counted; if the
/// tree has no games, all replies that the tree continues are equally likely. Unlike the reach of
/// [`People`](deepanalyze_view::People), whose own moves are those that score most against people,
/// it follows the moves that a repertoire teaches.
pub fn reach(growth: &Growth, side: Color) -> Vec<f64> {
    let mut reach = vec![0.0; growth.graph().len()];
    let mut ply: HashMap<NodeId, f64> = [(growth.root(), 1.0)].into_iter().collect();
    for _ in 0..=growth.depth().saturating_add(MORE_PLIES) {
        let mut next: HashMap<NodeId, f64> = HashMap::new();
        for (node, part) in std::mem::take(&mut ply) {
            reach.get_mut(node.index()).into_iter().for_each(|sum| *sum += part);
            for (child, share) in shares(growth, node, side) {
                *next.entry(child).or_default() += part * share;
            }
        }
        ply = next;
        if ply.is_empty() {
            break;
        }
    }
    reach
}

/// The continuations of a position, with their chances.
fn shares(growth: &Growth, node: NodeId, side: Color) -> Vec<(NodeId, f64)> {
    let graph = growth.graph();
    if !graph.is_analysed(node) {
        return Vec::new();
    }
    let all = counting(growth, node);
    if graph.turn(node) == side {
        return equally(chosen(growth, node));
    }
    let counts = growth.counts();
    if counts.rules.is_none() {
        let goes_on = |child: NodeId| graph.is_analysed(child) || graph.end(child).is_some();
        return equally(all.iter().map(|m| m.child).filter(|child| goes_on(*child)).collect());
    }
    let known = counts.get(&PositionKey::of(&growth.position(node)));
    let share = |uci| known.and_then(|counts| counts.share(uci)).filter(|share| *share > 0.0);
    all.iter().filter_map(|m| Some((m.child, share(m.uci)?))).collect()
}

/// The side's own choice: the included moves, or the best one by idea.
fn chosen(growth: &Growth, node: NodeId) -> Vec<NodeId> {
    let graph = growth.graph();
    let included: Vec<NodeId> = graph.included(node).iter().map(|m| m.child).collect();
    if included.is_empty() {
        counting(growth, node).first().map(|best| best.child).into_iter().collect()
    } else {
        included
    }
}

fn equally(nodes: Vec<NodeId>) -> Vec<(NodeId, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "a position has at most 218 moves")]
    let share = 1.0 / nodes.len().max(1) as f64;
    nodes.into_iter().map(|node| (node, share)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use deepanalyze_core::chess::{Game, PositionKey};
    use deepanalyze_core::tree::{
        Breadth, CountFacts, Lists, MoveCounts, PlayedRules, Selection, Wish, Wishes, grown_of,
    };

    use super::*;

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

    const REPLIES: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 20)]),
        ("e4", &[("e7e5", -30), ("c7c5", -31), ("a7a6", -90)]),
        ("e4 e5", &[("g1f3", 31)]),
        ("e4 c5", &[("g1f3", 31)]),
    ];

    fn reached(selection: Selection, counts: &[(&str, u64)]) -> Vec<(&'static str, f64)> {
        let game = Game::from_start("startpos").unwrap();
        let mut growth = grown_of(&game, selection, REPLIES);
        let key = |line: &str| {
            let mut game = game.clone();
            game.play_line(line).unwrap();
            PositionKey::of(game.root())
        };
        let counts = counts.iter().map(|(uci, games)| (uci.parse().unwrap(), *games));
        growth.learn_counts([(key("e4"), MoveCounts::new(counts))]);
        let reach = reach(&growth, Color::White);
        let lines = ["", "e4", "e4 e5", "e4 c5", "d4"];
        let of = |line: &'static str| (line, reach[growth.find(&key(line)).unwrap().index()]);
        lines.map(of).to_vec()
    }

    #[test]
    fn without_games_followed_replies_are_equally_likely() {
        let reached = reached(Breadth::from(10).into(), &[]);
        assert_eq!(reached, [("", 1.0), ("e4", 1.0), ("e4 e5", 0.5), ("e4 c5", 0.5), ("d4", 0.0)]);
    }

    #[test]
    fn with_games_replies_are_as_likely_as_played() {
        let counts = CountFacts::new(PlayedRules::default());
        let selection = Selection { counts, ..Breadth::from(10).into() };
        let reached = reached(selection, &[("c7c5", 3), ("a7a6", 1)]);
        assert_eq!(reached, [("", 1.0), ("e4", 1.0), ("e4 e5", 0.0), ("e4 c5", 0.75), ("d4", 0.0)]);
    }
}
