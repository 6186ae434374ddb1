//! `deepanalyze config` on the built program, and what it does to other commands.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::support::program::{Place, stderr};
use crate::support::scripted;

/// Runs the program with a configuration of these lines.
fn run(place: &Place, config: &str, args: &[&str]) -> Output {
    std::fs::write(place.path("config.toml"), config).unwrap();
    let mut command = place.command(args);
    command.env("DEEPANALYZE_CONFIG", place.path("config.toml")).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let place = Place::new();
    let config = "pov = \"mover\"\nengine = [\"a\", \"2*b c\"]\n[options]\nHash = 64\n";
    let text = stdout(&run(&place, config, &["config"]));
    for line in [
        format!("file          {}", place.path("config.toml").display()),
        "engine        a, 2*b c  (from line 2 of the file)".to_owned(),
        "options       Hash=64  (from line 3 of the file)".to_owned(),
        format!("database      {}  (from DEEPANALYZE_DB)", place.db().display()),
        "distance      10  (default)".to_owned(),
        "tables        none  (default)".to_owned(),
        "fifty         fide  (default)".to_owned(),
        "pov           mover  (from line 1 of the file)".to_owned(),
        "colours       auto  (default)".to_owned(),
        "fleet         none  (default)".to_owned(),
        "fleet-compare 100  (default)".to_owned(),
    ] {
        assert!(text.lines().any(|told| told == line), "{line}\n{text}");
    }
}

#[test]
fn options_override_the_configuration() {
    let place = Place::new();
    let engine = scripted(&["--name", "Configured"]);
    let config = format!("engine = {engine:?}\ndistance = 30\n");
    let small = ["--engine-depth", "5", "--engines", "1", "--depth", "1"];
    let grown = run(&place, &config, &[&["grow"], &small[..]].concat());
    assert!(grown.status.success(), "{}", stderr(&grown));
    assert!(stderr(&grown).contains("Configured") && stderr(&grown).contains("distance 30"));
    let other = scripted(&["--name", "Named"]);
    let named = [&["grow", "--engine", &other, "--distance", "5"], &small[..]].concat();
    let grown = run(&place, &config, &named);
    assert!(stderr(&grown).contains("Named") && stderr(&grown).contains("distance 5,"));
    let database = place.path("other.db");
    let config = format!("database = {:?}\n{config}", database.to_str().unwrap());
    let mut grow = place.command(&[&["grow"], &small[..]].concat());
    std::fs::write(place.path("config.toml"), &config).unwrap();
    grow.env("DEEPANALYZE_CONFIG", place.path("config.toml")).env("DEEPANALYZE_DB", "");
    let grown = grow.output().unwrap();
    assert!(grown.status.success() && database.exists(), "{}", stderr(&grown));
}

#[test]
fn options_of_the_file_are_for_its_engine_alone() {
    let place = Place::new();
    let engine = scripted(&["--name", "Configured"]);
    let config = format!("engine = {engine:?}\n[options]\nNonsense = 3\n");
    let small = ["--engine-depth", "5", "--engines", "1", "--depth", "1"];
    let refused = run(&place, &config, &[&["grow"], &small[..]].concat());
    assert!(stderr(&refused).contains("\"Configured\" has no option \"Nonsense\""));
    let named = [&["grow", "--engine", &engine], &small[..]].concat();
    let grown = run(&place, &config, &named);
    assert!(grown.status.success(), "{}", stderr(&grown));
}

#[test]
fn wrong_configuration_is_located() {
    let place = Place::new();
    let wrong = "pov = \"white\"\ncolors = \"never\"\n";
    let output = run(&place, wrong, &["list"]);
    assert_eq!(output.status.code(), Some(2));
    let file = place.path("config.toml");
    let words = format!("error: {}, line 2: unknown key \"colors\"", file.display());
    assert!(stderr(&output).starts_with(&words), "{}", stderr(&output));
    let path = stdout(&run(&place, wrong, &["config", "--path"]));
    assert_eq!(path.trim(), file.to_str().unwrap());
    assert!(run(&place, wrong, &["completions", "bash"]).status.success());
}

#[test]
fn the_example_in_the_help_is_a_file_that_is_read() {
    let place = Place::new();
    let help = stdout(&run(&place, "", &["config", "--help"]));
    let (_, example) = help.split_once("may be left out:\n").unwrap();
    let text = stdout(&run(&place, example, &["config"]));
    assert_eq!(text.matches("of the file)").count(), 7, "{text}");
    assert!(text.contains("from DEEPANALYZE_DB"), "{text}");
}

