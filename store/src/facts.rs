//! What endgame tables say of positions: facts, kept like answers.

use rusqlite::{Connection, OptionalExtension, Row, params};
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{PositionKey, Tables, Wdl, parse_epd};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::open::Store;
use super::trees::PositionId;

/// What tables say of a position for its side to move, to be kept; no result where they do not have it.
#[derive(Debug, Clone)]
pub struct NewFact {
    /// The position.
    pub position: Chess,
    /// What was found.
    pub result: Option<Wdl>,
}

/// A row of `fact`, without its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FactRow {
    pub position: i64,
    pub wdl: Option<i64>,
    pub men: i64,
    pub table_men: i64,
    pub round: i64,
}

impl FactRow {
    /// The columns of `fact` in the order of [`FactRow::read`].
    pub const COLUMNS: &str = "fact.position, fact.wdl, fact.men, fact.table_men, fact.round";

    /// Reads the columns of [`FactRow::COLUMNS`] from the start of a row.
    pub fn read(row: &Row<'_>) -> rusqlite::Result<FactRow> {
        Ok(FactRow {
            position: row.get(0)?,
            wdl: row.get(1)?,
            men: row.get(2)?,
            table_men: row.get(3)?,
            round: row.get(4)?,
        })
    }

    /// CRC-32 of all columns, as text between bars.
    pub fn checksum(&self) -> i64 {
        let FactRow { position, wdl, men, table_men, round } = self;
        let wdl = wdl.map_or_else(String::new, |wdl| wdl.to_string());
        let text = format!("{position}|{wdl}|{men}|{table_men}|{round}");
        i64::from(crc32fast::hash(text.as_bytes()))
    }

    /// What a tree knows of it that goes up to some round.
    fn result(&self, round: u64) -> Option<Wdl> {
        let is_known = u64::try_from(self.round).is_ok_and(|found| found <= round);
        self.wdl.filter(|_| is_known).and_then(Wdl::new)
    }
}

/// The facts behind the answers of a position. CROSS JOIN: each table is read by its key, whatever SQLite guesses.
fn behind() -> String {
    format!(
        "SELECT {}, epd FROM link CROSS JOIN fact ON fact.position = link.child
        CROSS JOIN position ON position.id = link.child
        WHERE link.position = ?1 AND men <= ?2",
        FactRow::COLUMNS
    )
}

/// The positions of so many men at most that tables did not have.
fn not_found() -> String {
    format!(
        "SELECT {}, epd FROM fact CROSS JOIN position ON position.id = fact.position
        WHERE wdl IS NULL AND men <= ?1",
        FactRow::COLUMNS
    )
}

/// The number of men of a position, kings included.
fn men_of(position: &Chess) -> i64 {
    i64::try_from(position.board().occupied().count()).unwrap_or(i64::MAX)
}

