//! The facts: positions and the answers of engines.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{OptionalExtension, params};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, epd_of, parse_uci};
use deepanalyze_core::search::{Answer, WorkerId};

use super::columns::index;
use super::error::StoreError;
use super::open::Store;
use super::profiles::ProfileId;

/// An answer as the memo has it: a move and the engine's score for its mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedAnswer {
    /// The move.
    pub uci: UciMove,
    /// The score, as the engine gave it.
    pub score: Score,
}

/// An answer and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedAnswer {
    /// The answer.
    pub answer: ListedAnswer,
    /// Engine nodes of the search.
    pub nodes: u64,
}

/// What the memo has of one search beside its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSearch {
    /// The engine depth that it reached, in plies.
    pub depth: u32,
    /// The greatest depth of an extension, in plies.
    pub seldepth: u32,
    /// The principal variation, as far as it can be read; the first move is the answer.
    pub pv: Vec<UciMove>,
}

/// An answer to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnswer {
    /// The searched position.
    pub position: Chess,
    /// The list that the position had before: the moves that were left out, by rank.
    pub excluded: Vec<UciMove>,
    /// What the engine said.
    pub answer: Answer,
    /// The worker that made the search, where it was none of this computer's engines.
    pub worker: Option<WorkerId>,
}

impl Store {
    /// The answer of a rank, if the memo has it.
    pub fn answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<ListedAnswer>, StoreError> {
        Ok(self.priced_answer(profile, position, rank)?.map(|priced| priced.answer))
    }

    /// The same with the nodes that were spent on it.
    pub fn priced_answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<PricedAnswer>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let Some(id) = self.ids.find(&self.db, position).map_err(&named)? else {
            return Ok(None);
        };
        let sql = "SELECT move, cp, mate, nodes FROM search
            WHERE profile = ?1 AND position = ?2 AND rank = ?3";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let row = query.query_row(params![profile.0, id, index(rank)], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let row: Option<(String, Option<i32>, Option<i32>, i64)> =
            row.optional().map_err(&named)?;
        row.map(|(uci, cp, mate, nodes)| {
            let damaged = |what: &str| {
                self.damaged(format!("the answer of rank {rank} in {}{what}", epd_of(position)))
            };
            let answer = listed(&uci, cp, mate).ok_or_else(|| damaged(""))?;
            let nodes = u64::try_from(nodes).map_err(|_| damaged(&format!(": {nodes} nodes")))?;
            Ok(PricedAnswer { answer, nodes })
        })
        .transpose()
    }
}

impl Store {
    /// How the engine goes on behind the answer of a rank: the moves of the search's principal variation
    /// behind its first one, as far as they can be read; none where there is no such answer.
    pub fn continuation(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Vec<UciMove>, StoreError> {
        let kept = self.kept_search(profile, position, rank)?;
        Ok(kept.map(|kept| kept.pv.into_iter().skip(1).collect()).unwrap_or_default())
    }

    /// The search that gave the answer of a rank; none where there is no such answer.
    pub fn kept_search(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<KeptSearch>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let Some(id) = self.ids.find(&self.db, position).map_err(&named)? else {
            return Ok(None);
        };
        let sql = "SELECT pv, depth, seldepth FROM search
            WHERE profile = ?1 AND position = ?2 AND rank = ?3";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let row = query.query_row(params![profile.0, id, index(rank)], |row| {
            let pv: String = row.get(0)?;
            let plies = |column| row.get::<_, i64>(column);
            Ok((pv, plies(1)?, plies(2)?))
        });
        let plies = |plies: i64| u32::try_from(plies).unwrap_or(0);
        let read = |(pv, depth, seldepth): (String, i64, i64)| KeptSearch {
            depth: plies(depth),
            seldepth: plies(seldepth),
            pv: moves_of(&pv),
        };
        Ok(row.optional().map_err(&named)?.map(read))
    }
}

/// The moves of a principal variation, as far as they can be read.
pub(super) fn moves_of(pv: &str) -> Vec<UciMove> {
    pv.split(' ').map_while(parse_uci).collect()
}

/// A move and score from their columns.
pub(super) fn listed(uci: &str, cp: Option<i32>, mate: Option<i32>) -> Option<ListedAnswer> {
    let score = match (cp, mate) {
        (Some(cp), None) => Score::Cp(cp),
        (None, Some(mate)) => Score::Mate(mate),
        _ => return None,
    };
    Some(ListedAnswer { uci: parse_uci(uci)?, score })
}

/// milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
