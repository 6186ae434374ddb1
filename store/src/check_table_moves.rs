//! What `verify` asks of the moves of roots that tables know: each row as it was written, and all legal moves of a
//! position with a result.

use shakmaty::Chess;

use deepanalyze_core::chess::{TableMove, legal_uci, parse_fen};

use super::check::Flaw;
use super::error::StoreError;
use super::open::Store;
use super::table_moves::{MoveRow, rows_of};

/// A position with moves.
struct Listed {
    id: i64,
    epd: String,
    has_result: bool,
}

impl Store {
    /// Checks the moves that are kept of every position. Sound ones go to `take`, the best first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn check_table_moves(
        &self,
        mut take: impl FnMut(&Chess, &[TableMove]) -> Option<Flaw>,
    ) -> Result<Vec<Flaw>, StoreError> {
        let mut flaws = Vec::new();
        for listed in self.positions_with_moves()? {
            // A position that cannot be read has been reported as such.
            let Ok(position) = parse_fen(&listed.epd) else { continue };
            // The rows of one position at one moment: they may be written anew.
            flaws.extend(self.at_one_moment(|| {
                let mut wrong = self.flaws_of_rows(&listed, &position)?;
                if wrong.is_empty() {
                    wrong.extend(take(&position, &self.table_moves(&position)?));
                }
                Ok::<_, StoreError>(wrong)
            })?);
        }
        Ok(flaws)
    }

    fn positions_with_moves(&self) -> Result<Vec<Listed>, StoreError> {
        let sql = "SELECT DISTINCT table_move.position, epd, fact.wdl IS NOT NULL FROM table_move
            JOIN position ON position.id = table_move.position
            LEFT JOIN fact ON fact.position = table_move.position ORDER BY table_move.position";
        self.rows(sql, [], |row| {
            Ok(Listed { id: row.get(0)?, epd: row.get(1)?, has_result: row.get(2)? })
        })
    }

    fn flaws_of_rows(
        &self,
        Listed { id, epd, has_result }: &Listed,
        position: &Chess,
    ) -> Result<Vec<Flaw>, StoreError> {
        let rows = rows_of(&self.db, *id).map_err(StoreError::sqlite(&self.path))?;
        let mut flaws = self.flaws_of_checksums(epd, &rows)?;
        let mut legal: Vec<String> = legal_uci(position).iter().map(ToString::to_string).collect();
        let mut kept: Vec<String> = rows.iter().map(|row| row.uci.clone()).collect();
        legal.sort();
        kept.sort();
        if legal != kept {
            flaws.push(format!("the moves of {epd} (table_move) are not its legal moves"));
        }
        if rows.iter().zip(0..).any(|(row, place)| row.place != place) {
            flaws.push(format!("the moves of {epd} (table_move) have no order"));
        }
        if !has_result {
            flaws.push(format!("{epd} has moves (table_move), and no result of endgame tables"));
        }
        Ok(flaws)
    }

    fn flaws_of_checksums(&self, epd: &str, rows: &[MoveRow]) -> Result<Vec<Flaw>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT checksum FROM table_move WHERE position = ?1 AND move = ?2";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let mut flaws = Vec::new();
        for row in rows {
            let kept: i64 =
                query.query_row((row.position, &row.uci), |row| row.get(0)).map_err(&named)?;
            if kept != row.checksum() {
                let uci = &row.uci;
                flaws.push(format!(
                    "the move {uci} of {epd} (table_move) does not match its checksum"
                ));
            }
        }
        Ok(flaws)
    }
}
