//! Worth of moves against people, and coverage of their games by a tree (docs/algorithm.md, section
//! 9). A report: it changes no tree.

pub mod coverage;
mod expected;
mod ground;
mod reach;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod traps;
pub mod words;

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Edge, Graph, Growth, MoveCounts, NodeId, Values};
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use expected::expected_scores;
pub use ground::expected_of;
use ground::{Ground, SaidOfEdges};
use reach::{Walk, WideGap, walk, widest};
use words::{games_told, share_told};

/// Default loss allowed for a recommended move, in centipawns.
pub const SOUND: u32 = 30;
/// Games are followed for this many plies, as far as sets of games count.
const PLIES: u32 = 60;
/// A gap of fewer games may be one player's whim: it is listed after the others.
const FEW_GAMES: u64 = 3;

/// True if a move may be one player's whim: counted in few games, with no net that knows it.
pub fn is_few(counts: &MoveCounts, uci: UciMove) -> bool {
    counts.weight() == 0 && counts.of(uci) < FEW_GAMES
}

/// The side, and its care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleAsked {
    /// The side of the expected scores.
    pub side: Color,
    /// Centipawns that a move of that side may be below the best idea to be followed.
    pub sound: u32,
}

impl PeopleAsked {
    /// With the usual care.
    pub fn of(side: Color) -> PeopleAsked {
        PeopleAsked { side, sound: SOUND }
    }
}

/// A tree's worth against people, for one side.
#[derive(Debug)]
pub struct People<'a> {
    ground: Ground<'a>,
    root: NodeId,
    /// By node; NaN if the position is not analysed.
    expected: Vec<f64>,
    walk: Walk,
}

/// A reply that is played and does not count in the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The node it is played from.
    pub node: NodeId,
    /// The reply.
    pub uci: UciMove,
    /// Number of games with it; `None` where a net alone knows the position.
    pub games: Option<u64>,
    /// Its share of the position's games, or how likely it is where a net was asked; 0 to 1.
    pub share: f64,
    /// The chance that a game from the root leaves the tree here, 0 to 1: the reach of the position
    /// times the share of the reply. More than 1 at a position that games come to again and again.
    pub leaves: f64,
    /// True if it may be one player's whim.
    pub is_few: bool,
}

impl<'a> People<'a> {
    /// Of a tree with counts; without any, each side plays its best moves. The walk goes to the ends of all lines.
    pub fn of(growth: &'a Growth, asked: PeopleAsked) -> People<'a> {
        People::of_ground(ground_of(growth, asked), growth.root(), PLIES)
    }

    /// From a graph and its values with the engine's scores alone, with the counts of each node,
    /// walked from a root for this many plies.
    pub fn on(
        graph: &'a Graph,
        values: &'a Values,
        counts: Vec<Option<&'a MoveCounts>>,
        root: NodeId,
        plies: u32,
        asked: PeopleAsked,
    ) -> People<'a> {
        let said = SaidOfEdges::default();
        People::of_ground(Ground { graph, values, counts, said, asked }, root, plies)
    }

    fn of_ground(ground: Ground<'a>, root: NodeId, plies: u32) -> People<'a> {
        let expected = expected_scores(&ground);
        let walk = walk(&ground, &expected, root, plies);
        People { ground, root, expected, walk }
    }

    /// The question.
    pub fn asked(&self) -> PeopleAsked {
        self.ground.asked
    }

    /// The side's expected score at a position, 0 to 1; `None` if it is not analysed.
    pub fn expected(&self, node: NodeId) -> Option<f64> {
        self.expected.get(node.index()).copied().filter(|expected| !expected.is_nan())
    }

    /// The side's expected score after a move of either side that counts, 0 to 1.
    pub fn of_move(&self, node: NodeId, edge: &Edge) -> f64 {
        self.ground.after_move(node, edge, &self.expected)
    }

    /// The side's move at a position where it is to move: the sound one of the greatest expected
    /// score, ties by rank, then by UCI text. `None` if the other side is to move, or the position
    /// is not analysed.
    pub fn best(&self, node: NodeId) -> Option<&'a Edge> {
        if self.ground.is_own(node) { self.ground.best_own(node, &self.expected) } else { None }
    }

