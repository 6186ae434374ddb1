//! Answers on kept hashes.

use rusqlite::params;
use shakmaty::Chess;

use crate::chess::epd_of;
use crate::search::Profile;

use super::error::StoreError;
use super::memo::{PricedAnswer, limit_from, listed};
use super::open::Store;

impl Store {
    /// The answers of rank 0 of a position that an engine of this name has given on hashes whose text
    /// ([`Profile::on_kept_hash`]) begins so, the oldest profile first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or such a row is damaged.
    pub fn answers_on_kept_hash(
        &self,
        engine: &str,
        position: &Chess,
        beginning: &str,
    ) -> Result<Vec<(Profile, PricedAnswer)>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT options, limit_kind, limit_value, move, cp, mate, nodes
            FROM position
            JOIN search ON search.position = position.id AND search.rank = 0
            JOIN profile ON profile.id = search.profile
            WHERE epd = ?1 AND engine = ?2 AND json_valid(options)
                AND substr(options ->> '$.\"keep-hash\"', 1, length(?3)) = ?3
            ORDER BY profile.id";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let epd = epd_of(position);
        let rows =
            query.query_map(params![epd, engine, beginning], |row| {
                let options: String = row.get(0)?;
                let (kind, value): (String, i64) = (row.get(1)?, row.get(2)?);
                let (uci, cp, mate, nodes): (String, _, _, i64) =
                    (row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?);
                let options = serde_json::from_str(&options).ok();
                let profile = options
                    .zip(limit_from(&kind, value))
                    .map(|(options, limit)| Profile { engine: engine.to_owned(), options, limit });
                let nodes = u64::try_from(nodes).unwrap_or(0);
                let answer =
                    listed(&uci, cp, mate).filter(|answer| answer.uci.to_move(position).is_ok());
                Ok(profile.zip(answer.map(|answer| PricedAnswer { answer, nodes })))
            });
        let damaged = || self.damaged(format!("an answer in {epd} on a kept hash, or its profile"));
        rows.map_err(&named)?.map(|row| row.map_err(&named)?.ok_or_else(damaged)).collect()
    }
}
