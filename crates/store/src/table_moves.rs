//! The moves of roots that tablebases know.

use rusqlite::params_from_iter;
use shakmaty::Chess;

use deepanalyze_core::chess::{PositionKey, TableMove, Wdl, epd_of, parse_uci};

use super::error::StoreError;
use super::memo::checksummed;
use super::open::Store;

const INSERT: &str = "INSERT INTO table_move (position, move, place, wdl, dtz, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

impl Store {
    /// Stores the moves of a position that tables know, best first, replacing those stored before.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; nothing is changed then.
    pub fn keep_table_moves(
        &mut self,
        position: &Chess,
        moves: &[TableMove],
    ) -> Result<(), StoreError> {
        self.write(|write| {
            let keep = || -> rusqlite::Result<()> {
                let id = write.row_of(position)?;
                write.execute("DELETE FROM table_move WHERE position = ?1", [id])?;
                for (place, TableMove { uci, wdl, dtz }) in (0_i64..).zip(moves) {
                    let (uci, wdl) = (uci.to_string(), i64::from(wdl.get()));
                    let row = [id.into(), uci.into(), place.into(), wdl.into(), (*dtz).into()];
                    write.prepare_cached(INSERT)?.execute(params_from_iter(checksummed(row)))?;
                }
                Ok(())
            };
            keep().map_err(write.named())
        })
    }

    /// The moves of a position that tables know, the best first; empty if not stored.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn table_moves(&self, position: &Chess) -> Result<Vec<TableMove>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(Vec::new()) };
        let sql = "SELECT move, wdl, dtz FROM table_move WHERE position = ?1 ORDER BY place";
        let moves = self.rows(sql, [id], |row| {
            let uci = parse_uci(&row.get::<_, String>(0)?);
            let (wdl, dtz) = (Wdl::new(row.get(1)?), row.get(2)?);
            Ok(uci.zip(wdl).map(|(uci, wdl)| TableMove { uci, wdl, dtz }))
        })?;
        let damaged = || self.damaged(format!("a move of {} (table_move)", epd_of(position)));
        moves.into_iter().map(|read| read.ok_or_else(damaged)).collect()
    }

    /// The positions with stored moves of which some lack distances.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn without_distances(&self) -> Result<Vec<PositionKey>, StoreError> {
        let sql = "SELECT DISTINCT epd FROM table_move
            JOIN position ON position.id = table_move.position WHERE dtz IS NULL";
        self.keys(sql, [], "position")
    }
}
