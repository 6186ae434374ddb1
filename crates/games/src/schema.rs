//! The tables of a set, and opening its file.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::error::GameSetError;
use crate::pgn::is_database;

/// "dang" in `PRAGMA application_id`.
const APPLICATION_ID: i64 = 1_684_106_855;
/// The format of the tables, in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 2;
/// The first format with linked rows, and a checksum over the tables `about` and `source`. Sets of
/// the one before are read as they are, and linked once games are added.
pub(crate) const LINKED: i64 = 2;

/// Eight blocks fill a page, and a look-up reads one page of 32 KiB beside the inner ones.
const TABLES: &str = "
    PRAGMA page_size = 32768;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA application_id = 1684106855;
    PRAGMA user_version = 2;
    -- How it was made, and what it comes to.
    CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE source (
        id INTEGER PRIMARY KEY, file TEXT, added_at INTEGER, games INTEGER, duplicates INTEGER,
        bad INTEGER, variants INTEGER
    );
    -- Games in blocks, by the number of the first: players, event, date, ratings, result, time control.
    CREATE TABLE game (first INTEGER PRIMARY KEY, fingerprints BLOB, data BLOB);
    -- What else than its fingerprint tells each game from others, five bytes each, by blocks; not there of blocks
    -- that format 1 has written.
    CREATE TABLE detail (first INTEGER PRIMARY KEY, data BLOB);
    -- What was played, by the key of a block's first position; behind the bytes the key of the next row.
    CREATE TABLE position (first INTEGER PRIMARY KEY, data BLOB);
    -- The games of moves that many have.
    CREATE TABLE games_apart (id INTEGER PRIMARY KEY, data BLOB);
    -- The games of each player, by the hash of the name; behind the bytes the key of the next row.
    CREATE TABLE player (name INTEGER PRIMARY KEY, data BLOB);
";

/// Makes the tables of a new set.
///
/// # Errors
///
/// SQLite errors.
pub(crate) fn create(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(TABLES)
}

/// The longest value of a set: the games of a player who has all of them.
const LONGEST: i32 = 512 << 20;

/// Opens a set for reading. Its file never changes, so it is read without locks, and nothing is
/// written beside it. It may be hostile: only plain tables of the program's are read.
///
/// # Errors
///
/// [`GameSetError`] if the file is missing, something else, newer or damaged.
pub(crate) fn open(path: &Path) -> Result<Connection, GameSetError> {
    if !path.exists() {
        return Err(GameSetError::Missing(path.to_owned()));
    }
    if !is_database(path).map_err(GameSetError::io(path))? {
        return Err(GameSetError::NoSet(path.to_owned()));
    }
    let failed = GameSetError::sqlite(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(read_only_uri(path), flags).map_err(&failed)?;
    guard(&db).map_err(&failed)?;
    let application: rusqlite::Result<i64> =
        db.pragma_query_value(None, "application_id", |row| row.get(0));
    if application.map_err(&failed)? != APPLICATION_ID {
        return Err(GameSetError::Foreign(path.to_owned()));
    }
    match format_of(&db).map_err(&failed)? {
        ..=VERSION => {}
        found => return Err(GameSetError::Newer { path: path.to_owned(), found }),
    }
    if has_own_tables(&db).map_err(&failed)? {
        Ok(db)
    } else {
        Err(GameSetError::Damaged(path.to_owned()))
    }
}

/// The format of a set.
///
/// # Errors
///
/// SQLite errors.
pub(crate) fn format_of(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Turns on SQLite's defences against hostile files.
fn guard(db: &Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    db.pragma_update(None, "cell_size_check", true)
}

/// True if every table of the program's names is as the program makes it: no view, no computed
/// column.
fn has_own_tables(db: &Connection) -> rusqlite::Result<bool> {
    let model = Connection::open_in_memory()?;
    create(&model)?;
    let (right, kept) = (objects(&model)?, objects(db)?);
    let is_own = |(name, object): (&String, &(String, String))| {
        right.get(name).is_none_or(|right| right == object)
    };
    Ok(kept.iter().all(is_own))
}

/// Tables, views and the like by name: type and definition.
fn objects(db: &Connection) -> rusqlite::Result<BTreeMap<String, (String, String)>> {
    let sql = "SELECT lower(name), type, coalesce(sql, '') FROM sqlite_schema";
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// The URI by which SQLite opens a file without changing it, or making it if gone. The file never
/// changes: no log and no lock are looked for.
pub(crate) fn read_only_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    let path = path_bytes(path);
    // A host name, empty here, follows two slashes.
    uri.push_str(if path.starts_with(b"/") { "//" } else { "" });
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?mode=ro&immutable=1"
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

/// With slashes, and one before a drive's letter.
#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    let text = path.to_string_lossy().replace('\\', "/");
    let has_drive = text.as_bytes().get(1) == Some(&b':');
    if has_drive { format!("/{text}").into_bytes() } else { text.into_bytes() }
}

/// Maps unsigned keys to SQLite's signed ones, keeping their order.
pub(crate) fn row_of(key: u64) -> i64 {
    (key ^ 1 << 63).cast_signed()
}

/// A row's key.
pub(crate) fn key_of_row(row: i64) -> u64 {
    row.cast_unsigned() ^ 1 << 63
}

/// The rows of a table of numbered blobs, in order, some at a time.
#[derive(Debug)]
pub(crate) struct Rows {
    sql: String,
    next: Option<i64>,
    last: i64,
    read: std::collections::VecDeque<(i64, Vec<u8>)>,
}

impl Rows {
    /// Rows with numbers between two.
    pub(crate) fn between(table: &str, number: &str, first: i64, last: i64) -> Rows {
        let sql = format!(
            "SELECT {number}, data FROM {table} WHERE {number} >= ?1 AND {number} <= ?2 ORDER BY 1 LIMIT 64"
        );
        Rows { sql, next: Some(first), last, read: std::collections::VecDeque::new() }
    }

    /// The next row.
    ///
    /// # Errors
    ///
    /// SQLite errors.
    pub(crate) fn next(&mut self, db: &Connection) -> rusqlite::Result<Option<(i64, Vec<u8>)>> {
        if self.read.is_empty()
            && let Some(next) = self.next
        {
            let mut statement = db.prepare_cached(&self.sql)?;
            let rows =
                statement.query_map([next, self.last], |row| Ok((row.get(0)?, row.get(1)?)))?;
            self.read = rows.collect::<rusqlite::Result<_>>()?;
            self.next = self.read.back().and_then(|(number, _)| number.checked_add(1));
        }
        Ok(self.read.pop_front())
    }
}
