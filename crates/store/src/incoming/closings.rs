//! Its closing searches.

use rusqlite::types::Value;
use rusqlite::{Row, params};

use deepanalyze_core::chess::{Game, epd_of};
use deepanalyze_core::search::check_answer;

use super::Incoming;
use super::roots::unless_damaged;
use crate::analyses::{AnalysisRow, history_text};
use crate::closing::{ClosingShareRow, read_share, sharing};
use crate::error::StoreError;
use crate::memo::is_answer_as_written;
use crate::settings;

/// A closing search of another database.
#[derive(Debug, Clone)]
pub struct IncomingClosing {
    /// Its columns behind start, history and profile, in the order of [`COLUMNS`].
    pub(crate) columns: Vec<Value>,
    /// True unless the clock ended it.
    pub(crate) is_limited: bool,
    /// The results of its engines.
    pub shares: Vec<ClosingShareRow>,
}

/// The columns of `closing` behind start, history and profile.
pub(crate) const COLUMNS: [&str; 6] =
    ["directives", "pass", "limit_kind", "limit_value", "engines", "created_at"];

impl Incoming {
    /// The closing searches at the root of an analysis whose trees differ from its tree only in
    /// progress; those with an invalid row are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn closings(
        &self,
        row: &AnalysisRow,
        game: &Game,
    ) -> Result<Vec<IncomingClosing>, StoreError> {
        let wanted: Vec<String> =
            settings::COLUMNS.iter().map(|column| format!("{column} = ?")).collect();
        let sql = format!(
            "SELECT id, limit_kind IS NOT NULL, {} FROM closing
            WHERE start_epd = ? AND history = ? AND profile = ? AND {} ORDER BY id",
            COLUMNS.join(", "),
            wanted.join(" AND ")
        );
        let mut key: Vec<Value> =
            vec![epd_of(game.start()).into(), history_text(game).into(), row.profile_id.0.into()];
        key.extend(row.settings.values());
        let read = |row: &Row<'_>| {
            let columns = (2..2 + COLUMNS.len()).map(|column| row.get(column));
            let columns = columns.collect::<rusqlite::Result<Vec<Value>>>()?;
            Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?, columns))
        };
        let rows = self.store.rows(&sql, rusqlite::params_from_iter(key), read);
        let mut all = Vec::new();
        for (id, is_limited, columns) in unless_damaged(rows)?.unwrap_or_default() {
            let shares = unless_damaged(self.shares(id, game))?.flatten();
            all.extend(shares.map(|shares| IncomingClosing { columns, is_limited, shares }));
        }
        Ok(all)
    }

    /// Number of closing searches.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn closing_count(&self) -> Result<u64, StoreError> {
        self.store.only_row("SELECT count(*) FROM closing", [], |row| row.get(0))
    }

    /// `None` if one of them is impossible.
    fn shares(&self, id: i64, game: &Game) -> Result<Option<Vec<ClosingShareRow>>, StoreError> {
        let rows = self.store.rows(&sharing(), params![id], |row| {
            let is_sound = is_answer_as_written(row, 13)? == Some(true);
            Ok(read_share(row)?.filter(|_| is_sound))
        })?;
        let is_right =
            |share: &ClosingShareRow| check_answer(game.root(), &[], &share.answer).is_ok();
        let shares: Option<Vec<ClosingShareRow>> = rows.into_iter().collect();
        Ok(shares.filter(|shares| !shares.is_empty() && shares.iter().all(is_right)))
    }
}
