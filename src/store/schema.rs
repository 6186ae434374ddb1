//! The versions of the schema.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

/// "dpna" in `PRAGMA application_id`; the first migration sets it.
pub(super) const APPLICATION_ID: i64 = 1_685_089_889;

/// Frozen once released; each says why it exists.
pub(super) const MIGRATIONS: &[M<'static>] = &[
    M::up(include_str!("../../migrations/01-memo/up.sql")),
    M::up(include_str!("../../migrations/02-verdict/up.sql")),
    M::up(concat!(
        include_str!("../../migrations/03-kept-hash/profile.sql"),
        include_str!("../../migrations/03-kept-hash/up.sql"),
    )),
    M::up(include_str!("../../migrations/04-grown/up.sql")),
    M::up(include_str!("../../migrations/05-directives/up.sql")),
];

/// Shows readers of an older database its profiles as they are written now. A temporary view lies in memory,
/// and is found before the table of its name.
pub(super) const PROFILES_AS_NOW: &str = concat!(
    "PRAGMA temp_store = MEMORY;",
    include_str!("../../migrations/03-kept-hash/profile.sql"),
    "CREATE TEMP VIEW profile AS SELECT * FROM profile_3;",
);

/// The version from which on settled depths have a verdict.
pub(super) const WITH_VERDICTS: i64 = 2;
/// The version from which on profiles have what a kept hash holds as data.
pub(super) const WITH_HASH_CONTENTS: i64 = 3;
/// The version from which on rows of `node` say when their lists grew.
pub(super) const WITH_GROWN: i64 = 4;

/// The version from which on there are directives, and each side has distances of its own.
pub(super) const WITH_DIRECTIVES: i64 = 5;

/// The schema of a version, in memory: what a file of it must have.
pub(super) fn model(version: i64) -> rusqlite::Result<Connection> {
    let mut db = Connection::open_in_memory()?;
    let version = usize::try_from(version).unwrap_or(MIGRATIONS.len());
    match Migrations::from_slice(MIGRATIONS).to_version(&mut db, version) {
        Ok(()) => Ok(db),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        Err(_) => Err(rusqlite::Error::InvalidQuery),
    }
}

/// The version that this program writes.
pub(super) fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}
