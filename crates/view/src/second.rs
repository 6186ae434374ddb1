//! A second engine's look at a root, and its word on the verdict.

use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Answer;
use deepanalyze_store::SecondLook;

use crate::closing::ClosingMove;
use crate::json::{self, NamedMove};
use crate::words::{PointOfView, numbered_move, seen};

/// A second engine's word on a root, from a short search of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Second {
    /// The engine's name.
    pub engine: String,
    /// Its move.
    pub best: ClosingMove,
    /// Nodes of that search.
    pub nodes: u64,
    /// Its scores of moves that it searched alone.
    pub alone: Vec<ClosingMove>,
}

impl Second {
    /// Of several looks at all moves that of the most nodes counts, with those of the same engine at
    /// one move; `None` if there is none.
    pub(crate) fn of(root: &Chess, looks: &[SecondLook]) -> Option<Second> {
        let all = looks.iter().filter(|look| look.only.is_none());
        let SecondLook { engine, answer, .. } = all.max_by_key(|look| look.answer.nodes)?;
        let alone = looks.iter().filter(|look| look.only.is_some() && look.engine == *engine);
        let mut alone: Vec<&Answer> = alone.map(|look| &look.answer).collect();
        alone.sort_by_key(|answer| std::cmp::Reverse(answer.nodes));
        Some(Second {
            engine: engine.clone(),
            best: ClosingMove::of(root, answer),
            nodes: answer.nodes,
            alone: alone.into_iter().map(|answer| ClosingMove::of(root, answer)).collect(),
        })
    }

    /// Its score of a move, if it has searched that.
    pub fn score_of(&self, uci: UciMove) -> Option<Score> {
        let mut moves = std::iter::once(&self.best).chain(&self.alone);
        moves.find(|told| told.named.uci == uci).map(|told| told.score)
    }
}

/// A second engine's word on a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct SecondWord {
    /// The engine's name.
    pub engine: String,
    /// True if it would play the verdict's move.
    pub agree: bool,
    /// Its own move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// The score of that, for its mover.
    pub score: Score,
    /// The moves it expects, from the root.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    pub line: Vec<UciMove>,
    /// The depth of its search.
    pub depth: u32,
    /// The nodes of its search.
    pub nodes: u64,
    /// Its score of the verdict's move, for the mover; null if it has not searched that.
    pub score_of_verdict: Option<Score>,
}

impl SecondWord {
    /// On this move of the root.
    pub fn of(second: &Second, told: UciMove) -> SecondWord {
        let Second { engine, best, nodes, .. } = second;
        SecondWord {
            engine: engine.clone(),
            agree: best.named.uci == told,
            named: best.named.clone(),
            score: best.score,
            line: best.line.clone(),
            depth: best.depth,
            nodes: *nodes,
            score_of_verdict: second.score_of(told),
        }
    }

    /// Its word, beside this move of the root: `Stockfish 19 would play 3... Nd7 (+0.10) and gives
    /// 3... Bc5 +0.32`.
    pub fn describe(&self, root: &Chess, told: UciMove, pov: PointOfView) -> String {
        self.describe_as(&self.engine, root, told, pov)
    }

    /// With another subject than the engine's name.
    pub(crate) fn describe_as(
        &self,
        who: &str,
        root: &Chess,
        told: UciMove,
        pov: PointOfView,
    ) -> String {
        let seen = |score: Score| seen(score, root.turn(), pov);
        let own = seen(self.score);
        if self.agree {
            return format!("{who} agrees ({own})");
        }
        let given = self
            .score_of_verdict
            .map(|score| format!(" and gives {} {}", numbered_move(root, told), seen(score)));
        let given = given.unwrap_or_default();
        format!("{who} would play {} ({own}){given}", numbered_move(root, self.named.uci))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_engine_agrees_or_says_what_it_would_play() {
        let (root, e4) = (Chess::default(), "e2e4".parse().unwrap());
        let look = |engine: &str, uci: &str, only: bool, cp, nodes| {
            let best: UciMove = uci.parse().unwrap();
            let (score, time, pv) = (Score::Cp(cp), std::time::Duration::ZERO, vec![best]);
            let answer = Answer { best, score, wdl: None, depth: 7, seldepth: 9, nodes, time, pv };
            SecondLook { engine: engine.to_owned(), only: only.then_some(best), answer }
        };
        let told = |looks: &[SecondLook]| {
            let second = Second::of(&root, looks)?;
            Some(SecondWord::of(&second, e4).describe(&root, e4, PointOfView::White))
        };
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[look("A", "e2e4", false, 12, 9)]).unwrap(), "A agrees (+0.12)");
        let own = look("A", "g1f3", false, 25, 9);
        let words = "A would play 1. Nf3 (+0.25)";
        assert_eq!(told(std::slice::from_ref(&own)).unwrap(), words);
        let (alone, others) = (look("A", "e2e4", true, -3, 5), look("B", "e2e4", true, 70, 50));
        let looks = [own, alone, others, look("B", "d2d4", false, 70, 8)];
        assert_eq!(told(&looks).unwrap(), format!("{words} and gives 1. e4 -0.03"));
        // The score of another move than the verdict's is none of it.
        let other = look("A", "d2d4", true, -3, 5);
        assert_eq!(told(&[looks[0].clone(), other]).unwrap(), words);
    }
}