impl Store {
    /// What is known of a position to a tree that goes up to some round: a result, or that tables do not have it;
    /// none where it was not looked up.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn fact(&self, position: &Chess, round: u64) -> Result<Option<Option<Wdl>>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let Some(id) = self.ids.find(&self.db, position).map_err(&named)? else {
            return Ok(None);
        };
        let row = fact_row(&self.db, id).map_err(&named)?;
        Ok(row.map(|row| row.result(round)))
    }

    /// The results that a tree which goes by some tables and up to some round knows behind the answers of a
    /// position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn facts_behind(
        &self,
        position: PositionId,
        tables: Tables,
        round: u64,
    ) -> Result<Vec<(PositionKey, Option<Wdl>)>, StoreError> {
        let mut facts = Vec::new();
        self.each_fact(&behind(), &[&position.0, &tables.men], |row, key| {
            let result = row.result(round);
            facts.extend(result.map(|wdl| (key, Some(wdl))));
        })?;
        Ok(facts)
    }

    /// The positions that were found in later rounds than one, of so many men at most.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn found_since(&self, round: u64, men: u8) -> Result<Vec<PositionKey>, StoreError> {
        let mut found = Vec::new();
        let sql = format!(
            "SELECT {}, epd FROM fact CROSS JOIN position ON position.id = fact.position
            WHERE round > 0 AND round > ?1 AND men <= ?2",
            FactRow::COLUMNS
        );
        self.each_fact(&sql, &[&round, &men], |_, key| found.push(key))?;
        Ok(found)
    }

    /// The positions of so many men at most that tables did not have when they were asked.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn not_found(&self, men: u8) -> Result<Vec<PositionKey>, StoreError> {
        let mut missing = Vec::new();
        self.each_fact(&not_found(), &[&men], |_, key| missing.push(key))?;
        Ok(missing)
    }

    fn each_fact(
        &self,
        sql: &str,
        parameters: &[&dyn rusqlite::ToSql],
        mut take: impl FnMut(FactRow, PositionKey),
    ) -> Result<(), StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let mut rows = query.query(parameters).map_err(&named)?;
        while let Some(row) = rows.next().map_err(&named)? {
            let epd = row.get_ref(5).map_err(&named)?.as_str().unwrap_or_default();
            let position =
                parse_epd(epd).map_err(|_| self.damaged(format!("the fact of {epd}")))?;
            take(FactRow::read(row).map_err(&named)?, PositionKey::of(&position));
        }
        Ok(())
    }

    /// The last round in which positions were found that tables had not had before; 0 where there was none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn last_fact_round(&self) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(round), 0) FROM fact WHERE round > 0";
        self.only_row(sql, [], |row| row.get(0))
    }

    /// Keeps facts that tables of so many men have given, for a tree that goes up to some round, in one transaction
    /// that is durable when this returns. Where another run has kept another result first, that one stays, and this
    /// returns `false`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails; none is kept then.
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
                let id = write.ids.find_or_make(write, position).map_err(&named)?;
                let row = FactRow {
                    position: id,
                    wdl: result.map(|wdl| i64::from(wdl.get())),
                    men: men_of(position),
                    table_men: i64::from(table_men),
                    round: 0,
                };
                if !insert_fact(write, &row).map_err(&named)? {
                    let kept = fact_row(write, id).map_err(&named)?;
                    all &= kept.is_some_and(|kept| kept.result(round) == *result);
                }
            }
            Ok(all)
        })
    }

    /// Notes results of positions that tables did not have before, as those of a new round.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails; none is kept then.
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
                let row = FactRow {
                    position: write.ids.find_or_make(write, &position).map_err(&named)?,
                    wdl: Some(i64::from(wdl.get())),
                    men: men_of(&position),
                    table_men: i64::from(table_men),
                    round,
                };
                let sql = "UPDATE fact SET wdl = ?2, table_men = ?3, round = ?4, checksum = ?5
                WHERE position = ?1 AND wdl IS NULL";
                let values =
                    params![row.position, row.wdl, row.table_men, row.round, row.checksum()];
                write
                    .prepare_cached(sql)
                    .and_then(|mut sql| sql.execute(values))
                    .map_err(&named)?;
            }
            Ok(())
        })
    }

    /// Notes that the tree of an analysis is the same with the facts of all rounds up to one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn take_up_facts(&mut self, id: AnalysisId, round: u64) -> Result<(), StoreError> {
        let sql = "UPDATE analysis SET fact_round = ?2 WHERE id = ?1";
        let row = params![id.0, round];
        self.write(|write| write.execute(sql, row).map(drop).map_err(write.named()))
    }
}

fn fact_row(db: &Connection, position: i64) -> rusqlite::Result<Option<FactRow>> {
    let sql = format!("SELECT {} FROM fact WHERE position = ?1", FactRow::COLUMNS);
    db.prepare_cached(&sql)?.query_row([position], FactRow::read).optional()
}

/// Inserts a row; `false` where there is one.
fn insert_fact(write: &Connection, row: &FactRow) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO fact (position, wdl, men, table_men, round, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
    let FactRow { position, wdl, men, table_men, round } = row;
    let values = params![position, wdl, men, table_men, round, row.checksum()];
    Ok(write.prepare_cached(sql)?.execute(values)? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_a_position_is_found_by_keys_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let mut query = store.db.prepare(&format!("EXPLAIN QUERY PLAN {}", behind())).unwrap();
        let plan = query.query_map([1, 1], |row| row.get(3)).unwrap();
        let plan: Vec<String> = plan.map(|step| step.unwrap()).collect();
        let right = [
            "SEARCH link USING PRIMARY KEY (position=?)",
            "SEARCH fact USING INTEGER PRIMARY KEY (rowid=?)",
            "SEARCH position USING INTEGER PRIMARY KEY (rowid=?)",
        ];
        assert_eq!(plan, right);
    }

    #[test]
    fn positions_that_tables_did_not_have_are_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {}", not_found());
        let plan: String = store.db.query_row(&sql, [1], |row| row.get(3)).unwrap();
        assert!(plan.contains("USING INDEX fact_missing (men<?)"), "{plan}");
    }
}
