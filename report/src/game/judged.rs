//! What the trees of a game's positions say of its moves.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{DrawValue, Ending, Game, Value};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Breadth, Graph, Line};

use deepanalyze_view::{BestLine, ChosenBy, LinesTold, StoredTree, ToldVerdict};

/// What is said of a position: its verdict, and its tree's moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict's score, for its side to move.
    pub value: Value,
    /// How games end behind the verdict's move by its word, for the side to move; none where it has not said it.
    pub wdl: Option<WinDrawLoss>,
    /// The verdict's line.
    pub best: Vec<UciMove>,
    /// Whose choice it is.
    pub by: ChosenBy,
    /// The listed moves with their alphas, for their mover.
    pub alphas: Vec<(UciMove, Value)>,
}

/// What there is to say of a played move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotation {
    /// What the move is worth, for its mover; none where nothing is known of it.
    pub played: Option<Value>,
    /// What was clearly better.
    pub better: Option<Better>,
}

/// A line that is better than the played move by the move distance or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Better {
    /// What it is worth, for the mover: its alpha, or what a closing search says.
    pub value: Value,
    /// Whose word that is.
    pub by: ChosenBy,
    /// Its moves.
    pub line: Vec<UciMove>,
}

/// What is said of the root of a kept tree; nothing where the root is not analysed yet.
pub fn judge(tree: &StoredTree) -> Option<Judgement> {
    let (graph, root) = (tree.growth.graph(), tree.growth.root());
    let values = tree.growth.values();
    let (value, wdl, best, by) = match tree.verdict() {
        Some(ToldVerdict { chosen, by, .. }) => {
            let line = chosen.line.into_iter().take(LinesTold::default().plies);
            (chosen.score.into(), chosen.wdl, line.collect(), by)
        }
        // The root is an end.
        None => (BestLine::of(&tree.growth)?.value, None, Vec::new(), ChosenBy::Tree),
    };
    let mut line = Line::new(graph, values);
    let path = line.extend(None, root);
    let list = graph.moves(root).iter();
    Some(Judgement {
        value,
        wdl,
        best,
        by,
        alphas: list.map(|edge| (edge.uci.unpack(), line.alpha(edge, path))).collect(),
    })
}

/// What there is to say of each move of a game, from judgements on its positions; the first is of
/// the position in which it began. Moves that lie within the distance of the best one are as good.
///
/// A played move is worth what the verdict of the position behind it says. Its alpha in the tree before
/// it counts only where there is no such tree: most moves are looked at once there and then left,
/// and a return to a position of the game is a draw there, though the game went on.
pub fn annotations(
    game: &Game,
    judgements: &[Option<Judgement>],
    breadth: &Breadth,
    draw: DrawValue,
) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    for (ply, (uci, position)) in game.moves().iter().zip(game.positions()).enumerate() {
        let distance = breadth.distance(position.turn().other(), 0);
        let before = judgements.get(ply).and_then(Option::as_ref);
        let behind = judgements.get(ply + 1).and_then(Option::as_ref);
        let behind = match Ending::of(&position) {
            Some(ending) => Some(Graph::end_value(ending, draw.for_side(position.turn()))),
            None => behind.map(|judgement| judgement.value),
        };
        let played = behind.map(Value::step).or_else(|| before.and_then(|b| b.worth(*uci)));
        let better = before.zip(played).and_then(|(b, played)| b.better(*uci, played, distance));
        annotations.push(Annotation { played, better });
    }
    annotations
}

impl Judgement {
    /// What a move is worth: the verdict's score, or its alpha.
    fn worth(&self, uci: UciMove) -> Option<Value> {
        if self.best.first() == Some(&uci) {
            return Some(self.value);
        }
        let found = self.alphas.iter().find(|(listed, _)| *listed == uci);
        found.map(|(_, alpha)| *alpha)
    }

