//! The end of a tree's arm: its root once more, on a hash that its best lines may have warmed.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duels::oracle::{HashState, Oracle, Question};
use deepanalyze_core::search::{HashContents, Limit};

use super::SearchArm;

/// What one engine does at the end.
#[derive(Debug)]
pub struct Closer {
    /// What the answers on its hash are a function of.
    pub contents: HashContents,
    /// The limit of each search of the rehearsal.
    pub limit: Limit,
    /// The positions that warm the hash, in their order.
    pub rehearsal: Vec<Chess>,
    /// The root's moves that other engines search.
    pub elsewhere: Vec<UciMove>,
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub struct Closed {
    /// Nodes of the rehearsal.
    pub rehearsal_nodes: u64,
    /// The search behind it; none where the rehearsal has taken everything.
    pub search: Option<SearchArm>,
}

impl Closer {
    /// Rehearses while nodes are left, and spends the rest on a search of the root.
    ///
    /// # Errors
    ///
    /// Those of the oracle.
    pub fn close<O: Oracle>(
        self,
        root: &Chess,
        nodes: u64,
        oracle: &mut O,
    ) -> Result<Closed, O::Error> {
        let Closer { contents, limit, rehearsal, elsewhere } = self;
        let memory = HashState::Kept(&contents);
        let mut rehearsal_nodes = 0_u64;
        for position in rehearsal {
            if rehearsal_nodes >= nodes {
                break;
            }
            let reply = oracle.ask(Question::new(position, limit, memory))?;
            rehearsal_nodes = rehearsal_nodes.saturating_add(reply.nodes);
        }
        let left = nodes.saturating_sub(rehearsal_nodes);
        if left == 0 {
            return Ok(Closed { rehearsal_nodes, search: None });
        }
        let question = Question::new(root.clone(), Limit::Nodes(left), memory);
        let reply = oracle.ask(Question { elsewhere, ..question })?;
        Ok(Closed { rehearsal_nodes, search: Some(SearchArm::from(reply)) })
    }
}
