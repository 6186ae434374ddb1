//! Reads trees: their analysed positions, and the answers admitted there.

use std::ops::Range;

use rusqlite::{Row, Rows, params};
use shakmaty::Chess;

use deepanalyze_core::chess::{Value, parse_epd};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::{ListedAnswer, index, listed};
use super::open::Store;
use super::packing::read_epd;
use super::profiles::ProfileId;
use super::trees::{NodeRow, PositionId};

/// An analysed position of a stored tree.
#[derive(Debug)]
pub struct KeptNode {
    /// Its row of `position`.
    pub id: PositionId,
    /// The position.
    pub position: Chess,
    /// Its row of `node`.
    pub row: NodeRow,
}

/// Ordered, SQLite would walk the whole table rather than its index.
const GROWN_SINCE: &str = "SELECT node.position, board, state, ply, admitted, idea
    FROM node CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 AND grown > ?2";

/// CROSS JOIN: both tables are read in the order of their keys, whatever SQLite guesses.
const NODES: &str = "SELECT node.position, board, state, ply, admitted, idea
    FROM node CROSS JOIN position ON position.id = node.position
    WHERE node.analysis = ?1 ORDER BY node.position";

impl Store {
    /// Reads the analysed positions of a tree, in the order of their rows of `position`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn read_nodes(
        &self,
        analysis: AnalysisId,
        mut take: impl FnMut(KeptNode),
    ) -> Result<(), StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(NODES).map_err(&named)?;
        let mut rows = query.query([analysis.0]).map_err(&named)?;
        while let Some(node) = self.next_node(&mut rows)? {
            take(node);
        }
        Ok(())
    }

    /// The analysed positions whose lists have grown since this pass of the tree.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn nodes_grown_since(
        &self,
        analysis: AnalysisId,
        passes: u64,
    ) -> Result<Vec<KeptNode>, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut query = self.db.prepare_cached(GROWN_SINCE).map_err(&named)?;
        let mut rows = query.query(params![analysis.0, passes]).map_err(&named)?;
        let mut nodes = Vec::new();
        while let Some(node) = self.next_node(&mut rows)? {
            nodes.push(node);
        }
        nodes.sort_unstable_by_key(|node| node.id);
        Ok(nodes)
    }

    /// The answers of a position from one rank up to, not including, another.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn answers_between(
        &self,
        profile: ProfileId,
        position: PositionId,
        ranks: Range<usize>,
    ) -> Result<Vec<ListedAnswer>, StoreError> {
        let sql = "SELECT move, cp, mate FROM search
            WHERE profile = ?1 AND position = ?2 AND rank >= ?3 AND rank < ?4 ORDER BY rank";
        let rows = [profile.0, position.0, index(ranks.start), index(ranks.end)];
        let answers = self.rows(sql, rows, |row| Ok(read_answer(row, 0)))?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// The EPD of a position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn epd(&self, id: PositionId) -> Result<String, StoreError> {
        let sql = "SELECT epd FROM position WHERE id = ?1";
        self.only_row(sql, [id.0], |row| row.get(0))
    }

    /// The position of the next row.
    fn next_node(&self, rows: &mut Rows<'_>) -> Result<Option<KeptNode>, StoreError> {
        let row = rows.next().map_err(StoreError::sqlite(&self.path))?;
        row.map(|row| self.read_node(row)).transpose()
    }

    fn read_node(&self, row: &Row<'_>) -> Result<KeptNode, StoreError> {
        let named = StoreError::sqlite(&self.path);
        let id = PositionId(row.get(0).map_err(&named)?);
        let epd = read_epd(row, 1).map_err(&named)?;
        let idea: i64 = row.get(5).map_err(&named)?;
        let (Ok(position), Some(idea)) = (parse_epd(&epd), Value::new(idea)) else {
            return Err(self.damaged(format!("the node of {epd} with idea {idea}")));
        };
        let (Ok(ply), Ok(admitted)) = (row.get(3), row.get(4)) else {
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

/// Answers of all positions from one on.
const ANSWERS: &str = "SELECT position, rank, move, cp, mate FROM search
    WHERE profile = ?1 AND position >= ?2 ORDER BY position, rank";

/// Positions at least this many rows ahead are sought; nearer ones are reached by reading the rows
/// between. Seeking each took most of SQLite's time if nearly all answers are the tree's; a seek
/// takes about as long as reading ten rows.
const NEAR: i64 = 16;

impl Store {
    /// Reads the analysed positions of a tree, in the order of their rows of `position`, with their
    /// admitted answers by rank. Invalid answers are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn read_lists(
        &self,
        analysis: AnalysisId,
        profile: ProfileId,
        mut take: impl FnMut(KeptNode, &[ListedAnswer]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let named = StoreError::sqlite(&self.path);
        let mut nodes = self.db.prepare_cached(NODES).map_err(&named)?;
        let mut nodes = nodes.query([analysis.0]).map_err(&named)?;
        let mut answers = self.db.prepare_cached(ANSWERS).map_err(&named)?;
        let (mut next, mut list) = (self.next_node(&mut nodes)?, Vec::new());
        while let Some(from) = &next {
            let rows = answers.query([profile.0, from.id.0]).map_err(&named)?;
            let mut answers = Answers::of(rows).map_err(&named)?;
            while let Some(node) = next.take_if(|node| answers.are_near(node.id)) {
                list.clear();
                answers.list_of(&node, &mut list).map_err(&named)?;
                take(node, &list)?;
                next = self.next_node(&mut nodes)?;
            }
        }
        Ok(())
    }
}

/// Answers in the order of their positions and ranks.
struct Answers<'s> {
    rows: Rows<'s>,
    /// The first one not yet taken.
    next: Option<RankedAnswer>,
}

/// A row of the memo.
struct RankedAnswer {
    position: i64,
    rank: usize,
    /// `None` if unreadable.
    answer: Option<ListedAnswer>,
}

impl RankedAnswer {
    fn read(row: &Row<'_>) -> rusqlite::Result<RankedAnswer> {
        let (position, rank) = (row.get(0)?, row.get(1)?);
        Ok(RankedAnswer { position, rank, answer: read_answer(row, 2) })
    }
}

impl<'s> Answers<'s> {
    fn of(rows: Rows<'s>) -> rusqlite::Result<Answers<'s>> {
        let mut answers = Answers { rows, next: None };
        answers.advance().map(|()| answers)
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.next = self.rows.next()?.map(RankedAnswer::read).transpose()?;
        Ok(())
    }

    /// True if few others precede those of a position.
    fn are_near(&self, PositionId(id): PositionId) -> bool {
        self.next.as_ref().is_none_or(|next| next.position.saturating_add(NEAR) >= id)
    }

    /// Takes the admitted answers of a position; skips earlier positions.
    fn list_of(&mut self, node: &KeptNode, list: &mut Vec<ListedAnswer>) -> rusqlite::Result<()> {
        while let Some(next) = self.next.take_if(|next| next.position <= node.id.0) {
            if next.position == node.id.0 && next.rank < node.row.admitted {
                list.extend(next.answer);
            }
            self.advance()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Score;

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
        let right = ["SEARCH answer USING PRIMARY KEY (profile=? AND position>?)"];
        assert_eq!(plan_of(ANSWERS), right);
    }

    #[test]
    fn what_has_grown_is_found_by_its_index() {
        let plan = plan_of(GROWN_SINCE).remove(0);
        assert!(plan.contains("USING INDEX node_grown (analysis=? AND grown>?)"), "{plan}");
    }

    #[test]
    fn lists_are_found_wherever_the_answers_of_others_lie() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        // Positions 1 to 99, each with answers of ranks 0 and 1 but the last ones; few are in the
        // tree.
        let memo = "PRAGMA foreign_keys = off;
            WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 99)
            INSERT INTO position (id, hash, board, state) SELECT id, 0, 'no ' || id, '' FROM n;
            INSERT INTO answer (profile, position, rank, move, cp, depth, seldepth, nodes, time_ms, line, created_at)
            SELECT 1, id, rank, 'e1d1', 100 * rank + id, 1, 1, 1, 1, 'e1d1', 0
            FROM position, (SELECT 0 AS rank UNION SELECT 1) WHERE id < 97;";
        store.db.execute_batch(memo).unwrap();
        let admitted = [(1, 2), (2, 1), (17, 2), (18, 1), (60, 2), (95, 1), (98, 1), (99, 1)];
        for (file, (id, admitted)) in admitted.iter().enumerate() {
            let (before, behind) = (file, 7 - file);
            let rank = format!("{before}P{behind}").replace('0', "");
            let epd = format!("4k3/8/8/8/8/8/{rank}/4K3 w - -");
            store
                .db
                .execute("UPDATE position SET board = ?2 WHERE id = ?1", params![id, epd])
                .unwrap();
            let node = "INSERT INTO node (analysis, position, ply, admitted, idea) VALUES (1, ?1, 0, ?2, 0)";
            store.db.execute(node, [id, admitted]).unwrap();
        }
        let mut read = Vec::new();
        let take = |node: KeptNode, list: &[ListedAnswer]| {
            read.push((node.id.0, list.iter().map(|answer| answer.score).collect()));
            Ok(())
        };
        store.read_lists(AnalysisId(1), ProfileId(1), take).unwrap();
        let answers = |id: i32, admitted: i32| -> Vec<Score> {
            let ranks = if id < 97 { 0..admitted } else { 0..0 };
            ranks.map(|rank| Score::Cp(100 * rank + id)).collect()
        };
        let right = admitted.map(|(id, admitted)| (i64::from(id), answers(id, admitted)));
        assert_eq!(read, right);
    }
}
