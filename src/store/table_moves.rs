//! The moves of roots that endgame tables know.

use rusqlite::params;
use shakmaty::Chess;

use crate::chess::{TableMove, Wdl, epd_of, parse_uci};

use super::error::StoreError;
use super::open::Store;

impl Store {
    /// Keeps the moves of a position that tables know, the best first, in place of those that are there.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails; nothing is changed then.
    pub fn keep_table_moves(
        &mut self,
        position: &Chess,
        moves: &[TableMove],
    ) -> Result<(), StoreError> {
        let path = self.path.clone();
        let named = StoreError::sqlite(&path);
        let ids = std::mem::take(&mut self.ids);
        let write = self.write()?;
        let id = ids.find_or_make(&write, position).map_err(&named)?;
        write.execute("DELETE FROM table_move WHERE position = ?1", [id]).map_err(&named)?;
        for (place, TableMove { uci, wdl, dtz }) in (0_i64..).zip(moves) {
            let sql = "INSERT INTO table_move (position, move, place, wdl, dtz)
                VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![id, uci.to_string(), place, wdl.get(), dtz];
            write.execute(sql, row).map_err(&named)?;
        }
        write.commit().map_err(&named)?;
        self.ids = ids;
        self.still_there()
    }

    /// The moves of a position that tables know, the best first; none where they are not kept.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn table_moves(&self, position: &Chess) -> Result<Vec<TableMove>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        if !self.has_tables() {
            return Ok(Vec::new());
        }
        let Some(id) = self.ids.find(&self.db, position).map_err(&named)? else {
            return Ok(Vec::new());
        };
        let sql = "SELECT move, wdl, dtz FROM table_move WHERE position = ?1 ORDER BY place";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let rows = query.query_map([id], |row| {
            let (uci, wdl, dtz): (String, i64, Option<i32>) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let known = parse_uci(&uci).zip(Wdl::new(wdl));
            Ok(known.map(|(uci, wdl)| TableMove { uci, wdl, dtz }))
        });
        let damaged = || self.damaged(format!("a move of {} (table_move)", epd_of(position)));
        rows.map_err(&named)?.map(|row| row.map_err(&named)?.ok_or_else(damaged)).collect()
    }
}
