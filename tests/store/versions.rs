//! Databases of a former version: read unchanged, brought up to date by the next command that
//! writes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use deepanalyze_store::{AnalysisId, Store};

use crate::support::program::{Place, stderr};

/// The way back to version 7.
const BACK: [&str; 4] = [
    include_str!("../../migrations/12-human-nets/down.sql"),
    include_str!("../../migrations/11-second-look/down.sql"),
    include_str!("../../migrations/09-histories/down.sql"),
    include_str!("../../migrations/08-page/down.sql"),
];

/// A database of version 7 with a tree, and the output of `show` and `log` before the downgrade.
fn former() -> (Place, [String; 2]) {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    let said = said(&place);
    BACK.iter().for_each(|sql| place.sql(sql));
    place.sql("PRAGMA user_version = 7");
    (place, said)
}

fn said(place: &Place) -> [String; 2] {
    ["show", "log"].map(|command| place.stdout(&[command, "--format", "json"]))
}

fn is_well(place: &Place, db: &str) {
    let verified = place.run(&["verify", "--quiet", "--db", db]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn readers_leave_version_7_unchanged() {
    let (place, before) = former();
    let bytes = std::fs::read(place.db()).unwrap();
    assert_eq!(said(&place), before);
    is_well(&place, "tree.db");
    place.stdout(&["list"]);
    assert!(std::fs::read(place.db()).unwrap() == bytes);
    assert!(place.files().iter().all(|name| !name.contains("copy")));
    place.stdout(&["copy", "copy.db"]);
    is_well(&place, "copy.db");
}

#[test]
fn version_7_is_copied_and_resumes_with_its_costs() {
    let (place, before) = former();
    let output = place.run_grow(&["--depth", "3"]);
    let said_of_it = stderr(&output);
    assert!(output.status.success(), "{said_of_it}");
    let words = "was updated to a newer schema; the old version is kept as ";
    assert_eq!(said_of_it.matches(words).count(), 1, "{said_of_it}");
    assert!(said_of_it.contains("tree.db.version-7-copy-1\n"), "{said_of_it}");
    is_well(&place, "tree.db");
    assert!(!stderr(&place.run_grow(&["--depth", "3"])).contains(words), "it is told of once");
    let copies = place.files().into_iter().filter(|name| name.contains("copy"));
    assert_eq!(copies.collect::<Vec<_>>(), ["tree.db.version-7-copy-1"]);
    std::fs::rename(place.path("tree.db.version-7-copy-1"), place.db()).unwrap();
    assert_eq!(said(&place), before);
}

#[test]
fn version_7_with_a_growing_tree_is_unchanged() {
    let (place, _) = former();
    let lock = Store::open_to_read(&place.db()).unwrap().lock(AnalysisId(1)).unwrap();
    let output = place.run_grow(&["--root", "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1"]);
    let said = stderr(&output);
    assert!(
        !output.status.success() && said.contains("while another process grows analysis 1"),
        "{said}"
    );
    assert!(place.files().iter().all(|name| !name.contains("copy")));
    drop(lock);
    place.grow(&["--depth", "3"]);
    is_well(&place, "tree.db");
}
