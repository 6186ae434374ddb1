//! Where a score comes from: the engine's answers of the memo, each with its number, engine, limit and
//! nodes.

use serde::Serialize;
use shakmaty::Chess;

use deepanalyze_core::claims::Source;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_store::{ProfileId, Store, StoreError};

use crate::tree::Tree;

/// An answer of the memo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerSource {
    /// Its key in the table `answer`: profile, position and rank.
    pub id: String,
    /// The engine's name.
    pub engine: String,
    /// The limit of the search.
    pub limit: Limit,
    /// The engine depth that it reached, in plies.
    pub depth: u32,
    /// Its nodes.
    pub nodes: u64,
}

impl AnswerSource {
    /// The answer that a score of a tree comes from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of_tree(
        store: &Store,
        tree: &Tree,
        source: Source,
    ) -> Result<Option<AnswerSource>, StoreError> {
        let (id, profile) = (tree.row.profile_id, &tree.row.profile);
        let position = tree.growth.position(source.position);
        AnswerSource::of(store, id, profile, &position, source.rank)
    }

    /// The answer of a rank; `None` if the memo does not have it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of(
        store: &Store,
        id: ProfileId,
        profile: &Profile,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<AnswerSource>, StoreError> {
        let kept = store.kept_search(id, position, rank)?;
        Ok(kept.map(|kept| AnswerSource {
            id: format!("{}/{}/{rank}", id.0, kept.position.0),
            engine: profile.engine.clone(),
            limit: profile.limit,
            depth: kept.depth,
            nodes: kept.nodes,
        }))
    }
}
