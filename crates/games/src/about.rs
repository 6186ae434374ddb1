//! A set's description: the tables `about` and `source`, under one checksum.

use std::collections::BTreeMap;
use std::path::Path;

use crc32fast::Hasher;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params};

use crate::error::GameSetError;
use crate::schema::{LINKED, format_of};

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
