//! What a set is, and how it was made.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::about::About;
use crate::error::{GameSetError, name_of};
use crate::hash::widened;
use crate::schema::open;

/// What counts are taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetIdentity {
    /// What the set is called.
    pub name: String,
    /// 32 hexadecimal digits that are the same for the same games, whatever their order, with the same plies counted.
    pub digest: String,
    /// How many games there are, the filter's alone where there is one.
    pub games: u64,
    /// The filter in words; empty where there is none.
    pub filter: String,
    /// How many plies of each game are counted.
    pub max_ply: u32,
}

/// The digest of games whose fingerprints, widened, have this sum.
pub(crate) fn digest_of(sum: u128, max_ply: u32) -> String {
    let plies = widened(u64::from(max_ply)).rotate_left(1);
    format!("{:032x}", sum.wrapping_add(plies))
}

/// A file that games of a set come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What it was called.
    pub file: String,
    /// When it was added, in seconds since 1970.
    pub added_at: i64,
    /// How many of its games were counted.
    pub games: u64,
    /// How many were there already.
    pub duplicates: u64,
    /// How many could not be read.
    pub bad: u64,
    /// How many were of other variants.
    pub variants: u64,
}

/// A set as `games list` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetInfo {
    /// Its file.
    pub path: PathBuf,
    /// What it is called: the file's name without its end.
    pub name: String,
    /// How many games it has.
    pub games: u64,
    /// How many positions were counted.
    pub positions: u64,
    /// How many moves were counted, a move being one wherever it leads from the same position.
    pub moves: u64,
    /// The length of the file.
    pub bytes: u64,
    /// The years of the first and of the last game, where any is known.
    pub years: Option<(u32, u32)>,
    /// How many plies of each game are counted.
    pub max_ply: u32,
    /// As in [`SetIdentity`].
    pub digest: String,
    /// How many of the games an earlier format has counted: of those that only site, round, time, result or unknown
    /// players tell apart one is there, and one that comes back to a position counts there for each of its moves.
    pub older: u64,
    /// What it was made from, the first file first.
    pub sources: Vec<Source>,
}

impl SetInfo {
    /// Reads what a set says of itself.
    ///
    /// # Errors
    ///
    /// [`GameSetError`] where the file is no set, or a newer one.
    pub fn read(path: &Path) -> Result<SetInfo, GameSetError> {
        let db = open(path)?;
        let bytes = path.metadata().map_err(GameSetError::io(path))?.len();
        SetInfo::of(&db, path, bytes)
    }

    pub(crate) fn of(db: &Connection, path: &Path, bytes: u64) -> Result<SetInfo, GameSetError> {
        let about = About::read(db, path)?;
        let damaged = || GameSetError::Damaged(path.to_owned());
        let count = |name: &str| -> Result<u64, GameSetError> {
            about.number(name).and_then(|count| count.try_into().ok()).ok_or_else(damaged)
        };
        let year = |name: &str| about.number(name).and_then(|year| year.try_into().ok());
        let years = (year("first_year").unwrap_or(0), year("last_year").unwrap_or(0));
        let games = count("games")?;
        let older = match about.format() {
            ..=1 => games,
            _ => count("older")?,
        };
        Ok(SetInfo {
            path: path.to_owned(),
            name: set_name(path),
            games,
            older,
            positions: count("positions")?,
            moves: count("moves")?,
            bytes,
            years: Some(years).filter(|(first, _)| *first > 0),
            max_ply: u32::try_from(count("max_ply")?).map_err(|_| damaged())?,
            digest: about.text("digest").ok_or_else(damaged)?.to_owned(),
            sources: sources_of(db).map_err(GameSetError::sqlite(path))?,
        })
    }
}

/// What a set is called by its file.
pub(crate) fn set_name(path: &Path) -> String {
    let is_set = path.extension().is_some_and(|end| end == crate::EXTENSION);
    let name = if is_set { path.file_stem() } else { path.file_name() };
    match name {
        Some(name) if path.as_os_str() != "-" => name.to_string_lossy().into_owned(),
        _ => name_of(path),
    }
}

fn sources_of(db: &Connection) -> rusqlite::Result<Vec<Source>> {
    let sql = "SELECT file, added_at, games, duplicates, bad, variants FROM source ORDER BY id";
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(Source {
            file: row.get(0)?,
            added_at: row.get(1)?,
            games: row.get(2)?,
            duplicates: row.get(3)?,
            bad: row.get(4)?,
            variants: row.get(5)?,
        })
    })?;
    rows.collect()
}
