//! Equal nodes: a tree's move against that of one search of as many nodes.

pub mod summary;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Profile;

use crate::duel::arm::{TreeArm, search_arm, tree_arm};
use crate::duel::judging::Judged;
use crate::duel::lane::{DuelLane, ask_cleared, judged_score};
use crate::duel::nodes::summary::{Counting, PositionOutcome};
use crate::duel::run::{Contest, DuelError};
use crate::duel::setting::Setting;
use crate::duel::suite::{Suite, SuitePosition};

/// The moves for the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeAsked {
    /// The arms' moves where they differ.
    Arms,
    /// And, where a tree's move is not its first choice, both of them.
    FirstChoices,
    /// And for its own move, in every position.
    OwnMoves,
}

/// The inputs of a duel of equal nodes, besides the answers.
#[derive(Debug, Clone)]
pub struct NodesContest {
    /// The positions.
    pub suite: Suite,
    /// The arms' engine; the limit is that of the long search.
    pub player: Profile,
    /// Engine nodes of each arm.
    pub nodes: u64,
    /// The trees.
    pub settings: Vec<Setting>,
    /// The judge's engine, with the limit of its searches.
    pub judge: Profile,
    /// Engine nodes of each of the judge's searches.
    pub judge_nodes: u64,
    /// The judge's questions.
    pub asked: JudgeAsked,
    /// How results are counted.
    pub counting: Counting,
}

impl Contest for NodesContest {
    type Outcome = PositionOutcome;

    fn suite(&self) -> &Suite {
        &self.suite
    }

    /// Both arms of a position, and the judge if they differ.
    fn play(
        &self,
        entry: &SuitePosition,
        lane: &mut DuelLane,
    ) -> Result<PositionOutcome, DuelError> {
        let position = &entry.position;
        let search = search_arm(position, self.nodes, &mut lane.player())?;
        if search.nodes == 0 {
            return Err(DuelError::NoNodes(self.player.engine.clone()));
        }
        let mut trees = Vec::new();
        for setting in &self.settings {
            let tree = tree_arm(position, self.nodes, setting, &mut lane.player())?;
            trees.push(tree.ok_or_else(|| DuelError::NoMove(epd_of(position)))?);
        }
        let judged = self.judged(entry, lane, search.uci, &trees)?;
        Ok(PositionOutcome { search, trees, judged })
    }
}

impl NodesContest {
    fn judged(
        &self,
        entry: &SuitePosition,
        lane: &mut DuelLane,
        search: UciMove,
        trees: &[TreeArm],
    ) -> Result<Judged, DuelError> {
        let (position, nodes) = (&entry.position, self.judge_nodes);
        let DuelLane { store, judge: Some(judge), .. } = lane else { return Ok(Judged::default()) };
        let own = match self.asked {
            JudgeAsked::OwnMoves => Some(ask_cleared(store, judge, position, nodes)?.uci),
            JudgeAsked::Arms | JudgeAsked::FirstChoices => None,
        };
        let mut judged = Judged { moves: Vec::new(), own };
        for uci in contested(search, trees, own, self.asked) {
            let score = judged_score(store, judge, position, uci, nodes)?;
            judged.moves.push((uci, score));
        }
        Ok(judged)
    }
}

/// The moves for the judge: if an arm's move differs from the other's, or, if asked, from the
/// tree's first choice, or if the judge has a move of its own.
fn contested(
    search: UciMove,
    trees: &[TreeArm],
    own: Option<UciMove>,
    asked: JudgeAsked,
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
        if tree.uci != tree.first && asked != JudgeAsked::Arms {
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
    use deepanalyze_core::chess::Score;

    use super::*;

    const A: &str = "a2a3";
    const B: &str = "b2b3";
    const C: &str = "c2c3";

    fn asked_about(
        search: &str,
        tree: (&str, &str),
        own: Option<&str>,
        asked: JudgeAsked,
    ) -> String {
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
            closing: None,
            listed: Vec::new(),
        };
        let moves = contested(uci(search), &[tree], own.map(uci), asked);
        moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn judge_is_asked_only_about_differing_moves() {
        for (search, tree, own, asked, expected) in [
            (A, (A, A), None, JudgeAsked::FirstChoices, ""),
            (A, (A, A), Some(B), JudgeAsked::OwnMoves, "a2a3 b2b3"),
            (A, (B, A), None, JudgeAsked::Arms, "a2a3 b2b3"),
            (A, (A, B), None, JudgeAsked::FirstChoices, "a2a3 b2b3"),
            (A, (A, B), None, JudgeAsked::Arms, ""),
            (A, (B, C), None, JudgeAsked::FirstChoices, "a2a3 b2b3 c2c3"),
            (A, (B, C), None, JudgeAsked::Arms, "a2a3 b2b3"),
        ] {
            assert_eq!(asked_about(search, tree, own, asked), expected, "{asked:?}");
        }
    }
}
