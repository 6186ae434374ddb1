//! What a searcher finds in the memo and keeps there.

use std::time::Duration;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{Answer, HashContents, HashState, KeptHash, Limit, Profile};
use deepanalyze_core::search::{Question, Reply, Search};
use deepanalyze_engine::Engines;
use deepanalyze_store::{NewAnswer, ProfileId, Store, StoreError};

use super::{SearcherError, SerialSearcher};

impl<E: Engines> SerialSearcher<E> {
    /// The answer to a search on a cleared hash, with the line behind it; kept as [`SerialSearcher::ask`]
    /// keeps it. Its time is that of nobody.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn answer(
        &mut self,
        store: &mut Store,
        search: Search,
        limit: Limit,
    ) -> Result<Answer, SearcherError> {
        let Search { position, excluded } = search;
        let (rank, memory) = (excluded.len(), HashState::Cleared);
        let question = Question { excluded, ..Question::new(position.clone(), limit, memory) };
        let Reply { uci, score, nodes } = self.ask(store, question)?;
        let profile = self.profile_id(store, limit, None)?;
        let kept = store.kept_search(profile, &position, rank)?;
        let (depth, seldepth, pv) =
            kept.map_or((0, 0, Vec::new()), |kept| (kept.depth, kept.seldepth, kept.pv));
        Ok(Answer { best: uci, score, depth, seldepth, nodes, time: Duration::ZERO, pv })
    }

    /// The principal variation of the answer of rank 0 on a hash that holds this, as far as it can be read.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn line(
        &mut self,
        store: &mut Store,
        (position, limit): (&Chess, Limit),
        contents: &HashContents,
    ) -> Result<Vec<UciMove>, SearcherError> {
        let profile = self.profile_id(store, limit, Some(contents))?;
        let kept = store.kept_search(profile, position, 0)?;
        Ok(kept.map(|kept| kept.pv).unwrap_or_default())
    }

    pub(super) fn profile_id(
        &mut self,
        store: &mut Store,
        limit: Limit,
        kept: Option<&HashContents>,
    ) -> Result<ProfileId, SearcherError> {
        let profile = Profile { limit, ..self.profile.clone() };
        let profile = match kept {
            Some(contents) => profile.on_kept_hash(KeptHash::Of(contents.clone())),
            None => profile,
        };
        self.id_of(store, profile)
    }

    /// The row of a profile; one where there is none.
    pub(super) fn id_of(
        &mut self,
        store: &mut Store,
        profile: Profile,
    ) -> Result<ProfileId, SearcherError> {
        if let Some(id) = self.ids.get(&profile) {
            return Ok(*id);
        }
        let id = store.profile_id(&profile).map_err(given_up)?;
        self.ids.insert(profile, id);
        Ok(id)
    }

    pub(super) fn keep(
        &self,
        store: &mut Store,
        profile: ProfileId,
        answers: &[NewAnswer],
    ) -> Result<(), SearcherError> {
        store.keep(profile, answers).map(drop).map_err(given_up)
    }
}

/// A locked database is waited for until the searcher is to end.
fn given_up(error: StoreError) -> SearcherError {
    if error.is_busy() { SearcherError::Stopped } else { error.into() }
}

/// The memo's answer; one that cannot be used is damage.
pub(super) fn kept_reply(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    rank: usize,
) -> Result<Option<Reply>, SearcherError> {
    let Some(priced) = store.priced_answer(profile, position, rank)? else {
        return Ok(None);
    };
    let (uci, score) = (priced.answer.uci, priced.answer.score);
    if uci.to_move(position).is_err() {
        let what = format!(
            "the answer of rank {rank} in {} is {uci}, which is not legal",
            epd_of(position)
        );
        return Err(StoreError::Damaged { path: store.path().to_owned(), what }.into());
    }
    Ok(Some(Reply { uci, score, nodes: priced.nodes }))
}
