//! A copy of some analyses as a database of its own.

use std::path::Path;

use rusqlite::Connection;

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::open::Store;
use super::writer::BUSY_TIMEOUT;

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
    use super::*;

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
