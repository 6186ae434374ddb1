//! The two arms: one long search, and a tree of as many nodes. Pure but for what the oracle does.

mod grower;
#[cfg(test)]
mod tests;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use self::grower::TreeGrower;
pub use self::grower::listed;

use crate::chess::{Score, epd_of};
use crate::search::{HashContents, HashOf, Limit};

use super::oracle::{HashState, Oracle, Question, Reply};
use super::setting::{Hash, Setting};

/// What one long search chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchArm {
    /// Its move.
    pub uci: UciMove,
    /// Its score, for its mover.
    pub score: Score,
    /// Its nodes, as the engine reported them.
    pub nodes: u64,
}

/// What a tree chose, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeArm {
    /// The arm's move.
    pub uci: UciMove,
    /// What the arm thinks of it, for its mover: its alpha when it was chosen, or the closing search's score.
    pub score: Score,
    /// Engine nodes, those of the rehearsal and the closing search among them.
    pub nodes: u64,
    /// Nodes of the search that was made and did not count, where there is one.
    pub uncounted: u64,
    /// The root's move of rank 0 in the tree: the engine's own choice at that limit.
    pub first: UciMove,
    /// The root's best alpha, and the move that has it.
    pub alpha: Score,
    /// That move; the arm's own but where a closing search chose, or the greatest settled depth.
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
    /// Nodes of the searches that warmed the hash for the closing search.
    pub rehearsal_nodes: u64,
    /// The closing search, where the setting has one.
    pub closing: Option<SearchArm>,
    /// The root's moves by alpha, best first, each with it, for their mover.
    pub listed: Vec<(UciMove, Score)>,
}

/// The arm of one search of so many nodes, on an empty hash.
pub fn search_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    root_search(position, nodes, HashState::Cleared, oracle)
}

/// The arm of a tree of so many nodes; nothing where the root has no listed move, which only a finished
/// position has not.
pub fn tree_arm<O: Oracle>(
    position: &Chess,
    nodes: u64,
    setting: &Setting,
    oracle: &mut O,
) -> Result<Option<TreeArm>, O::Error> {
    let kept = HashContents {
        directives: None,
        distance: Some(setting.distance),
        limit: None,
        moves: String::new(),
        nodes: None,
        of: HashOf::Tree,
        passes: None,
        root_moves: setting.more_root_moves(),
        start: epd_of(position),
        tables: None,
        widths: None,
    };
    let memory = match setting.hash {
        Hash::Cleared => HashState::Cleared,
        Hash::Kept => HashState::Kept(&kept),
    };
    oracle.begin();
    let mut grower = TreeGrower::new(position, nodes, setting, memory, oracle);
    grower.grow()?;
    let (arm, rehearsal) = (grower.arm(setting.choice), grower.rehearsal());
    let Some(mut arm) = arm else {
        return Ok(None);
    };
    if setting.closing.is_some() {
        let mut contents =
            HashContents { limit: Some(setting.schedule.first()), nodes: Some(arm.nodes), ..kept };
        if setting.hash == Hash::Cleared {
            contents.of = HashOf::BestLines;
            rehearse(&mut arm, rehearsal, nodes, (setting.schedule.first(), &contents), oracle)?;
        }
        close(&mut arm, position, nodes, &contents, oracle)?;
    }
    Ok(Some(arm))
}

/// Searches the positions again, on a hash that holds nothing but these searches, while nodes are left.
fn rehearse<O: Oracle>(
    arm: &mut TreeArm,
    positions: Vec<Chess>,
    nodes: u64,
    (limit, contents): (Limit, &HashContents),
    oracle: &mut O,
) -> Result<(), O::Error> {
    oracle.begin();
    for position in positions {
        if arm.nodes >= nodes {
            return Ok(());
        }
        let memory = HashState::Kept(contents);
        let reply = oracle.ask(Question { position, excluded: Vec::new(), limit, memory })?;
        arm.nodes = arm.nodes.saturating_add(reply.nodes);
        arm.rehearsal_nodes = arm.rehearsal_nodes.saturating_add(reply.nodes);
    }
    Ok(())
}

/// Spends what is left on a search of the root, which then chooses the arm's move.
fn close<O: Oracle>(
    arm: &mut TreeArm,
    position: &Chess,
    nodes: u64,
    contents: &HashContents,
    oracle: &mut O,
) -> Result<(), O::Error> {
    let left = nodes.saturating_sub(arm.nodes);
    if left > 0 {
        let closing = root_search(position, left, HashState::Kept(contents), oracle)?;
        arm.uci = closing.uci;
        arm.score = closing.score;
        arm.nodes = arm.nodes.saturating_add(closing.nodes);
        arm.closing = Some(closing);
    }
    Ok(())
}

fn root_search<O: Oracle>(
    position: &Chess,
    nodes: u64,
    memory: HashState<'_>,
    oracle: &mut O,
) -> Result<SearchArm, O::Error> {
    let (position, limit) = (position.clone(), Limit::Nodes(nodes));
    let Reply { uci, score, nodes } =
        oracle.ask(Question { position, excluded: Vec::new(), limit, memory })?;
    Ok(SearchArm { uci, score, nodes })
}
