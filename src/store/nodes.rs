//! Reading a tree back: its analysed positions, and the answers that are admitted in them.

use std::ops::Range;

use rusqlite::{Row, Rows, params};
use shakmaty::Chess;

use crate::chess::{Value, parse_epd};

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

    /// Reads the same positions with their admitted answers by rank. What is no answer is left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn read_lists(
        &self,
        analysis: AnalysisId,
        profile: ProfileId,
        mut take: impl FnMut(KeptNode, &[ListedAnswer]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let named = StoreError::sqlite(&self.path);
        // CROSS JOIN: both tables are read in the order of their keys, whatever SQLite guesses.
        let sql = "SELECT node.position, move, cp, mate
            FROM node CROSS JOIN search ON search.profile = ?2
                AND search.position = node.position AND search.rank < node.admitted
            WHERE node.analysis = ?1 ORDER BY node.position, rank";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let rows = query.query([analysis.0, profile.0]).map_err(&named)?;
        let mut answers = Answers::of(rows).map_err(&named)?;
        let mut list = Vec::new();
        self.each_node(analysis, |node| {
            list.clear();
            answers.take(node.id, &mut list).map_err(&named)?;
            take(node, &list)
        })
    }

    /// The analysed positions whose lists have grown since the tree had so many passes; none of them
    /// where the database, of an older version, does not say.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails or a row is damaged.
    pub fn nodes_grown_since(
        &self,
        analysis: AnalysisId,
        passes: u64,
    ) -> Result<Option<Vec<KeptNode>>, StoreError> {
        if !self.has_grown() {
            return Ok(None);
        }
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(GROWN_SINCE).map_err(&named)?;
        let mut rows = query.query(params![analysis.0, passes]).map_err(&named)?;
        let mut nodes = Vec::new();
        while let Some(row) = rows.next().map_err(&named)? {
            nodes.push(self.read_node(row)?);
        }
        nodes.sort_unstable_by_key(|node| node.id);
        Ok(Some(nodes))
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
        let sql = "SELECT node.position, epd, ply, admitted, idea
            FROM node CROSS JOIN position ON position.id = node.position
            WHERE node.analysis = ?1 ORDER BY node.position";
        let mut query = self.db.prepare_cached(sql).map_err(&named)?;
        let mut rows = query.query([analysis.0]).map_err(&named)?;
        while let Some(row) = rows.next().map_err(&named)? {
            take(self.read_node(row)?)?;
        }
        Ok(())
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

/// Answers of many positions, in the order of these.
struct Answers<'a> {
    rows: Rows<'a>,
    /// The next one; the position's alone where the row is no answer.
    next: Option<(PositionId, Option<ListedAnswer>)>,
}

impl Answers<'_> {
    fn of(rows: Rows<'_>) -> rusqlite::Result<Answers<'_>> {
        let mut answers = Answers { rows, next: None };
        answers.step()?;
        Ok(answers)
    }

    fn step(&mut self) -> rusqlite::Result<()> {
        self.next = match self.rows.next()? {
            Some(row) => Some((PositionId(row.get(0)?), read_answer(row, 1))),
            None => None,
        };
        Ok(())
    }

    /// Appends the answers of a position to a list.
    fn take(&mut self, id: PositionId, list: &mut Vec<ListedAnswer>) -> rusqlite::Result<()> {
        while let Some((_, answer)) = self.next.filter(|(at, _)| *at <= id) {
            list.extend(answer);
            self.step()?;
        }
        Ok(())
    }
}

/// An answer from its move, centipawns and mate, which begin at a column.
fn read_answer(row: &Row<'_>, column: usize) -> Option<ListedAnswer> {
    let uci = row.get_ref(column).ok()?.as_str().ok()?;
    listed(uci, row.get(column + 1).ok()?, row.get(column + 2).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_grown_is_found_by_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {GROWN_SINCE}");
        let plan: String = store.db.query_row(&sql, [1, 1], |row| row.get(3)).unwrap();
        assert!(plan.contains("USING INDEX node_grown (analysis=? AND grown>?)"), "{plan}");
    }
}
