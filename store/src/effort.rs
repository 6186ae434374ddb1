//! What engines spent on the positions of a tree.

use rusqlite::{OptionalExtension, params};

use super::analyses::AnalysisId;
use super::columns::whole;
use super::error::StoreError;
use super::open::Store;
use super::trees::PositionId;

/// So many positions of a tree are looked at in one part.
const PART: i64 = 10_000;

/// What engines spent on one position's admitted answers.
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
    /// Milliseconds that engines spent on the admitted answers of an analysis. Added up part by part, each at a moment of
    /// its own: all of a large tree takes seconds, and as long as one moment is read, the write-ahead log cannot be begun
    /// anew.
    pub fn engine_time_ms(&self, id: AnalysisId) -> Result<u64, StoreError> {
        self.engine_time_by_parts(id, PART)
    }

    /// The same by parts of so many positions.
    pub fn engine_time_by_parts(&self, id: AnalysisId, positions: i64) -> Result<u64, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let later = "SELECT position FROM node WHERE analysis = ?1 AND position > ?2
            ORDER BY position LIMIT 1 OFFSET ?3";
        let total = "SELECT total(time_ms) FROM node
            JOIN analysis ON analysis.id = node.analysis
            JOIN search ON search.profile = analysis.profile
                AND search.position = node.position AND search.rank < node.admitted
            WHERE node.analysis = ?1 AND node.position > ?2 AND node.position <= ?3";
        let (mut above, mut sum) = (i64::MIN, 0_u64);
        while above < i64::MAX {
            let mut query = self.db.prepare_cached(later).map_err(&named)?;
            let next = query.query_row(params![id.0, above, positions - 1], |row| row.get(0));
            let up_to = next.optional().map_err(&named)?.unwrap_or(i64::MAX);
            let mut query = self.db.prepare_cached(total).map_err(&named)?;
            let part = query.query_row(params![id.0, above, up_to], |row| whole(row, 0));
            (above, sum) = (up_to, sum.saturating_add(part.map_err(&named)?));
        }
        Ok(sum)
    }

    /// The greatest depth that an answer of a tree reached, in plies of the engine; 0 where the engine says
    /// nothing of it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn deepest(&self, analysis: AnalysisId) -> Result<u32, StoreError> {
        let sql = "SELECT coalesce(max(depth), 0) FROM node
            JOIN analysis ON analysis.id = node.analysis
            JOIN search ON search.profile = analysis.profile
                AND search.position = node.position AND search.rank < node.admitted
            WHERE node.analysis = ?1";
        let deepest = self.db.query_row(sql, [analysis.0], |row| row.get(0));
        deepest.map_err(StoreError::sqlite(&self.path))
    }

    /// What engines spent on each analysed position of a tree, by position row.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a number does not fit.
    pub fn efforts(&self, analysis: AnalysisId) -> Result<Vec<Effort>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT node.position, min(depth), total(nodes) FROM node
            JOIN analysis ON analysis.id = node.analysis
            JOIN search ON search.profile = analysis.profile
                AND search.position = node.position AND search.rank < node.admitted
            WHERE node.analysis = ?1 GROUP BY node.position ORDER BY node.position";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let rows = query.query_map([analysis.0], |row| {
            let position = PositionId(row.get(0)?);
            Ok(Effort { position, depth: row.get(1)?, nodes: whole(row, 2)? })
        });
        rows.map_err(&named)?.map(|row| row.map_err(&named)).collect()
    }
}