    /// The best line, where a played move of some value is not as good.
    fn better(&self, uci: UciMove, played: Value, distance: u32) -> Option<Better> {
        let distance = if self.value.is_mate() { 0 } else { distance };
        let is_worse = played < self.value && i64::from(played.get()) <= self.value.less(distance);
        let is_other = self.best.first().is_some_and(|best| *best != uci);
        let (value, by) = (self.value, self.by);
        (is_worse && is_other).then(|| Better { value, by, line: self.best.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_uci;

    fn uci(text: &str) -> UciMove {
        parse_uci(text).unwrap()
    }

    fn judgement(alphas: &[(&str, i64)]) -> Option<Judgement> {
        let alphas: Vec<_> =
            alphas.iter().map(|(m, v)| (uci(m), Value::new(*v).unwrap())).collect();
        let (best, value) = alphas[0];
        let by = ChosenBy::Tree;
        Some(Judgement { value, wdl: None, best: vec![best], by, alphas })
    }

    fn of(moves: &str, judgements: &[Option<Judgement>]) -> Vec<(Option<i16>, Option<i16>)> {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let found = annotations(&game, judgements, &20.into(), DrawValue::default()).into_iter();
        found.map(|a| (a.played.map(Value::get), a.better.map(|b| b.value.get()))).collect()
    }

    #[test]
    fn a_move_is_worth_what_the_position_behind_it_is() {
        let judgements = [
            judgement(&[("e2e4", 30), ("g2g4", -200)]),
            judgement(&[("d7d5", 90)]),
            judgement(&[("g1f3", -95)]),
        ];
        assert_eq!(of("g4 d5", &judgements), [(Some(-90), Some(30)), (Some(95), None)]);
    }

    #[test]
    fn without_the_position_behind_it_a_listed_move_is_worth_its_alpha() {
        let before = judgement(&[("e2e4", 30), ("d2d4", 10), ("b1c3", 11)]);
        let nothing = (None, None);
        assert_eq!(of("d4 d5", &[before.clone(), None, None]), [(Some(10), Some(30)), nothing]);
        assert_eq!(of("Nc3 d5", &[before.clone(), None]), [(Some(11), None), nothing]);
        assert_eq!(of("a3 d5", &[before, None]), [nothing, nothing], "not listed");
    }

    #[test]
    fn a_verdict_s_move_is_worth_its_score_whatever_the_tree_says() {
        let chosen = |uci_text: &str, value: i64| {
            let by_tree = judgement(&[("e2e4", 30), ("d2d4", 10)])?;
            let (value, by) = (Value::new(value).unwrap(), ChosenBy::Closing);
            Some(Judgement { value, best: vec![uci(uci_text)], by, ..by_tree })
        };
        assert_eq!(of("d4", &[chosen("d2d4", 70)]), [(Some(70), None)]);
        assert_eq!(of("e4", &[chosen("d2d4", 70)]), [(Some(30), Some(70))]);
        // One that the tree does not list.
        assert_eq!(of("c4", &[chosen("c2c4", 70)]), [(Some(70), None)]);
    }

    #[test]
    fn the_best_move_has_no_better_line_whatever_came_of_it() {
        let judgements = [judgement(&[("e2e4", 30), ("d2d4", 10)]), judgement(&[("e7e5", 80)])];
        assert_eq!(of("e4", &judgements), [(Some(-80), None)]);
    }

    #[test]
    fn beside_a_mate_every_longer_way_is_worse() {
        let before = judgement(&[("e2e4", 31_997), ("d2d4", 31_995)]);
        assert_eq!(of("d4", &[before]), [(Some(31_995), Some(31_997))]);
    }

    #[test]
    fn a_return_is_judged_by_what_the_game_made_of_it() {
        let judgements = [
            judgement(&[("g1f3", 300)]),
            judgement(&[("g8f6", -300)]),
            judgement(&[("f3g1", 290)]),
            judgement(&[("d7d5", -290), ("f6g8", 0)]),
            judgement(&[("e2e4", 310)]),
        ];
        let found = of("Nf3 Nf6 Ng1 Ng8", &judgements);
        assert_eq!(found[3].0, Some(-310), "not the draw that the tree takes it for");
    }

    #[test]
    fn the_end_of_the_game_needs_no_tree() {
        let found = of("f3 e5 g4 Qh4", &[None, None, None, judgement(&[("d8h4", 31_999)]), None]);
        assert_eq!(found[3], (Some(31_999), None));
        assert_eq!(found[2], (Some(-31_998), None));
    }
}
