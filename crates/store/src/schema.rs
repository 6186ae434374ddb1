//! The versions of the schema, and migration to the newest.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};

use super::analyses::AnalysisId;
use super::error::StoreError;
use super::files::free_name;
use super::open::Store;
use super::repetitions::empty_former_trees;

/// "dana" in `PRAGMA application_id`; the schema sets it.
pub(super) const APPLICATION_ID: i64 = 1_684_106_849;
/// "dpna": used by files of the schemas before this one.
const FORMER_APPLICATION_ID: i64 = 1_685_089_889;

/// Tables and indices of the newest version: what a new file gets.
const SCHEMA: &str = include_str!("../../../migrations/schema.sql");
/// Views of the newest version. A file that is brought up to date gets them anew.
const VIEWS: &str = include_str!("../../../migrations/views.sql");

/// A step from the version before.
#[derive(Clone, Copy)]
struct Step {
    /// The version it comes to.
    version: i64,
    /// Changes of what is there.
    up: &'static str,
    /// New tables.
    tables: &'static str,
    /// Back to the tables of the version before.
    down: &'static str,
}

/// Frozen once released. Version 7 is that of 0.1.0, 8 of 0.2.0.
const STEPS: &[Step] = &[
    Step {
        version: 8,
        up: include_str!("../../../migrations/08-page/up.sql"),
        tables: include_str!("../../../migrations/08-page/tables.sql"),
        down: include_str!("../../../migrations/08-page/down.sql"),
    },
    Step {
        version: HISTORIES,
        up: include_str!("../../../migrations/09-histories/up.sql"),
        tables: include_str!("../../../migrations/09-histories/tables.sql"),
        down: include_str!("../../../migrations/09-histories/down.sql"),
    },
    // Other views.
    Step { version: 10, up: "", tables: "", down: "" },
    Step {
        version: 11,
        up: "",
        tables: include_str!("../../../migrations/11-second-look/tables.sql"),
        down: include_str!("../../../migrations/11-second-look/down.sql"),
    },
];
/// The first version whose step can be taken: that of 0.1.0.
const OLDEST: i64 = 7;
/// After the step to this version trees of the former rule of repetitions are emptied.
pub(super) const HISTORIES: i64 = 9;

/// The version that this program writes.
pub(super) const NEWEST: i64 = 11;

/// The tables and indices of a version, in memory: a file must match them. The newest has its
/// views, too.
pub(super) fn model(version: i64) -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(SCHEMA)?;
    match version {
        NEWEST => db.execute_batch(VIEWS)?,
        _ => go_back(&db, version)?,
    }
    Ok(db)
}

/// Undoes the steps behind a version.
fn go_back(db: &Connection, version: i64) -> rusqlite::Result<()> {
    let later = STEPS.iter().rev().filter(|step| step.version > version);
    later.map(|step| step.down).try_for_each(|down| db.execute_batch(down))
}

/// Removes the views of every version, but none that the user has added.
fn drop_views(db: &Connection) -> rusqlite::Result<()> {
    let views = VIEWS.lines().filter_map(|line| line.strip_prefix("CREATE VIEW "));
    let mut names = views.filter_map(|view| view.split([' ', '(']).next());
    names.try_for_each(|name| db.execute_batch(&format!("DROP VIEW IF EXISTS {name}")))
}

/// With foreign keys, dropping a rebuilt table would empty those that refer to it; without the
/// legacy way of renaming, SQLite refuses if a view names a table being rebuilt.
fn rebuilds(db: &Connection, are_made: bool) -> rusqlite::Result<()> {
    db.pragma_update(None, "foreign_keys", !are_made)?;
    db.pragma_update(None, "legacy_alter_table", are_made)
}

