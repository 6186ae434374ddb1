//! The versions of the schema, and how a file comes to the newest.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction};
use rusqlite_migration::{M, Migrations};

use super::error::StoreError;
use super::open::Store;
use super::table_moves::add_checksums;

/// "dpna" in `PRAGMA application_id`; the first migration sets it.
pub(super) const APPLICATION_ID: i64 = 1_685_089_889;

/// Frozen once released; each says why it exists.
const STEPS: [&str; 13] = [
    include_str!("../../migrations/01-memo/up.sql"),
    include_str!("../../migrations/02-verdict/up.sql"),
    concat!(
        include_str!("../../migrations/03-kept-hash/profile.sql"),
        include_str!("../../migrations/03-kept-hash/up.sql"),
    ),
    include_str!("../../migrations/04-grown/up.sql"),
    include_str!("../../migrations/05-directives/up.sql"),
    include_str!("../../migrations/06-names/up.sql"),
    include_str!("../../migrations/07-agenda/up.sql"),
    include_str!("../../migrations/08-tables/up.sql"),
    include_str!("../../migrations/09-workers/up.sql"),
    include_str!("../../migrations/10-checked-moves/up.sql"),
    include_str!("../../migrations/11-ids/up.sql"),
    include_str!("../../migrations/12-own-names/up.sql"),
    include_str!("../../migrations/13-line/up.sql"),
];

/// The steps from version to version, with what SQL alone cannot do.
fn migrations() -> Migrations<'static> {
    let step = |(version, sql): (i64, &'static str)| match version {
        WITH_CHECKED_MOVES => {
            M::up_with_hook(sql, |write: &Transaction<'_>| Ok(add_checksums(write)?))
        }
        _ => M::up(sql),
    };
    Migrations::new((1..).zip(STEPS).map(step).collect())
}

/// Shows readers of an older database its profiles as they are written now. A temporary view lies in memory,
/// and is found before the table of its name.
pub(super) const PROFILES_AS_NOW: &str = concat!(
    "PRAGMA temp_store = MEMORY;",
    include_str!("../../migrations/03-kept-hash/profile.sql"),
    "CREATE TEMP VIEW profile AS SELECT * FROM profile_3;",
);

/// The version from which on settled depths have a verdict.
const WITH_VERDICTS: i64 = 2;
/// The version from which on profiles have what a kept hash holds as data.
pub(super) const WITH_HASH_CONTENTS: i64 = 3;
/// The version from which on rows of `node` say when their lists grew.
const WITH_GROWN: i64 = 4;
/// The version from which on there are directives, and each side has distances of its own.
const WITH_DIRECTIVES: i64 = 5;
/// The version from which on roots have names.
const WITH_NAMES: i64 = 6;
/// The version from which on there is an agenda.
const WITH_AGENDA: i64 = 7;
/// The version from which on trees may go by endgame tables.
const WITH_TABLES: i64 = 8;
/// The version from which on answers say which worker gave them.
const WITH_WORKERS: i64 = 9;
/// The version from which on the moves of roots in tables have checksums, and trees say when they were grown.
const WITH_CHECKED_MOVES: i64 = 10;
/// The version from which on each analysis may have a name of its own.
const WITH_OWN_NAMES: i64 = 12;
/// The version from which on trees keep their best line.
const WITH_LINE: i64 = 13;

/// The schema of a version, in memory: what a file of it must have.
pub(super) fn model(version: i64) -> rusqlite::Result<Connection> {
    let mut db = Connection::open_in_memory()?;
    let version = usize::try_from(version).unwrap_or(STEPS.len());
    match migrations().to_version(&mut db, version) {
        Ok(()) => Ok(db),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        Err(_) => Err(rusqlite::Error::InvalidQuery),
    }
}

/// The version that this program writes.
pub(super) fn known_version() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

impl Store {
    /// Whether its settled depths have verdicts: an older one has none.
    pub(super) fn has_verdicts(&self) -> bool {
        self.version >= WITH_VERDICTS
    }

    /// Whether the rows of analysed positions say when their lists grew.
    pub(super) fn has_grown(&self) -> bool {
        self.version >= WITH_GROWN
    }

    /// Whether it has directives, and distances for each side.
    pub(super) fn has_directives(&self) -> bool {
        self.version >= WITH_DIRECTIVES
    }

    /// Whether its roots have names.
    pub(super) fn has_names(&self) -> bool {
        self.version >= WITH_NAMES
    }

    /// Whether it has an agenda.
    pub(super) fn has_agenda(&self) -> bool {
        self.version >= WITH_AGENDA
    }

    /// Whether its trees may go by endgame tables.
    pub(super) fn has_tables(&self) -> bool {
        self.version >= WITH_TABLES
    }

    /// Whether its answers say which worker gave them.
    pub(super) fn has_workers(&self) -> bool {
        self.version >= WITH_WORKERS
    }

    /// Whether the moves of roots in tables have checksums, and trees say when they were grown.
    pub(super) fn has_checked_moves(&self) -> bool {
        self.version >= WITH_CHECKED_MOVES
    }

    /// Whether its analyses may have names of their own.
    pub(super) fn has_own_names(&self) -> bool {
        self.version >= WITH_OWN_NAMES
    }

    /// Whether its trees keep their best line.
    pub(super) fn has_line(&self) -> bool {
        self.version >= WITH_LINE
    }

    /// The schema version of a file that is ours or empty. Writes nothing.
    pub(super) fn read_version(&self) -> Result<i64, StoreError> {
        // One statement sees one state, while another process makes the database.
        let sql = "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
            FROM pragma_user_version, pragma_application_id";
        let row = self.db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let (version, application, tables): (i64, i64, i64) =
            row.map_err(StoreError::sqlite(&self.path))?;
        let empty = application == 0 && version == 0 && tables == 0;
        if application != APPLICATION_ID && !empty {
            return Err(StoreError::Foreign(self.path.clone()));
        }
        if version > known_version() {
            let (path, known) = (self.path.clone(), known_version());
            return Err(StoreError::Newer { path, found: version, known });
        }
        self.db
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
            .map_err(StoreError::sqlite(&self.path))?;
        Ok(version)
    }

    /// Brings the schema up to date.
    pub(super) fn migrate(&mut self) -> Result<(), StoreError> {
        let migrated = self.migrate_tables();
        match migrated {
            Ok(()) => {
                self.version = known_version();
                Ok(())
            }
            // Two processes made the same new file: the other one was first.
            Err(_) if self.read_version()? == known_version() => {
                self.version = known_version();
                Ok(())
            }
            Err(rusqlite_migration::Error::RusqliteError { err, .. }) => {
                Err(StoreError::sqlite(&self.path)(err))
            }
            Err(error) => Err(self.damaged(format!("its schema cannot be updated: {error}"))),
        }
    }

    /// With foreign keys, dropping a table that is rebuilt would empty those that refer to it; and without
    /// the old way of renaming, SQLite refuses where a view of the user's names a table that is being
    /// rebuilt.
    fn migrate_tables(&mut self) -> rusqlite_migration::Result<()> {
        let rebuilds = |db: &Connection, are_made: bool| {
            db.pragma_update(None, "foreign_keys", !are_made)?;
            db.pragma_update(None, "legacy_alter_table", are_made)
        };
        rebuilds(&self.db, true)?;
        let migrated = migrations().to_latest(&mut self.db);
        rebuilds(&self.db, false)?;
        migrated
    }
}
