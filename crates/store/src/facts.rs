//! Tablebase results: facts, stored like answers; and the moves of roots that tablebases know.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, TableMove, Tables, Wdl, epd_of, parse_uci};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::checksummed;
use super::open::Store;
use super::profiles::ProfileId;
use super::trees::PositionId;

/// A result of tables to be stored, for the side to move; `None` if they do not have the position.
#[derive(Debug, Clone)]
pub struct NewFact {
    /// The position.
    pub position: Chess,
    /// The result.
    pub result: Option<Wdl>,
}

/// The facts behind the answers of a position. CROSS JOIN: each table is read by its key, whatever
/// SQLite guesses.
const BEHIND: &str = "SELECT wdl, round, epd FROM (
        SELECT child FROM answer WHERE profile = ?3 AND position = ?1
        UNION ALL SELECT child FROM link WHERE position = ?1
    ) AS move
    CROSS JOIN fact ON fact.position = move.child
    CROSS JOIN position ON position.id = move.child
    WHERE men <= ?2";

/// Positions of at most this many men that tables did not have.
const NOT_FOUND: &str = "SELECT epd FROM fact CROSS JOIN position ON position.id = fact.position
    WHERE wdl IS NULL AND men <= ?1";

/// The number of men of a position, kings included.
fn men_of(position: &Chess) -> i64 {
    i64::try_from(position.board().occupied().count()).unwrap_or(i64::MAX)
}

impl Store {
    /// A position's fact for a tree that knows rounds up to one: a result, or that tables do not
    /// have it; `None` if it was not looked up.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn fact(&self, position: &Chess, round: u64) -> Result<Option<Option<Wdl>>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        fact_of(&self.db, id, round).map_err(StoreError::sqlite(&self.path))
    }

    /// The results behind the answers of a position that a tree with some tables and rounds up to
    /// one knows.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn facts_behind(
        &self,
        profile: ProfileId,
        position: PositionId,
        tables: Tables,
        round: u64,
    ) -> Result<Vec<(PositionKey, Option<Wdl>)>, StoreError> {
        let facts = self.rows(BEHIND, params![position.0, tables.men, profile.0], |row| {
            Ok((row.get::<_, String>(2)?, known(row, round)?))
        })?;
        let mut results = Vec::new();
        for (epd, result) in facts {
            let fact = (self.key_of(&epd, "fact of")?, result);
            // A move may be both an answer and followed by a directive.
            if result.is_some() && !results.contains(&fact) {
                results.push(fact);
            }
        }
        Ok(results)
    }

    /// The positions found in later rounds than one, with at most this many men.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn found_since(&self, round: u64, men: u8) -> Result<Vec<PositionKey>, StoreError> {
        let sql = "SELECT epd FROM fact CROSS JOIN position ON position.id = fact.position
            WHERE round > 0 AND round > ?1 AND men <= ?2";
        self.keys(sql, params![round, men], "fact of")
    }

    /// The positions of at most this many men that tables did not have when asked.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn not_found(&self, men: u8) -> Result<Vec<PositionKey>, StoreError> {
        self.keys(NOT_FOUND, [men], "fact of")
    }

    /// The last round that found positions which tables had not had before; 0 if none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn last_fact_round(&self) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(round), 0) FROM fact WHERE round > 0";
        self.only_row(sql, [], |row| row.get(0))
    }

    /// Stores facts of tables of this many men, for a tree that knows rounds up to one, in one
    /// transaction that is durable when this returns. A different result stored by another run
    /// stays, and this returns `false`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; none is kept then.
    pub fn keep_facts(
        &mut self,
        facts: &[NewFact],
        table_men: u8,
        round: u64,
    ) -> Result<bool, StoreError> {
        self.write(|write| {
            let named = write.named();
            let mut all = true;
            for NewFact { position, result } in facts {
                let id = write.row_of(position).map_err(&named)?;
                if !insert_fact(write, fact_row(id, position, *result, table_men, 0))
                    .map_err(&named)?
                {
                    let kept = fact_of(write, id, round).map_err(&named)?;
                    all &= kept.is_some_and(|kept| kept == *result);
                }
            }
            Ok(all)
        })
    }

    /// Stores results of positions that tables did not have before, as a new round.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; none is kept then.
    pub fn find_facts(
        &mut self,
        found: &[(PositionKey, Wdl)],
        table_men: u8,
    ) -> Result<(), StoreError> {
        self.write(|write| {
            let named = write.named();
            let sql = "SELECT 1 + coalesce(max(round), 0) FROM fact WHERE round > 0";
            let round: i64 = write.query_row(sql, [], |row| row.get(0)).map_err(&named)?;
            for (key, wdl) in found {
                let position = key.position();
                let id = write.row_of(&position).map_err(&named)?;
                let row = fact_row(id, &position, Some(*wdl), table_men, round);
                let sql = "UPDATE fact SET wdl = ?2, table_men = ?4, round = ?5, checksum = ?6
                    WHERE position = ?1 AND wdl IS NULL";
                write
                    .prepare_cached(sql)
                    .and_then(|mut sql| sql.execute(params_from_iter(row)))
                    .map_err(&named)?;
            }
            Ok(())
        })
    }

    /// Notes that the facts of all rounds up to one leave the tree of an analysis unchanged.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn take_up_facts(&mut self, id: AnalysisId, round: u64) -> Result<(), StoreError> {
        let sql = "UPDATE analysis SET fact_round = ?2 WHERE id = ?1";
        let row = params![id.0, round];
        self.write(|write| write.execute(sql, row).map(drop).map_err(write.named()))
    }
}

