//! The tree behind a move: its size, and the source of a line's value.

use shakmaty::uci::UciMove;

use crate::chess::{Ending, GivenValue, TableEnd};

use super::graph::{Graph, NodeId};
use super::values::Values;
use super::values::paths::PathValues;

/// Size of the tree behind a move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Behind {
    /// Analysed positions that moves that count lead to, each once, without a return to the path.
    pub positions: u64,
    /// Greatest number of plies behind the move, by the shortest ways.
    pub plies: u32,
}

/// Size of the tree behind each of some positions that a path leads to, without the path.
pub fn behind(graph: &Graph, path: &[NodeId], nodes: &[NodeId]) -> Vec<Behind> {
    nodes.chunks(TOGETHER).flat_map(|nodes| Walk::new(graph, path).go(nodes)).collect()
}

/// Positions walked from at once: what several of them reach in as many plies is walked once.
const TOGETHER: usize = u64::BITS as usize;

/// A walk from several positions, level by level. A bit stands for each of them.
struct Walk<'a> {
    graph: &'a Graph,
    /// By node, side by side: they are looked at together, at places all over the tree.
    marks: Vec<Marks>,
    /// The positions that the level adds.
    level: Vec<NodeId>,
}

/// Start positions from which a position has been reached.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    /// In the levels before.
    seen: u64,
    /// For the first time in the level that is gathered.
    new: u64,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph, path: &[NodeId]) -> Walk<'a> {
        let mut marks = vec![Marks::default(); graph.len()];
        path.iter().for_each(|node| marks[node.index()].seen = u64::MAX);
        Walk { graph, marks, level: Vec::new() }
    }

    fn go(mut self, nodes: &[NodeId]) -> Vec<Behind> {
        let mut behind = vec![Behind::default(); nodes.len()];
        for (bit, node) in nodes.iter().enumerate() {
            self.reach(*node, 1 << bit);
        }
        for plies in 1.. {
            let level = std::mem::take(&mut self.level);
            if level.is_empty() {
                break;
            }
            let reached: Vec<(NodeId, u64)> =
                level.into_iter().map(|node| (node, self.settle(node))).collect();
            for (node, from) in reached {
                for bit in bits(from) {
                    behind[bit].positions += 1;
                    behind[bit].plies = plies;
                }
                for edge in self.graph.moves(node) {
                    self.reach(edge.child, from);
                }
            }
        }
        behind
    }

    /// Notes the start positions that reach a position, if it is analysed.
    fn reach(&mut self, node: NodeId, from: u64) {
        let marks = &mut self.marks[node.index()];
        let new = from & !marks.seen & !marks.new;
        if new != 0 && self.graph.is_analysed(node) {
            if marks.new == 0 {
                self.level.push(node);
            }
            marks.new |= new;
        }
    }

    /// Start positions that reach a position of the level for the first time.
    fn settle(&mut self, node: NodeId) -> u64 {
        let marks = &mut self.marks[node.index()];
        let new = std::mem::take(&mut marks.new);
        marks.seen |= new;
        new
    }
}

/// The places of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

/// End of a line, and so the source of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The tree ends there: the value is the engine's.
    Tree {
        /// The position of the line's last move.
        position: NodeId,
        /// The move's place in the engine's list.
        rank: usize,
    },
    /// The last move returns to the path or the game.
    Repetition,
    /// The game is over.
    Over(Ending),
    /// Tables know the result, here for the side to move in the position.
    Known(TableEnd),
    /// The user has valued the position.
    Value(GivenValue),
    /// It is no line of the tree, or ends inside it.
    Elsewhere,
}

