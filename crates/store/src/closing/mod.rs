//! Closing searches: the root of a tree searched once more by engines that share its moves, and
//! their results.

mod check;
mod second;
#[cfg(test)]
mod tests;

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params, params_from_iter};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{epd_of, playable};
use deepanalyze_core::search::{Answer, Limit};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::memo::{answer_columns, answer_row, listed, moves_of, now, read_wdl, wdl_columns};
use super::open::Store;
use super::profiles::{limit_columns, limit_from};
use super::settings;
use super::writer::Write;

pub use second::SecondLook;
pub(super) use second::{LOOK_COLUMNS, LOOKS, keep_look, read_look};

/// A row of `closing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClosingId(pub i64);

/// Request for a closing search, besides the tree as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewClosing {
    /// Passes of the tree so far.
    pub passes: u64,
    /// The limit of each engine's search; `None` if the clock ends it.
    pub limit: Option<Limit>,
    /// Engines that share the moves.
    pub engines: u32,
}

/// One engine's share in a closing search: its last complete iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingShareRow {
    /// The engine's number, from 1.
    pub number: u32,
    /// True if it has all moves.
    pub is_all: bool,
    /// Its answer.
    pub answer: Answer,
    /// True if its search is complete.
    pub is_done: bool,
}

/// A closing search and the results of its engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingRow {
    /// Its number in this database.
    pub id: ClosingId,
    /// The limit of the tree's searches.
    pub tree_limit: Limit,
    /// Passes that the tree had.
    pub passes: u64,
    /// The limit of each engine's search; `None` if the clock ends it.
    pub limit: Option<Limit>,
    /// Engines that share the moves.
    pub engines: u32,
    /// Their results, by number; never without the first one's.
    pub shares: Vec<ClosingShareRow>,
    /// Looks of second engines.
    pub looks: Vec<SecondLook>,
}

const FIND: &str = "SELECT closing.id FROM closing_of
    JOIN closing ON closing.id = closing_of.closing
    JOIN analysis ON analysis.id = closing_of.analysis AND analysis.profile = closing.profile
    WHERE closing_of.analysis = ?1 AND closing.pass = ?2 AND closing.limit_kind IS ?3
        AND closing.limit_value IS ?4 AND closing.engines = ?5";

fn insert() -> String {
    let settings = settings::COLUMNS.join(", ");
    format!(
        "INSERT INTO closing (start_epd, history, profile, {settings}, directives, pass,
            limit_kind, limit_value, engines, created_at)
        SELECT start_epd, history, profile, {settings}, directives, ?2, ?3, ?4, ?5, ?6
        FROM analysis JOIN analysis_directives ON analysis_directives.analysis = analysis.id
        WHERE analysis.id = ?1
        RETURNING id"
    )
}

/// A result that reached the limit beats one that did not; a clock is no limit, and only nodes
/// count. The last iteration may turn out to have been final.
const KEEP: &str = "INSERT INTO closing_share (closing, number, is_all, move, cp, mate, depth,
        seldepth, nodes, time_ms, pv, is_done, changed_at, win, draw, loss, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
    ON CONFLICT DO UPDATE SET is_all = excluded.is_all, move = excluded.move, cp = excluded.cp,
        mate = excluded.mate, depth = excluded.depth, seldepth = excluded.seldepth,
        nodes = excluded.nodes, time_ms = excluded.time_ms, pv = excluded.pv,
        is_done = excluded.is_done, changed_at = excluded.changed_at, win = excluded.win,
        draw = excluded.draw, loss = excluded.loss, checksum = excluded.checksum
    WHERE (excluded.is_done AND ?18, excluded.nodes, excluded.is_done)
        >= (is_done AND ?18, nodes, is_done)";

/// Closing searches of an analysis's root.
const SPEAKING: &str = "SELECT closing FROM closing_of WHERE analysis = ?1";

