//! Looks of a second engine at the root of a closing search: at all moves, or at one alone.

use std::time::Duration;

use rusqlite::{Row, params_from_iter};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::search::Answer;

use super::ClosingId;
use crate::error::StoreError;
use crate::memo::{answer_columns, answer_row, listed, moves_of, now, read_wdl, wdl_columns};
use crate::open::Store;
use crate::writer::Write;

/// A second engine's look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondLook {
    /// The engine's name.
    pub engine: String,
    /// The only move that it searched; `None` if it had all that the closing search had.
    pub only: Option<UciMove>,
    /// Its answer.
    pub answer: Answer,
}

/// Of two looks of one engine the one of more nodes stays.
const KEEP: &str =
    "INSERT INTO second_look (closing, engine, only, move, cp, mate, depth, seldepth,
        nodes, time_ms, pv, changed_at, win, draw, loss, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    ON CONFLICT DO UPDATE SET move = excluded.move, cp = excluded.cp, mate = excluded.mate,
        depth = excluded.depth, seldepth = excluded.seldepth, nodes = excluded.nodes,
        time_ms = excluded.time_ms, pv = excluded.pv, changed_at = excluded.changed_at,
        win = excluded.win, draw = excluded.draw, loss = excluded.loss, checksum = excluded.checksum
    WHERE excluded.nodes >= nodes";

/// A closing search's looks: the columns under the checksum, win, draw and loss, and the checksum.
pub(crate) const LOOKS: &str =
    "SELECT closing, engine, only, move, cp, mate, depth, seldepth, nodes,
        time_ms, pv, changed_at, win, draw, loss, checksum
    FROM second_look WHERE closing = ?1 ORDER BY engine, only";

/// Columns under the checksum of a row, besides win, draw and loss.
pub(crate) const LOOK_COLUMNS: usize = 12;

impl Store {
    /// Stores a second engine's look, in a transaction that is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::Illegal`] if its move is not legal at the root.
    pub fn keep_second_look(
        &self,
        closing: ClosingId,
        root: &Chess,
        look: &SecondLook,
    ) -> Result<(), StoreError> {
        self.write(|write| keep_look(write, closing, root, look))
    }

    /// The looks kept for a closing search.
    pub(super) fn looks_of(&self, closing: ClosingId) -> Result<Vec<SecondLook>, StoreError> {
        let looks = self.rows(LOOKS, [closing.0], read_look)?.into_iter();
        let damaged = || self.damaged(format!("a second look of closing search {}", closing.0));
        looks.map(|look| look.ok_or_else(damaged)).collect()
    }
}

pub(crate) fn keep_look(
    write: &Write<'_>,
    closing: ClosingId,
    root: &Chess,
    look: &SecondLook,
) -> Result<(), StoreError> {
    let SecondLook { engine, only, answer } = look;
    let line = super::played_line(write, root, answer)?;
    let only = only.map(|only| only.to_string()).unwrap_or_default();
    let key = [closing.0.into(), engine.clone().into(), only.into()];
    let columns = answer_columns(answer, &line);
    let row = answer_row([&key[..], &columns, &[now().into()]].concat(), wdl_columns(answer.wdl));
    let keep = || write.prepare_cached(KEEP)?.execute(params_from_iter(row));
    keep().map(drop).map_err(write.named())
}

/// `None` if its columns are invalid.
pub(crate) fn read_look(row: &Row<'_>) -> rusqlite::Result<Option<SecondLook>> {
    let (only, uci): (String, String) = (row.get(2)?, row.get(3)?);
    let Some(said) = listed(&uci, row.get(4)?, row.get(5)?) else { return Ok(None) };
    let answer = Answer {
        best: said.uci,
        score: said.score,
        wdl: read_wdl(row, LOOK_COLUMNS)?,
        depth: row.get(6)?,
        seldepth: row.get(7)?,
        nodes: row.get(8)?,
        time: Duration::from_millis(row.get(9)?),
        pv: moves_of(&row.get::<_, String>(10)?),
    };
    let only = (!only.is_empty()).then_some(answer.best);
    Ok(Some(SecondLook { engine: row.get(1)?, only, answer }))
}
