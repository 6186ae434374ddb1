//! One position after another, with an engine for the arms and one for the judge.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, Score, Value, epd_of};
use crate::run::SerialSearcher;
use crate::search::Limit;
use crate::store::Store;
use crate::tree::Graph;

use super::arm::{TreeArm, search_arm, tree_arm};
use super::contest::{Asked, Contest};
use super::error::DuelError;
use super::judging::Judged;
use super::oracle::{HashState, Oracle, Question, Reply};
use super::summary::PositionOutcome;

/// What works on one position at a time.
pub struct Lane {
    pub store: Store,
    /// The arms' engine.
    pub player: SerialSearcher,
    /// The judge's.
    pub judge: SerialSearcher,
}

/// A searcher with the memo it writes to.
pub struct SearcherOracle<'a> {
    pub store: &'a mut Store,
    pub searcher: &'a mut SerialSearcher,
}

impl Oracle for SearcherOracle<'_> {
    type Error = DuelError;

    fn begin(&mut self) {
        self.searcher.begin();
    }

    fn ask(&mut self, question: Question<'_>) -> Result<Reply, DuelError> {
        Ok(self.searcher.ask(self.store, question)?)
    }
}

impl Lane {
    /// Both arms of a position, and the judge where they differ.
    pub fn play(
        &mut self,
        position: &Chess,
        contest: &Contest,
    ) -> Result<PositionOutcome, DuelError> {
        let mut oracle = SearcherOracle { store: &mut self.store, searcher: &mut self.player };
        let search = search_arm(position, contest.nodes, &mut oracle)?;
        if search.nodes == 0 {
            return Err(DuelError::NoNodes(contest.player.engine.clone()));
        }
        let mut trees = Vec::new();
        for setting in &contest.settings {
            let tree = tree_arm(position, contest.nodes, setting, &mut oracle)?;
            trees.push(tree.ok_or_else(|| DuelError::NoMove(epd_of(position)))?);
        }
        let (store, judge, nodes) = (&mut self.store, &mut self.judge, contest.judge_nodes);
        let own = match contest.asked {
            Asked::OwnMoves => Some(ask_cleared(store, judge, position, nodes)?.uci),
            Asked::Arms | Asked::FirstChoices => None,
        };
        let mut judged = Judged { moves: Vec::new(), own };
        for uci in contested(search.uci, &trees, own, contest.asked) {
            let score = judged_score(store, judge, position, uci, nodes)?;
            judged.moves.push((uci, score));
        }
        Ok(PositionOutcome { search, trees, judged })
    }
}

/// A judge's score of a move for its mover: a search of the position after it, on an empty hash.
pub fn judged_score(
    store: &mut Store,
    judge: &mut SerialSearcher,
    position: &Chess,
    uci: UciMove,
    nodes: u64,
) -> Result<Score, DuelError> {
    let mut after = position.clone();
    if let Ok(m) = uci.to_move(position) {
        after.play_unchecked(m);
    }
    let value = match Ending::of(&after) {
        Some(ending) => Graph::end_value(ending),
        None => Value::from(ask_cleared(store, judge, &after, nodes)?.score),
    };
    Ok(Score::from(value.step()))
}

/// What an engine says of a position, on an empty hash.
pub fn ask_cleared(
    store: &mut Store,
    searcher: &mut SerialSearcher,
    position: &Chess,
    nodes: u64,
) -> Result<Reply, DuelError> {
    let (position, excluded) = (position.clone(), Vec::new());
    let (limit, memory) = (Limit::Nodes(nodes), HashState::Cleared);
    Ok(searcher.ask(store, Question { position, excluded, limit, memory })?)
}

/// The moves that the judge is asked about: where an arm's move differs from the other's, or, if that
/// is asked, from the tree's first choice, or where the judge has a move of its own.
fn contested(
    search: UciMove,
    trees: &[TreeArm],
    own: Option<UciMove>,
    asked: Asked,
) -> Vec<UciMove> {
    let mut moves = Vec::new();
    let mut add = |uci| {
        if !moves.contains(&uci) {
            moves.push(uci);
        }
    };
    for tree in trees {
        if tree.uci != search || own.is_some() {
            add(search);
            add(tree.uci);
        }
        if tree.uci != tree.first && asked != Asked::Arms {
            add(tree.uci);
            add(tree.first);
        }
    }
    if let Some(own) = own {
        add(own);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "a2a3";
    const B: &str = "b2b3";
    const C: &str = "c2c3";

    fn asked_about(search: &str, tree: (&str, &str), own: Option<&str>, asked: Asked) -> String {
        let uci = |text: &str| text.parse::<UciMove>().unwrap();
        let tree = TreeArm {
            uci: uci(tree.0),
            score: Score::Cp(0),
            first: uci(tree.1),
            best: uci(tree.0),
            alpha: Score::Cp(0),
            nodes: 1,
            uncounted: 0,
            searches: 1,
            positions: 1,
            passes: 1,
            settled: None,
            idle_nodes: 0,
            rehearsal_nodes: 0,
            closing: None,
            listed: Vec::new(),
        };
        let moves = contested(uci(search), &[tree], own.map(uci), asked);
        moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_judge_is_asked_where_moves_differ_and_no_more_than_is_wanted() {
        for (search, tree, own, asked, expected) in [
            (A, (A, A), None, Asked::FirstChoices, ""),
            (A, (A, A), Some(B), Asked::OwnMoves, "a2a3 b2b3"),
            (A, (B, A), None, Asked::Arms, "a2a3 b2b3"),
            (A, (A, B), None, Asked::FirstChoices, "a2a3 b2b3"),
            (A, (A, B), None, Asked::Arms, ""),
            (A, (B, C), None, Asked::FirstChoices, "a2a3 b2b3 c2c3"),
            (A, (B, C), None, Asked::Arms, "a2a3 b2b3"),
        ] {
            assert_eq!(asked_about(search, tree, own, asked), expected, "{asked:?}");
        }
    }
}