/// Closing searches under the root's present directives.
const PRESENT: &str = "SELECT closing FROM closing_at_root JOIN root_directives
    USING (analysis, directives) WHERE analysis = ?1";

/// SQL for closing searches with first shares.
fn among(which: &str) -> String {
    format!(
        "SELECT closing.id, tree.limit_kind, tree.limit_value, closing.pass,
            closing.limit_kind, closing.limit_value, closing.engines
        FROM closing
        JOIN profile AS tree ON tree.id = closing.profile
        WHERE closing.id IN ({which})
            AND EXISTS (SELECT 1 FROM closing_share WHERE closing = closing.id AND number = 1)
        ORDER BY closing.id"
    )
}

/// Columns covered by every checksum.
const SHARE_COLUMNS: &str = "closing, number, is_all, move, cp, mate, depth, seldepth, nodes,
    time_ms, pv, is_done, changed_at";

impl Store {
    /// The closing search of an analysis as it is now; inserted if missing.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails, or the analysis does not exist.
    pub fn closing_id(
        &self,
        analysis: AnalysisId,
        new: &NewClosing,
    ) -> Result<ClosingId, StoreError> {
        let NewClosing { passes, limit, engines } = new;
        let (kind, value) = limit.map(limit_columns).unzip();
        self.write(|write| {
            let key = params![analysis.0, passes, kind, value, engines];
            let there = write.query_row(FIND, key, |row| row.get(0)).optional();
            if let Some(id) = there.map_err(write.named())? {
                return Ok(ClosingId(id));
            }
            let row = params![analysis.0, passes, kind, value, engines, now()];
            let id = write.query_row(&insert(), row, |row| row.get(0)).map_err(write.named())?;
            Ok(ClosingId(id))
        })
    }

    /// Stores engines' results in one transaction that is durable when this returns. Of two results
    /// the one with more nodes stays, or the one that has reached the limit, if that is not a time.
    ///
    /// # Errors
    ///
    /// [`StoreError::Illegal`] if a move is not legal at the root. Nothing is stored after an
    /// error.
    pub fn keep_shares(
        &self,
        closing: ClosingId,
        root: &Chess,
        shares: &[ClosingShareRow],
    ) -> Result<(), StoreError> {
        self.write(|write| {
            let limited = "SELECT limit_kind IS NOT NULL FROM closing WHERE id = ?1";
            let limited: bool =
                write.query_row(limited, [closing.0], |row| row.get(0)).map_err(write.named())?;
            shares.iter().try_for_each(|share| keep_share(write, closing, limited, root, share))
        })
    }

    /// Deletes an engine's share, because the engine is quarantined.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn forget_share(&self, closing: ClosingId, number: u32) -> Result<(), StoreError> {
        let forget = "DELETE FROM closing_share WHERE closing = ?1 AND number = ?2";
        self.write(|write| {
            let forgotten = write.execute(forget, params![closing.0, number]);
            forgotten.map(drop).map_err(write.named())
        })
    }

    /// All closing searches of an analysis's root that have a result, the oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn closings_of(&self, analysis: AnalysisId) -> Result<Vec<ClosingRow>, StoreError> {
        self.closings_among(SPEAKING, analysis)
    }

    /// Closing searches under the root's present directives, whatever its tree was grown with.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails or a row is damaged.
    pub fn present_closings(&self, analysis: AnalysisId) -> Result<Vec<ClosingRow>, StoreError> {
        self.closings_among(PRESENT, analysis)
    }

    fn closings_among(
        &self,
        which: &str,
        analysis: AnalysisId,
    ) -> Result<Vec<ClosingRow>, StoreError> {
        let rows =
            self.rows(&among(which), [analysis.0], |row| Ok((row.get(0)?, read_row(row)?)))?;
        let whole = |(id, row): (i64, Option<ClosingRow>)| {
            let damaged = || self.damaged(format!("the row of closing search {id}: a limit"));
            let (shares, looks) = (self.shares_of(ClosingId(id))?, self.looks_of(ClosingId(id))?);
            Ok(ClosingRow { shares, looks, ..row.ok_or_else(damaged)? })
        };
        rows.into_iter().map(whole).collect()
    }

    fn shares_of(&self, closing: ClosingId) -> Result<Vec<ClosingShareRow>, StoreError> {
        let shares = self.rows(&sharing(), [closing.0], read_share)?.into_iter();
        let damaged = || self.damaged(format!("a move or number in closing search {}", closing.0));
        shares.map(|share| share.ok_or_else(damaged)).collect()
    }
}

