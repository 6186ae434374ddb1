//! Writes a set from the games read and the old set.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};

use super::games::{GameTotals, OLD, duplicates, write_games, write_players};
use super::positions::{IndexTotals, write_positions};
use super::read::{ReadGames, ReadSource};
use super::{AddStage, Adding};
use crate::duplicates::Renumber;
use crate::error::GameSetError;
use crate::identity::{SetInfo, digest_of, seal_about};
use crate::schema::read_only_uri;
use crate::sort::Sorter;

/// Database of the new set, and the old set that it replaces.
pub(super) struct Target<'t> {
    pub(super) db: &'t Connection,
    pub(super) path: &'t Path,
    pub(super) old: Option<&'t SetInfo>,
}

impl Target<'_> {
    pub(super) fn failed(&self) -> impl Fn(rusqlite::Error) -> GameSetError + use<> {
        let path = self.path.to_owned();
        move |source| GameSetError::Sqlite { path: path.clone(), source }
    }

    /// The error for invalid data of the old set.
    pub(super) fn damaged(&self) -> GameSetError {
        GameSetError::Damaged(self.old.map_or(self.path, |old| &old.path).to_owned())
    }

    /// True if format 1 wrote all of the old set.
    pub(super) fn has_older_format(&self) -> bool {
        self.old.is_none_or(|old| old.older == old.games)
    }

    pub(super) fn old_games(&self) -> u32 {
        self.old.map_or(0, |old| u32::try_from(old.games).unwrap_or(u32::MAX))
    }
}

/// Writes all of it; returns the number of duplicates left out.
pub(super) fn write(
    target: Target<'_>,
    mut read: ReadGames,
    max_ply: u32,
    tell: &mut dyn FnMut(&Adding) -> bool,
) -> Result<u64, GameSetError> {
    let failed = target.failed();
    let counted: u64 = read.sources.iter().map(|source| source.counted).sum();
    let mut go_on =
        || match tell(&Adding { stage: AddStage::Merging, done: 0, all: None, games: counted }) {
            true => Ok(()),
            false => Err(GameSetError::Interrupted),
        };
    go_on()?;
    if let Some(old) = target.old {
        let sql = format!("ATTACH ?1 AS {OLD}");
        target.db.execute(&sql, [read_only_uri(&old.path)]).map_err(&failed)?;
    }
    target.db.execute_batch("BEGIN").map_err(&failed)?;
    let mut totals =
        GameTotals { years: target.old.and_then(|old| old.years), ..GameTotals::default() };
    let none = Sorter::new(read.rows.with_file_name("none"), 1);
    let fingerprints = std::mem::replace(&mut read.fingerprints, none);
    let numbers = duplicates(&target, fingerprints, read.first_games(), &mut totals)?;
    go_on()?;
    write_games(&target, &read, &numbers, &mut totals)?;
    go_on()?;
    write_sources(&target, &read.sources, &numbers).map_err(&failed)?;
    write_players(&target, read.players, &numbers)?;
    go_on()?;
    let index = write_positions(&target, &read.moves, &numbers, counted, tell)?;
    let older = target.old.map_or(0, |old| old.older);
    write_about(target.db, &totals, index, max_ply, older).map_err(&failed)?;
    target.db.execute_batch("COMMIT").map_err(&failed)?;
    if target.old.is_some() {
        target.db.execute_batch(&format!("DETACH {OLD}")).map_err(&failed)?;
    }
    Ok(counted + u64::from(target.old_games()) - totals.games)
}

fn write_sources(
    target: &Target<'_>,
    sources: &[ReadSource],
    numbers: &Renumber,
) -> rusqlite::Result<()> {
    if target.old.is_some() {
        target.db.execute(&format!("INSERT INTO source SELECT * FROM {OLD}.source"), [])?;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let sql = "INSERT INTO source (file, added_at, games, duplicates, bad, variants)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for source in sources {
        let end = source.first + u32::try_from(source.counted).unwrap_or(u32::MAX);
        let dropped = numbers.dropped_before(end) - numbers.dropped_before(source.first);
        let (dropped, now) = (u64::from(dropped), now.cast_signed());
        let kept = source.counted - dropped;
        let variants = source.variants.games();
        target.db.execute(sql, params![source.file, now, kept, dropped, source.bad, variants])?;
    }
    Ok(())
}

fn write_about(
    db: &Connection,
    totals: &GameTotals,
    index: IndexTotals,
    max_ply: u32,
    older: u64,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO about (name, value) VALUES (?1, ?2)";
    let (first, last) = totals.years.unwrap_or_default();
    for (name, value) in [
        ("games", totals.games),
        ("positions", index.positions),
        ("moves", index.moves),
        ("max_ply", u64::from(max_ply)),
        ("older", older),
        ("first_year", u64::from(first)),
        ("last_year", u64::from(last)),
    ] {
        db.execute(sql, params![name, value])?;
    }
    db.execute(sql, params!["digest", digest_of(totals.sum, max_ply)])?;
    seal_about(db)
}
