//! `deepanalyze copy` with the built program, while a run writes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use crate::support::program::{Place, signal, stderr, wait_for_searches};
use crate::support::scripted;

#[test]
fn copy_of_growing_database_has_every_answer() {
    let place = Place::new();
    let log = place.path("log");
    let flags = ["--log", log.to_str().unwrap(), "--fault", "held:logged=30"];
    let engine = scripted(&flags);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "9"];
    let mut child = place.start(&args);
    assert!(wait_for_searches(&mut child, &log, 30));
    assert!(place.path("tree.db-wal").metadata().unwrap().len() > 0);
    let before = place.stored();
    let said = place.stdout(&["copy", "backup.db"]);
    let words = format!("copied {} to backup.db (", place.db().display());
    assert!(said.starts_with(&words), "{said}");
    assert!(child.try_wait().unwrap().is_none(), "the run goes on");
    let moved = Place::new();
    std::fs::rename(place.path("backup.db"), moved.db()).unwrap();
    assert!(place.files().iter().all(|name| !name.contains("backup") && !name.ends_with(".part")));
    let kept = moved.stored();
    assert!(!before.is_empty() && before.is_subset(&kept), "{} of {}", kept.len(), before.len());
    assert!(moved.run(&["verify"]).status.success());
    signal(-i64::from(child.id()), "KILL");
    child.wait().unwrap();
    // The data of a dead program is in its log, too.
    place.stdout(&["copy", "backup.db"]);
    let dead = Place::new();
    std::fs::rename(place.path("backup.db"), dead.db()).unwrap();
    assert_eq!(dead.stored(), place.stored());
    dead.grow(&["--depth", "1"]);
}

#[test]
fn a_copy_is_told_to_programs() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    for (args, analyses) in
        [(&[][..], serde_json::Value::Null), (&["--analysis", "1"], serde_json::json!([1]))]
    {
        let told =
            place.stdout(&[&["copy", "copy.db", "--force", "--format", "json"], args].concat());
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!((&told["file"], &told["analyses"]), (&"copy.db".into(), &analyses));
        assert_eq!(told["bytes"], std::fs::metadata(place.path("copy.db")).unwrap().len());
    }
}

#[test]
fn existing_file_is_replaced_only_on_request() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let (file, link) = (place.path("backup.db"), place.path("link.db"));
    std::fs::write(&file, "Dear diary").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("backup.db", &link).unwrap();
    for name in ["backup.db", "link.db"] {
        let refused = place.run(&["copy", name]);
        assert_eq!(refused.status.code(), Some(2));
        let said = stderr(&refused);
        assert!(said.contains(&format!("error: {name} already exists\nhint: --force")), "{said}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "Dear diary");
    }
    place.stdout(&["copy", "--force", "link.db"]);
    assert!(link.is_symlink() && file.metadata().unwrap().mode() & 0o777 == 0o600);
    assert!(place.run(&["verify", "--db", "backup.db"]).status.success());
}

#[test]
fn a_place_where_a_copy_would_do_harm_is_refused() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    std::fs::write(place.path("old.db-wal"), "a log").unwrap();
    std::fs::create_dir(place.path("folder")).unwrap();
    // Reading a database makes its index.
    let copies = || place.files().into_iter().filter(|name| !name.starts_with("tree.db"));
    let before: Vec<String> = copies().collect();
    for (name, words) in [
        ("tree.db", "FILE names the database itself"),
        ("tree.db-wal", "FILE names a file of the database"),
        ("old.db", "the write-ahead log (-wal) of another database"),
        ("folder", "folder is a folder"),
        ("no/such/folder/copy.db", "cannot make no/such/folder/copy.db"),
    ] {
        let said = stderr(&place.run(&["copy", "--force", name]));
        assert!(said.contains(words), "{name}: {said}");
    }
    let said = stderr(&place.run(&["copy", "copy.db", "--db", "none.db"]));
    assert!(said.contains("there is no database at none.db"), "{said}");
    assert_eq!(copies().collect::<Vec<_>>(), before);
}
