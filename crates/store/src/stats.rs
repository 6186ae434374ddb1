//! Costs and sizes of a database, or of the tree of one analysis.

use rusqlite::{Params, Row, params_from_iter};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::files::wal_of;
use super::memo::whole;
use super::open::Store;
use super::trees::PositionId;

/// The answers of the whole database.
const ALL_ANSWERS: &str = "search";
/// The admitted answers of one analysis.
const ITS_ANSWERS: &str = "node
    JOIN analysis ON analysis.id = node.analysis
    JOIN search ON search.profile = analysis.profile
        AND search.position = node.position AND search.rank < node.admitted
    WHERE node.analysis = ?1";

/// The cost of some answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Number of answers.
    pub searches: u64,
    /// Engine nodes.
    pub nodes: u64,
    /// Engine time in milliseconds.
    #[serde(rename = "engine_time_ms")]
    pub time_ms: u64,
}

/// The cost of answers that were stored in one stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Its beginning, in milliseconds since 1970, UTC.
    pub from: i64,
    /// The cost in it.
    pub cost: Cost,
}

/// The answers that trees admit at one ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct PlyCount {
    /// The least ply of their position.
    pub ply: u32,
    /// Positions.
    pub positions: u64,
    /// Admitted answers.
    pub searches: u64,
}

/// Origin of the admitted answers of one analysis, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Origin {
    /// Admitted answers.
    pub admitted: u64,
    /// Answers stored before the analysis began: they came from the memo.
    #[serde(rename = "stored_before")]
    pub before: u64,
    /// Answers also admitted by another analysis of the same engine and limit: one of the two got
    /// them from the memo.
    pub shared: u64,
}

/// Searches that the memo has saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Sharing {
    /// Answers that analyses admit, each counted once for every analysis.
    pub admitted: u64,
    /// Stored answers that an analysis admits: the rest of `admitted` came from the memo.
    #[serde(rename = "admitted_once")]
    pub used: u64,
    /// All stored answers; those not admitted were searched ahead, or by a closing search or a
    /// duel, or their run has stopped.
    pub stored: u64,
}

/// Size of a table in the file, with its indices.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct TableShare {
    /// Its name.
    pub table: String,
    /// Bytes of its pages.
    pub bytes: u64,
}

impl Store {
    /// The answers of one analysis, or all, by the stretch of time in which they were stored.
    pub fn cost_over_time(
        &self,
        analysis: Option<AnalysisId>,
        stretch_ms: i64,
    ) -> Result<Vec<Stretch>, StoreError> {
        let stretch_ms = stretch_ms.max(1);
        let sql = format!(
            "SELECT search.created_at / {stretch_ms}, count(*), total(search.nodes),
                total(search.time_ms)
            FROM {} GROUP BY 1 ORDER BY 1",
            answers(analysis)
        );
        self.rows(&sql, number(analysis), |row| {
            let stretch: i64 = row.get(0)?;
            let cost =
                Cost { searches: row.get(1)?, nodes: whole(row, 2)?, time_ms: whole(row, 3)? };
            Ok(Stretch { from: stretch.saturating_mul(stretch_ms), cost })
        })
    }

    /// Times of the first and last stored answer of one analysis, or of all, in milliseconds
    /// since 1970.
    pub fn span(&self, analysis: Option<AnalysisId>) -> Result<Option<(i64, i64)>, StoreError> {
        let sql = format!(
            "SELECT min(search.created_at), max(search.created_at) FROM {}",
            answers(analysis)
        );
        let read = |row: &Row<'_>| Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?));
        self.only_row(&sql, number(analysis), read)
    }