/// A closing search's shares: the columns under every checksum, win, draw and loss, and the
/// checksum.
pub(super) fn sharing() -> String {
    format!(
        "SELECT {SHARE_COLUMNS}, win, draw, loss, checksum FROM closing_share
        WHERE closing = ?1 ORDER BY number"
    )
}

pub(super) fn keep_share(
    write: &Write<'_>,
    closing: ClosingId,
    limited: bool,
    root: &Chess,
    share: &ClosingShareRow,
) -> Result<(), StoreError> {
    let ClosingShareRow { number, is_all, answer, is_done } = share;
    let line = played_line(write, root, answer)?;
    let key = [closing.0.into(), i64::from(*number).into(), i64::from(*is_all).into()];
    let columns = answer_columns(answer, &line);
    let end = [i64::from(*is_done).into(), now().into()];
    let mut row = answer_row([&key[..], &columns, &end].concat(), wdl_columns(answer.wdl));
    row.push(i64::from(limited).into());
    let keep = || write.prepare_cached(KEEP)?.execute(params_from_iter(row));
    keep().map(drop).map_err(write.named())
}

/// As much of an answer's line as can be played; its move at least.
fn played_line(
    write: &Write<'_>,
    root: &Chess,
    answer: &Answer,
) -> Result<Vec<UciMove>, StoreError> {
    let mut line = playable(root, answer.pv.iter().copied());
    if line.first() != Some(&answer.best) {
        line = playable(root, [answer.best]);
    }
    if line.is_empty() {
        let (path, epd) = (write.path.to_owned(), epd_of(root));
        return Err(StoreError::Illegal { path, epd, uci: answer.best });
    }
    Ok(line)
}

/// Without its shares; `None` if a limit is invalid.
fn read_row(row: &Row<'_>) -> rusqlite::Result<Option<ClosingRow>> {
    let (kind, value): (String, i64) = (row.get(1)?, row.get(2)?);
    let own: Option<String> = row.get(4)?;
    let (limit, is_read) = match own {
        None => (None, true),
        Some(kind) => {
            let limit = limit_from(&kind, row.get(5)?);
            (limit, limit.is_some())
        }
    };
    let Some(tree_limit) = limit_from(&kind, value).filter(|_| is_read) else {
        return Ok(None);
    };
    Ok(Some(ClosingRow {
        id: ClosingId(row.get(0)?),
        tree_limit,
        passes: row.get(3)?,
        limit,
        engines: row.get(6)?,
        shares: Vec::new(),
        looks: Vec::new(),
    }))
}

/// `None` if its columns are invalid.
pub(super) fn read_share(row: &Row<'_>) -> rusqlite::Result<Option<ClosingShareRow>> {
    let uci: String = row.get(3)?;
    let Some(said) = listed(&uci, row.get(4)?, row.get(5)?) else { return Ok(None) };
    let answer = Answer {
        best: said.uci,
        score: said.score,
        wdl: read_wdl(row, 13)?,
        depth: row.get(6)?,
        seldepth: row.get(7)?,
        nodes: row.get(8)?,
        time: Duration::from_millis(row.get(9)?),
        pv: moves_of(&row.get::<_, String>(10)?),
    };
    let (number, is_all, is_done) = (row.get(1)?, row.get(2)?, row.get(11)?);
    Ok(Some(ClosingShareRow { number, is_all, answer, is_done }))
}
