//! A database of four trees, for tests of packages that read trees.

use std::sync::OnceLock;

use deepanalyze_store::Store;

/// Two stages of one root (analyses 1 and 2), and other roots; their trees have searched 6,894 to 39,505 nodes. Its rows
/// are from a former version.
pub fn pawns() -> &'static [u8] {
    static PAWNS: OnceLock<Vec<u8>> = OnceLock::new();
    PAWNS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let db = rusqlite::Connection::open(&path).unwrap();
        for sql in [
            "PRAGMA foreign_keys = off",
            include_str!("../../migrations/01-first/up.sql"),
            include_str!("../../migrations/02-nodes/up.sql"),
            include_str!("pawns.sql"),
            "PRAGMA user_version = 2",
        ] {
            db.execute_batch(sql).unwrap();
        }
        drop(db);
        drop(Store::open(&path).unwrap());
        std::fs::read(&path).unwrap()
    })
}
