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
    assert!(matches!(newer, StoreError::Newer { found: 13, known: NEWEST, .. }), "{newer}");
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
        [STEPS, &[Step { up: "DROP TABLE position; CREATE TABLE agenda (a)", ..REBUILT }]].concat();
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

const ROWS: &str = include_str!("../../../../tests/databases/pawns.sql");
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
        db.execute_batch("UPDATE sqlite_sequence SET seq = 77 WHERE name = 'analysis'").unwrap();
        drop(db);
        let store = Store::open(&path).unwrap();
        assert_eq!(store.analyses().unwrap(), rows);
        assert!(store.integrity().unwrap().is_empty() && store.check_schema().unwrap().is_empty());
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
            let is_named =
                matches!(refused, StoreError::Former { version: named, .. } if named == version);
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
    assert!(matches!(refused, StoreError::InUse { version: OLDEST, analysis: 2, .. }), "{refused}");
    assert_eq!((reader.user_version().unwrap(), files()), (OLDEST, there));
    drop(lock);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let patience = Patience::new(|| true, |_| {}).restless();
    let refused = Store::open_with(&path, patience).map(drop).unwrap_err();
    assert!(refused.is_busy(), "{refused}");
    assert_eq!((reader.user_version().unwrap(), files()), (OLDEST, there - 1), "no copy is left");
    drop(writer);
    assert_eq!(nodes(&Store::open(&path).unwrap()), NODES);
}
