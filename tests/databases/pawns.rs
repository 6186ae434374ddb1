//! A database of four trees, for tests of packages that read trees.

use std::sync::OnceLock;

use deepanalyze_store::Store;

/// Two stages of one root (analyses 1 and 2), and other roots; their trees have searched 6,894 to
/// 39,505 nodes.
pub fn pawns() -> &'static [u8] {
    static PAWNS: OnceLock<Vec<u8>> = OnceLock::new();
    PAWNS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        drop(Store::open(&path).unwrap());
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA foreign_keys = off").unwrap();
        db.execute_batch(include_str!("pawns.sql")).unwrap();
        drop(db);
        std::fs::read(&path).unwrap()
    })
}
