//! Trees of files before version 9, in which a position that occurred once before the root was a draw.

use rusqlite::{Connection, OptionalExtension, params};
use shakmaty::Position;

use deepanalyze_core::chess::{Game, PositionKey, epd_of};

use super::analyses::AnalysisRow;
use super::check::play;
use super::error::StoreError;
use super::open::Store;
use super::packing::hash_of;
use super::schema::HISTORIES;
use super::trees::make_empty;

/// Empties the trees that differ by the present rule, to be grown again from the memo.
pub(super) fn empty_former_trees(db: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT id, start_epd, history FROM analysis WHERE history <> '' AND pass > 0";
    let mut query = db.prepare(sql)?;
    let games = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let games: Vec<(i64, String, String)> = games.collect::<rusqlite::Result<_>>()?;
    for (id, start, history) in games {
        if let Some(game) = play(&start, &history)
            && has_one_of(db, id, &occurred_once(&game))?
        {
            // Steps run without foreign keys.
            db.execute("DELETE FROM verdict WHERE analysis = ?1", [id])?;
            make_empty(db, id)?;
        }
    }
    Ok(())
}

/// Positions that occurred once before the root and can recur: no capture or pawn move since.
fn occurred_once(game: &Game) -> Vec<String> {
    let repeated = game.repeated();
    let positions: Vec<_> = std::iter::once(game.start().clone()).chain(game.positions()).collect();
    let (_, before) = positions.split_last().unwrap_or((game.root(), &[]));
    let reversible = usize::try_from(game.root().halfmoves()).unwrap_or(usize::MAX);
    let keys = before.iter().rev().take(reversible).filter(|position| {
        let key = PositionKey::of(position);
        key != PositionKey::of(game.root()) && !repeated.contains(&key)
    });
    keys.map(epd_of).collect()
}

/// True if a move of a tree leads to one of these positions.
fn has_one_of(db: &Connection, analysis: i64, epds: &[String]) -> rusqlite::Result<bool> {
    let mut find = db.prepare("SELECT id FROM position WHERE hash = ?1 AND epd = ?2")?;
    let mut leads_there = db.prepare(
        "SELECT EXISTS (
            SELECT 1 FROM node
            CROSS JOIN analysis ON analysis.id = node.analysis
            CROSS JOIN answer ON answer.profile = analysis.profile AND answer.position = node.position
                AND answer.rank < node.admitted
            WHERE node.analysis = ?1 AND answer.child = ?2
        ) OR EXISTS (
            SELECT 1 FROM node CROSS JOIN link ON link.position = node.position
            WHERE node.analysis = ?1 AND link.child = ?2
        )",
    )?;
    for epd in epds {
        let id: Option<i64> =
            find.query_row(params![hash_of(epd), epd], |row| row.get(0)).optional()?;
        if let Some(id) = id
            && leads_there.query_row([analysis, id], |row| row.get(0))?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Store {
    /// True if a tree was grown by an earlier version and differs by the present rule: one of its
    /// moves leads to a position that occurred once before the root. A file opened to write has
    /// none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn is_of_former_rule(&self, row: &AnalysisRow, game: &Game) -> Result<bool, StoreError> {
        if row.history.is_empty() || self.user_version()? >= HISTORIES {
            return Ok(false);
        }
        has_one_of(&self.db, row.id.0, &occurred_once(game)).map_err(StoreError::sqlite(&self.path))
    }
}
