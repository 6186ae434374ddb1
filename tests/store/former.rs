//! Databases from before the first release: the program identifies them, and a script converts
//! them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::{Command, Output};

use crate::support::former::rows_for;
use crate::support::program::{Place, asked, stderr};
use crate::support::scripted;

const SCHEMA: &str = include_str!("../databases/former-13.sql");
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/import_old_database.py");
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/core/tables");

const PAWNS: [&str; 2] = ["--root", "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1"];
/// Root asked in tables of three men, and root known to them.
const FEW: [&str; 2] = ["--root", "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1"];
const KNOWN: [&str; 2] = ["--root", "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1"];

/// The runs that grew the database of [`place`].
fn runs() -> [Vec<&'static str>; 4] {
    let tables = ["--depth", "1", "--tables", TABLES];
    [
        [&PAWNS[..], &["--depth", "2"]].concat(),
        [&PAWNS[..], &["--moves", "e4", "--depth", "1"]].concat(),
        [&FEW[..], &tables].concat(),
        [&KNOWN[..], &tables].concat(),
    ]
}

/// A database in `old.db` with the last former schema, and in `tree.db` with the present one.
fn place() -> Place {
    let place = Place::new();
    place.stdout(&[&["direct"], &PAWNS[..], &["--moves", "e4", "exclude", "e5"]].concat());
    runs().iter().for_each(|run| place.grow(run));
    place.stdout(&["rename", "--analysis", "1", "Pawns"]);
    let db = rusqlite::Connection::open(place.path("old.db")).unwrap();
    db.execute_batch(SCHEMA).unwrap();
    let attach = "PRAGMA foreign_keys = OFF; ATTACH 'tree.db' AS present";
    db.execute_batch(&attach.replace("tree.db", place.db().to_str().unwrap())).unwrap();
    let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table'";
    let mut tables = db.prepare(tables).unwrap();
    // Every former column.
    let columns = "SELECT group_concat(name) FROM pragma_table_info(?1, 'main')";
    for table in tables.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        let table = table.unwrap();
        let columns: String = db.query_row(columns, [&table], |row| row.get(0)).unwrap();
        let rows = rows_for(&table, "present");
        let copy = format!("INSERT INTO main.{table} SELECT {columns} FROM {rows}");
        db.execute(&copy, []).unwrap();
    }
    place
}

/// Runs the script; `None` without Python.
fn import(place: &Place, old: &str, new: &str) -> Option<Output> {
    let mut python = Command::new("python3");
    match python.args([SCRIPT, old, new]).current_dir(place.path("")).output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: python3: {error}");
            None
        }
    }
}

fn old(place: &Place, statements: &str) {
    let db = rusqlite::Connection::open(place.path("old.db")).unwrap();
    db.execute_batch(statements).unwrap();
}

/// All that shows of the grown trees.
fn seen(place: &Place, db: &str) -> Vec<String> {
    let list = vec!["list", "--format", "json"];
    let direct = [&["direct"], &PAWNS[..], &["--moves", "e4", "export"]].concat();
    let mut commands = vec![list, direct];
    for root in [&PAWNS[..], &[&PAWNS[..], &["--moves", "e4"]].concat(), &FEW, &KNOWN] {
        commands.push([&["show", "--format", "json"], root].concat());
        commands.push([&["log", "--format", "json"], root].concat());
    }
    commands.iter().map(|args| place.stdout(&[args, &["--db", db][..]].concat())).collect()
}

