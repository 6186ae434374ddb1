//! The history of the verdict: on the root at each settled depth, and the passes in between that
//! changed it.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Value, parse_uci};
use deepanalyze_core::tree::{RootMove, Settled};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::words;
use super::open::Store;

/// A settled depth's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthVerdict {
    /// The depth, and the progress of the analysis.
    pub settled: Settled,
    /// When, in milliseconds since 1970, UTC.
    pub settled_at: i64,
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// The root's listed moves, best alpha first, ties by rank; empty if the root is not analysed.
    pub moves: Vec<RootMove>,
}

/// A pass that changed the root's best move or its alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoursePoint {
    /// Passes so far.
    pub passes: u64,
    /// Admitted answers so far.
    pub searches: u64,
    /// Analysed positions so far.
    pub positions: u64,
    /// The best move from now on.
    pub best: UciMove,
    /// Its alpha, for the mover.
    pub alpha: Value,
    /// When, in milliseconds since 1970, UTC.
    pub noted_at: i64,
}

/// A row of `settled`.
struct SettledRow {
    settled: Settled,
    value: Option<i64>,
    settled_at: i64,
    /// Number of moves in its verdict.
    moves: usize,
}

/// The verdict's moves per depth.
type MovesByDepth = BTreeMap<u32, Vec<RootMove>>;

impl Store {
    /// Progress of an analysis at each settled depth, depth 0 first.
    pub fn settled(&self, analysis: AnalysisId) -> Result<Vec<Settled>, StoreError> {
        Ok(self.settled_rows(analysis, 0)?.into_iter().map(|row| row.settled).collect())
    }

    /// These with the root's alpha at each, as [`Value::get`] gives it.
    pub fn settled_values(
        &self,
        analysis: AnalysisId,
    ) -> Result<Vec<(Settled, Option<i64>)>, StoreError> {
        let rows = self.settled_rows(analysis, 0)?;
        Ok(rows.into_iter().map(|row| (row.settled, row.value)).collect())
    }

    fn settled_rows(
        &self,
        analysis: AnalysisId,
        least: u32,
    ) -> Result<Vec<SettledRow>, StoreError> {
        let sql = "SELECT depth, passes, searches, positions, value, settled_at, coalesce(moves, 0)
            FROM settled WHERE analysis = ?1 ORDER BY depth";
        // All are read, so that an invalid depth is damage, and not left out.
        let mut rows = self.rows(sql, [analysis.0], |row| {
            let settled = Settled {
                depth: row.get(0)?,
                passes: row.get(1)?,
                searches: row.get(2)?,
                analysed: row.get(3)?,
            };
            let (value, settled_at, moves) = (row.get(4)?, row.get(5)?, row.get(6)?);
            Ok(SettledRow { settled, value, settled_at, moves })
        })?;
        rows.retain(|row| row.settled.depth >= least);
        Ok(rows)
    }

    /// The verdicts of all settled depths, depth 0 first.
    pub fn verdicts(&self, analysis: AnalysisId) -> Result<Vec<DepthVerdict>, StoreError> {
        self.verdicts_from(analysis, 0)
    }

    /// The verdict of the greatest settled depth.
    pub fn last_verdict(&self, analysis: AnalysisId) -> Result<Option<DepthVerdict>, StoreError> {
        let Some(last) = self.settled(analysis)?.pop() else {
            return Ok(None);
        };
        Ok(self.verdicts_from(analysis, last.depth)?.pop())
    }

    /// The verdicts of depths from one on.
    fn verdicts_from(
        &self,
        analysis: AnalysisId,
        least: u32,
    ) -> Result<Vec<DepthVerdict>, StoreError> {
        let settled = self.settled_rows(analysis, least)?;
        let mut moves = self.moves_of(analysis, &settled)?;
        let verdicts =
            settled.into_iter().map(|SettledRow { settled, value, settled_at, .. }| {
                let damaged = |raw| self.damaged(format!("a settled depth of value {raw}"));
                let value =
                    value.map(|raw| Value::new(raw).ok_or_else(|| damaged(raw))).transpose()?;
                let moves = moves.remove(&settled.depth).unwrap_or_default();
                Ok(DepthVerdict { settled, settled_at, value, moves })
            });
        verdicts.collect()
    }

    /// The root moves of each settled depth, best first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or a row is damaged or missing.
    pub fn verdict_moves(&self, analysis: AnalysisId) -> Result<MovesByDepth, StoreError> {
        self.moves_of(analysis, &self.settled_rows(analysis, 0)?)
    }

    /// These depths' moves; an error if any is missing.
    fn moves_of(
        &self,
        analysis: AnalysisId,
        settled: &[SettledRow],
    ) -> Result<MovesByDepth, StoreError> {
        let least = settled.first().map_or(0, |row| row.settled.depth);
        let mut rows = self.verdict_rows(analysis, least)?;
        let mut moves = MovesByDepth::new();
        for SettledRow { settled: Settled { depth, .. }, moves: count, .. } in settled {
            let there = rows.remove(depth).unwrap_or_default();
            if there.len() != *count {
                let there = there.len();
                return Err(self.damaged(format!(
                    "the verdict of depth {depth} has {count} moves, {there} are there"
                )));
            }
            moves.insert(*depth, there);
        }
        Ok(moves)
    }