/// Refuses databases of others, of schemas before the first release, and of newer programs.
pub(super) fn refuse_others(path: &Path, application: i64, version: i64) -> Result<(), StoreError> {
    let path = path.to_owned();
    match (application, version) {
        (APPLICATION_ID, 0 | OLDEST..=NEWEST) => Ok(()),
        (APPLICATION_ID, version) if version > NEWEST => {
            Err(StoreError::Newer { path, found: version, known: NEWEST })
        }
        (APPLICATION_ID | FORMER_APPLICATION_ID, _) => Err(StoreError::Former { path, version }),
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

    /// Shows a file of an older version as one of the newest, through temporary tables and views of
    /// this connection.
    pub(super) fn show_as_newest(&self, version: i64) -> Result<(), StoreError> {
        let temporary = |sql: &str| {
            let sql = sql.replace("CREATE TABLE", "CREATE TEMP TABLE");
            self.db.execute_batch(&sql.replace("CREATE VIEW", "CREATE TEMP VIEW"))
        };
        let show = || {
            if version < NEWEST {
                // Temporary tables cannot refer to others.
                self.db.pragma_update(None, "foreign_keys", false)?;
                temporary(VIEWS)?;
            }
            if version < 8 {
                self.db.execute_batch(
                    "CREATE TEMP VIEW agenda AS
                    SELECT *, NULL AS pause_at, NULL AS until_stable, NULL AS turn FROM main.agenda",
                )?;
            }
            let mut later = STEPS.iter().filter(|step| step.version > version);
            later.try_for_each(|step| temporary(step.tables))
        };
        show().map_err(StoreError::sqlite(&self.path))
    }

    /// Makes a file of an older version with these rows.
    #[cfg(test)]
    pub(super) fn make_version(path: &Path, version: i64, rows: &str) {
        let db = model(NEWEST).unwrap();
        db.execute_batch(rows).unwrap();
        if version < NEWEST {
            drop_views(&db).unwrap();
            go_back(&db, version).unwrap();
        }
        db.pragma_update(None, "user_version", version).unwrap();
        db.execute("VACUUM INTO ?1", [path.to_str()]).unwrap();
        let file = Connection::open(path).unwrap();
        file.pragma_update(None, "journal_mode", "wal").unwrap();
    }

    /// Makes the schema of an empty file, and brings that of an older version up to date.
    pub(super) fn migrate(&mut self, version: i64) -> Result<(), StoreError> {
        self.migrate_by(STEPS, version)
    }

    fn migrate_by(&mut self, steps: &[Step], version: i64) -> Result<(), StoreError> {
        let copy = if version > 0 { self.copy_of(version)? } else { None };
        let migrated = self.take_steps(steps).map_err(StoreError::sqlite(&self.path));
        match (copy, &migrated) {
            (Some(copy), Ok(())) => {
                tracing::warn!(copy = %copy.display(), "the schema is a newer one now");
                self.copy = Some(copy);
            }
            // The next attempt makes another.
            (Some(copy), Err(_)) => drop(std::fs::remove_file(copy)),
            (None, _) => {}
        }
        migrated
    }

    /// Takes the steps from the file's version on in one transaction.
    fn take_steps(&mut self, steps: &[Step]) -> rusqlite::Result<()> {
        rebuilds(&self.db, true)?;
        let mut take = || {
            let db = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have been first.
            let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
            let newest = steps.last().map_or(NEWEST, |step| step.version);
            if version == 0 {
                db.execute_batch(SCHEMA)?;
            } else if version < newest {
                drop_views(&db)?;
                for step in steps.iter().filter(|step| step.version > version) {
                    db.execute_batch(step.up)?;
                    db.execute_batch(step.tables)?;
                    if step.version == HISTORIES {
                        empty_former_trees(&db)?;
                    }
                }
            }
            if version < newest {
                db.execute_batch(VIEWS)?;
                db.pragma_update(None, "user_version", newest)?;
            }
            db.commit()
        };
        let taken = take();
        rebuilds(&self.db, false)?;
        taken
    }

    /// Copies a file of an older version, before changing it, into a new one beside it; `None` if
    /// another process has migrated it meanwhile, which has its copy.
    fn copy_of(&self, version: i64) -> Result<Option<PathBuf>, StoreError> {
        let failed = |source| StoreError::Io { path: self.path.clone(), source };
        self.refuse_growing(version)?;
        let copy = free_name(&self.path, &format!("version-{version}-copy"));
        let copy = copy.ok_or_else(|| failed(std::io::ErrorKind::AlreadyExists.into()))?;
        let copied = self.copy_to(&copy, |_, _| true).and_then(|_| {
            let file = OpenOptions::new().write(true).open(&copy).map_err(failed)?;
            file.sync_all().map_err(failed)?;
            self.user_version()
        });
        match copied {
            Ok(now) if now == version => Ok(Some(copy)),
            Ok(_) => std::fs::remove_file(&copy).map_err(failed).map(|()| None),
            Err(error) => {
                let _ = std::fs::remove_file(&copy);
                Err(error)
            }
        }
    }

    /// The copy of the file from before its schema was updated, if it was.
    pub fn copy_of_former(&self) -> Option<&Path> {
        self.copy.as_deref()
    }

    /// A program of this version that grows a tree would leave out columns of later ones.
    fn refuse_growing(&self, version: i64) -> Result<(), StoreError> {
        match self.growing().into_iter().min() {
            Some(AnalysisId(analysis)) if self.user_version()? == version => {
                Err(StoreError::InUse { path: self.path.clone(), version, analysis })
            }
            _ => Ok(()),
        }
    }

    /// The schema version in the file.
    pub(super) fn user_version(&self) -> Result<i64, StoreError> {
        let version = self.db.pragma_query_value(None, "user_version", |row| row.get(0));
        version.map_err(StoreError::sqlite(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{plain, schema_of};
    use crate::{AnalysisRow, Patience};

    /// Another step, which rebuilds a table.
    const REBUILT: Step = Step {
        version: NEWEST + 1,
        up: "CREATE TABLE game_2 (id INTEGER PRIMARY KEY, start_epd TEXT NOT NULL,
                history TEXT NOT NULL, opening TEXT) STRICT;
            INSERT INTO game_2 (id, start_epd, history) SELECT id, start_epd, history FROM game;
            DROP TABLE game;
            ALTER TABLE game_2 RENAME TO game;",
        tables: "",
        down: "",
    };

    fn count(db: &Connection, what: &str) -> i64 {
        db.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_migration_copies_the_file_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let copies = || std::fs::read_dir(folder.path()).unwrap().flatten().map(|f| f.file_name());
        let copies = || copies().filter(|name| name.to_string_lossy().contains("copy"));
        let mut store = Store::open(&path).unwrap();
        // Rows that refer to the rebuilt table, and objects that the user has added.
        let rows = "INSERT INTO position (id, hash, board, state) VALUES (1, 0, 'a', '');
            INSERT INTO game (id, start_epd, history) VALUES (7, 'a', '');
            INSERT INTO directive (game, position, kind, created_at) VALUES (7, 1, 'stop', 0);
            CREATE VIEW mine AS SELECT id FROM game;";
        store.db.execute_batch(rows).unwrap();
        assert_eq!(copies().count(), 0, "a new file has no older version");
        let mut late = Store::open(&path).unwrap();
        let steps = [STEPS, &[REBUILT]].concat();
        store.migrate_by(&steps, NEWEST).unwrap();
        assert_eq!(store.user_version().unwrap(), NEWEST + 1);
        assert_eq!(["directive", "mine"].map(|what| count(&store.db, what)), [1, 1]);
        assert!(store.integrity().unwrap().is_empty());
        late.migrate_by(&steps, NEWEST).unwrap();
        let copy = format!("tree.db.version-{NEWEST}-copy-1");
        assert_eq!(copies().collect::<Vec<_>>(), [&*copy]);
        drop((store, late));
        let newer = Store::open(&path).map(drop).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found: 12, known: NEWEST, .. }), "{newer}");
        let copy = Store::open(&folder.path().join(copy)).unwrap();
        assert_eq!((copy.user_version().unwrap(), count(&copy.db, "directive")), (NEWEST, 1));
        assert!(copy.check_schema().unwrap().is_empty());
    }

    #[test]
    fn failed_steps_and_failed_copies_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let steps =
            [STEPS, &[Step { up: "DROP TABLE position; CREATE TABLE agenda (a)", ..REBUILT }]]
                .concat();
        assert!(store.migrate_by(&steps, NEWEST).is_err());
        assert_eq!((store.user_version().unwrap(), count(&store.db, "position")), (NEWEST, 0));
        assert!(store.check_schema().unwrap().is_empty());
        let copy = |number| format!("{}.version-{NEWEST}-copy-{number}", path.display());
        assert!(!Path::new(&copy(1)).exists(), "the copy of a file that stays as it was");
        // No name beside it is free.
        for number in 1..1000 {
            std::fs::write(copy(number), "").unwrap();
        }
        let steps = [STEPS, &[REBUILT]].concat();
        assert!(matches!(store.migrate_by(&steps, NEWEST), Err(StoreError::Io { .. })));
        assert_eq!(store.user_version().unwrap(), NEWEST);
    }

    const ROWS: &str = include_str!("../../../tests/databases/pawns.sql");
    /// The engine nodes of its trees, the last one grown first.
    const NODES: [u64; 4] = [34635, 6894, 39505, 39505];

    /// A file of an older version with some trees.
    fn former(version: i64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        Store::make_version(&path, version, ROWS);
        (folder, path)
    }

    #[test]
    fn older_files_are_read_as_they_are() {
        for version in OLDEST..NEWEST {
            let (_folder, path) = former(version);
            let reader = Store::open_to_read(&path).unwrap();
            let rows = reader.analyses().unwrap();
            let is_plain = |row: &AnalysisRow| row.found.is_empty() && row.settings.games.is_none();
            assert!(rows.len() == 4 && rows.iter().all(is_plain));
            assert!(rows.iter().all(|row| reader.known_counts(row).unwrap().is_empty()));
            assert_eq!((reader.user_version().unwrap(), nodes(&reader)), (version, NODES.to_vec()));
            assert_eq!(count(&reader.db, "played_move"), 0);
        }
    }

    #[test]
    fn an_older_file_keeps_its_trees_and_their_numbers() {
        for version in OLDEST..NEWEST {
            let (_folder, path) = former(version);
            let rows = Store::open_to_read(&path).unwrap().analyses().unwrap();
            let db = Connection::open(&path).unwrap();
            // The last number belongs to a deleted tree.
            db.execute_batch("UPDATE sqlite_sequence SET seq = 77 WHERE name = 'analysis'")
                .unwrap();
            drop(db);
            let store = Store::open(&path).unwrap();
            assert_eq!(store.analyses().unwrap(), rows);
            assert!(
                store.integrity().unwrap().is_empty() && store.check_schema().unwrap().is_empty()
            );
            let last = "SELECT seq FROM sqlite_sequence WHERE name = 'analysis'";
            assert_eq!(store.db.query_row(last, [], |row| row.get(0)), Ok(77));
            assert!(count(&store.db, "node") > 0, "what hangs on a tree stays");
        }
    }

    fn nodes(store: &Store) -> Vec<u64> {
        store.analyses().unwrap().iter().map(|row| row.nodes).collect()
    }

    #[test]
    fn a_step_and_its_way_back_come_to_the_same() {
        for version in OLDEST..NEWEST {
            let db = model(version).unwrap();
            for step in STEPS.iter().filter(|step| step.version > version) {
                db.execute_batch(step.up).unwrap();
                db.execute_batch(step.tables).unwrap();
            }
            db.execute_batch(VIEWS).unwrap();
            assert_eq!(schema_of(&db).unwrap(), schema_of(&model(NEWEST).unwrap()).unwrap());
        }
    }

    #[test]
    fn added_columns_count_as_written_with_the_table() {
        let written = "CREATE TABLE agenda (
            -- A comment, with an (unpaired sign.
            id INTEGER CHECK (id IN (0, 1)),
            weight INTEGER, place TEXT,
            CHECK (id > 0)
        )";
        let added = "CREATE TABLE \"agenda\" (id INTEGER CHECK (id IN (0, 1))
            , weight INTEGER /* As before. */, place TEXT /* Not NULL. */,\n CHECK (id > 0))";
        assert_eq!(plain(added), plain(written));
        assert_ne!(plain(&added.replace("0, 1", "0, 2")), plain(written));
        assert_ne!(plain(&added.replace("TEXT", "INTEGER")), plain(written));
    }

    #[test]
    fn an_older_file_stays_unchanged_while_read() {
        let (_folder, path) = former(OLDEST);
        let before = std::fs::read(&path).unwrap();
        let reader = Store::open_to_read(&path).unwrap();
        assert_eq!(nodes(&reader), NODES);
        assert_eq!(reader.check_schema().unwrap(), [""; 0]);
        assert_eq!(reader.user_version().unwrap(), OLDEST);
        assert!(std::fs::read(&path).unwrap() == before);
        // And once another program has changed it.
        let store = Store::open(&path).unwrap();
        store.db.execute_batch("UPDATE analysis SET nodes = 7").unwrap();
        assert_eq!([nodes(&reader), nodes(&store)], [[7; 4]; 2]);
    }

    #[test]
    fn an_updated_file_has_a_copy_of_the_older_one() {
        let (folder, path) = former(OLDEST);
        let store = Store::open(&path).unwrap();
        assert_eq!((store.user_version().unwrap(), nodes(&store)), (NEWEST, NODES.to_vec()));
        assert_eq!(store.check_schema().unwrap(), [""; 0]);
        let copy = folder.path().join(format!("tree.db.version-{OLDEST}-copy-1"));
        assert_eq!(store.copy_of_former(), Some(&*copy));
        assert_eq!(Store::open(&path).unwrap().copy_of_former(), None, "it is reported once");
        let copy = Store::open_to_read(&copy).unwrap();
        assert_eq!((copy.user_version().unwrap(), nodes(&copy)), (OLDEST, NODES.to_vec()));
    }

    #[test]
    fn versions_before_the_first_release_are_refused() {
        for version in [1, OLDEST - 1] {
            let (_folder, path) = former(OLDEST);
            let db = Connection::open(&path).unwrap();
            db.pragma_update(None, "user_version", version).unwrap();
            drop(db);
            let before = std::fs::read(&path).unwrap();
            for refused in [Store::open(&path), Store::open_to_read(&path)] {
                let refused = refused.map(drop).unwrap_err();
                let is_named = matches!(refused, StoreError::Former { version: named, .. } if named == version);
                assert!(is_named, "{refused}");
            }
            assert!(std::fs::read(&path).unwrap() == before);
        }
    }

    #[test]
    fn files_in_use_are_not_migrated() {
        let (folder, path) = former(OLDEST);
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let reader = Store::open_to_read(&path).unwrap();
        let (lock, there) = (reader.lock(AnalysisId(2)).unwrap(), files());
        let refused = Store::open(&path).map(drop).unwrap_err();
        assert!(
            matches!(refused, StoreError::InUse { version: OLDEST, analysis: 2, .. }),
            "{refused}"
        );
        assert_eq!((reader.user_version().unwrap(), files()), (OLDEST, there));
        drop(lock);
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        let patience = Patience::new(|| true, |_| {}).restless();
        let refused = Store::open_with(&path, patience).map(drop).unwrap_err();
        assert!(refused.is_busy(), "{refused}");
        assert_eq!(
            (reader.user_version().unwrap(), files()),
            (OLDEST, there - 1),
            "no copy is left"
        );
        drop(writer);
        assert_eq!(nodes(&Store::open(&path).unwrap()), NODES);
    }
}
