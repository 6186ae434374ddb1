//! Growing with the built program: resume after kills, signals, limits, engines side by side.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::program::{Place, asked, searches, signal, stderr, wait, wait_for_searches};
use crate::support::{LONG, by_day_or_night, left_behind, processes_with, scripted, wait_until};

/// A scripted engine with a log, as a command line.
fn engine(log: &Path, flags: &[&str]) -> String {
    let mut all = vec!["--log", log.to_str().unwrap()];
    all.extend_from_slice(flags);
    scripted(&all)
}

fn grow_args<'a>(engine: &'a str, depth: &'a str) -> Vec<&'a str> {
    let args = ["grow", "--engine", engine, "--engine-depth", "5", "--distance", "20"];
    [&args[..], &["--depth", depth]].concat()
}

fn json(place: &Place) -> String {
    place.stdout(&["show", "--format", "json"])
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn killed_runs_give_the_same_tree_without_repeats() {
    const DEPTH: &str = "7";
    let undisturbed = Place::new();
    let engine_line = engine(&undisturbed.path("log"), &[]);
    let output = undisturbed.run(&grow_args(&engine_line, DEPTH));
    assert!(output.status.success(), "{}", stderr(&output));
    let searches_of_all = searches(&undisturbed.path("log"));
    assert!(searches_of_all > 400, "too small a tree to be killed 20 times: {searches_of_all}");

    let killed = Place::new();
    let (mut random, mut kills) = (7_u64, 0);
    let wanted = by_day_or_night(5, 22);
    for run in 0.. {
        let log = killed.path(&format!("log-{run}"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let begun = 1 + (random >> 33) as usize % (searches_of_all / 30);
        // The engines stop soon after the kill is due: on a busy machine the run might be over before.
        let hold = format!("held:logged={}", begun + 8);
        let flags = ["--delay-ms", "1", "--jitter-ms", "2", "--fault", &hold];
        let held = if kills < wanted { flags.len() } else { 4 };
        let engine_line = engine(&log, &flags[..held]);
        let stored = killed.stored();
        let mut args = grow_args(&engine_line, DEPTH);
        args.extend(["--engines", "3"]);
        let mut child = killed.start(&args);
        let interrupted = kills < wanted && wait_for_searches(&mut child, &log, begun);
        if interrupted {
            std::thread::sleep(Duration::from_micros(random >> 50));
            signal(-i64::from(child.id()), "KILL");
            kills += 1;
        }
        let status = wait(&mut child);
        let again: Vec<_> = asked(&log).into_iter().filter(|go| stored.contains(go)).collect();
        assert_eq!(again, [], "asked although stored");
        if !interrupted {
            assert!(status.success());
            break;
        }
    }
    assert!(kills >= wanted - 2, "killed only {kills} times");
    assert_eq!(json(&killed), json(&undisturbed));
    let verdict = killed.run(&["verify"]);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn one_two_and_eight_engines_grow_the_same_tree() {
    let mut trees = Vec::new();
    for engines in ["1", "2", "8"] {
        let place = Place::new();
        let engine_line = engine(&place.path("log"), &["--jitter-ms", "3"]);
        let mut args = grow_args(&engine_line, "5");
        args.extend(["--engines", engines]);
        let output = place.run(&args);
        assert!(output.status.success(), "{}", stderr(&output));
        let searched = asked(&place.path("log"));
        let different: std::collections::HashSet<_> = searched.iter().collect();
        assert_eq!(different.len(), searched.len(), "a search was made twice");
        trees.push((json(&place), searched.len()));
    }
    assert!(trees[0].1 > 100, "too small a tree to prove anything");
    assert!(trees[0].0 == trees[1].0 && trees[0].0 == trees[2].0);
}

#[test]
fn settled_tree_grows_on_without_repeats() {
    let place = Place::new();
    let (first, second) = (place.path("first"), place.path("second"));
    place.stdout(&grow_args(&engine(&first, &[]), "3"));
    let stored = place.stored();
    // The log is no part of the profile: both engines call themselves the same.
    place.stdout(&grow_args(&engine(&second, &[]), "4"));
    assert!(asked(&second).iter().all(|go| !stored.contains(go)));
    let grown = json(&place);
    let at_once = Place::new();
    at_once.stdout(&grow_args(&engine(&at_once.path("log"), &[]), "4"));
    assert_eq!(grown, json(&at_once));
}

#[test]
fn another_root_takes_from_the_memo_what_it_has() {
    let place = Place::new();
    let (first, second) = (place.path("first"), place.path("second"));
    place.stdout(&grow_args(&engine(&first, &[]), "4"));
    let stored = place.stored();
    let engine_line = engine(&second, &[]);
    let mut args = grow_args(&engine_line, "3");
    let best = asked(&first)[0].0.clone();
    assert!(best.starts_with("rnbqkbnr/pppppppp"));
    let reply = asked(&first).into_iter().map(|go| go.0).find(|epd| epd.contains(" b "));
    let reply = reply.unwrap();
    args.extend(["--root", &reply]);
    place.stdout(&args);
    assert!(asked(&second).iter().all(|go| !stored.contains(go)));
    let alone = Place::new();
    let engine_line = engine(&alone.path("log"), &[]);
    let mut args = grow_args(&engine_line, "3");
    args.extend(["--root", &reply]);
    alone.stdout(&args);
    assert!(searches(&second) < searches(&alone.path("log")), "the memo has served nothing");
    let show = ["show", "--format", "json", "--root", &reply];
    let alone = alone.stdout(&show).replacen("\"analysis\":1", "\"analysis\":2", 1);
    assert_eq!(place.stdout(&show), alone, "but for its number");
}

#[test]
fn search_limit_ends_run_with_how_to_resume() {
    let place = Place::new();
    let log = place.path("log");
    let engine_line = engine(&log, &[]);
    let mut args = grow_args(&engine_line, "5");
    args.extend(["--max-searches", "7", "--engines", "3"]);
    let output = place.run(&args);
    // The first position needs more of them.
    assert_eq!(output.status.code(), Some(1));
    let told = "error: no verdict: the limit came before the first position was analysed\n";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
    assert_eq!(searches(&log), 7);
    assert_eq!(place.stored().len(), 7);
    assert!(stderr(&output).contains("Limit reached: "), "{}", stderr(&output));
    assert!(stderr(&output).contains("goes on from here"), "{}", stderr(&output));
}

#[test]
fn a_run_ends_when_its_nodes_are_spent() {
    let place = Place::new();
    let log = place.path("log");
    let engine_line = engine(&log, &[]);
    let mut args = grow_args(&engine_line, "5");
    args.extend(["--max-nodes", "1", "--engines", "1"]);
    assert_eq!(place.run(&args).status.code(), Some(1), "one search is no verdict");
    assert_eq!(searches(&log), 1, "the first search spends the only node");
}

#[test]
fn time_limit_ends_run_during_a_search() {
    let place = Place::new();
    let log = place.path("log");
    let engine_line = engine(&log, &["--delay-ms", "600000"]);
    let mut args = grow_args(&engine_line, "5");
    args.extend(["--for", "300ms"]);
    let began = Instant::now();
    let output = place.run(&args);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(began.elapsed() < LONG, "a search takes ten minutes");
    assert!(stderr(&output).contains("Limit reached: "), "{}", stderr(&output));
}

/// Result of a run that got signals.
struct Interrupted {
    code: Option<i32>,
    text: String,
    place: Place,
    /// From the first signal to the program's end.
    took: Duration,
}

/// Starts a run, and sends signals once it searches.
fn interrupted(delay: &str, signals: &[&str]) -> Interrupted {
    let place = Place::new();
    let log = place.path("log");
    let mark = format!("Interrupted {}", place.db().display());
    let engine_line = engine(&log, &["--delay-ms", delay, "--name", &mark]);
    let mut child = place.start(&grow_args(&engine_line, "7"));
    assert!(wait_for_searches(&mut child, &log, 1));
    let began = Instant::now();
    let (mut told, mut text) = (BufReader::new(child.stderr.take().unwrap()), String::new());
    for (before, name) in signals.iter().enumerate() {
        // Two signals that come before the first is taken are one.
        while before > 0 && !text.contains("once more to quit at once") {
            assert!(told.read_line(&mut text).unwrap() > 0, "the first signal is not told: {text}");
        }
        signal(i64::from(child.id()), name);
    }
    let status = wait(&mut child);
    let took = began.elapsed();
    told.read_to_string(&mut text).unwrap();
    assert_eq!(left_behind(&mark), [0_u32; 0], "an engine is left");
    Interrupted { code: status.code(), text, place, took }
}

#[test]
fn ctrl_c_keeps_searches_ending_within_a_second() {
    // A busy machine may take a second for 200 ms once, not always.
    let kept = (0..10).any(|_| {
        let Interrupted { code, text, place, .. } = interrupted("200", &["INT"]);
        assert_eq!(code, Some(130), "{text}");
        assert!(text.contains("Interrupted: ") && text.contains("goes on from here"), "{text}");
        place.stored().len() == searches(&place.path("log"))
    });
    assert!(kept, "searches of 200 ms are thrown away");
}

#[test]
fn ctrl_c_aborts_a_long_search() {
    for name in ["INT", "TERM", "HUP"] {
        let Interrupted { code, text, place, .. } = interrupted("600000", &[name]);
        assert_eq!(code, Some(130), "{name}: {text}");
        assert_eq!(place.stored().len(), 0);
    }
}

#[test]
fn ctrl_c_twice_leaves_at_once() {
    // One alone gives a running search a second. A busy machine may be slow once, not always.
    let in_time = (0..10).any(|_| {
        let Interrupted { code, text, took, .. } = interrupted("600000", &["INT", "INT"]);
        assert_eq!(code, Some(130), "{text}");
        took < Duration::from_millis(950)
    });
    assert!(in_time, "two signals take as long as one");
}

/// A place where everything that a run wants is in the memo and its tree is not: passes without an
/// engine.
fn memo_without_a_tree() -> (Place, String) {
    let place = Place::new();
    let engine_line = engine(&place.path("log"), &[]);
    place.stdout(&grow_args(&engine_line, "6"));
    let db = rusqlite::Connection::open(place.db()).unwrap();
    db.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM analysis;").unwrap();
    (place, engine_line)
}

#[test]
fn a_run_from_the_memo_ends_when_its_time_is_up() {
    let (place, engine_line) = memo_without_a_tree();
    let asked_before = searches(&place.path("log"));
    let mut args = grow_args(&engine_line, "6");
    args.extend(["--for", "1ms"]);
    let output = place.run(&args);
    assert_eq!(output.status.success(), !output.stdout.is_empty());
    assert!(stderr(&output).contains("Limit reached: "), "{}", stderr(&output));
    place.stdout(&grow_args(&engine_line, "6"));
    assert_eq!(searches(&place.path("log")), asked_before, "the memo has all answers");
}

#[test]
fn signal_ignored_from_start_does_not_end_run() {
    let place = Place::new();
    let log = place.path("log");
    let engine_line = engine(&log, &["--delay-ms", "300"]);
    let program = place.command(&grow_args(&engine_line, "0"));
    let mut nohup = std::process::Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(program.get_program());
    nohup.args(program.get_args()).current_dir(place.path(""));
    nohup.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = nohup.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(wait_for_searches(&mut child, &log, 1));
    signal(i64::from(child.id()), "HUP");
    assert_eq!(wait(&mut child).code(), Some(0));
}

#[test]
fn second_grower_under_another_path_is_refused() {
    let place = Place::new();
    let log = place.path("log");
    let engine_line = engine(&log, &["--delay-ms", "600000"]);
    let mut child = place.start(&grow_args(&engine_line, "3"));
    assert!(wait_for_searches(&mut child, &log, 1));
    let link = place.path("link.db");
    std::os::unix::fs::symlink(place.db(), &link).unwrap();
    let mut args = grow_args(&engine_line, "3");
    args.extend(["--db", link.to_str().unwrap()]);
    let output = place.run(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("being grown by another process"), "{}", stderr(&output));
    signal(-i64::from(child.id()), "KILL");
    wait(&mut child);
}

#[test]
fn a_lesser_depth_leaves_a_settled_tree_as_it_is() {
    let place = Place::new();
    let engine_line = engine(&place.path("log"), &[]);
    place.stdout(&grow_args(&engine_line, "4"));
    let before = json(&place);
    place.stdout(&grow_args(&engine_line, "2"));
    assert_eq!(json(&place), before);
}

#[test]
fn third_failure_ends_run_and_keeps_answers() {
    let place = Place::new();
    let log = place.path("log");
    let after_e4 = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let fault = format!("illegal:epd={after_e4}");
    let engine_line = engine(&log, &["--fault", &fault]);
    let output = place.run(&grow_args(&engine_line, "5"));
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("error:") && text.contains(after_e4), "{text}");
    assert!(text.contains("hint:"), "{text}");
}

#[test]
fn ctrl_c_ends_a_run_whose_engine_has_not_said_a_word() {
    let place = Place::new();
    let mark = format!("Mute {}", place.db().display());
    let engine_line =
        engine(&place.path("log"), &["--fault", "mute-at-start", "--stubborn", "--name", &mark]);
    let mut child = place.start(&grow_args(&engine_line, "3"));
    // The program's own command line has the mark, too.
    wait_until("an engine", || processes_with(&mark).len() == 2);
    signal(i64::from(child.id()), "INT");
    let status = wait(&mut child);
    assert_eq!(status.code(), Some(130), "else it waited until the engine was given up");
    assert_eq!(left_behind(&mark), [0_u32; 0], "an engine is left");
}

#[test]
fn a_run_without_a_verdict_fails_and_says_why() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), "1. e4 e5 *\n").unwrap();
    let lost = scripted(&["--fault", "lost"]);
    let slow = ["--engine", &lost, "--for", "1s", "--engine-depth", "24"];
    let quick = scripted(&[]);
    let none = ["--engine", &quick, "--max-searches", "0", "--engine-depth", "5"];
    let roots = [&[][..], &["--moves", "e4 e5"], &["--pgn", "game.pgn", "--every"]];
    for (args, hint) in [
        (&slow[..], "hint: give it more time, or a smaller engine depth\n"),
        (&none, "hint: with --max-searches 0 nothing is searched\n"),
    ] {
        for root in roots {
            let output = place.run(&[&["grow", "--engines", "1"], args, root].concat());
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{root:?}: {said}");
            assert!(said.contains("error: no verdict: no search was finished\n"), "{said}");
            assert!(said.ends_with(hint), "{said}");
            assert!(!said.contains("every answer is kept"), "{said}");
        }
    }
    // Where something is known from before, that is the verdict.
    place.grow(&["--moves", "e4 e5", "--depth", "1"]);
    let output = place.run(&[&["grow", "--engines", "1"], &none[..], roots[1]].concat());
    assert!(output.status.success() && !output.stdout.is_empty(), "{}", stderr(&output));
}
