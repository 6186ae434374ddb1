//! What a duel of alternatives is about, and what comes of a position.

use shakmaty::uci::UciMove;

use crate::duels::judging::centipawns;
use crate::duels::setting::Setting;
use crate::duels::suite::Suite;
use crate::duels::summary::Counting;
use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Profile;

/// What a duel of alternatives is a function of, besides the answers.
#[derive(Debug, Clone)]
pub struct AlternativesContest {
    /// The positions.
    pub suite: Suite,
    /// The arms' engine.
    pub player: Profile,
    /// How many moves are wanted.
    pub moves: usize,
    /// Engine nodes of each arm; with several engines what one of them searches in the time that all have.
    pub nodes: u64,
    /// Numbers of engines on a tree; none where a tree has one engine and as many nodes as the search.
    pub engines: Vec<u32>,
    /// The trees.
    pub settings: Vec<Setting>,
    /// The judge's engine.
    pub judge: Profile,
    /// Nodes of the judge's list.
    pub judge_nodes: u64,
    /// How results are counted.
    pub counting: Counting,
}

impl AlternativesContest {
    /// The nodes of the searches with `MultiPV`, in ascending order: equal time, and for each number of engines
    /// equal nodes.
    pub fn searches(&self) -> Vec<u64> {
        let more = self.engines.iter().map(|engines| self.nodes_of(*engines));
        let mut all: Vec<u64> = std::iter::once(self.nodes).chain(more).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What so many engines search in the time of one.
    pub fn nodes_of(&self, engines: u32) -> u64 {
        self.nodes.saturating_mul(u64::from(engines))
    }

    /// The nodes of the judge's search of one move's position: its list is one of so many, too.
    pub fn nodes_of_move(&self) -> u64 {
        let moves = u64::try_from(self.moves).unwrap_or(u64::MAX);
        (self.judge_nodes / moves.max(1)).max(1)
    }

    /// The numbers of engines of the trees, none for one engine with equal nodes: in the order of
    /// [`AlternativesOutcome::trees`].
    pub fn fleets(&self) -> Vec<Option<u32>> {
        match self.engines.is_empty() {
            true => vec![None],
            false => self.engines.iter().copied().map(Some).collect(),
        }
    }
}

/// An arm's best moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveList {
    /// At most as many as are wanted, best first, with the arm's score of each, for their mover.
    pub moves: Vec<(UciMove, Score)>,
    /// Engine nodes that were searched for it.
    pub nodes: u64,
    /// Answers in the tree; 1 for one search.
    pub searches: u64,
}

impl MoveList {
    /// A move's place, from 0, and the arm's centipawns for it, where it is listed.
    pub fn of(&self, uci: UciMove) -> Option<(usize, i32)> {
        let place = self.moves.iter().position(|(listed, _)| *listed == uci)?;
        self.moves.get(place).map(|(_, score)| (place, centipawns(*score)))
    }
}

/// What came of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlternativesOutcome {
    /// The searches with `MultiPV`, by nodes.
    pub searches: Vec<MoveList>,
    /// The trees: for each number of engines those of all settings.
    pub trees: Vec<Vec<MoveList>>,
    /// The judge's best moves, best first, with its scores for their mover.
    pub judged: Vec<(UciMove, Score)>,
}
