//! Changes of leaves' scores, and the resulting values of the root's moves.

use std::cmp::Reverse;
use std::sync::Arc;

use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::game::{GameGraph, Target};
use super::valuation::Valuation;
use crate::tree::graph::{Graph, NodeId};
use crate::tree::values::Values;

/// A tree with scores of its leaves that can be changed. A clone shares all but the scores.
#[derive(Debug, Clone)]
pub struct Rescoring {
    game: Arc<GameGraph>,
    scores: Vec<Value>,
    /// True for moves whose scores no change moves any more.
    held: Vec<bool>,
}

/// A leaf of a [`Rescoring`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf(pub(in crate::tree) usize);

/// A move of the root, and the line that its value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RescoredMove {
    /// Its value for its mover, after the root.
    pub alpha: Value,
    /// The moves from it on, it among them.
    pub line: Vec<UciMove>,
    /// The leaf at the end of the line; None if that is an end or a repetition.
    pub end: Option<Leaf>,
}

impl Rescoring {
    /// The game behind a root, with the scores that the tree has.
    pub fn new(graph: &Graph, values: &Values, root: NodeId) -> Rescoring {
        let game = GameGraph::new(graph, values, root);
        let scores = game.scores().to_vec();
        let held = vec![false; scores.len()];
        Rescoring { game: Arc::new(game), scores, held }
    }

    pub(in crate::tree) fn game(&self) -> &GameGraph {
        &self.game
    }

    /// The scores of all moves that lead to no place.
    pub(in crate::tree) fn scores(&self) -> &[Value] {
        &self.scores
    }

    /// All leaves, in an order that is the same for the same tree.
    pub fn leaves(&self) -> impl Iterator<Item = Leaf> {
        let moves = 0..self.game.moves_in_all();
        moves.filter(|m| self.game.target(*m) == Target::Leaf).map(Leaf)
    }

    /// A leaf's score, for its mover.
    pub fn score(&self, leaf: Leaf) -> Value {
        self.scores[leaf.0]
    }

    /// A leaf's score in the tree, for its mover.
    pub fn score_in_tree(&self, leaf: Leaf) -> Value {
        self.game.scores()[leaf.0]
    }

    /// The position that a leaf is played from, and its move, which identify it outside.
    pub fn place(&self, leaf: Leaf) -> (NodeId, UciMove) {
        (self.game.node(self.game.place_of(leaf.0)), self.game.uci(leaf.0))
    }

    /// Gives a leaf another score, for its mover.
    pub fn rescore(&mut self, leaf: Leaf, score: Value) {
        self.scores[leaf.0] = score;
    }

    /// Holds the leaf: no change moves its score any more.
    pub fn hold(&mut self, leaf: Leaf) {
        self.held[leaf.0] = true;
    }

    /// True if no change moves the leaf any more.
    pub fn is_held(&self, leaf: Leaf) -> bool {
        self.held[leaf.0]
    }

    /// The first leaf that a change can move.
    pub fn first_movable(&self) -> Option<Leaf> {
        self.leaves().find(|leaf| self.can_move(*leaf))
    }

    /// True if a change can move a leaf's score: it is not held, and no announced mate.
    pub fn can_move(&self, leaf: Leaf) -> bool {
        !self.held[leaf.0] && !self.scores[leaf.0].is_mate()
    }

    /// The scores with all leaves that can move moved by `centipawns` in favour of a side.
    pub(in crate::tree) fn shifted(&self, centipawns: i32, side: Color) -> Vec<Value> {
        let mut scores = self.scores.clone();
        for place in 0..self.game.len() {
            let by = if self.game.turn(place) == side { centipawns } else { -centipawns };
            for m in self.game.moves(place) {
                if self.game.target(m) == Target::Leaf && !self.held[m] {
                    scores[m] = scores[m].shifted(by);
                }
            }
        }
        scores
    }

    /// The root's moves that count with their values for their mover, after the root, in their
    /// order.
    pub fn alphas(&self) -> Vec<(UciMove, Value)> {
        let valuation = Valuation::new(&self.game, self.scores.clone());
        let moves = self.game.moves(self.game.root());
        moves.map(|m| (self.game.uci(m), valuation.worth(m))).collect()
    }

