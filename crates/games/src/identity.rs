//! Identity and sources of a set, and its description: the tables `about` and `source`, under one
//! checksum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params};

use crate::error::{GameSetError, name_of};
use crate::hash::widened;
use crate::schema::{LINKED, format_of, open};

/// The source of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetIdentity {
    /// The set's name.
    pub name: String,
    /// 32 hexadecimal digits that are equal for equal games in any order, with the same plies
    /// counted.
    pub digest: String,
    /// Number of games, after the filter if any.
    pub games: u64,
    /// The filter as text; empty if none.
    pub filter: String,
    /// Plies counted of each game.
    pub max_ply: u32,
}

/// The digest of games whose widened fingerprints have this sum.
pub(crate) fn digest_of(sum: u128, max_ply: u32) -> String {
    let plies = widened(u64::from(max_ply)).rotate_left(1);
    format!("{:032x}", sum.wrapping_add(plies))
}

/// A file that games of a set come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub file: String,
    /// When it was added, in seconds since 1970.
    pub added_at: i64,
    /// Its games that were counted.
    pub games: u64,
    /// Its games already there.
    pub duplicates: u64,
    /// Unreadable games.
    pub bad: u64,
    /// Games of other variants.
    pub variants: u64,
}

/// A set as in `games list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetInfo {
    /// Its file.
    pub path: PathBuf,
    /// Its name: the file's without its extension.
    pub name: String,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Number of moves, a move being one wherever it leads from the same position.
    pub moves: u64,
    /// The length of the file.
    pub bytes: u64,
    /// The years of the first and the last game, if any is known.
    pub years: Option<(u32, u32)>,
    /// Plies counted of each game.
    pub max_ply: u32,
    /// As in [`SetIdentity`].
    pub digest: String,
    /// Games counted by an earlier format: of those that differ only in site, round, time, result
    /// or unknown players one is there, and one that comes back to a position counts there for each
    /// of its moves.
    pub older: u64,
    /// Its sources, the first file first.
    pub sources: Vec<Source>,
}

impl SetInfo {
    /// Reads a set's description.
    ///
    /// # Errors
    ///
    /// [`GameSetError`] if the file is no set, or a newer one.
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

/// A set's name by its file.
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

/// The checksum's name in the table `about`.
const CHECKSUM: &str = "checksum";

/// The table `about`.
#[derive(Debug)]
pub(crate) struct About {
    format: i64,
    values: BTreeMap<String, Value>,
}

impl About {
    /// Reads it, and verifies it and the table `source`.
    ///
    /// # Errors
    ///
    /// [`GameSetError::Damaged`] if they are not as written, and SQLite errors.
    pub(crate) fn read(db: &Connection, path: &Path) -> Result<About, GameSetError> {
        let failed = GameSetError::sqlite(path);
        let format = format_of(db).map_err(&failed)?;
        let read = || -> rusqlite::Result<BTreeMap<String, Value>> {
            let mut statement = db.prepare("SELECT name, value FROM about")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        let about = About { format, values: read().map_err(&failed)? };
        let is_right = match (format >= LINKED, about.number(CHECKSUM)) {
            // A later format whose number has changed has one.
            (false, kept) => kept.is_none(),
            (true, kept) => kept == Some(checksum(db).map_err(&failed)?.into()),
        };
        is_right.then_some(about).ok_or_else(|| GameSetError::Damaged(path.to_owned()))
    }

    /// The format of the set.
    pub(crate) fn format(&self) -> i64 {
        self.format
    }

    /// A number by name.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.values.get(name)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A text by name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Writes a number.
///
/// # Errors
///
/// SQLite errors.
pub(crate) fn put_number(db: &Connection, name: &str, number: i64) -> rusqlite::Result<()> {
    db.execute("INSERT INTO about (name, value) VALUES (?1, ?2)", params![name, number]).map(drop)
}

/// Writes the checksum, once all the rest is written.
///
/// # Errors
///
/// SQLite errors.
pub(crate) fn seal_about(db: &Connection) -> rusqlite::Result<()> {
    put_number(db, CHECKSUM, checksum(db)?.into())
}

fn checksum(db: &Connection) -> rusqlite::Result<u32> {
    let mut hasher = Hasher::new();
    let about = format!("SELECT * FROM about WHERE name <> '{CHECKSUM}' ORDER BY name");
    for sql in [about.as_str(), "SELECT * FROM source ORDER BY id"] {
        let mut statement = db.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                hash(row.get_ref(column)?, &mut hasher);
            }
        }
        hasher.update(b";");
    }
    Ok(hasher.finalize())
}

/// Adds a value with its type, so that different rows differ in bytes.
fn hash(value: ValueRef<'_>, hasher: &mut Hasher) {
    let (kind, bytes) = match value {
        ValueRef::Null => (0, Vec::new()),
        ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
        ValueRef::Real(number) => (2, number.to_le_bytes().to_vec()),
        ValueRef::Text(text) => (3, text.to_vec()),
        ValueRef::Blob(bytes) => (4, bytes.to_vec()),
    };
    hasher.update(&[kind]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(&bytes);
}
