//! The versions of the schema, and migration to the newest.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction};
use rusqlite_migration::{M, Migrations};

use super::analyses::AnalysisId;
use super::closing::put_checksums;
use super::error::StoreError;
use super::files::free_name;
use super::memo::index;
use super::open::Store;
use super::packing::add_functions;
use super::repetitions::empty_former_trees;

/// "dana" in `PRAGMA application_id`; the first step sets it.
pub(super) const APPLICATION_ID: i64 = 1_684_106_849;
/// "dpna": used by files of the schemas before this one.
const FORMER_APPLICATION_ID: i64 = 1_685_089_889;

/// Frozen once released; each says why it exists. Reading leaves a file as it is: a view shows what
/// a step would add.
const STEPS: &[&str] = &[
    include_str!("../../../migrations/01-first/up.sql"),
    include_str!("../../../migrations/02-nodes/up.sql"),
    CLOSINGS,
    include_str!("../../../migrations/04-found/up.sql"),
    concat!(
        include_str!("../../../migrations/05-games/up.sql"),
        include_str!("../../../migrations/05-games/tables.sql")
    ),
    include_str!("../../../migrations/06-draws/up.sql"),
    concat!(
        include_str!("../../../migrations/07-answers/up.sql"),
        include_str!("../../../migrations/07-answers/merges.sql"),
        include_str!("../../../migrations/07-answers/rechecks.sql")
    ),
    concat!(
        include_str!("../../../migrations/08-page/up.sql"),
        include_str!("../../../migrations/08-page/tables.sql")
    ),
    REPETITIONS,
    include_str!("../../../migrations/10-present/up.sql"),
];
/// Views for readers, which show a file's analyses as of the last version, by the file's version.
const VIEWS: [&str; 6] = [
    include_str!("../../../migrations/02-nodes/view.sql"),
    include_str!("../../../migrations/04-found/view.sql"),
    include_str!("../../../migrations/04-found/view.sql"),
    include_str!("../../../migrations/05-games/view.sql"),
    include_str!("../../../migrations/06-draws/view.sql"),
    "",
];
/// The step to version 3 makes only new tables and views, from existing rows.
const CLOSINGS: &str = include_str!("../../../migrations/03-closing/up.sql");
/// The step to version 9, after which trees of the former rule are emptied, and its new tables.
const REPETITIONS: &str = concat!(
    include_str!("../../../migrations/09-histories/up.sql"),
    include_str!("../../../migrations/09-histories/tables.sql")
);
const HISTORIES: &str = include_str!("../../../migrations/09-histories/tables.sql");
/// Views of the answers of files before version 6, and of closing searches in files that have
/// those.
const ANSWERS: &str = include_str!("../../../migrations/06-draws/answers.sql");
const SHARES: &str = include_str!("../../../migrations/06-draws/shares.sql");
const NEW_SHARES: &str = include_str!("../../../migrations/06-draws/new_shares.sql");
/// Views of positions, sources and answers of files before version 7.
const PACKED: &str = include_str!("../../../migrations/07-answers/view.sql");
/// New tables of version 5, without rebuilt ones.
const GAMES: &str = include_str!("../../../migrations/05-games/tables.sql");
/// Tables of version 7.
const MERGES: &str = include_str!("../../../migrations/07-answers/merges.sql");
const RECHECKS: &str = include_str!("../../../migrations/07-answers/rechecks.sql");
/// View of the agenda of files before version 8, and its new tables.
const AGENDA: &str = include_str!("../../../migrations/08-page/view.sql");
const PAGE: &str = include_str!("../../../migrations/08-page/tables.sql");

/// The schema of a version, in memory: a file must match it.
pub(super) fn model(version: i64) -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    rebuilds(&db, true)?;
    add_functions(&db)?;
    let mut steps = STEPS.iter().zip(1..=version);
    steps.try_for_each(|(step, _)| db.execute_batch(step)).map(|()| db)
}

