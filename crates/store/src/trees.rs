//! The derived tables, written by passes, each in one transaction.

use rusqlite::{Connection, OptionalExtension, params};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Value, epd_of, parse_uci};
use deepanalyze_core::directives::Directives;

use super::analyses::AnalysisId;
use super::directives::write_grown_with;
use super::error::StoreError;
use super::memo::{now, words};
use super::open::Store;
use super::sources::invalidations;
use super::verdicts::{CoursePoint, DepthVerdict, write_course, write_verdict};
use super::writer::Write;

/// A row of `position`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PositionId(pub i64);

/// The row of an analysed position of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeRow {
    /// Its least distance from the root.
    pub ply: u32,
    /// Number of its admitted answers.
    pub admitted: usize,
    /// Its backed-up value, for its side to move.
    pub idea: Value,
}

/// The changes of a pass.
#[derive(Debug)]
pub struct PassRecord<'a> {
    /// Passes of the stored tree that it is based on.
    pub before: u64,
    /// Passes so far.
    pub passes: u64,
    /// Analysed positions so far.
    pub positions: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// The new and changed rows.
    pub nodes: &'a [(PositionId, NodeRow)],
    /// The depths settled since the last record.
    pub settled: &'a [DepthVerdict],
    /// The passes since the last record that changed the root's best move or its alpha.
    pub course: &'a [CoursePoint],
    /// The line of best alphas from the root, whole.
    pub line: &'a [UciMove],
    /// The tree knows no fact that was found in a later round than this.
    pub fact_round: u64,
    /// Invalidations of answers when the tree was read ([`Store::invalidations`]).
    pub invalidations: u64,
    /// The moves of the root that it follows because closing searches have found them.
    pub found: &'a [UciMove],
    /// The moves that positions among those rows follow because they are played, listed or not: SQL
    /// must find where they lead.
    pub followed: &'a [(PositionId, Chess, UciMove)],
    /// The tree was grown again from its root under these directives: the stored one is discarded.
    pub replaces: Option<&'a Directives>,
}

impl Store {
    /// True if a tree has analysed a position.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn has_node(&self, analysis: AnalysisId, position: &Chess) -> Result<bool, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(false) };
        let sql = "SELECT EXISTS (SELECT 1 FROM node WHERE analysis = ?1 AND position = ?2)";
        self.only_row(sql, [analysis.0, id], |row| row.get(0))
    }

    /// The row of a position that has an answer.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or has no such position.
    pub fn position(&self, position: &Chess) -> Result<PositionId, StoreError> {
        let id = self.row_of(position)?;
        id.map(PositionId)
            .ok_or_else(|| self.damaged(format!("no row for the position {}", epd_of(position))))
    }

    /// Writes a pass in one transaction that is durable when this returns. `false` if answers were
    /// invalidated since the tree was read: nothing is written then.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; nothing is changed then.
    pub fn commit_pass(
        &mut self,
        analysis: AnalysisId,
        pass: &PassRecord<'_>,
    ) -> Result<bool, StoreError> {
        self.write(|write| {
            if invalidations(write).map_err(write.named())? != pass.invalidations {
                return Ok(false);
            }
            if !write_pass(write, analysis.0, pass).map_err(write.named())? {
                // Another process got past the lock (through two names of a file, say).
                return Err(StoreError::Growing { path: self.path.clone(), analysis: analysis.0 });
            }
            Ok(true)
        })
    }

    /// The line of best alphas from the root after the last pass; empty before the first, or if the
    /// root is an end.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or the line is damaged.
    pub fn best_line(&self, analysis: AnalysisId) -> Result<Vec<UciMove>, StoreError> {
        let sql = "SELECT line FROM analysis WHERE id = ?1";
        let line: Option<Option<String>> = self.first_row(sql, [analysis.0], |row| row.get(0))?;
        let line = line.flatten();
        let read = line.unwrap_or_default().split_whitespace().map(parse_uci).collect();
        let read: Option<Vec<UciMove>> = read;
        read.ok_or_else(|| self.damaged(format!("analysis {}: its best line", analysis.0)))
    }

    /// Runs several reads on one state of the database, whatever others write meanwhile. Nested
    /// calls share the state.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, and the error of `read`.
    pub fn at_one_moment<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.db.is_autocommit() {
            return read();
        }
        let moment = self.db.unchecked_transaction().map_err(StoreError::sqlite(&self.path))?;
        let result = read();
        drop(moment);
        result
    }
}

