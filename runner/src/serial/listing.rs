//! Several moves of a position in one search, from the memo or the engine.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{epd_of, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Profile, Reply};
use deepanalyze_engine::Pool;
use deepanalyze_store::{NewAnswer, ProfileId, Store, StoreError};

use super::memo::kept_reply;
use super::{SearcherError, SerialSearcher};

impl SerialSearcher<Pool> {
    /// So many moves of a position, or all where there are fewer, with their scores: one search with `MultiPV` on a
    /// cleared hash, by place. What it took stands at the first one. Kept as [`SerialSearcher::ask`] keeps answers,
    /// all places together, under a profile of its own ([`Profile::listing`]).
    ///
    /// # Errors
    ///
    /// As there, and where the engine cannot list so many.
    pub fn list(
        &mut self,
        store: &mut Store,
        position: &Chess,
        moves: usize,
        limit: Limit,
    ) -> Result<Vec<Reply>, SearcherError> {
        self.control.rest();
        if self.control.is_told_to_end() {
            return Err(SearcherError::Stopped);
        }
        let profile = Profile { limit, ..self.profile.clone() }.listing(moves);
        let profile = self.id_of(store, profile)?;
        let places = moves.min(legal_uci(position).len());
        if let Some(list) = kept_list(store, profile, position, places)? {
            return Ok(list);
        }
        let submit =
            |pool: &mut Pool, ticket| pool.submit_list(ticket, position.clone(), moves, limit);
        let said = self.submitted(submit, None)?.ok_or(SearcherError::EnginesGone)?;
        self.keep_list(store, profile, position, said)?;
        let kept = kept_list(store, profile, position, places)?;
        kept.ok_or_else(|| {
            let what = format!("a part of the moves of one search of {} is gone", epd_of(position));
            StoreError::Damaged { path: store.path().to_owned(), what }.into()
        })
    }

    fn keep_list(
        &self,
        store: &mut Store,
        profile: ProfileId,
        position: &Chess,
        (first, behind): (Answer, Vec<Answer>),
    ) -> Result<(), SearcherError> {
        let answers: Vec<Answer> = std::iter::once(first).chain(behind).collect();
        let listed: Vec<UciMove> = answers.iter().map(|answer| answer.best).collect();
        let rows = answers.into_iter().enumerate().map(|(rank, answer)| NewAnswer {
            position: position.clone(),
            excluded: listed.get(..rank).unwrap_or_default().to_vec(),
            answer,
            worker: None,
        });
        self.keep(store, profile, &rows.collect::<Vec<_>>())
    }
}

/// The memo's list, where it has all of it.
fn kept_list(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    places: usize,
) -> Result<Option<Vec<Reply>>, SearcherError> {
    (0..places).map(|rank| kept_reply(store, profile, position, rank)).collect()
}
