//! Tablebases of the configuration, whose disk may be away.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{Read, Write};
use std::process::{Output, Stdio};

use super::tables::{ROOT, grow, tables, with_tables};
use crate::support::program::{Place, stderr};
use crate::support::scripted;
use crate::support::serving::Server;

/// A configured folder that does not exist.
fn away(place: &Place) -> String {
    place.path("away").display().to_string()
}

/// A place whose configuration names a folder of tables that is away.
fn configured(place: &Place) -> String {
    let path = place.path("config.toml");
    let text = format!("engine = \"builtin\"\ntables = {:?}\nfifty = \"iccf\"\n", away(place));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn run(place: &Place, args: &[&str]) -> Output {
    place.command(args).env("DEEPANALYZE_CONFIG", configured(place)).output().unwrap()
}

#[test]
fn verify_needs_only_tables_that_are_named() {
    let (place, folder) = (Place::new(), tables());
    grow(&place, ROOT, &with_tables(&folder, &[]));
    let output = run(&place, &["verify"]);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    let warning = "warning: cannot read the tablebase folder ";
    assert!(said.contains(warning) && said.contains("continuing without tablebases"), "{said}");
    let output = run(&place, &["verify", "--tables", &away(&place)]);
    let said = stderr(&output);
    assert!(
        !output.status.success() && said.contains("error: cannot read the tablebase folder"),
        "{said}"
    );
}

#[test]
fn grow_names_the_way_to_go_without() {
    let place = Place::new();
    let output = run(&place, &["grow", "--depth", "1"]);
    let said = stderr(&output);
    assert!(!output.status.success() && said.contains("--tables no ignores them"), "{said}");
    let output = run(&place, &["grow", "--depth", "1", "--engine-depth", "1", "--tables", "no"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn uci_starts_all_the_same_and_says_so() {
    let place = Place::new();
    let engine = scripted(&[]);
    let mut command = place.command(&["uci", "--engine", &engine, "--engine-depth", "5"]);
    command.env("DEEPANALYZE_CONFIG", configured(&place)).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"uci\nquit\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("\nuciok\n"), "{said}");
    let warning = "\ninfo string warning: cannot read the tablebase folder ";
    assert!(said.contains(warning), "{said}");
    let named = run(&place, &["uci", "--engine", &engine, "--tables", &away(&place)]);
    assert!(!named.status.success(), "what is named is to be there");
}

#[test]
fn serve_starts_all_the_same() {
    let place = Place::new();
    let config = configured(&place);
    let more = ["--engines", "1", "--engine-depth", "5"];
    let mut server = Server::start_with(&place, &[], &more, |command| {
        command.env("DEEPANALYZE_CONFIG", &config).stderr(Stdio::piped());
    });
    let mut errors = server.errors();
    server.get("/api/server");
    drop(server);
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    assert!(said.contains("warning: cannot read the tablebase folder "), "{said}");
}