#[test]
fn settings_are_set_and_unset_keeping_comments() {
    let place = Place::new();
    let config = "# how I like it\npov = \"mover\" # as in the book\n";
    stdout(&run(&place, config, &["config", "set", "engine", "a", "2*b"]));
    let ours = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("DEEPANALYZE_CONFIG", place.path("config.toml")).output().unwrap()
    };
    assert_eq!(stdout(&ours(&["config", "get", "engine"])), "a\n2*b\n");
    stdout(&ours(&["config", "set", "options", "Hash=64"]));
    assert_eq!(stdout(&ours(&["config", "get", "options"])), "Hash=64\n");
    stdout(&ours(&["config", "unset", "engine"]));
    let unset = ours(&["config", "get", "engine"]);
    assert!(stderr(&unset).contains("engine is not configured"));
    assert_eq!(ours(&["config", "set", "pov", "black"]).status.code(), Some(2));
    let missing = stderr(&ours(&["config", "set", "tables", "/no/such/folder"]));
    assert!(missing.contains("there is no folder /no/such/folder"), "{missing}");
    let text = std::fs::read_to_string(place.path("config.toml")).unwrap();
    assert_eq!(text, format!("{config}options = {{ Hash = \"64\" }}\n"));
}

#[test]
fn installed_stockfish_is_default_else_builtin() {
    let place = Place::new();
    let folder = place.path("bin");
    std::fs::create_dir(&folder).unwrap();
    let stockfish = folder.join("stockfish");
    let script = format!("#!/bin/sh\nexec {}\n", scripted(&["--name", "Stockfish 99"]));
    std::fs::write(&stockfish, script).unwrap();
    std::fs::set_permissions(&stockfish, PermissionsExt::from_mode(0o755)).unwrap();
    let grow = |more: &[&str]| {
        let small = ["grow", "--engine-depth", "2", "--engines", "1", "--depth", "1"];
        let mut command = place.command(&[&small, more].concat());
        command.env("DEEPANALYZE_CONFIG", "/dev/null").env("PATH", &folder);
        stderr(&command.output().unwrap())
    };
    let said = grow(&[]);
    assert!(said.contains("Stockfish 99") && said.contains("--engine builtin"), "{said}");
    let said = grow(&["--engine", "builtin", "--moves", "e4"]);
    assert!(said.contains("deepanalyze ") && !said.contains("Stockfish"), "{said}");
}

#[test]
fn a_configured_fleet_searches_unless_it_is_refused() {
    let place = Place::new();
    let engine = scripted(&[]);
    let config = format!("engine = {engine:?}\nfleet = \"nowhere://\"\nfleet-compare = 3\n");
    let grow = ["grow", "--engine-depth", "5", "--engines", "1", "--depth", "1"];
    for args in [&grow[..], &["fleet"], &["worker"]] {
        let said = stderr(&run(&place, &config, args));
        assert!(said.contains("hint: an address is like nats://host:4222"), "{args:?}: {said}");
    }
    stdout(&run(&place, &config, &[&grow[..], &["--fleet", "no"]].concat()));
}

#[test]
fn more_threads_than_cores_are_told_of() {
    let place = Place::new();
    let cores = std::thread::available_parallelism().unwrap().get();
    let many = format!("Threads={}", cores + 1);
    let args = ["--depth", "1", "--option", &many];
    let said = stderr(&place.run_grow(&args));
    assert!(said.contains(&format!("with {many} use more than the {cores} cores")), "{said}");
    assert!(!stderr(&place.run_grow(&["--depth", "1"])).contains("use more"));
}

#[test]
fn linked_file_is_replaced_keeping_permissions() {
    let place = Place::new();
    let [file, old, link] = ["real.toml", "old.toml", "link.toml"].map(|name| place.path(name));
    std::fs::write(&file, "pov = \"mover\"\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    // A second name of the old contents, which stay readable under it.
    std::fs::hard_link(&file, &old).unwrap();
    std::os::unix::fs::symlink("real.toml", &link).unwrap();
    let mut command = place.command(&["config", "set", "distance", "20"]);
    let output = command.env("DEEPANALYZE_CONFIG", &link).output().unwrap();
    assert_eq!(stdout(&output), format!("wrote {}\n", link.display()));
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "pov = \"mover\"\n");
    let new = std::fs::read_to_string(&file).unwrap();
    assert!(new.contains("pov = \"mover\"") && new.contains("distance"), "{new}");
    assert!(link.is_symlink() && file.metadata().unwrap().permissions().mode() & 0o777 == 0o600);
    assert_eq!(place.files().len(), 3, "{:?}", place.files());
}
