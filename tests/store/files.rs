//! Database files that are foreign, locked, read-only, or on a full disk, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::program::{Place, asked, signal, stderr, wait_for_searches};
use crate::support::{LONG, scripted, wait_until};

/// A SQLite database of another program.
fn foreign(path: &Path, statements: &str) {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(statements).unwrap();
}

#[test]
fn foreign_file_is_refused_and_unchanged() {
    let engine = scripted(&[]);
    let table = "CREATE TABLE person (name TEXT); INSERT INTO person VALUES ('me');";
    type Make<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, Make<'_>, &str); 7] = [
        ("text", &|path| std::fs::write(path, "Dear diary\n".repeat(90)).unwrap(), "is not a"),
        ("short", &|path| std::fs::write(path, "SQLite format 3\0").unwrap(), "is not a"),
        ("foreign", &|path| foreign(path, table), "is not a deepanalyze database"),
        ("wal", &|path| foreign(path, &format!("PRAGMA journal_mode = WAL; {table}")), "is not a"),
        ("one page", &|path| foreign(path, "CREATE VIEW v AS SELECT 1"), "is not a"),
        ("named", &|path| foreign(path, "PRAGMA application_id = 7"), "is not a"),
        (
            "newer",
            &|path| foreign(path, "PRAGMA application_id = 1684106849; PRAGMA user_version = 99"),
            "has schema version 99, this program knows 12",
        ),
    ];
    for (name, make, words) in cases {
        let place = Place::new();
        make(&place.db());
        let (bytes, files) = (std::fs::read(place.db()).unwrap(), place.files());
        for command in [&["grow", "--engine", &engine][..], &["show"], &["list"], &["verify"]] {
            let output = place.run(command);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{name}, {command:?}: {said}");
            assert!(said.contains(words) && said.contains("untouched"), "{name}: {said}");
            assert_eq!(std::fs::read(place.db()).unwrap(), bytes, "{name}, {command:?}");
            assert_eq!(place.files(), files, "{name}, {command:?}");
        }
    }
}

/// A foreign database whose program died: its log must not be moved into it.
#[test]
fn a_foreign_log_stays_where_it_is() {
    let place = Place::new();
    let other = rusqlite::Connection::open(place.path("other.db")).unwrap();
    let table = "PRAGMA journal_mode = WAL; PRAGMA application_id = 7; CREATE TABLE a (b);";
    other.execute_batch(table).unwrap();
    other.execute_batch("PRAGMA wal_checkpoint; INSERT INTO a VALUES (1)").unwrap();
    for end in ["", "-wal"] {
        std::fs::copy(place.path(&format!("other.db{end}")), place.path(&format!("tree.db{end}")))
            .unwrap();
    }
    let read = || ["tree.db", "tree.db-wal"].map(|name| std::fs::read(place.path(name)).unwrap());
    let before = read();
    for command in ["grow", "show", "verify"] {
        assert_eq!(place.run(&[command]).status.code(), Some(1), "{command}");
        assert_eq!(read(), before, "{command}");
        assert!(!place.path("tree.db-shm").exists(), "{command}");
    }
}

/// Its first page is empty until its log is long: it is not copied to identify it.
#[test]
fn a_new_database_that_is_in_use_is_read_as_it_is() {
    let place = Place::new();
    let _writer = deepanalyze_store::Store::open(&place.db()).unwrap();
    let mut command = place.command(&["list"]);
    let output = command.env("TMPDIR", place.path("none")).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn empty_file_is_filled_by_grow_only() {
    let place = Place::new();
    std::fs::write(place.db(), "").unwrap();
    for command in ["show", "list", "verify"] {
        let output = place.run(&[command]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).contains("tree.db is empty"), "{command}: {}", stderr(&output));
        assert_eq!((std::fs::read(place.db()).unwrap().len(), place.files().len()), (0, 1));
    }
    place.grow(&["--depth", "1"]);
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}

#[test]
fn grow_waits_while_another_program_writes() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    let other = rusqlite::Connection::open(place.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let starts = place.path("starts");
    let engine = scripted(&["--starts", starts.to_str().unwrap()]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "1"];
    let mut child = place.start(&args);
    wait_until("an engine", || starts.exists());
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    assert!(place.stdout(&["show"]).contains("\ndepth 0 complete · "), "show reads meanwhile");
    other.execute_batch("COMMIT").unwrap();
    assert!(child.wait().unwrap().success());
}