    fn verdict_rows(&self, analysis: AnalysisId, least: u32) -> Result<MovesByDepth, StoreError> {
        let sql = "SELECT depth, rank, move, eval, idea, alpha, line FROM verdict
            WHERE analysis = ?1 AND depth >= ?2 ORDER BY depth, alpha DESC, rank IS NULL, rank, move";
        let rows = self.rows(sql, params![analysis.0, least], |row| {
            Ok((row.get::<_, u32>(0)?, read_move(row)?))
        })?;
        let mut moves = MovesByDepth::new();
        for (depth, read) in rows {
            let read = read.ok_or_else(|| {
                self.damaged(format!("a move or value in the verdict of depth {depth}"))
            })?;
            moves.entry(depth).or_default().push(read);
        }
        Ok(moves)
    }

    /// The passes that changed the root's best move or its alpha, including the first.
    pub fn course(&self, analysis: AnalysisId) -> Result<Vec<CoursePoint>, StoreError> {
        self.points(analysis, "ORDER BY pass")
    }

    /// The last point of the course, the present one, if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or the row is damaged.
    pub fn newest_of_course(
        &self,
        analysis: AnalysisId,
    ) -> Result<Option<CoursePoint>, StoreError> {
        Ok(self.points(analysis, "ORDER BY pass DESC LIMIT 1")?.pop())
    }

    fn points(&self, analysis: AnalysisId, order: &str) -> Result<Vec<CoursePoint>, StoreError> {
        let sql = format!(
            "SELECT pass, searches, positions, move, alpha, noted_at FROM course
            WHERE analysis = ?1 {order}"
        );
        let points = self.rows(&sql, [analysis.0], read_point)?.into_iter();
        let damaged =
            || self.damaged(format!("analysis {}: a move or value in its course", analysis.0));
        points.map(|point| point.ok_or_else(damaged)).collect()
    }
}

fn read_move(row: &Row<'_>) -> rusqlite::Result<Option<RootMove>> {
    let (uci, line): (String, String) = (row.get(2)?, row.get(6)?);
    let line: Option<Vec<UciMove>> = line.split(' ').map(parse_uci).collect();
    let value = |column| row.get::<_, Option<i64>>(column).map(|raw| raw.and_then(Value::new));
    let (eval, idea, alpha) = (value(3)?, value(4)?, value(5)?);
    let rank: Option<usize> = row.get(1)?;
    Ok((|| {
        let (uci, line) = (parse_uci(&uci)?, line?);
        Some(RootMove { uci, listed: rank.zip(eval), idea: idea?, alpha: alpha?, line })
    })())
}

fn read_point(row: &Row<'_>) -> rusqlite::Result<Option<CoursePoint>> {
    let best: String = row.get(3)?;
    let alpha = Value::new(row.get(4)?);
    let (passes, searches, positions) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let noted_at = row.get(5)?;
    Ok(parse_uci(&best).zip(alpha).map(|(best, alpha)| CoursePoint {
        passes,
        searches,
        positions,
        best,
        alpha,
        noted_at,
    }))
}

pub(super) fn write_verdict(
    write: &Connection,
    analysis: i64,
    verdict: &DepthVerdict,
) -> rusqlite::Result<()> {
    let settled = &verdict.settled;
    let insert = "INSERT INTO settled (analysis, depth, passes, searches, positions, value,
            settled_at, moves) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    write.prepare_cached(insert)?.execute(params![
        analysis,
        settled.depth,
        settled.passes,
        settled.searches,
        settled.analysed,
        verdict.value.map(Value::get),
        verdict.settled_at,
        verdict.moves.len(),
    ])?;
    let insert = "INSERT INTO verdict (analysis, depth, rank, move, eval, idea, alpha, line)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = write.prepare_cached(insert)?;
    for m in &verdict.moves {
        let (uci, line) = (m.uci.to_string(), words(&m.line));
        let (rank, eval) = m.listed.map(|(rank, eval)| (rank, eval.get())).unzip();
        let (idea, alpha) = (m.idea.get(), m.alpha.get());
        insert.execute(params![analysis, settled.depth, rank, uci, eval, idea, alpha, line])?;
    }
    Ok(())
}

pub(super) fn write_course(
    write: &Connection,
    analysis: i64,
    course: &[CoursePoint],
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO course (analysis, pass, searches, positions, move, alpha, noted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = write.prepare_cached(insert)?;
    for point in course {
        insert.execute(params![
            analysis,
            point.passes,
            point.searches,
            point.positions,
            point.best.to_string(),
            point.alpha.get(),
            point.noted_at,
        ])?;
    }
    Ok(())
}
