//! Rows found by a key that lies between theirs. Each has the key of the next one under its
//! checksum, so that a look-up led astray by damaged inner pages is detected, and not taken for a
//! missing key.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::GameSetError;
use crate::hash::{seal, unsealed};
use crate::identity::{About, put_number};
use crate::schema::{LINKED, Rows};

/// A table of such rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainTable {
    name: &'static str,
    key: &'static str,
    /// Name of the first row's key in the table `about`.
    head: &'static str,
}

/// Moves played, by the key of a block's first position.
pub(crate) const POSITIONS: ChainTable =
    ChainTable { name: "position", key: "first", head: "first_position" };
/// The games of each player, by the hash of the name.
pub(crate) const PLAYERS: ChainTable =
    ChainTable { name: "player", key: "name", head: "first_player" };

/// A table of a set, for reading.
#[derive(Debug)]
pub(crate) struct Chain {
    table: ChainTable,
    /// The key of the first row; `None` if the set's format does not link rows.
    head: Option<Next>,
}

/// The key of the next row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// No next row.
    None,
    Key(i64),
}

impl Next {
    fn is(self, key: i64) -> bool {
        self == Next::Key(key)
    }

    fn is_at_most(self, most: i64) -> bool {
        matches!(self, Next::Key(key) if key <= most)
    }
}

/// A row with intact bytes.
struct Linked {
    data: Vec<u8>,
    /// `None` if rows are not linked.
    next: Option<Next>,
}

impl Chain {
    /// A table of a set.
    pub(crate) fn of(table: ChainTable, about: &About) -> Chain {
        let first = || about.number(table.head).map_or(Next::None, Next::Key);
        Chain { table, head: (about.format() >= LINKED).then(first) }
    }

    /// The last row whose key is not greater; `None` if all are.
    ///
    /// # Errors
    ///
    /// [`GameSetError::Damaged`] if another row would be it, and SQLite errors.
    pub(crate) fn find(
        &self,
        db: &Connection,
        path: &Path,
        key: i64,
    ) -> Result<Option<(i64, Vec<u8>)>, GameSetError> {
        let damaged = || GameSetError::Damaged(path.to_owned());
        let found = self.last_row(db, path, key)?;
        let next = match &found {
            Some((_, linked)) => linked.next,
            None => self.head,
        };
        if next.is_some_and(|next| next.is_at_most(key)) {
            Err(damaged())
        } else {
            Ok(found.map(|(row, linked)| (row, linked.data)))
        }
    }

    /// The last row that SQLite finds with a key that is not greater.
    fn last_row(
        &self,
        db: &Connection,
        path: &Path,
        key: i64,
    ) -> Result<Option<(i64, Linked)>, GameSetError> {
        let ChainTable { name: table, key: column, .. } = self.table;
        let sql = format!(
            "SELECT {column}, data FROM {table} WHERE {column} <= ?1 ORDER BY {column} DESC LIMIT 1"
        );
        let failed = GameSetError::sqlite(path);
        let mut statement = db.prepare_cached(&sql).map_err(&failed)?;
        let found = statement
            .query_row([key], |row| {
                let (row, data) = (row.get::<_, i64>(0)?, row.get_ref(1)?.as_blob()?);
                Ok((row, self.linked(row, data)))
            })
            .optional();
        match found.map_err(&failed)? {
            None => Ok(None),
            // Astray, SQLite does not check again that the row was asked for.
            Some((row, Some(linked))) if row <= key => Ok(Some((row, linked))),
            Some(_) => Err(GameSetError::Damaged(path.to_owned())),
        }
    }

    /// A row as written; `None` if damaged.
    fn linked(&self, row: i64, data: &[u8]) -> Option<Linked> {
        if self.head.is_none() {
            let data = unsealed(row, &[], data)?.to_vec();
            return Some(Linked { data, next: None });
        }
        let data = unsealed(row, self.table.name.as_bytes(), data)?;
        let (data, next) = data.split_last_chunk::<8>()?;
        // The last row has its own key there.
        let next = match i64::from_le_bytes(*next) {
            next if next == row => Next::None,
            next if next > row => Next::Key(next),
            _ => return None,
        };
        Some(Linked { data: data.to_vec(), next: Some(next) })
    }
}

/// The rows of a table whose keys are between two, in order.
#[derive(Debug)]
pub(crate) struct ChainRows {
    chain: Chain,
    rows: Rows,
    last: i64,
    /// The key of the next row; `None` if rows are not linked.
    next: Option<Next>,
}

impl ChainRows {
    /// The rows from a key to another.
    ///
    /// # Errors
    ///
    /// [`GameSetError::Damaged`] if the row before them says that one is missing, and SQLite errors.
    pub(crate) fn between(
        chain: Chain,
        (db, path): (&Connection, &Path),
        (first, last): (i64, i64),
    ) -> Result<ChainRows, GameSetError> {
        let end = first.checked_sub(1).filter(|_| chain.head.is_some());
        let before = end.map(|end| chain.last_row(db, path, end)).transpose()?.flatten();
        let next = before.map_or(chain.head, |(_, linked)| linked.next);
        if end.is_some_and(|end| next.is_some_and(|next| next.is_at_most(end))) {
            return Err(GameSetError::Damaged(path.to_owned()));
        }
        let rows = Rows::between(chain.table.name, chain.table.key, first, last);
        Ok(ChainRows { chain, rows, last, next })
    }