/// The end of a line behind a path of the tree from its root.
pub fn line_end(graph: &Graph, values: &Values, path: &[NodeId], moves: &[UciMove]) -> LineEnd {
    let mut paths = PathValues::new(graph, values);
    let mut set = path.iter().fold(None, |set, node| paths.extend(set, *node));
    let (Some(mut node), mut end) = (path.last().copied(), LineEnd::Elsewhere) else {
        return LineEnd::Elsewhere;
    };
    for (index, uci) in moves.iter().enumerate() {
        let mut counting = graph.moves(node).iter().enumerate();
        let Some((place, edge)) = counting.find(|(_, edge)| edge.uci.unpack() == *uci) else {
            return LineEnd::Elsewhere;
        };
        if paths.repeats(edge.child, set) {
            let is_last = index + 1 == moves.len();
            return if is_last { LineEnd::Repetition } else { LineEnd::Elsewhere };
        }
        let rank = graph.rank(node, place);
        end = rank.map_or(LineEnd::Elsewhere, |rank| LineEnd::Tree { position: node, rank });
        node = edge.child;
        set = paths.extend(set, node);
    }
    match (graph.ending(node), graph.known(node), graph.given(node)) {
        (Some(ending), ..) => LineEnd::Over(ending),
        (None, Some(known), _) => LineEnd::Known(known),
        (None, None, Some(given)) => LineEnd::Value(given),
        _ if graph.is_analysed(node) => LineEnd::Elsewhere,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::tree::{Growth, Lists, grown_of};

    fn grown(lists: &Lists<'_>) -> Growth {
        grown_of(&Game::from_start("startpos").unwrap(), 10, lists)
    }

    /// Two lines lead to one position, and a third back to the root.
    const LISTS: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 25), ("g1f3", 20), ("c2c4", 5)]),
        ("e4", &[("e7e6", -30), ("d7d5", -31)]),
        ("e4 e6", &[("d2d4", 30)]),
        ("e4 e6 d4", &[("d7d5", -30)]),
        ("d4", &[("e7e6", -25)]),
        ("d4 e6", &[("e2e4", 25)]),
        ("Nf3", &[("g8f6", -20)]),
        ("Nf3 Nf6", &[("f3g1", 20)]),
        ("Nf3 Nf6 Ng1", &[("f6g8", -20)]),
    ];

    #[test]
    fn positions_behind_count_once_and_never_the_path() {
        let growth = grown(LISTS);
        let root = growth.root();
        let counted = |uci: &str| {
            let node = *growth.walk(&[uci.parse().unwrap()]).last().unwrap();
            let Behind { positions, plies } = behind(growth.graph(), &[root], &[node])[0];
            (positions, plies)
        };
        assert_eq!(counted("e2e4"), (3, 3));
        assert_eq!(counted("d2d4"), (3, 3), "e4 e6 d4 belongs to both");
        assert_eq!(counted("g1f3"), (3, 3), "not the root, to which it returns");
        assert_eq!(counted("c2c4"), (0, 0));
    }

    #[test]
    fn positions_behind_many_moves_count_for_each() {
        let growth = grown(LISTS);
        let nodes: Vec<NodeId> = growth.graph().nodes().collect();
        let many: Vec<NodeId> = nodes.iter().copied().cycle().take(150).collect();
        let together = behind(growth.graph(), &[growth.root()], &many);
        let alone = many.iter().map(|node| behind(growth.graph(), &[growth.root()], &[*node])[0]);
        assert!(together.iter().copied().eq(alone));
        assert!(together.iter().any(|behind| behind.positions > 2));
    }

    #[test]
    fn line_ends_with_the_engine_only_at_the_trees_end() {
        let growth = grown(LISTS);
        let ends = |line: &str| {
            let moves: Vec<UciMove> = line.split(' ').map(|uci| uci.parse().unwrap()).collect();
            (line_end(growth.graph(), growth.values(), &[growth.root()], &moves), moves)
        };
        for (line, ply, rank) in
            [("e2e4 e7e6 d2d4 d7d5", 3, 0), ("e2e4 d7d5", 1, 1), ("c2c4", 0, 3)]
        {
            let (end, moves) = ends(line);
            assert_eq!(end, LineEnd::Tree { position: growth.walk(&moves)[ply], rank }, "{line}");
        }
        assert_eq!(ends("e2e4 e7e6").0, LineEnd::Elsewhere, "the tree goes on");
        assert_eq!(ends("a2a3").0, LineEnd::Elsewhere, "no move of the tree");
        assert_eq!(ends("g1f3 g8f6 f3g1 f6g8").0, LineEnd::Repetition);
        assert_eq!(ends("g1f3 g8f6 f3g1 f6g8 e2e4").0, LineEnd::Elsewhere, "goes on behind one");
    }
}
