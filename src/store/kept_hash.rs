//! Answers on kept hashes.

use rusqlite::params;
use shakmaty::Chess;

use crate::chess::epd_of;
use crate::search::Profile;

use super::error::StoreError;
use super::memo::{PricedAnswer, listed};
use super::open::Store;
use super::profiles::profile_from;

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
    ) -> Result<Vec<(Profile, PricedAnswer)>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT options, limit_kind, limit_value, move, cp, mate, nodes
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
            Ok(profile.zip(priced))
        });
        let damaged = || self.damaged(format!("an answer in {epd} on a kept hash, or its profile"));
        rows.map_err(&named)?.map(|row| row.map_err(&named)?.ok_or_else(damaged)).collect()
    }
}
