//! The versions of the schema, and how a file comes to the newest.

use std::fs::OpenOptions;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite_migration::{M, Migrations};

use super::error::StoreError;
use super::files::free_name;
use super::memo::index;
use super::open::Store;

/// "dana" in `PRAGMA application_id`; the first step sets it.
pub(super) const APPLICATION_ID: i64 = 1_684_106_849;
/// "dpna": what files of the schemas before this one have.
const FORMER_APPLICATION_ID: i64 = 1_685_089_889;

/// Frozen once released; each says why it exists. Readers know the last one alone: with a second step,
/// `open_to_read` has to bring a file up to date first.
const STEPS: &[&str] = &[include_str!("../../migrations/01-first/up.sql")];

/// The schema that this program writes, in memory: what a file must have.
pub(super) fn model() -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    STEPS.iter().try_for_each(|step| db.execute_batch(step)).map(|()| db)
}

/// The version that this program writes.
pub(super) fn known_version() -> i64 {
    index(STEPS.len())
}

/// Refuses databases of others, of former schemas, and of newer programs.
pub(super) fn refuse_others(path: &Path, application: i64, version: i64) -> Result<(), StoreError> {
    let (path, known) = (path.to_owned(), known_version());
    match application {
        APPLICATION_ID if version <= known => Ok(()),
        APPLICATION_ID => Err(StoreError::Newer { path, found: version, known }),
        FORMER_APPLICATION_ID => Err(StoreError::Former { path, version }),
        _ => Err(StoreError::Foreign(path)),
    }
}

impl Store {
    /// The schema version of a file that is ours or empty. Writes nothing.
    pub(super) fn read_version(&self) -> Result<i64, StoreError> {
        // One statement sees one state, while another process makes the database.
        let sql = "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
            FROM pragma_user_version, pragma_application_id";
        let row = self.db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let (version, application, tables): (i64, i64, i64) =
            row.map_err(StoreError::sqlite(&self.path))?;
        let empty = application == 0 && version == 0 && tables == 0;
        if !empty {
            refuse_others(&self.path, application, version)?;
        }
        self.db
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
            .map_err(StoreError::sqlite(&self.path))?;
        Ok(version)
    }

    /// Brings the schema of a file of some version up to date.
    pub(super) fn migrate(&mut self, version: i64) -> Result<(), StoreError> {
        self.migrate_by(STEPS, version)
    }

    fn migrate_by(&mut self, steps: &[&str], version: i64) -> Result<(), StoreError> {
        if version > 0 {
            self.keep_copy(version)?;
        }
        match self.take_steps(steps) {
            Ok(()) => Ok(()),
            // Two processes made the same new file: the other one was first.
            Err(_) if self.user_version()? == index(steps.len()) => Ok(()),
            Err(rusqlite_migration::Error::RusqliteError { err, .. }) => {
                Err(StoreError::sqlite(&self.path)(err))
            }
            Err(error) => Err(self.damaged(format!("its schema cannot be updated: {error}"))),
        }
    }

    /// With foreign keys, dropping a table that is rebuilt would empty those that refer to it; and without
    /// the old way of renaming, SQLite refuses where a view of the user's names a table that is being
    /// rebuilt.
    fn take_steps(&mut self, steps: &[&str]) -> rusqlite_migration::Result<()> {
        let rebuilds = |db: &Connection, are_made: bool| {
            db.pragma_update(None, "foreign_keys", !are_made)?;
            db.pragma_update(None, "legacy_alter_table", are_made)
        };
        rebuilds(&self.db, true)?;
        let steps = Migrations::new(steps.iter().map(|step| M::up(step)).collect());
        let migrated = steps.to_latest(&mut self.db);
        rebuilds(&self.db, false)?;
        migrated
    }