    /// The recommended move where the side is to move: the one of the greatest expected score among
    /// those that it may play and that lose no more than is sound, ties as in [`People::best`].
    pub fn recommended(&self, node: NodeId) -> Option<&'a Edge> {
        let least = self.least_sound(node)?;
        let is_sound = |edge: &&Edge| i64::from(self.idea_of(edge).get()) >= least;
        let own = self.ground.own_moves(node).filter(is_sound);
        if self.is_own(node) { self.ground.greatest(node, own, &self.expected) } else { None }
    }

    /// The least idea of a sound move.
    fn least_sound(&self, node: NodeId) -> Option<i64> {
        let best = self.idea_of(self.best_by_engine(node)?);
        Some(best.less(self.ground.asked.sound))
    }

    /// The move of the greatest idea, ties by rank, then by UCI text.
    pub fn best_by_engine(&self, node: NodeId) -> Option<&'a Edge> {
        self.ground.best_by_idea(node)
    }

    /// The value of a move for its mover, on any line.
    pub fn idea_of(&self, edge: &Edge) -> Value {
        self.ground.values.idea_of(self.ground.graph, edge)
    }

    /// True if the side in question is to move.
    pub fn is_own(&self, node: NodeId) -> bool {
        self.ground.is_own(node)
    }

    /// True if any game is known of a position or behind one of its moves.
    pub fn has_games_behind(&self, node: NodeId) -> bool {
        let mut behind = self.ground.graph.moves(node).iter().map(|edge| edge.child);
        self.counts(node).is_some() || behind.any(|child| self.counts(child).is_some())
    }

    /// True if a net of human play was asked of any position.
    pub fn has_net(&self) -> bool {
        self.ground.counts.iter().flatten().any(|counts| counts.weight() > 0)
    }

    /// The counts of a position; `None` if unknown.
    pub fn counts(&self, node: NodeId) -> Option<&'a MoveCounts> {
        self.ground.counts_at(node)
    }

    /// The chance that a game from the root comes to a position when the side follows its moves, as
    /// the sum over plies.
    pub fn reach(&self, node: NodeId) -> f64 {
        self.walk.reach.get(node.index()).copied().unwrap_or_default()
    }

    /// The moves by which most games come to a position; empty for the root, and if no game comes.
    pub fn line_to(&self, node: NodeId) -> Vec<UciMove> {
        self.walk.line_to(node)
    }

    /// The expected score of a value of a position's side to move, for the side in question.
    pub fn scored(&self, node: NodeId, value: Value) -> f64 {
        self.ground.scored(node, value)
    }

    /// The moves that the side may play where it is to move: the included ones that count, else the sound ones.
    pub fn own_moves(&self, node: NodeId) -> impl Iterator<Item = &'a Edge> + '_ {
        self.ground.own_moves(node).filter(move |_| self.is_own(node))
    }

    /// True if the user has included moves of a position that count.
    pub fn follows_included(&self, node: NodeId) -> bool {
        self.ground.follows_included(node)
    }

    /// The positions that games come to.
    pub fn reached(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ground.graph.analysed().filter(|node| self.reach(*node) > 0.0)
    }

    /// The move of the greatest expected score among all that lose no more than is sound, included or not.
    pub fn best_sound(&self, node: NodeId) -> Option<&'a Edge> {
        let least = self.least_sound(node)?;
        let moves = self.ground.graph.moves(node).iter();
        let sound = moves.filter(|edge| i64::from(self.idea_of(edge).get()) >= least);
        self.ground.greatest(node, sound, &self.expected)
    }

    /// The chance that a game stays in the tree while it is walked: 1 less all gaps.
    pub fn coverage(&self) -> f64 {
        self.coverage_for(self.walk.plies())
    }

    /// The chance that a game is still in the tree after these plies.
    pub fn coverage_for(&self, plies: u32) -> f64 {
        1.0 - self.walk.left.iter().take(plies as usize).sum::<f64>()
    }

    /// Plies within which a game can leave the tree: until no game goes on in it.
    pub fn plies(&self) -> u32 {
        self.walk.plies()
    }

    /// Plies before the tree's end: at each the tree goes on for a third of the games that are
    /// still in it.
    pub fn plies_inside(&self) -> u32 {
        self.walk.inside
    }

    /// The chance that a game stays in the tree before the tree ends: where it ends, hardly a reply
    /// has an answer.
    pub fn coverage_inside(&self) -> f64 {
        self.coverage_for(self.plies_inside())
    }

    /// The `most` widest gaps, widest first; those where the tree ends are among them.
    pub fn gaps(&self, most: usize) -> Vec<Gap> {
        let widest = widest(self.walk.gaps.iter(), most, |_| false);
        widest.into_iter().map(|gap| self.gap(gap)).collect()
    }

    /// Without those where the tree ends, in display order: those of fewer than three games last.
    pub fn gaps_inside(&self, most: usize) -> Vec<Gap> {
        let widest = widest(self.walk.gaps_inside(), most, |gap| self.is_few(gap));
        widest.into_iter().map(|gap| self.gap(gap)).collect()
    }

    /// Their number.
    pub fn gap_count_inside(&self) -> usize {
        self.walk.gaps_inside().count()
    }

    fn is_few(&self, gap: &WideGap) -> bool {
        self.counts(gap.node).is_some_and(|counts| is_few(counts, gap.uci))
    }

    fn gap(&self, gap: WideGap) -> Gap {
        let WideGap { node, uci, leaves } = gap;
        let counts = self.counts(node);
        let games = counts.and_then(|counts| games_told(counts, uci));
        let share = counts.and_then(|counts| share_told(counts, uci)).unwrap_or_default();
        Gap { node, uci, games, share, leaves, is_few: self.is_few(&gap) }
    }
}