    /// The number of answers of each rank, in one analysis or all.
    pub fn searches_by_rank(
        &self,
        analysis: Option<AnalysisId>,
    ) -> Result<Vec<(usize, u64)>, StoreError> {
        let sql = format!(
            "SELECT search.rank, count(*) FROM {} GROUP BY 1 ORDER BY 1",
            answers(analysis)
        );
        self.rows(&sql, number(analysis), |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Admitted answers at each ply, in one analysis or all.
    pub fn searches_by_ply(
        &self,
        analysis: Option<AnalysisId>,
    ) -> Result<Vec<PlyCount>, StoreError> {
        let which = if analysis.is_some() { "WHERE analysis = ?1" } else { "" };
        let sql = format!(
            "SELECT ply, count(*), sum(admitted) FROM node {which} GROUP BY ply ORDER BY ply"
        );
        self.rows(&sql, number(analysis), |row| {
            Ok(PlyCount { ply: row.get(0)?, positions: row.get(1)?, searches: row.get(2)? })
        })
    }

    /// The origin of an analysis's admitted answers.
    pub fn origin(&self, analysis: AnalysisId) -> Result<Origin, StoreError> {
        let sql = format!(
            "SELECT count(*), total(search.created_at < analysis.created_at) FROM {ITS_ANSWERS}"
        );
        let read = |row: &Row<'_>| Ok((row.get::<_, u64>(0)?, whole(row, 1)?));
        let (admitted, before) = self.only_row(&sql, [analysis.0], read)?;
        // Both admit the lower ranks.
        let sql = "SELECT total(min(node.admitted, other.admitted)) FROM node
            JOIN (SELECT position, max(admitted) AS admitted FROM node
                JOIN analysis ON analysis.id = node.analysis
                WHERE analysis.id <> ?1
                    AND profile = (SELECT profile FROM analysis WHERE id = ?1)
                GROUP BY position) AS other ON other.position = node.position
            WHERE node.analysis = ?1";
        let shared = self.only_row(sql, [analysis.0], |row| whole(row, 0))?;
        Ok(Origin { admitted, before, shared })
    }

    /// Searches that the memo has saved.
    pub fn sharing(&self) -> Result<Sharing, StoreError> {
        let sql = "SELECT (SELECT total(admitted) FROM node), total(most),
                (SELECT count(*) FROM search)
            FROM (SELECT max(admitted) AS most FROM node
                JOIN analysis ON analysis.id = node.analysis GROUP BY profile, position)";
        self.only_row(sql, [], |row| {
            Ok(Sharing { admitted: whole(row, 0)?, used: whole(row, 1)?, stored: row.get(2)? })
        })
    }

    /// The size of each table with its indices, greatest first; empty if SQLite cannot tell.
    pub fn shares(&self) -> Result<Vec<TableShare>, StoreError> {
        let known = "SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'";
        if self.only_row(known, [], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(Vec::new());
        }
        let sql = "SELECT coalesce(tbl_name, dbstat.name), sum(pgsize) AS bytes
            FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
            WHERE aggregate = TRUE GROUP BY 1 ORDER BY bytes DESC, 1";
        self.rows(sql, [], |row| Ok(TableShare { table: row.get(0)?, bytes: row.get(1)? }))
    }

    /// Bytes of the file, and of the log beside it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the file cannot be read.
    pub fn file_sizes(&self) -> Result<(u64, u64), StoreError> {
        let failed = |source| StoreError::Io { path: self.path.clone(), source };
        let log = std::fs::metadata(wal_of(&self.path)).map_or(0, |wal| wal.len());
        Ok((self.path.metadata().map_err(failed)?.len(), log))
    }
}

fn number(analysis: Option<AnalysisId>) -> impl Params {
    params_from_iter(analysis.map(|id| id.0))
}

fn answers(analysis: Option<AnalysisId>) -> &'static str {
    if analysis.is_some() { ITS_ANSWERS } else { ALL_ANSWERS }
}

/// Positions of a tree that are read in one part.
const PART: i64 = 10_000;

/// Engine effort for one position's admitted answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The position's row.
    pub position: PositionId,
    /// The least depth that an answer reached, in plies of the engine.
    pub depth: u32,
    /// The nodes of all answers.
    pub nodes: u64,
}

impl Store {
    /// Milliseconds that engines spent on the admitted answers of an analysis. Summed part by part,
    /// each in a read transaction of its own: a large tree takes seconds, and as long as one is
    /// open, the write-ahead log cannot be restarted.
    pub fn engine_time_ms(&self, id: AnalysisId) -> Result<u64, StoreError> {
        self.engine_time_by_parts(id, PART)
    }

    /// The time, by parts of this size.
    pub fn engine_time_by_parts(&self, id: AnalysisId, positions: i64) -> Result<u64, StoreError> {
        let later = "SELECT position FROM node WHERE analysis = ?1 AND position > ?2
            ORDER BY position LIMIT 1 OFFSET ?3";
        let total = &format!(
            "SELECT total(time_ms) FROM {ITS_ANSWERS} AND node.position > ?2 AND node.position <= ?3"
        );
        let (mut above, mut sum) = (i64::MIN, 0_u64);
        while above < i64::MAX {
            let next = self.first_row(later, [id.0, above, positions - 1], |row| row.get(0))?;
            let up_to = next.unwrap_or(i64::MAX);
            let part = self.only_row(total, [id.0, above, up_to], |row| whole(row, 0))?;
            (above, sum) = (up_to, sum.saturating_add(part));
        }
        Ok(sum)
    }

    /// The greatest depth that an answer of a tree reached, in plies of the engine; 0 if the engine
    /// gives none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn deepest(&self, analysis: AnalysisId) -> Result<u32, StoreError> {
        let sql = format!("SELECT coalesce(max(depth), 0) FROM {ITS_ANSWERS}");
        self.only_row(&sql, [analysis.0], |row| row.get(0))
    }

    /// Engine effort for each analysed position of a tree, by position row.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a number does not fit.
    pub fn efforts(&self, analysis: AnalysisId) -> Result<Vec<Effort>, StoreError> {
        let sql = format!(
            "SELECT node.position, min(depth), total(search.nodes) FROM {ITS_ANSWERS}
            GROUP BY node.position ORDER BY node.position"
        );
        self.rows(&sql, [analysis.0], |row| {
            let position = PositionId(row.get(0)?);
            Ok(Effort { position, depth: row.get(1)?, nodes: whole(row, 2)? })
        })
    }
}
