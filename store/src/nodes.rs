//! Reading a tree back: its analysed positions, and the answers that are admitted in them.

use std::ops::Range;

use rusqlite::{Row, Rows, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{Value, parse_epd};

use super::analyses::AnalysisId;
use super::columns::index;
use super::error::StoreError;
use super::memo::{ListedAnswer, listed};
use super::open::Store;
use super::profiles::ProfileId;
use super::trees::{NodeRow, PositionId};

/// An analysed position of a kept tree.
#[derive(Debug)]
pub struct KeptNode {
    /// Its row of `position`.
    pub id: PositionId,
    /// The position.
    pub position: Chess,
    /// Its row of `node`.
    pub row: NodeRow,
}

/// Asked for in order, SQLite would walk the whole table rather than its index.
const GROWN_SINCE: &str = "SELECT node.position, epd, ply, admitted, idea
    FROM node CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 AND grown > ?2";

/// CROSS JOIN: both tables are read in the order of their keys, whatever SQLite guesses.
pub(super) const NODES: &str = "SELECT node.position, epd, ply, admitted, idea
    FROM node CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 ORDER BY node.position";

impl Store {
    /// Reads the analysed positions of a tree, in the order of their rows of `position`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn read_nodes(
        &self,
        analysis: AnalysisId,
        mut take: impl FnMut(KeptNode),
    ) -> Result<(), StoreError> {
        self.each_node(analysis, |node| {
            take(node);
            Ok(())
        })
    }

    /// The analysed positions whose lists have grown since the tree had so many passes.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn nodes_grown_since(
        &self,
        analysis: AnalysisId,
        passes: u64,
    ) -> Result<Vec<KeptNode>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(GROWN_SINCE).map_err(&named)?;
        let mut rows = query.query(params![analysis.0, passes]).map_err(&named)?;
        let mut nodes = Vec::new();
        while let Some(row) = rows.next().map_err(&named)? {
            nodes.push(self.read_node(row)?);
        }
        nodes.sort_unstable_by_key(|node| node.id);
        Ok(nodes)
    }

    /// The answers of a position from one rank on, as many of them as there are below another.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn answers_between(
        &self,
        profile: ProfileId,
        position: PositionId,
        ranks: Range<usize>,
    ) -> Result<Vec<ListedAnswer>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let sql = "SELECT move, cp, mate FROM search
            WHERE profile = ?1 AND position = ?2 AND rank >= ?3 AND rank < ?4 ORDER BY rank";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let (from, to) = (index(ranks.start), index(ranks.end));
        let rows = params![profile.0, position.0, from, to];
        let rows = query.query_map(rows, |row| Ok(read_answer(row, 0))).map_err(&named)?;
        rows.filter_map(|row| row.map_err(&named).transpose()).collect()
    }

    /// The EPD of a position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn epd(&self, id: PositionId) -> Result<String, StoreError> {
        let sql = "SELECT epd FROM position WHERE id = ?1";
        let found = self.db.query_row(sql, [id.0], |row| row.get(0));
        found.map_err(StoreError::sqlite(&self.path))
    }

    fn each_node(
        &self,
        analysis: AnalysisId,
        mut take: impl FnMut(KeptNode) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(NODES).map_err(&named)?;
        let mut rows = query.query([analysis.0]).map_err(&named)?;
        while let Some(node) = self.next_node(&mut rows)? {
            take(node)?;
        }
        Ok(())
    }

    /// The position of the next row of [`NODES`].
    pub(super) fn next_node(&self, rows: &mut Rows<'_>) -> Result<Option<KeptNode>, StoreError> {
        let row = rows.next().map_err(StoreError::sqlite(&self.path))?;
        row.map(|row| self.read_node(row)).transpose()
    }

    fn read_node(&self, row: &Row<'_>) -> Result<KeptNode, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let id = PositionId(row.get(0).map_err(&named)?);
        let epd = row.get_ref(1).map_err(&named)?.as_str().unwrap_or_default();
        let idea: i64 = row.get(4).map_err(&named)?;
        let (Ok(position), Some(idea)) = (parse_epd(epd), Value::new(idea)) else {
            return Err(self.damaged(format!("the node of {epd} with idea {idea}")));
        };
        let (Ok(ply), Ok(admitted)) = (row.get(2), row.get(3)) else {
            return Err(self.damaged(format!("the node of {epd}: its ply or admitted count")));
        };
        Ok(KeptNode { id, position, row: NodeRow { ply, admitted, idea } })
    }
}

/// An answer from its move, centipawns and mate, which begin at a column.
pub(super) fn read_answer(row: &Row<'_>, column: usize) -> Option<ListedAnswer> {
    let uci = row.get_ref(column).ok()?.as_str().ok()?;
    listed(uci, row.get(column + 1).ok()?, row.get(column + 2).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::ANSWERS;

    fn plan_of(sql: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let mut query = store.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let parameters: Vec<i64> = vec![1; query.parameter_count()];
        let plan = query.query_map(rusqlite::params_from_iter(parameters), |row| row.get(3));
        plan.unwrap().map(|step| step.unwrap()).collect()
    }

    #[test]
    fn lists_are_read_without_being_sorted() {
        let right = [
            "SEARCH node USING PRIMARY KEY (analysis=?)",
            "SEARCH position USING INTEGER PRIMARY KEY (rowid=?)",
        ];
        assert_eq!(plan_of(NODES), right);
        let right = ["SEARCH search USING PRIMARY KEY (profile=? AND position>?)"];
        assert_eq!(plan_of(ANSWERS), right);
    }

    #[test]
    fn what_has_grown_is_found_by_its_index() {
        let plan = plan_of(GROWN_SINCE).remove(0);
        assert!(plan.contains("USING INDEX node_grown (analysis=? AND grown>?)"), "{plan}");
    }
}