/// Grows all of it again, after which all is proven; returns the number of searches.
fn asked_again(place: &Place, db: &str, more: &[&str]) -> usize {
    let log = place.path("again.log");
    let engine = scripted(&["--log", log.to_str().unwrap()]);
    for run in runs() {
        let run =
            [&run[..], &["--db", db, "--engine", &engine, "--engine-depth", "5"], more].concat();
        place.stdout(&[&["grow", "--engines", "1"], &run[..]].concat());
    }
    let verified = place.run(&["verify", "--quiet", "--db", db, "--tables", TABLES]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    if log.exists() { asked(Path::new(&log)).len() } else { 0 }
}

#[test]
fn a_database_of_before_is_refused_with_the_command_that_takes_it_over() {
    let place = place();
    let bytes = std::fs::read(place.path("old.db")).unwrap();
    for args in [&["show"][..], &["grow", "--engine", "builtin"], &["verify"], &["copy", "to.db"]] {
        let output = place.run(&[args, &["--db", "old.db"]].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        let command = "`python3 packaging/import_old_database.py \"old.db\" NEW_FILE`";
        assert!(said.contains("database old.db is of a deepanalyze before"), "{args:?}: {said}");
        assert!(said.contains("its schema 13") && said.contains(command), "{args:?}: {said}");
        assert!(std::fs::read(place.path("old.db")).unwrap() == bytes, "{args:?}");
    }
}

#[test]
fn all_that_is_in_the_last_schema_of_before_is_taken_over() {
    let place = place();
    let Some(output) = import(&place, "old.db", "new.db") else { return };
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(seen(&place, "new.db"), seen(&place, "tree.db"));
    let flaws = place.run(&["verify", "--db", "new.db", "--tables", TABLES]);
    assert!(flaws.status.success(), "{}", String::from_utf8_lossy(&flaws.stdout));
    assert_eq!(asked_again(&place, "new.db", &[]), 0);
    // The answers alone are enough, too; and numbers of analyses are not used again.
    place.stdout(&["delete", "--yes", "--db", "new.db", "--analysis", "1"]);
    assert_eq!(asked_again(&place, "new.db", &[]), 0);
    let list = place.stdout(&["list", "--db", "new.db", "--format", "json"]);
    assert!(list.contains("\"analysis\":5") && !list.contains("\"analysis\":1,"), "{list}");
    let deeper = ["--distance", "20", "--no-look-ahead"];
    assert!(asked_again(&place, "new.db", &deeper) > 0, "the log tells of searches");
}

#[test]
fn of_earlier_schemas_and_trees_that_they_have_begun_the_answers_are_taken_over() {
    for change in ["PRAGMA user_version = 12", "UPDATE analysis SET line = NULL, course_from = 1"] {
        let place = place();
        old(&place, change);
        let Some(output) = import(&place, "old.db", "new.db") else { return };
        assert!(output.status.success(), "{change}: {}", stderr(&output));
        let flaws = place.run(&["verify", "--db", "new.db", "--tables", TABLES]);
        assert!(flaws.status.success(), "{change}: {}", String::from_utf8_lossy(&flaws.stdout));
        assert_eq!(asked_again(&place, "new.db", &[]), 0, "{change}");
        let show = |db| place.stdout(&[&["show", "--db", db], &PAWNS[..]].concat());
        assert_eq!(show("new.db"), show("tree.db"), "{change}");
    }
}

#[test]
fn the_script_touches_nothing_that_is_there_and_no_other_file() {
    let place = place();
    std::fs::write(place.path("diary"), "Dear diary").unwrap();
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    let before = ["old.db", "tree.db", "diary"].map(bytes);
    for (from, to, words) in [
        ("old.db", "diary", "diary already exists"),
        ("tree.db", "new.db", "tree.db is no database of deepanalyze from before"),
        ("diary", "new.db", "file is not a database"),
        ("none.db", "new.db", "unable to open"),
    ] {
        let Some(output) = import(&place, from, to) else { return };
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(words), "{from}: {said}");
        assert!(!place.path("new.db").exists(), "{from}");
    }
    old(&place, "PRAGMA foreign_keys = OFF; DELETE FROM position WHERE id = 1");
    let Some(output) = import(&place, "old.db", "new.db") else { return };
    assert!(stderr(&output).contains("it is damaged") && !place.path("new.db").exists());
    assert_eq!(["tree.db", "diary"].map(bytes), before[1..]);
}
