//! A database locked by another program for longer than SQLite waits, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use serde_json::json;

use crate::support::program::{Place, signal};
use crate::support::serving::Server;
use crate::support::{scripted, wait_until};

/// The program's message while it waits for the database.
fn said_waiting(child: &mut Child) -> String {
    let (mut told, mut said) = (BufReader::new(child.stderr.as_mut().unwrap()), String::new());
    while !said.contains("another program has locked it; waiting for it") {
        assert!(told.read_line(&mut said).unwrap() > 0, "it did not wait: {said}");
    }
    said
}

#[test]
fn whatever_writes_waits_for_as_long_as_it_takes() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    place.grow(&["--moves", "e4", "--depth", "0"]);
    let server = Server::start(&place, &[], &["--engine-depth", "5"]);
    let engine = scripted(&[]);
    let grow = ["grow", "--engine", &engine, "--engine-depth", "6", "--depth", "1"];
    let commands: [&[&str]; 4] = [
        &grow,
        &["direct", "note", "", "mine"],
        &["rename", "--analysis", "1", "another name"],
        &["delete", "--analysis", "2", "--yes"],
    ];
    let other = rusqlite::Connection::open(place.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let changes = scope.spawn(|| {
            let path = "/api/analyses/1/directives";
            server.send("POST", path, &json!({ "line": "d4", "action": "exclude" }))
        });
        let mut children = commands.map(|args| place.command(args).spawn().unwrap());
        let said = children.each_mut().map(said_waiting);
        assert!(said.iter().skip(1).all(|said| said.contains("(Ctrl-C gives up)")), "{said:?}");
        assert!(!changes.is_finished(), "the page was refused, or nothing was written");
        other.execute_batch("COMMIT").unwrap();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let rest = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said:?} {rest}");
        }
        assert_eq!(changes.join().unwrap()["words"], "excluded 1. d4");
    });
    let listed = place.stdout(&["direct", "list"]);
    assert!(listed.contains("mine") && listed.contains("d4"), "{listed}");
    let listed = place.stdout(&["list"]);
    assert!(listed.contains("another name") && !listed.contains("1. e4"), "{listed}");
}

#[test]
fn waiting_run_ends_on_signal() {
    let place = Place::new();
    place.grow(&["--depth", "0"]);
    let other = rusqlite::Connection::open(place.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let engine = scripted(&[]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "6", "--depth", "1"];
    let mut child = place.command(&args).stdout(Stdio::null()).spawn().unwrap();
    said_waiting(&mut child);
    signal(i64::from(child.id()), "INT");
    wait_until("its end", || child.try_wait().unwrap().is_some());
    let mut rest = String::new();
    child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    assert!(rest.contains("another program has locked it"), "{rest}");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(place.run(&["verify"]).status.code(), Some(0));
}
