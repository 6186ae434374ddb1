//! The facts: positions and the answers of engines.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hashbrown::HashMap;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, PositionKey, Score, epd_of, parse_epd, parse_uci};
use deepanalyze_core::search::{Answer, WinDrawLoss, WorkerId};

use super::analyses::AnalysisRow;
use super::answers::AnswerRow;
use super::error::StoreError;
use super::open::Store;
use super::packing::{PackedEpd, hash_of};
use super::profiles::ProfileId;
use super::trees::PositionId;
use super::writer::{Write, held};

/// An answer in the memo: a move and the engine's score for its mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedAnswer {
    /// The move.
    pub uci: UciMove,
    /// The score, as the engine gave it.
    pub score: Score,
}

/// An answer and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedAnswer {
    /// The answer.
    pub answer: ListedAnswer,
    /// Engine nodes of the search.
    pub nodes: u64,
}

/// A search in the memo, without its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSearch {
    /// The row of the position.
    pub position: PositionId,
    /// The engine depth that it reached, in plies.
    pub depth: u32,
    /// The greatest depth of an extension, in plies.
    pub seldepth: u32,
    /// Engine nodes.
    pub nodes: u64,
    /// Its duration.
    pub time: Duration,
    /// The principal variation, as far as it is readable; the first move is the answer.
    pub pv: Vec<UciMove>,
    /// Results of games behind that move for the side that plays it, if the engine gave them.
    pub wdl: Option<WinDrawLoss>,
}

/// An answer to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnswer {
    /// The searched position.
    pub position: Chess,
    /// The position's list before the search: the moves left out, by rank.
    pub excluded: Vec<UciMove>,
    /// The engine's answer.
    pub answer: Answer,
    /// The worker that made the search; `None` for this computer's engines.
    pub worker: Option<WorkerId>,
}

impl Store {
    /// The answer of a rank, if the memo has it.
    pub fn answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<ListedAnswer>, StoreError> {
        Ok(self.priced_answer(profile, position, rank)?.map(|priced| priced.answer))
    }

    /// That answer with its engine nodes.
    pub fn priced_answer(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<PricedAnswer>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        let sql = "SELECT move, cp, mate, nodes FROM search
            WHERE profile = ?1 AND position = ?2 AND rank = ?3";
        let row = self.first_row(sql, [profile.0, id, index(rank)], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let row: Option<(String, Option<i32>, Option<i32>, i64)> = row?;
        row.map(|(uci, cp, mate, nodes)| {
            let damaged = |what: &str| {
                self.damaged(format!("the answer of rank {rank} in {}{what}", epd_of(position)))
            };
            let answer = listed(&uci, cp, mate).ok_or_else(|| damaged(""))?;
            let nodes = u64::try_from(nodes).map_err(|_| damaged(&format!(": {nodes} nodes")))?;
            Ok(PricedAnswer { answer, nodes })
        })
        .transpose()
    }

    /// The row of a position, if there is one.
    pub(super) fn row_of(&self, position: &Chess) -> Result<Option<i64>, StoreError> {
        self.writer.ids.find(&self.db, position).map_err(StoreError::sqlite(&self.path))
    }

    /// The engine's continuation behind the answer of a rank: its principal variation after the
    /// first move, as far as it is readable; empty without that answer.
    pub fn continuation(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Vec<UciMove>, StoreError> {
        let kept = self.kept_search(profile, position, rank)?;
        Ok(kept.map(|kept| kept.pv.into_iter().skip(1).collect()).unwrap_or_default())
    }

    /// The search that gave the answer of a rank, if any.
    pub fn kept_search(
        &self,
        profile: ProfileId,
        position: &Chess,
        rank: usize,
    ) -> Result<Option<KeptSearch>, StoreError> {
        let Some(id) = self.row_of(position)? else { return Ok(None) };
        let sql = format!(
            "SELECT {} FROM answer WHERE profile = ?1 AND position = ?2 AND rank = ?3",
            AnswerRow::COLUMNS
        );
        self.first_row(&sql, [profile.0, id, index(rank)], |row| {
            let kept = AnswerRow::read(row)?;
            let plies = |plies: i64| u32::try_from(plies).unwrap_or(0);
            Ok(KeptSearch {
                position: PositionId(id),
                nodes: u64::try_from(kept.nodes).unwrap_or(0),
                depth: plies(kept.depth),
                seldepth: plies(kept.seldepth),
                time: Duration::from_millis(u64::try_from(kept.time_ms).unwrap_or(0)),
                pv: moves_of(&kept.pv),
                wdl: kept.wdl(),
            })
        })
    }

    /// Win, draw and loss of the answers of a position that have them, with their ranks.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn wdl_of_answers(
        &self,
        profile: ProfileId,
        position: PositionId,
    ) -> Result<Vec<(usize, WinDrawLoss)>, StoreError> {
        let sql = "SELECT rank, win, draw, loss FROM search
            WHERE profile = ?1 AND position = ?2 AND win IS NOT NULL";
        let read = |row: &Row<'_>| Ok((row.get(0)?, read_wdl(row, 1)?));
        let rows = self.rows(sql, [profile.0, position.0], read)?.into_iter();
        Ok(rows.filter_map(|(rank, wdl)| Some((rank, wdl?))).collect())
    }

    /// Win, draw and loss of all admitted answers of a tree, with their positions, for the sides to
    /// move.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn wdl_of_tree(
        &self,
        row: &AnalysisRow,
    ) -> Result<Vec<(PositionId, usize, WinDrawLoss)>, StoreError> {
        // CROSS JOIN: the answers are read by their key, whatever SQLite guesses.
        let sql = "SELECT node.position, rank, win, draw, loss FROM node
            CROSS JOIN search ON search.profile = ?2 AND search.position = node.position
                AND search.rank < node.admitted
            WHERE node.analysis = ?1 AND win IS NOT NULL";
        let read = |row: &Row<'_>| Ok((PositionId(row.get(0)?), row.get(1)?, read_wdl(row, 2)?));
        let rows = self.rows(sql, [row.id.0, row.profile_id.0], read)?.into_iter();
        Ok(rows.filter_map(|(position, rank, wdl)| Some((position, rank, wdl?))).collect())
    }
}

