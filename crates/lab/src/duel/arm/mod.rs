//! The two arms: one long search, and a tree of as many nodes. Pure but for the oracle.

pub mod grower;
#[cfg(test)]
mod tests;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::question::{HashState, Question, Reply};
use deepanalyze_core::chess::{Score, epd_of};
use deepanalyze_core::search::{HashContents, HashOf, Limit, MoveShare};
use deepanalyze_core::tree::RootShare;

use crate::duel::arm::grower::TreeGrower;
use crate::duel::lane::Oracle;
use crate::duel::setting::{HashRule, Setting};

/// One long search's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchArm {
    /// Its move.
    pub uci: UciMove,
    /// Its score, for its mover.
    pub score: Score,
    /// Its nodes, as the engine reported them.
    pub nodes: u64,
}

impl From<Reply> for SearchArm {
    fn from(Reply { uci, score, nodes }: Reply) -> SearchArm {
        SearchArm { uci, score, nodes }
    }
}

/// A tree's choice and course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeArm {
    /// The arm's move.
    pub uci: UciMove,
    /// The arm's score of it, for its mover: its alpha, or the closing search's score.
    pub score: Score,
    /// Engine nodes, those of the closing search among them.
    pub nodes: u64,
    /// Nodes of the search that was made and did not count, if any.
    pub uncounted: u64,
    /// The root's move of rank 0 in the tree: the engine's own choice at that limit.
    pub first: UciMove,
    /// The root's best alpha, and the move that has it.
    pub alpha: Score,
    /// That move; the arm's own unless a closing search chose.
    pub best: UciMove,
    /// Answers in the tree.
    pub searches: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Finished passes.
    pub passes: u64,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// Nodes of searches whose positions only root moves lead to that were best after no pass.
    pub idle_nodes: u64,
    /// The closing search, if the setting has one.
    pub closing: Option<SearchArm>,
    /// The root's moves by alpha, best first, each with it, for their mover.
    pub listed: Vec<(UciMove, Score)>,
}

/// The arm of one search of `nodes` nodes, on an empty hash.
pub fn search_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    let (limit, memory) = (Limit::Nodes(nodes), HashState::Cleared);
    oracle.ask(Question::new(position.clone(), limit, memory)).map(SearchArm::from)
}

/// The arm of a tree of `nodes` nodes; `None` if the root has no listed move, so only if the
/// position is finished.
pub fn tree_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    setting: &Setting,
    oracle: &mut O,
) -> Result<Option<TreeArm>, O::Error> {
    let kept = HashContents {
        distance: Some(setting.distance),
        root_moves: setting.more_root_moves(),
        ..HashContents::new(HashOf::Tree, epd_of(position))
    };
    let memory = match setting.hash {
        HashRule::Cleared => HashState::Cleared,
        HashRule::Kept => HashState::Kept(&kept),
    };
    oracle.begin();
    let mut grower = TreeGrower::new(position, nodes, setting, memory, oracle);
    grower.grow()?;
    let Some(mut arm) = grower.arm() else {
        return Ok(None);
    };
    let left = nodes.saturating_sub(arm.nodes);
    if setting.closing.is_some() && left > 0 {
        let limit = setting.schedule.first();
        let contents = HashContents { limit: Some(limit), nodes: Some(arm.nodes), ..kept };
        let memory = match setting.hash {
            HashRule::Cleared => HashState::Cleared,
            HashRule::Kept => HashState::Kept(&contents),
        };
        let reply = oracle.ask(Question::new(position.clone(), Limit::Nodes(left), memory))?;
        arm.take(SearchArm::from(reply));
    }
    Ok(Some(arm))
}

impl TreeArm {
    /// Takes the choice of the closing search.
    fn take(&mut self, search: SearchArm) {
        (self.uci, self.score) = (search.uci, search.score);
        self.nodes = self.nodes.saturating_add(search.nodes);
        self.closing = Some(search);
    }
}

/// A search of the root with the moves of a share alone, on an empty hash.
///
/// # Errors
///
/// The oracle's.
pub fn search_share<O: Oracle>(
    root: &Chess,
    share: RootShare,
    nodes: u64,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    let RootShare { number, moves, elsewhere, .. } = share;
    oracle.begin();
    let contents = HashContents {
        share: Some(Box::new(MoveShare::new(number, &moves))),
        ..HashContents::new(HashOf::Nothing, epd_of(root))
    };
    let memory = if elsewhere.is_empty() { HashState::Cleared } else { HashState::Kept(&contents) };
    let question = Question::new(root.clone(), Limit::Nodes(nodes), memory);
    oracle.ask(Question { elsewhere, ..question }).map(SearchArm::from)
}