/// Longer than SQLite itself waits: a backup program, or an open transaction.
#[test]
fn grow_waits_for_a_long_lock() {
    let place = Place::new();
    let (log, gate) = (place.path("log"), place.path("gate"));
    // No answer comes between the sixth and the lock: on a busy machine the run would be over.
    let flags = ["--fault", "held:logged=6", "--gate", gate.to_str().unwrap()];
    let engine = scripted(&[&flags[..], &["--log", log.to_str().unwrap()]].concat());
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    let mut command = place.command(&[&args[..], &["--depth", "3"]].concat());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    assert!(wait_for_searches(&mut child, &log, 6));
    let other = rusqlite::Connection::open(place.db()).unwrap();
    other.busy_timeout(LONG).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::fs::write(&gate, "").unwrap();
    let (mut told, mut said) = (BufReader::new(child.stderr.take().unwrap()), String::new());
    while !said.contains("waiting for it") {
        assert!(told.read_line(&mut said).unwrap() > 0, "it did not wait: {said}");
    }
    other.execute_batch("COMMIT").unwrap();
    told.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    assert_eq!(said.matches("warning: database").count(), 1, "{said}");
    assert!(said.contains("another program has locked it; waiting for it"), "{said}");
    let undisturbed = Place::new();
    undisturbed.run_grow(&["--distance", "20", "--depth", "3"]);
    let json = |place: &Place| place.stdout(&["show", "--format", "json"]);
    assert!(json(&place) == json(&undisturbed), "another tree");
    let asked = asked(&log);
    assert_eq!(asked.iter().collect::<std::collections::HashSet<_>>().len(), asked.len());
}

#[test]
fn a_run_that_is_interrupted_while_it_waits_ends() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    let other = rusqlite::Connection::open(place.db()).unwrap();
    let (log, gate) = (place.path("log"), place.path("gate"));
    let flags = ["--fault", "held", "--gate", gate.to_str().unwrap()];
    let engine = scripted(&[&flags[..], &["--log", log.to_str().unwrap()]].concat());
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--depth", "4"];
    let mut child = place.start(&args);
    assert!(wait_for_searches(&mut child, &log, 1));
    other.busy_timeout(LONG).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::fs::write(&gate, "").unwrap();
    // Time to reach the lock; if it is too short, the run ends as any other.
    std::thread::sleep(Duration::from_millis(300));
    signal(i64::from(child.id()), "INT");
    wait_until("its end", || child.try_wait().unwrap().is_some());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}

/// Number of answers in a database.
fn answers(path: &Path) -> usize {
    let db = rusqlite::Connection::open(path).unwrap();
    db.query_row("SELECT count(*) FROM search", [], |row| row.get(0)).unwrap()
}

/// Writes to a file without a name are lost with the process.
#[test]
fn replaced_database_is_rescued_while_growing() {
    type Replace<'a> = &'a dyn Fn(&Place);
    let cases: [(&str, Replace<'_>); 3] = [
        ("deleted", &|place| std::fs::remove_file(place.db()).unwrap()),
        ("moved", &|place| std::fs::rename(place.db(), place.path("else.db")).unwrap()),
        ("replaced", &|place| {
            std::fs::write(place.path("new"), "Dear diary").unwrap();
            std::fs::rename(place.path("new"), place.db()).unwrap();
        }),
    ];
    for (name, replace) in cases {
        let place = Place::new();
        let log = place.path("log");
        // The eleventh search is answered once the file is replaced, later ones never: on a slow
        // disk many answers would come during the replacement.
        let gate = place.path("gate");
        let faults = ["--fault", "lost:logged=12", "--fault", "held:logged=11"];
        let files = ["--gate", gate.to_str().unwrap(), "--log", log.to_str().unwrap()];
        let engine = scripted(&[faults, files].concat());
        let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1"];
        let mut command = place.command(&[&args[..], &["--depth", "9"]].concat());
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        assert!(wait_for_searches(&mut child, &log, 11));
        wait_until("ten answers in the database", || place.stored().len() == 10);
        replace(&place);
        std::fs::write(&gate, "").unwrap();
        wait_until("its end", || child.try_wait().unwrap().is_some());
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("tree.db was moved, deleted or replaced"), "{name}: {said}");
        assert!(said.contains("tree.db.rescued-1\nhint: put the copy"), "{name}: {said}");
        // A remaining log would be played over the copy, once it is in the database's place.
        assert!(!place.path("tree.db-wal").exists(), "{name}: its log is left");
        let copy = place.path("tree.db.rescued-1");
        // The replacement is noticed at the next write: the eleventh answer, or one for the tree
        // before it.
        let (stored, asked) = (answers(&copy), asked(&log).len());
        assert!(stored >= 10 && stored + 2 >= asked, "{name}: {stored} of {asked}");
        place.grow(&["--db", copy.to_str().unwrap(), "--depth", "1", "--distance", "20"]);
        std::fs::rename(copy, place.db()).unwrap();
        assert_eq!(place.run(&["verify"]).status.code(), Some(0), "{name}");
        place.grow(&["--depth", "2"]);
    }
}