    /// The root's best move by alpha, of equal ones the first.
    pub fn best_move(&self) -> Option<UciMove> {
        let valuation = Valuation::new(&self.game, self.scores.clone());
        valuation.first_of_best(self.game.root()).map(|m| self.game.uci(m))
    }

    /// The root's moves by alpha, best first, of equal ones in their order, with their lines.
    pub fn root_moves(&self) -> Vec<RescoredMove> {
        let valuation = Valuation::new(&self.game, self.scores.clone());
        let moves = self.game.moves(self.game.root());
        let mut moves: Vec<RescoredMove> = moves.map(|m| self.line(&valuation, m)).collect();
        moves.sort_by_key(|root_move| Reverse(root_move.alpha));
        moves
    }

    /// A move of the root with the best moves behind it, until a position comes again.
    fn line(&self, valuation: &Valuation<'_>, first: usize) -> RescoredMove {
        let (mut line, mut came) = (vec![self.game.uci(first)], vec![self.game.root()]);
        let mut last = first;
        while let Target::Below(place) = self.game.target(last) {
            let place = place as usize;
            let next = valuation.best_move(place).filter(|_| !came.contains(&place));
            let Some(next) = next else { break };
            came.push(place);
            line.push(self.game.uci(next));
            last = next;
        }
        let end = (self.game.target(last) == Target::Leaf).then_some(Leaf(last));
        RescoredMove { alpha: valuation.worth(first), line, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Game, Score};
    use crate::tree::grown_of;

    const LISTS: [(&str, &[(&str, i32)]); 4] = [
        ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", 20)]),
        ("e4", &[("e7e5", -28), ("c7c5", -35)]),
        ("e4 e5", &[("g1f3", 33)]),
        ("d4", &[("d7d5", -24)]),
    ];

    fn of(lists: &[(&str, &[(&str, i32)])]) -> Rescoring {
        let growth = grown_of(&Game::from_position(shakmaty::Chess::default()), 10, lists);
        Rescoring::new(growth.graph(), growth.values(), growth.root())
    }

    fn told(tree: &Rescoring) -> Vec<String> {
        let moves = tree.root_moves().into_iter().map(|root_move| {
            let line: Vec<String> = root_move.line.iter().map(UciMove::to_string).collect();
            let end = root_move.end.map(|leaf| tree.score(leaf).get());
            format!("{} {} {end:?}", root_move.alpha.get(), line.join(" "))
        });
        moves.collect()
    }

    #[test]
    fn lines_of_an_unchanged_tree_are_its_best_moves() {
        let tree = of(&LISTS);
        assert_eq!(
            told(&tree),
            ["33 e2e4 e7e5 g1f3 Some(33)", "24 d2d4 d7d5 Some(-24)", "20 c2c4 Some(20)"]
        );
        assert_eq!(tree.leaves().count(), 4, "c4, c5, Nf3 and d5");
    }

    #[test]
    fn another_score_of_a_leaf_goes_up_to_the_root() {
        let mut tree = of(&LISTS);
        let knight = tree.root_moves()[0].end.unwrap();
        let cp = |cp| Value::from(Score::Cp(cp));
        // Black plays e5 now that Nf3 is worth less.
        tree.rescore(knight, cp(10));
        assert_eq!(told(&tree)[..2], ["24 d2d4 d7d5 Some(-24)", "20 c2c4 Some(20)"]);
        assert_eq!(told(&tree)[2], "10 e2e4 e7e5 g1f3 Some(10)");
        // And c5 where it is worth more.
        tree.rescore(knight, cp(50));
        assert_eq!(told(&tree)[0], "35 e2e4 c7c5 Some(-35)");
        let alphas: Vec<i16> = tree.alphas().into_iter().map(|(_, alpha)| alpha.get()).collect();
        assert_eq!(alphas, [35, 24, 20], "in the order of the list");
    }

    #[test]
    fn a_line_that_comes_back_has_no_leaf_at_its_end() {
        let tree = of(&[
            ("", &[("g1f3", 0), ("e2e4", -20)]),
            ("Nf3", &[("g8f6", 0)]),
            ("Nf3 Nf6", &[("f3g1", 0)]),
            ("Nf3 Nf6 Ng1", &[("f6g8", 0)]),
        ]);
        assert_eq!(told(&tree), ["0 g1f3 g8f6 f3g1 f6g8 None", "-20 e2e4 Some(-20)"]);
    }
}
