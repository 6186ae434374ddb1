//! Answers on kept hashes.

use rusqlite::params;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Profile;

use super::error::StoreError;
use super::memo::{PricedAnswer, listed, moves_of};
use super::open::Store;
use super::profiles::profile_from;

/// An answer on a hash of known contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOnKeptHash {
    /// Whose it is.
    pub profile: Profile,
    /// The answer.
    pub priced: PricedAnswer,
    /// The principal variation, as far as it can be read.
    pub pv: Vec<UciMove>,
}

impl Store {
    /// The answers of rank 0 of a position that an engine of this name has given on hashes of known contents,
    /// the oldest profile first.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] where one of them, or its profile, cannot be read.
    pub fn answers_on_kept_hash(
        &self,
        engine: &str,
        position: &Chess,
    ) -> Result<Vec<AnswerOnKeptHash>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT options, limit_kind, limit_value, move, cp, mate, nodes, pv
            FROM position
            JOIN search ON search.position = position.id AND search.rank = 0
            JOIN profile ON profile.id = search.profile
            WHERE epd = ?1 AND engine = ?2 AND json_valid(options)
                AND json_type(options, '$.\"keep-hash\"') = 'object'
            ORDER BY profile.id";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let epd = epd_of(position);
        let rows = query.query_map(params![epd, engine], |row| {
            let options: String = row.get(0)?;
            let (kind, value): (String, i64) = (row.get(1)?, row.get(2)?);
            let uci: String = row.get(3)?;
            let profile = profile_from(engine.to_owned(), &options, (&kind, value));
            let answer = listed(&uci, row.get(4)?, row.get(5)?);
            let answer = answer.filter(|answer| answer.uci.to_move(position).is_ok());
            let nodes = u64::try_from(row.get::<_, i64>(6)?).ok();
            let priced = answer.zip(nodes).map(|(answer, nodes)| PricedAnswer { answer, nodes });
            let pv = moves_of(&row.get::<_, String>(7)?);
            let read = |(profile, priced)| AnswerOnKeptHash { profile, priced, pv };
            Ok(profile.zip(priced).map(read))
        });
        let damaged = || self.damaged(format!("an answer in {epd} on a kept hash, or its profile"));
        rows.map_err(&named)?.map(|row| row.map_err(&named)?.ok_or_else(damaged)).collect()
    }
}