/// The expected scores of a tree for one side, apart from the tree.
#[derive(Debug, Clone)]
pub struct ExpectedScores {
    side: Color,
    expected: Vec<f64>,
    said: SaidOfEdges,
}

impl ExpectedScores {
    /// Of a tree with counts; `None` without any.
    pub fn of(growth: &Growth, side: Color) -> Option<ExpectedScores> {
        growth.counts().rules?;
        let ground = ground_of(growth, PeopleAsked::of(side));
        Some(ExpectedScores { side, expected: expected_scores(&ground), said: ground.said })
    }

    /// Their side.
    pub fn side(&self) -> Color {
        self.side
    }

    /// The side's expected score after a move of that tree by either side that counts, 0 to 1.
    pub fn of_move(&self, graph: &Graph, node: NodeId, edge: &Edge) -> f64 {
        ground::after_move((graph, &self.said), self.side, node, edge, &self.expected)
    }
}

fn ground_of(growth: &Growth, asked: PeopleAsked) -> Ground<'_> {
    let (graph, values, counts) = (growth.graph(), growth.values(), counts_by_node(growth));
    let of_edge = |((key, uci), wdl): (&(PositionKey, UciMove), &WinDrawLoss)| {
        Some(((growth.find(key)?, PackedUciMove::pack(*uci)), *wdl))
    };
    let said = growth.said().iter().filter_map(of_edge).collect();
    Ground { graph, values, counts, said, asked }
}

/// The counts of a tree's positions by their nodes.
fn counts_by_node(growth: &Growth) -> Vec<Option<&MoveCounts>> {
    let mut counts = vec![None; growth.graph().len()];
    for key in growth.counts().positions() {
        let entry = growth.find(key).and_then(|node| counts.get_mut(node.index()));
        if let Some(entry) = entry {
            *entry = growth.counts().get(key).filter(|known| !known.is_empty());
        }
    }
    counts
}
