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
    Step {
        version: 12,
        up: "",
        tables: include_str!("../../../migrations/12-human-nets/tables.sql"),
        down: include_str!("../../../migrations/12-human-nets/down.sql"),
    },
];
/// The first version whose step can be taken: that of 0.1.0.
const OLDEST: i64 = 7;
/// After the step to this version trees of the former rule of repetitions are emptied.
pub(super) const HISTORIES: i64 = 9;

/// The version that this program writes.
pub(super) const NEWEST: i64 = 12;

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
mod tests;