/// With foreign keys, dropping a rebuilt table would empty those that refer to it; without the
/// legacy way of renaming, SQLite refuses if a view names a table being rebuilt.
fn rebuilds(db: &Connection, are_made: bool) -> rusqlite::Result<()> {
    db.pragma_update(None, "foreign_keys", !are_made)?;
    db.pragma_update(None, "legacy_alter_table", are_made)
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

    /// Shows a file of an older version as one of the last, through temporary tables and views of
    /// this connection.
    pub(super) fn show_as_last(&self, version: i64) -> Result<(), StoreError> {
        let show = || {
            if let Some((view, _)) = VIEWS.iter().zip(1..).find(|(_, of)| *of == version) {
                self.db.execute_batch(view)?;
            }
            let shown = |step: &str| {
                let tables = step.replace("CREATE TABLE", "CREATE TEMP TABLE");
                self.db.execute_batch(&tables.replace("CREATE VIEW", "CREATE TEMP VIEW"))
            };
            if version < 9 {
                // Temporary tables cannot refer to others.
                self.db.pragma_update(None, "foreign_keys", false)?;
            }
            if version < 5 {
                shown(GAMES)?;
            }
            if version < 3 {
                shown(CLOSINGS)?;
                put_checksums(&self.db)?;
            }
            if version < 6 {
                self.db.execute_batch(ANSWERS)?;
                let shares = if version < 3 { NEW_SHARES } else { SHARES };
                self.db.execute_batch(shares)?;
            }
            if version < 7 {
                add_functions(&self.db)?;
                self.db.execute_batch(PACKED)?;
                shown(MERGES)?;
                shown(RECHECKS)?;
            }
            if version < 8 {
                self.db.execute_batch(AGENDA)?;
                shown(PAGE)?;
            }
            if version < 9 {
                shown(HISTORIES)?;
            }
            Ok(())
        };
        show().map_err(StoreError::sqlite(&self.path))
    }

    /// Makes a file of an older version.
    #[cfg(test)]
    pub(super) fn make_version(path: &Path, version: i64, rows: &str) {
        // The rows contain answers as before version 7.
        let db = model(version.clamp(2, 6)).unwrap();
        // The rows contain columns added in version 2.
        let without = if version < 2 { "ALTER TABLE analysis DROP COLUMN nodes;" } else { "" };
        db.execute_batch(&format!("{rows}; {without} PRAGMA user_version = {version}")).unwrap();
        let later = STEPS.iter().zip(1..=version).skip(6);
        later.for_each(|(step, _)| db.execute_batch(step).unwrap());
        db.execute("VACUUM INTO ?1", [path.to_str()]).unwrap();
        let file = Connection::open(path).unwrap();
        file.pragma_update(None, "journal_mode", "wal").unwrap();
    }

    /// Brings the schema of a file of some version up to date.
    pub(super) fn migrate(&mut self, version: i64) -> Result<(), StoreError> {
        self.migrate_by(STEPS, version)
    }

    fn migrate_by(&mut self, steps: &[&str], version: i64) -> Result<(), StoreError> {
        let copy = if version > 0 { self.copy_of(version)? } else { None };
        let migrated = self.migrate_file(steps);
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

    fn migrate_file(&mut self, steps: &[&str]) -> Result<(), StoreError> {
        match self.take_steps(steps) {
            Ok(()) => Ok(()),
            // Two processes made the same new file; the other was first.
            Err(_) if self.user_version()? == index(steps.len()) => Ok(()),
            Err(rusqlite_migration::Error::RusqliteError { err, .. }) => {
                Err(StoreError::sqlite(&self.path)(err))
            }
            Err(error) => Err(self.damaged(format!("its schema cannot be updated: {error}"))),
        }
    }

    fn take_steps<'s>(&mut self, steps: &[&'s str]) -> rusqlite_migration::Result<()> {
        rebuilds(&self.db, true)?;
        add_functions(&self.db)?;
        let step = |step: &&'s str| match *step {
            CLOSINGS => M::up_with_hook(step, |db: &Transaction<'_>| Ok(put_checksums(db)?)),
            REPETITIONS => {
                M::up_with_hook(step, |db: &Transaction<'_>| Ok(empty_former_trees(db)?))
            }
            _ => M::up(step),
        };
        let steps = Migrations::new(steps.iter().map(step).collect());
        let migrated = steps.to_latest(&mut self.db);
        rebuilds(&self.db, false)?;
        migrated
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
    use crate::{AnalysisRow, Patience};

    /// The version that this program writes.
    const LAST: i64 = 10;

    /// Another step, which rebuilds a table.
    const REBUILT: &str = "CREATE TABLE game_2 (id INTEGER PRIMARY KEY, start_epd TEXT NOT NULL,
            history TEXT NOT NULL, opening TEXT) STRICT;
        INSERT INTO game_2 (id, start_epd, history) SELECT id, start_epd, history FROM game;
        DROP TABLE game;
        ALTER TABLE game_2 RENAME TO game;";

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
        store.migrate_by(&steps, LAST).unwrap();
        assert_eq!(store.user_version().unwrap(), LAST + 1);
        assert_eq!(["directive", "mine"].map(|what| count(&store.db, what)), [1, 1]);
        assert!(store.integrity().unwrap().is_empty());
        late.migrate_by(&steps, LAST).unwrap();
        let copy = format!("tree.db.version-{LAST}-copy-1");
        assert_eq!(copies().collect::<Vec<_>>(), [&*copy]);
        drop((store, late));
        let newer = Store::open(&path).map(drop).unwrap_err();
        assert!(matches!(newer, StoreError::Newer { found: 11, known: LAST, .. }), "{newer}");
        let copy = Store::open(&folder.path().join(copy)).unwrap();
        assert_eq!((copy.user_version().unwrap(), count(&copy.db, "directive")), (LAST, 1));
        assert!(copy.check_schema().unwrap().is_empty());
    }

    #[test]
    fn failed_steps_and_failed_copies_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let steps = [STEPS, &["DROP TABLE position; CREATE TABLE agenda (a)"]].concat();
        assert!(store.migrate_by(&steps, LAST).is_err());
        assert_eq!((store.user_version().unwrap(), count(&store.db, "position")), (LAST, 0));
        assert!(store.check_schema().unwrap().is_empty());
        let copy = |number| format!("{}.version-{LAST}-copy-{number}", path.display());
        assert!(!Path::new(&copy(1)).exists(), "the copy of a file that stays as it was");
        // No name beside it is free.
        for number in 1..1000 {
            std::fs::write(copy(number), "").unwrap();
        }
        let steps = [STEPS, &[REBUILT]].concat();
        assert!(matches!(store.migrate_by(&steps, LAST), Err(StoreError::Io { .. })));
        assert_eq!(store.user_version().unwrap(), LAST);
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
    fn old_schema_reads_without_found_or_games() {
        for version in 1..LAST {
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
        for version in 1..LAST {
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
    fn version_1_reads_with_nodes_and_stays_unchanged() {
        let (_folder, path) = former(1);
        let before = std::fs::read(&path).unwrap();
        let reader = Store::open_to_read(&path).unwrap();
        assert_eq!(nodes(&reader), NODES);
        assert_eq!((reader.user_version().unwrap(), reader.check_schema().unwrap().len()), (1, 0));
        assert!(std::fs::read(&path).unwrap() == before);
        // And once another program has changed it.
        let store = Store::open(&path).unwrap();
        store.db.execute_batch("UPDATE analysis SET nodes = 7").unwrap();
        assert_eq!([nodes(&reader), nodes(&store)], [[7; 4]; 2]);
    }

    #[test]
    fn a_file_of_version_1_gets_what_its_trees_have_spent() {
        let (folder, path) = former(1);
        let store = Store::open(&path).unwrap();
        assert_eq!((store.user_version().unwrap(), nodes(&store)), (LAST, NODES.to_vec()));
        assert!(store.check_schema().unwrap().is_empty());
        let copy = folder.path().join("tree.db.version-1-copy-1");
        assert_eq!(store.copy_of_former(), Some(&*copy));
        assert_eq!(Store::open(&path).unwrap().copy_of_former(), None, "it is told of once");
        let copy = Store::open_to_read(&copy).unwrap();
        assert_eq!((copy.user_version().unwrap(), nodes(&copy)), (1, NODES.to_vec()));
    }

    #[test]
    fn files_in_use_are_not_migrated() {
        let (folder, path) = former(1);
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let reader = Store::open_to_read(&path).unwrap();
        let (lock, there) = (reader.lock(AnalysisId(2)).unwrap(), files());
        let refused = Store::open(&path).map(drop).unwrap_err();
        assert!(matches!(refused, StoreError::InUse { version: 1, analysis: 2, .. }), "{refused}");
        assert_eq!((reader.user_version().unwrap(), files()), (1, there));
        drop(lock);
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        let patience = Patience::new(|| true, |_| {}).restless();
        let refused = Store::open_with(&path, patience).map(drop).unwrap_err();
        assert!(refused.is_busy(), "{refused}");
        assert_eq!((reader.user_version().unwrap(), files()), (1, there - 1), "no copy is left");
        drop(writer);
        assert_eq!(nodes(&Store::open(&path).unwrap()), NODES);
    }
}