/// The result for a tree of rounds up to one, from the columns `wdl, round` that begin a row.
fn known(row: &Row<'_>, round: u64) -> rusqlite::Result<Option<Wdl>> {
    let (wdl, found): (Option<i64>, i64) = (row.get(0)?, row.get(1)?);
    let is_known = u64::try_from(found).is_ok_and(|found| found <= round);
    Ok(wdl.filter(|_| is_known).and_then(Wdl::new))
}

fn fact_of(db: &Connection, position: i64, round: u64) -> rusqlite::Result<Option<Option<Wdl>>> {
    let sql = "SELECT wdl, round FROM fact WHERE position = ?1";
    db.prepare_cached(sql)?.query_row([position], |row| known(row, round)).optional()
}

/// The columns of a row.
fn fact_row(
    id: i64,
    position: &Chess,
    result: Option<Wdl>,
    table_men: u8,
    round: i64,
) -> Vec<Value> {
    let wdl = result.map(|wdl| i64::from(wdl.get()));
    checksummed([id.into(), wdl.into(), men_of(position).into(), table_men.into(), round.into()])
}

/// Inserts a row; `false` if it exists.
fn insert_fact(write: &Connection, row: Vec<Value>) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO fact (position, wdl, men, table_men, round, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
    Ok(write.prepare_cached(sql)?.execute(params_from_iter(row))? > 0)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_a_position_is_found_by_keys_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let mut query = store.db.prepare(&format!("EXPLAIN QUERY PLAN {BEHIND}")).unwrap();
        let plan = query.query_map([1, 1, 1], |row| row.get(3)).unwrap();
        let plan: Vec<String> = plan.map(|step| step.unwrap()).collect();
        let right = [
            "SEARCH answer USING PRIMARY KEY (profile=? AND position=?)",
            "SEARCH fact USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH position USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH link USING PRIMARY KEY (position=?)",
            "SEARCH fact USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH position USING INTEGER PRIMARY KEY (rowid=?)",
        ];
        let steps: Vec<&str> = plan.iter().map(String::as_str).collect();
        let searches = steps.into_iter().filter(|step| step.starts_with("SEARCH"));
        assert!(
            searches.eq(right) && !plan.iter().any(|step| step.starts_with("SCAN")),
            "{plan:?}"
        );
    }

    #[test]
    fn positions_missing_in_tables_use_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {NOT_FOUND}");
        let plan: String = store.db.query_row(&sql, [1], |row| row.get(3)).unwrap();
        assert!(plan.contains("USING INDEX fact_missing (men<?)"), "{plan}");
    }
}