    /// Copies a file of an older version, which is to be changed, into a new one beside it.
    fn keep_copy(&self, version: i64) -> Result<(), StoreError> {
        let failed = |source| StoreError::Io { path: self.path.clone(), source };
        let copy = free_name(&self.path, &format!("version-{version}-copy"));
        let copy = copy.ok_or_else(|| failed(std::io::ErrorKind::AlreadyExists.into()))?;
        let copied = self.copy_to(&copy, |_, _| true).and_then(|_| {
            let file = OpenOptions::new().write(true).open(&copy).map_err(failed)?;
            file.sync_all().map_err(failed)?;
            self.user_version()
        });
        match copied {
            Ok(now) if now == version => {
                let copy = copy.display();
                tracing::warn!(%copy, "the database gets a newer schema; the copy has the old one");
                Ok(())
            }
            // Another process was first, and has its copy.
            Ok(_) => std::fs::remove_file(&copy).map_err(failed),
            Err(error) => {
                let _ = std::fs::remove_file(&copy);
                Err(error)
            }
        }
    }

    /// What its schema says of itself.
    pub(super) fn user_version(&self) -> Result<i64, StoreError> {
        let version = self.db.pragma_query_value(None, "user_version", |row| row.get(0));
        version.map_err(StoreError::sqlite(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second step that rebuilds a table.
    const REBUILT: &str = "CREATE TABLE game_2 (id INTEGER PRIMARY KEY, start_epd TEXT NOT NULL,
            history TEXT NOT NULL, opening TEXT) STRICT;
        INSERT INTO game_2 (id, start_epd, history) SELECT id, start_epd, history FROM game;
        DROP TABLE game;
        ALTER TABLE game_2 RENAME TO game;";

    fn count(db: &Connection, what: &str) -> i64 {
        db.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn before_a_step_changes_a_file_a_copy_is_made_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let copies = || std::fs::read_dir(folder.path()).unwrap().flatten().map(|f| f.file_name());
        let copies = || copies().filter(|name| name.to_string_lossy().contains("copy"));
        let mut store = Store::open(&path).unwrap();
        // What refers to the table that is rebuilt, and what the user has added for queries.
        let rows = "INSERT INTO position (id, epd) VALUES (1, 'a');
            INSERT INTO game (id, start_epd, history) VALUES (7, 'a', '');
            INSERT INTO directive (game, position, kind, created_at) VALUES (7, 1, 'stop', 0);
            CREATE VIEW mine AS SELECT id FROM game;";
        store.db.execute_batch(rows).unwrap();
        assert_eq!(copies().count(), 0, "a new file has no older version");
        let mut late = Store::open(&path).unwrap();
        let steps = [STEPS, &[REBUILT]].concat();
        store.migrate_by(&steps, 1).unwrap();
        assert_eq!(store.user_version().unwrap(), 2);
        assert_eq!(["directive", "mine"].map(|what| count(&store.db, what)), [1, 1]);
        assert!(store.integrity().unwrap().is_empty());
        late.migrate_by(&steps, 1).unwrap();
        assert_eq!(copies().collect::<Vec<_>>(), ["tree.db.version-1-copy-1"]);
        drop((store, late));
        let newer = Store::open(&path).map(drop).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found: 2, known: 1, .. }), "{newer}");
        let copy = Store::open(&folder.path().join("tree.db.version-1-copy-1")).unwrap();
        assert_eq!((copy.user_version().unwrap(), count(&copy.db, "directive")), (1, 1));
        assert!(copy.check_schema().unwrap().is_empty());
    }

    #[test]
    fn a_step_that_fails_changes_nothing_and_neither_does_a_copy_that_cannot_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let steps = [STEPS, &["DROP TABLE position; CREATE TABLE agenda (a)"]].concat();
        assert!(store.migrate_by(&steps, 1).is_err());
        assert_eq!((store.user_version().unwrap(), count(&store.db, "position")), (1, 0));
        assert!(store.check_schema().unwrap().is_empty());
        // Nobody can write beside it.
        for number in 1..1000 {
            std::fs::write(format!("{}.version-1-copy-{number}", path.display()), "").unwrap();
        }
        let steps = [STEPS, &[REBUILT]].concat();
        assert!(matches!(store.migrate_by(&steps, 1), Err(StoreError::Io { .. })));
        assert_eq!(store.user_version().unwrap(), 1);
    }
}