/// Resets a tree to before its first pass.
pub(super) fn make_empty(write: &Connection, analysis: i64) -> rusqlite::Result<()> {
    clear_rows(write, analysis)?;
    let before = "UPDATE analysis SET pass = 0, positions = 0, searches = 0 WHERE id = ?1";
    write.execute(before, [analysis]).map(drop)
}

fn clear_rows(write: &Connection, analysis: i64) -> rusqlite::Result<()> {
    for table in ["node", "course", "settled"] {
        write.execute(&format!("DELETE FROM {table} WHERE analysis = ?1"), [analysis])?;
    }
    let anew = "UPDATE analysis SET nodes = 0, settled_depth = NULL, line = NULL,
            regrown = regrown + 1
        WHERE id = ?1";
    write.execute(anew, [analysis]).map(drop)
}

/// Writes a pass; `false` if the stored tree is not the one that the pass is based on.
fn write_pass(write: &Write<'_>, analysis: i64, pass: &PassRecord<'_>) -> rusqlite::Result<bool> {
    if let Some(directives) = pass.replaces {
        // Rows made under other directives are deleted.
        clear_rows(write, analysis)?;
        write_grown_with(write, analysis, directives)?;
    }
    if pass.replaces.is_some() || pass.before == 0 {
        let sql = "UPDATE analysis SET grown_round = ?2, found = ?3 WHERE id = ?1";
        write.execute(sql, params![analysis, pass.fact_round, words(pass.found)])?;
    }
    let spent = write_nodes(write, analysis, pass)?;
    for (id, position, uci) in pass.followed {
        if let Ok(m) = uci.to_move(position) {
            write.link(id.0, position, m, *uci)?;
        }
    }
    for verdict in pass.settled {
        write_verdict(write, analysis, verdict)?;
    }
    write_course(write, analysis, pass.course)?;
    let update = "UPDATE analysis SET pass = ?2, positions = ?3, searches = ?4, changed_at = ?5,
            settled_depth = coalesce(?6, settled_depth), fact_round = ?8, line = ?9,
            nodes = min(nodes + ?10, 9223372036854775807)
        WHERE id = ?1 AND pass = ?7";
    let depth = pass.settled.last().map(|verdict| verdict.settled.depth);
    let changed = write.prepare_cached(update)?.execute(params![
        analysis,
        pass.passes,
        pass.positions,
        pass.searches,
        now(),
        depth,
        pass.before,
        pass.fact_round,
        words(pass.line),
        spent,
    ])?;
    Ok(changed == 1)
}

/// Writes the rows of nodes; returns the engine nodes of newly admitted answers.
fn write_nodes(write: &Connection, analysis: i64, pass: &PassRecord<'_>) -> rusqlite::Result<i64> {
    let upsert = "INSERT INTO node (analysis, position, ply, admitted, idea, grown)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET ply = ?3, admitted = ?4, idea = ?5,
            grown = iif(admitted = ?4, grown, ?6)";
    let mut upsert = write.prepare_cached(upsert)?;
    let mut spent = 0_i64;
    for (position, row) in pass.nodes {
        spent = spent.saturating_add(newly_spent(write, analysis, *position, row.admitted)?);
        let idea = row.idea.get();
        let row = params![analysis, position.0, row.ply, row.admitted, idea, pass.passes];
        upsert.execute(row)?;
    }
    Ok(spent)
}

/// The engine nodes of the answers of a position beyond those that its row admits so far.
fn newly_spent(
    write: &Connection,
    analysis: i64,
    position: PositionId,
    admitted: usize,
) -> rusqlite::Result<i64> {
    let kept = "SELECT admitted FROM node WHERE analysis = ?1 AND position = ?2";
    let mut kept = write.prepare_cached(kept)?;
    let before = kept.query_row([analysis, position.0], |row| row.get(0)).optional()?;
    let before: usize = before.unwrap_or(0);
    if before >= admitted {
        return Ok(0);
    }
    let new = "SELECT nodes FROM search
        WHERE profile = (SELECT profile FROM analysis WHERE id = ?1) AND position = ?2
            AND rank >= ?3 AND rank < ?4";
    let mut new = write.prepare_cached(new)?;
    let ranks = params![analysis, position.0, before, admitted];
    let nodes = new.query_map(ranks, |row| row.get::<_, i64>(0))?;
    // SQLite's own sum is an error, or a float, if it overflows.
    nodes.into_iter().try_fold(0_i64, |sum, nodes| Ok(sum.saturating_add(nodes?)))
}

#[cfg(test)]
mod tests;