#[test]
fn a_second_grower_is_refused_until_the_first_is_gone() {
    let place = Place::new();
    let (slow, log) = (scripted(&["--delay-ms", "600000"]), place.path("log"));
    let slow = format!("{slow} --log {}", log.display());
    let args = ["--engine", &slow, "--engine-depth", "5", "--depth", "1"];
    let mut first = place.start(&[&["grow"][..], &args].concat());
    wait_until("a search", || log.exists());
    let second = place.run_grow(&["--depth", "1"]);
    let said = stderr(&second);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("error: analysis 1 in") && said.contains("grown by another process"));
    assert!(said.contains("hint: wait for it or stop it"), "{said}");
    place.grow(&["--moves", "e4", "--depth", "1"]);
    assert!(place.stdout(&["show"]).contains("\nno depth of "), "show works meanwhile");
    signal(-i64::from(first.id()), "KILL");
    first.wait().unwrap();
    place.grow(&["--depth", "1"]);
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}

/// Runs a script in its own mount namespace, if the system permits.
fn with_mounts(place: &Place, script: &str) -> Option<Output> {
    let run = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-euc", script]).current_dir(place.path("."));
        command.env("PROGRAM", env!("CARGO_BIN_EXE_deepanalyze")).env("ENGINE", scripted(&[]));
        command.env("DEEPANALYZE_CONFIG", crate::support::program::SEALED);
        command.output()
    };
    let try_out = run("mkdir -p disk && mount -t tmpfs none disk && umount disk");
    if !try_out.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: mounting is not allowed here");
        return None;
    }
    Some(run(script).unwrap())
}

#[test]
fn read_only_database_is_shown_not_grown() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    let shown = place.stdout(&["show"]);
    let output = with_mounts(
        &place,
        "mount -t tmpfs none disk; cp tree.db disk/; mount -o remount,ro none disk
        $PROGRAM verify --quiet --db disk/tree.db
        ! $PROGRAM grow --engine \"$ENGINE\" --db disk/tree.db
        ! $PROGRAM grow --engine \"$ENGINE\" --db disk/new.db
        ! $PROGRAM direct --db disk/tree.db exclude e4
        $PROGRAM direct --db disk/tree.db list >/dev/null
        $PROGRAM show --db disk/tree.db",
    );
    let Some(output) = output else { return };
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
    assert_eq!(said.matches("Read-only file system").count(), 3, "{said}");
}

#[test]
fn full_disk_loses_nothing_and_resumes() {
    let place = Place::new();
    let output = with_mounts(
        &place,
        "grow() { $PROGRAM grow --engine \"$ENGINE\" --engine-depth 5 --db disk/tree.db \"$@\"; }
        mount -t tmpfs -o size=400k none disk
        if grow --depth 9; then exit 9; fi
        $PROGRAM verify --db disk/tree.db
        mount -o remount,size=40m none disk
        grow --depth 3; $PROGRAM verify --db disk/tree.db
        $PROGRAM show --format json --db disk/tree.db >tree.json",
    );
    let Some(output) = output else { return };
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("disk/tree.db: the disk is full\nhint: make room"), "{said}");
    place.grow(&["--depth", "3"]);
    let undisturbed = place.stdout(&["show", "--format", "json"]);
    let shown = std::fs::read_to_string(place.path("tree.json")).unwrap();
    assert_eq!(shown.split("\"target\":").nth(1), undisturbed.split("\"target\":").nth(1));
}

#[test]
fn copy_without_room_fails_and_leaves_nothing() {
    let place = Place::new();
    place.grow(&["--depth", "2"]);
    let output = with_mounts(
        &place,
        "mount -t tmpfs -o size=64k none disk
        if $PROGRAM copy disk/copy.db --db tree.db; then exit 9; fi
        test -z \"$(ls -A disk)\"",
    );
    let Some(output) = output else { return };
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("cannot copy the database to disk/copy.db: the disk is full"), "{said}");
    assert!(said.contains("hint: the partial copy was removed"), "{said}");
}

/// Without mounts: the system refuses a file beyond a size limit.
#[test]
fn a_size_limit_is_named_and_loses_nothing() {
    let place = Place::new();
    let script = "trap '' XFSZ; ulimit -f 640; exec \"$@\"";
    let engine = scripted(&[]);
    let program = env!("CARGO_BIN_EXE_deepanalyze");
    let output = Command::new("sh")
        .args(["-c", script, "sh", program, "grow", "--engine", &engine, "--engine-depth", "5"])
        .args(["--db", place.db().to_str().unwrap()])
        .env("DEEPANALYZE_CONFIG", crate::support::program::SEALED)
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("tree.db: disk I/O failed: a quota, a file-size limit or a failing disk"),
        "{said}"
    );
    assert!(!place.stored().is_empty(), "what was answered is kept");
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
    place.grow(&["--depth", "2"]);
}
