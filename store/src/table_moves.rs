//! The moves of roots that endgame tables know.

use rusqlite::{Connection, Row, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{PositionKey, TableMove, Wdl, epd_of, parse_epd, parse_uci};

use super::error::StoreError;
use super::open::Store;

/// A row of `table_move`, without its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveRow {
    pub position: i64,
    pub uci: String,
    pub place: i64,
    pub wdl: i64,
    pub dtz: Option<i32>,
}

impl MoveRow {
    /// The columns of `table_move` in the order of [`MoveRow::read`].
    pub const COLUMNS: &str = "position, move, place, wdl, dtz";

    /// Reads the columns of [`MoveRow::COLUMNS`] from the start of a row.
    pub fn read(row: &Row<'_>) -> rusqlite::Result<MoveRow> {
        Ok(MoveRow {
            position: row.get(0)?,
            uci: row.get(1)?,
            place: row.get(2)?,
            wdl: row.get(3)?,
            dtz: row.get(4)?,
        })
    }

    /// CRC-32 of all columns, as text between bars.
    pub fn checksum(&self) -> i64 {
        let MoveRow { position, uci, place, wdl, dtz } = self;
        let dtz = dtz.map_or_else(String::new, |dtz| dtz.to_string());
        let text = format!("{position}|{uci}|{place}|{wdl}|{dtz}");
        i64::from(crc32fast::hash(text.as_bytes()))
    }

    /// The move, where it can be one.
    fn table_move(&self) -> Option<TableMove> {
        let (uci, wdl) = parse_uci(&self.uci).zip(Wdl::new(self.wdl))?;
        Some(TableMove { uci, wdl, dtz: self.dtz })
    }
}

/// The rows of a position, the best move first.
pub(super) fn rows_of(db: &Connection, position: i64) -> rusqlite::Result<Vec<MoveRow>> {
    let sql =
        format!("SELECT {} FROM table_move WHERE position = ?1 ORDER BY place", MoveRow::COLUMNS);
    db.prepare_cached(&sql)?.query_map([position], MoveRow::read)?.collect()
}

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
        self.write(|write| {
            let keep = || -> rusqlite::Result<()> {
                let id = write.ids.find_or_make(write, position)?;
                write.execute("DELETE FROM table_move WHERE position = ?1", [id])?;
                for (place, TableMove { uci, wdl, dtz }) in (0_i64..).zip(moves) {
                    let (uci, wdl) = (uci.to_string(), i64::from(wdl.get()));
                    insert_move(write, &MoveRow { position: id, uci, place, wdl, dtz: *dtz })?;
                }
                Ok(())
            };
            keep().map_err(write.named())
        })
    }

    /// The moves of a position that tables know, the best first; none where they are not kept.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn table_moves(&self, position: &Chess) -> Result<Vec<TableMove>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(Vec::new()) };
        let damaged = || self.damaged(format!("a move of {} (table_move)", epd_of(position)));
        let rows = rows_of(&self.db, id).map_err(StoreError::sqlite(&self.path))?;
        rows.iter().map(|row| row.table_move().ok_or_else(damaged)).collect()
    }

    /// The positions whose moves are kept without the distances of all of them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn without_distances(&self) -> Result<Vec<PositionKey>, StoreError> {
        let sql = "SELECT DISTINCT epd FROM table_move
            JOIN position ON position.id = table_move.position WHERE dtz IS NULL";
        let epds = self.rows(sql, [], |row| row.get::<_, String>(0))?;
        let key = |epd: String| {
            let position = parse_epd(&epd);
            let position = position.map_err(|_| self.damaged(format!("the position {epd}")))?;
            Ok(PositionKey::of(&position))
        };
        epds.into_iter().map(key).collect()
    }
}

fn insert_move(write: &Connection, row: &MoveRow) -> rusqlite::Result<()> {
    let sql = "INSERT INTO table_move (position, move, place, wdl, dtz, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let MoveRow { position, uci, place, wdl, dtz } = row;
    let values = params![position, uci, place, wdl, dtz, row.checksum()];
    write.prepare_cached(sql)?.execute(values).map(drop)
}
