//! A copy of a whole database at one moment, while others write; and one of some analyses as a
//! database of its own.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode};

use crate::analyses::AnalysisId;
use crate::writer::BUSY_TIMEOUT;

use super::error::StoreError;
use super::open::Store;

/// Pages copied between two calls of `goes_on`: 4 MB.
const PAGES: i32 = 1024;

impl Store {
    /// Copies the database into an empty file, with its log. After every part `goes_on` gets the
    /// number of pages copied and the total; if it returns `false`, so does this: the copy is
    /// useless then.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotCopied`] if the copy cannot be written; other errors are of this database.
    pub fn copy_to(
        &self,
        to: &Path,
        mut goes_on: impl FnMut(u32, u32) -> bool,
    ) -> Result<bool, StoreError> {
        let failed = |error| self.not_copied(to, error);
        let mut copy = Connection::open(to).map_err(failed)?;
        // It is no database until complete.
        copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            .map_err(failed)?;
        self.at_one_moment(|| {
            // The moment is that of the first read. Otherwise SQLite restarts whenever the database
            // changes.
            self.user_version()?;
            let backup = Backup::new(&self.db, &mut copy).map_err(failed)?;
            loop {
                match backup.step(PAGES).map_err(failed)? {
                    StepResult::Done => return Ok(true),
                    StepResult::More => {}
                    _ => return Err(StoreError::locked(&self.path)),
                }
                let all = u32::try_from(backup.progress().pagecount).unwrap_or(0);
                let left = u32::try_from(backup.progress().remaining).unwrap_or(0);
                if !goes_on(all.saturating_sub(left), all) {
                    return Ok(false);
                }
            }
        })
    }

    fn not_copied(&self, to: &Path, error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::sqlite(&self.path)(error)
            }
            _ => StoreError::NotCopied { path: to.to_owned(), error },
        }
    }
}

/// The statements, one after the other.
const COPY: &str = include_str!("copy_part.sql");

impl Store {
    /// Writes some analyses to a new database in an empty file: their trees, the whole lists of
    /// their positions, directives and names of their roots, closing searches, and results of
    /// tablebases and games. The database must have the newest schema version.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotCopied`] if the copy cannot be written; other errors are of this database.
    pub fn copy_part(&self, to: &Path, analyses: &[AnalysisId]) -> Result<(), StoreError> {
        let earlier = self.earlier_positions(analyses)?;
        let copy = Store::open_for_now(to)?;
        let failed = |error| StoreError::NotCopied { path: to.to_owned(), error };
        let path = self.path.to_string_lossy();
        let copied = copy.writer.with_connection(BUSY_TIMEOUT, |writing| {
            copy_rows(&writing.db, &path, analyses, &earlier)
        });
        copied.unwrap_or(Ok(())).map_err(failed)
    }

    /// The rows of the positions before the roots, and of the roots.
    fn earlier_positions(&self, analyses: &[AnalysisId]) -> Result<Vec<i64>, StoreError> {
        let mut rows = Vec::new();
        for id in analyses {
            let Some(game) = self.analysis(*id)?.and_then(|row| row.game()) else { continue };
            for position in game.positions() {
                rows.extend(self.row_of(&position)?);
            }
        }
        Ok(rows)
    }
}

fn copy_rows(
    db: &Connection,
    path: &str,
    analyses: &[AnalysisId],
    earlier: &[i64],
) -> rusqlite::Result<()> {
    // The rows come in any order.
    db.pragma_update(None, "foreign_keys", false)?;
    db.execute("ATTACH ?1 AS whole", [path])?;
    let tables = "CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY);
        CREATE TEMP TABLE place (id INTEGER PRIMARY KEY);
        BEGIN;";
    db.execute_batch(tables)?;
    let mut wanted = db.prepare("INSERT OR IGNORE INTO wanted VALUES (?1)")?;
    analyses.iter().try_for_each(|id| wanted.execute([id.0]).map(drop))?;
    let mut place = db.prepare("INSERT OR IGNORE INTO place VALUES (?1)")?;
    earlier.iter().try_for_each(|id| place.execute([id]).map(drop))?;
    db.execute_batch(COPY)?;
    db.execute_batch("COMMIT")?;
    drop((wanted, place));
    db.execute_batch("DETACH whole")
}

#[cfg(test)]
mod tests {
    use crate::files::wal_of;

    use super::*;

    fn count(db: &Connection) -> i64 {
        db.query_row("SELECT count(*) FROM noise", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_copy_is_of_one_moment_while_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let [path, to] = ["tree.db", "copy.db"].map(|name| folder.path().join(name));
        let writer = Store::open(&path).unwrap();
        writer.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        let write = || {
            writer.db.execute_batch("INSERT INTO noise VALUES (zeroblob(300000))").unwrap();
        };
        (0..50).for_each(|_| write());
        let reader = Store::open_to_read(&path).unwrap();
        let mut parts = Vec::new();
        let is_whole = reader.copy_to(&to, |done, all| {
            parts.push((done, all));
            write();
            true
        });
        assert!(is_whole.unwrap());
        assert_eq!(parts.iter().map(|(done, _)| *done).collect::<Vec<_>>(), [1024, 2048, 3072]);
        assert!(parts.iter().all(|(_, all)| *all == parts[0].1), "{parts:?}");
        assert!(!wal_of(&to).exists(), "all is in the file itself");
        let copy = Store::open_to_read(&to).unwrap();
        assert_eq!((count(&copy.db), count(&writer.db)), (50, 53));
        assert!(copy.integrity().unwrap().is_empty());
        let number = |db: &Connection, name| -> i64 {
            db.pragma_query_value(None, name, |row| row.get(0)).unwrap()
        };
        for name in ["application_id", "user_version"] {
            assert_eq!(number(&copy.db, name), number(&writer.db, name), "{name}");
        }
    }

    #[test]
    fn who_does_not_go_on_has_no_copy() {
        let folder = tempfile::tempdir().unwrap();
        let [path, to] = ["tree.db", "copy.db"].map(|name| folder.path().join(name));
        let store = Store::open(&path).unwrap();
        store.db.execute_batch("CREATE TABLE noise (bytes)").unwrap();
        store.db.execute_batch("INSERT INTO noise VALUES (zeroblob(9000000))").unwrap();
        assert!(!store.copy_to(&to, |_, _| false).unwrap());
        assert!(matches!(
            Store::open_to_read(&to),
            Err(StoreError::Foreign(_) | StoreError::Empty(_) | StoreError::Damaged { .. })
        ));
        let nowhere = folder.path().join("no/such/folder");
        let error = store.copy_to(&nowhere, |_, _| true).unwrap_err();
        assert!(matches!(error, StoreError::NotCopied { .. }), "{error}");
    }

    /// Columns added to a table later must be copied, too.
    #[test]
    fn every_table_is_copied_or_left_out_on_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let tables: Vec<String> = store.rows(sql, [], |row| row.get(0)).unwrap();
        let left_out = [
            "source",
            "merge",
            "conflict",
            "merged_analysis",
            "merged_closing",
            "merged_directive",
            "agenda",
        ];
        for table in tables {
            let is_copied = COPY.contains(&format!("INSERT INTO main.{table}"));
            assert_eq!(is_copied, !left_out.contains(&table.as_str()), "{table}");
        }
    }
}