impl Store {
    /// The positions of a statement's EPDs.
    pub(super) fn keys(
        &self,
        sql: &str,
        parameters: impl Params,
        what: &str,
    ) -> Result<Vec<PositionKey>, StoreError> {
        let epds = self.rows(sql, parameters, |row| row.get::<_, String>(0))?;
        epds.iter().map(|epd| self.key_of(epd, what)).collect()
    }

    /// The position of an EPD; `what` names the row in the error.
    pub(super) fn key_of(&self, epd: &str, what: &str) -> Result<PositionKey, StoreError> {
        let position = parse_epd(epd).map_err(|_| self.damaged(format!("the {what} {epd}")))?;
        Ok(PositionKey::of(&position))
    }
}

/// The moves of a principal variation, as far as they are readable.
pub(super) fn moves_of(pv: &str) -> Vec<UciMove> {
    pv.split(' ').map_while(parse_uci).collect()
}

/// Moves separated by blanks.
pub(super) fn words(line: &[UciMove]) -> String {
    line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A move and score from their columns.
pub(super) fn listed(uci: &str, cp: Option<i32>, mate: Option<i32>) -> Option<ListedAnswer> {
    let score = match (cp, mate) {
        (Some(cp), None) => Score::Cp(cp),
        (None, Some(mate)) => Score::Mate(mate),
        _ => return None,
    };
    Some(ListedAnswer { uci: parse_uci(uci)?, score })
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Positions whose rows are remembered: those of the last passes. 4 MB.
const CAPACITY: usize = 1 << 16;

/// Rows of `position` used last, shared by all that have the database open. A row is permanent, and
/// a run needs it several times: to look for answers, to store one, when that makes the position a
/// node, and once more for each move that leads there.
#[derive(Debug, Default)]
pub(super) struct PositionIds(Mutex<HashMap<PositionKey, i64>>);

impl PositionIds {
    /// The row of a position, if there is one.
    pub fn find(&self, db: &Connection, position: &Chess) -> rusqlite::Result<Option<i64>> {
        let key = PositionKey::of(position);
        if let Some(id) = self.known(&key) {
            return Ok(Some(id));
        }
        let epd = epd_of(position);
        let mut query =
            db.prepare_cached("SELECT id FROM position WHERE hash = ?1 AND epd = ?2")?;
        let found = query.query_row(params![hash_of(&epd), epd], |row| row.get(0)).optional()?;
        self.remember(found.map(|id| (key, id)));
        Ok(found)
    }

    /// The row of a position, if remembered.
    fn known(&self, key: &PositionKey) -> Option<i64> {
        held(&self.0).get(key).copied()
    }

    /// Remembers permanent rows.
    pub fn remember(&self, rows: impl IntoIterator<Item = (PositionKey, i64)>) {
        let mut ids = held(&self.0);
        for (key, id) in rows {
            if ids.len() >= CAPACITY {
                *ids = HashMap::new();
            }
            ids.insert(key, id);
        }
    }
}

impl Write<'_> {
    /// The row of a position, inserted if missing.
    pub fn row_of(&self, position: &Chess) -> rusqlite::Result<i64> {
        let key = PositionKey::of(position);
        let there = self.made.borrow().get(&key).copied().or_else(|| self.ids.known(&key));
        if let Some(id) = there {
            return Ok(id);
        }
        let epd = epd_of(position);
        let (hash, PackedEpd { board, state }) = (hash_of(&epd), PackedEpd::of(&epd));
        // By the stored columns: the EPD is computed from them.
        let find = "SELECT id FROM position WHERE hash = ?1 AND board = ?2 AND state = ?3";
        let of = params![hash, board, state];
        let found = self.prepare_cached(find)?.query_row(of, |row| row.get(0)).optional()?;
        let id = found.map_or_else(
            || {
                let insert =
                    "INSERT INTO position (hash, board, state, ending) VALUES (?1, ?2, ?3, ?4)";
                let ending = Ending::of(position).map(Ending::name);
                self.prepare_cached(insert)?.insert(params![hash, board, state, ending])
            },
            Ok,
        )?;
        self.made.borrow_mut().insert(key, id);
        Ok(id)
    }
}

/// A count as an integer.
pub(super) fn index(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Centipawns and moves to mate as columns.
pub(super) fn score_columns(score: Score) -> (Option<i32>, Option<i32>) {
    match score {
        Score::Cp(cp) => (Some(cp), None),
        Score::Mate(mate) => (None, Some(mate)),
    }
}

/// The columns of a closing search's answer with this line, in the order of the tables.
pub(super) fn answer_columns(answer: &Answer, line: &[UciMove]) -> [Value; 8] {
    let (cp, mate) = score_columns(answer.score);
    [
        answer.best.to_string().into(),
        cp.into(),
        mate.into(),
        answer.depth.into(),
        answer.seldepth.into(),
        i64::try_from(answer.nodes).unwrap_or(i64::MAX).into(),
        i64::try_from(answer.time.as_millis()).unwrap_or(i64::MAX).into(),
        words(line).into(),
    ]
}

/// Win, draw and loss as columns.
pub(super) fn wdl_columns(wdl: Option<WinDrawLoss>) -> Vec<Value> {
    let numbers = wdl.map(WinDrawLoss::permille);
    numbers.map_or_else(|| vec![Value::Null; 3], |all| all.map(|n| i64::from(n).into()).into())
}

/// Win, draw and loss from three columns, of which this is the first; `None` if invalid.
pub(super) fn read_wdl(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<WinDrawLoss>> {
    let number = |column| row.get::<_, Option<u16>>(column);
    let (win, draw, loss) = (number(column)?, number(column + 1)?, number(column + 2)?);
    Ok(win.zip(draw).zip(loss).and_then(|((win, draw), loss)| WinDrawLoss::new(win, draw, loss)))
}

/// The columns of an answer's row, win, draw and loss, and the checksum of all. Without win, draw
/// and loss it is the checksum of the others, as before these were stored.
pub(super) fn answer_row(columns: impl Into<Vec<Value>>, wdl: Vec<Value>) -> Vec<Value> {
    let mut row = columns.into();
    let said = wdl.iter().filter(|number| **number != Value::Null).cloned();
    let checksum = checksummed(row.iter().cloned().chain(said).collect::<Vec<_>>()).pop();
    row.extend(wdl);
    row.extend(checksum);
    row
}

/// True if an answer's row is intact that begins with this many columns, then win, draw, loss and
/// their checksum; `None` if it has no checksum.
pub(super) fn is_answer_as_written(
    row: &Row<'_>,
    columns: usize,
) -> rusqlite::Result<Option<bool>> {
    let kept: Option<i64> = row.get(columns + 3)?;
    let mut all: Vec<Value> =
        (0..columns + 3).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?;
    let wdl = all.split_off(columns);
    let right = answer_row(all, wdl).pop();
    Ok(kept.map(|kept| right == Some(Value::Integer(kept))))
}

/// The columns of a row with their checksum behind them.
pub(super) fn checksummed(columns: impl Into<Vec<Value>>) -> Vec<Value> {
    let mut columns = columns.into();
    columns.push(checksum_of(&columns).into());
    columns
}

/// The checksum of a row's columns: CRC-32 of all, as text between bars.
pub(super) fn checksum_of(columns: &[Value]) -> i64 {
    let text = |column: &Value| match column {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    let text = columns.iter().map(text).collect::<Vec<_>>().join("|");
    i64::from(crc32fast::hash(text.as_bytes()))
}

/// True if a row that begins with this many columns and their checksum is intact; `None` if it has
/// no checksum.
pub(super) fn is_as_written(row: &Row<'_>, columns: usize) -> rusqlite::Result<Option<bool>> {
    let kept: Option<i64> = row.get(columns)?;
    let columns: Vec<Value> =
        (0..columns).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?;
    let right = checksummed(columns).pop();
    Ok(kept.map(|kept| right == Some(Value::Integer(kept))))
}

/// SQLite's total() cannot overflow, and is a float.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
pub(super) fn whole(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(|total: f64| total.max(0.0) as u64)
}