    /// The next row.
    ///
    /// # Errors
    ///
    /// [`GameSetError::Damaged`] if it is not the one written there, and SQLite errors.
    pub(crate) fn next(
        &mut self,
        (db, path): (&Connection, &Path),
    ) -> Result<Option<(i64, Vec<u8>)>, GameSetError> {
        let damaged = || GameSetError::Damaged(path.to_owned());
        let Some((row, data)) = self.rows.next(db).map_err(GameSetError::sqlite(path))? else {
            let is_missing = self.next.is_some_and(|next| next.is_at_most(self.last));
            return if is_missing { Err(damaged()) } else { Ok(None) };
        };
        let linked = self.chain.linked(row, &data).ok_or_else(damaged)?;
        if self.next.is_some_and(|next| !next.is(row)) {
            return Err(damaged());
        }
        self.next = linked.next;
        Ok(Some((row, linked.data)))
    }
}

/// Writes the rows of a table in the order of their keys.
#[derive(Debug)]
pub(crate) struct ChainWriter<'d> {
    db: &'d Connection,
    table: ChainTable,
    /// The row that lacks the next one's key.
    waiting: Option<(i64, Vec<u8>)>,
    head: Option<i64>,
}

impl ChainWriter<'_> {
    /// Of a new table.
    pub(crate) fn new(db: &Connection, table: ChainTable) -> ChainWriter<'_> {
        ChainWriter { db, table, waiting: None, head: None }
    }

    /// Takes a row, whose key is greater than all before.
    ///
    /// # Errors
    ///
    /// SQLite errors.
    pub(crate) fn push(&mut self, key: i64, data: Vec<u8>) -> rusqlite::Result<()> {
        self.head = self.head.or(Some(key));
        match self.waiting.replace((key, data)) {
            Some(before) => self.write(before, key),
            None => Ok(()),
        }
    }

    /// Writes the last row, and the first one's key.
    ///
    /// # Errors
    ///
    /// SQLite errors.
    pub(crate) fn end(mut self) -> rusqlite::Result<()> {
        if let Some((key, data)) = self.waiting.take() {
            self.write((key, data), key)?;
        }
        match self.head {
            Some(head) => put_number(self.db, self.table.head, head),
            None => Ok(()),
        }
    }

    fn write(&self, (key, mut data): (i64, Vec<u8>), next: i64) -> rusqlite::Result<()> {
        let ChainTable { name: table, key: column, .. } = self.table;
        data.extend_from_slice(&next.to_le_bytes());
        seal(key, table.as_bytes(), &mut data);
        let sql = format!("INSERT INTO {table} ({column}, data) VALUES (?1, ?2)");
        self.db.prepare_cached(&sql)?.execute(params![key, data]).map(drop)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Turns a set into the first format: rows that are not linked, and no checksum over its
    /// description.
    pub(crate) fn unlink(path: &Path) {
        let db = Connection::open(path).unwrap();
        let about = About::read(&db, path).unwrap();
        for table in [POSITIONS, PLAYERS] {
            let chain = Chain::of(table, &about);
            let all = (i64::MIN, i64::MAX);
            let mut rows = ChainRows::between(chain, (&db, path), all).unwrap();
            let ChainTable { name, key, .. } = table;
            while let Some((row, mut data)) = rows.next((&db, path)).unwrap() {
                seal(row, &[], &mut data);
                let sql = format!("UPDATE {name} SET data = ?2 WHERE {key} = ?1");
                db.execute(&sql, params![row, data]).unwrap();
            }
        }
        db.execute_batch(
            "DELETE FROM about WHERE name IN ('checksum', 'first_position', 'first_player');
            PRAGMA user_version = 1",
        )
        .unwrap();
    }

    const KEYS: [i64; 5] = [i64::MIN, -7, 0, 8, i64::MAX];

    /// A table with these rows, and without some of them.
    fn chain(without: &[i64]) -> (Connection, Chain) {
        let db = Connection::open_in_memory().unwrap();
        crate::schema::create(&db).unwrap();
        let mut writer = ChainWriter::new(&db, PLAYERS);
        KEYS.iter().for_each(|key| writer.push(*key, key.to_le_bytes().to_vec()).unwrap());
        writer.end().unwrap();
        for key in without {
            db.execute("DELETE FROM player WHERE name = ?1", [key]).unwrap();
        }
        let head = Some(Next::Key(KEYS[0]));
        (db, Chain { table: PLAYERS, head })
    }

    #[test]
    fn a_key_is_found_in_the_row_before_it() {
        let (db, chain) = chain(&[]);
        for key in [i64::MIN, -8, -7, -6, -1, 0, 7, 8, 9, i64::MAX - 1, i64::MAX] {
            let right = KEYS.into_iter().rfind(|first| *first <= key);
            let found = chain.find(&db, Path::new("x"), key).unwrap();
            assert_eq!(found, right.map(|row| (row, row.to_le_bytes().to_vec())), "{key}");
        }
    }

    #[test]
    fn misled_lookup_is_no_missing_row() {
        let place = Path::new("x");
        for (at, key) in KEYS.into_iter().enumerate() {
            let (db, chain) = chain(&[key]);
            for asked in [key, key.saturating_add(1)] {
                let is_its = KEYS.into_iter().rfind(|first| *first <= asked) == Some(key);
                let found = chain.find(&db, place, asked);
                assert_eq!(found.is_err(), is_its, "{key} {asked}");
            }
            // The loss is detected from any part of the table.
            for bounds in [(i64::MIN, i64::MAX), (key, key), (key, i64::MAX), (i64::MIN, key)] {
                let rows = ChainRows::between(Chain { ..chain }, (&db, place), bounds);
                let read = rows.and_then(|mut rows| {
                    while rows.next((&db, place))?.is_some() {}
                    Ok(())
                });
                assert!(matches!(read, Err(GameSetError::Damaged(_))), "{at} {bounds:?}");
            }
        }
    }
}
