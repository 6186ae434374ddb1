//! `grow` on many roots with the built program: the positions of a game, and those of a file.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Output;
use std::time::Instant;

use crate::support::program::{Place, asked, searches, signal, stderr, wait, wait_for_searches};
use crate::support::{LONG, by_day_or_night, scripted};

const GAME: &str =
    "[Event \"Fool's mate, slowly\"]\n\n1. f3 e5 2. Nh3 Nc6 3. Ng1 Nb8 4. g4 Qh4# 0-1\n";

const EPD: &str = "# three positions\n\
    8/8/4k3/8/8/4K3/4P3/8 w - - id \"king and pawn\";\n\n\
    6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - bm Kf8;\n\
    r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n";

fn engine(log: &Path, flags: &[&str]) -> String {
    let mut all = vec!["--log", log.to_str().unwrap()];
    all.extend_from_slice(flags);
    scripted(&all)
}

/// A place with a game and a file of positions.
fn place() -> Place {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), GAME).unwrap();
    std::fs::write(place.path("suite.epd"), EPD).unwrap();
    place
}

fn args<'a>(engine: &'a str, depth: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = ["grow", "--engine", engine, "--engine-depth", "5", "--distance", "20"];
    [&args[..], &["--depth", depth], more].concat()
}

fn run(place: &Place, log: &str, depth: &str, more: &[&str]) -> Output {
    let engine = engine(&place.path(log), &[]);
    place.run(&args(&engine, depth, more))
}

/// A tree without its number, which depends on what else there is in the database.
fn json(place: &Place, root: &[&str]) -> String {
    let json = place.stdout(&[&["show", "--format", "json"][..], root].concat());
    json.split_once(",\"root\":").unwrap().1.to_owned()
}

/// The plies of the game whose positions can be analysed: the last one is mate.
fn plies() -> Vec<String> {
    (0..8).map(|ply| ply.to_string()).collect()
}

const EVERY: [&str; 3] = ["--pgn", "game.pgn", "--every"];

#[test]
#[ignore = "slow: runs in .ci/run"]
fn game_positions_get_the_trees_of_single_runs() {
    let (together, apart) = (place(), place());
    let output = run(&together, "log", "3", &EVERY);
    assert!(output.status.success(), "{}", stderr(&output));
    let searched = asked(&together.path("log"));
    let different: std::collections::HashSet<_> = searched.iter().collect();
    assert_eq!(different.len(), searched.len(), "a search was made twice");
    for ply in plies() {
        let root = ["--pgn", "game.pgn", "--ply", &ply];
        let grown = run(&apart, "log", "3", &root);
        assert!(grown.status.success(), "{}", stderr(&grown));
        let tree = json(&together, &root);
        assert_eq!(tree, json(&apart, &root), "ply {ply}");
        let history = if ply == "0" { "\"history\":[]" } else { "\"history\":[\"f2f3\"" };
        assert!(tree.contains(history), "{tree}");
    }
    let verdict = together.run(&["verify"]);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

#[test]
fn last_position_first_and_finished_skipped() {
    let place = place();
    let output = run(&place, "log", "1", &EVERY);
    let text = stderr(&output);
    let place_of = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    let names = ["2/9 4. g4: ", "3/9 3... Nb8: ", "4/9 3. Ng1: ", "9/9 start: "];
    assert!(names.map(place_of).is_sorted(), "{text}");
    assert!(text.contains("done: 8 of 9 complete, 1 already over"), "{text}");
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(table, place.stdout(&["show", "--pgn", "game.pgn", "--every"]));
    let ends = |row: &str| row.trim_start().starts_with("8  4... Qh4#");
    assert!(table.lines().any(ends), "{table}");
}

#[test]
fn game_from_stdin_asks_to_be_saved() {
    let place = place();
    let told = stderr(&run(&place, "log", "0", &EVERY));
    assert!(told.contains("\nsee it    deepanalyze export pgn --pgn"), "{told}");
    let engine = crate::support::scripted(&[]);
    let args = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1"];
    let args = [&args[..], &["--depth", "0", "--pgn", "-", "--every"]].concat();
    let game = std::fs::File::open(place.path("game.pgn")).unwrap();
    let text = stderr(&place.command(&args).stdin(game).output().unwrap());
    let words = "see it    save the game to a FILE, then deepanalyze export pgn --pgn FILE --every";
    assert!(text.contains(words), "{text}");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_batch_that_was_killed_goes_on_where_it_was() {
    let (killed, undisturbed) = (place(), place());
    assert!(run(&undisturbed, "log", "4", &EVERY).status.success());
    let (mut kills, wanted) = (0, by_day_or_night(3, 6));
    for turn in 0.. {
        let log = killed.path(&format!("log-{turn}"));
        // The engines stop soon after the kill is due: on a busy machine the run might be over before.
        let flags = ["--delay-ms", "1", "--jitter-ms", "2", "--fault", "held:logged=48"];
        let held = if kills < wanted { flags.len() } else { 4 };
        let engine = engine(&log, &flags[..held]);
        let stored = killed.stored();
        let mut child = killed.start(&args(&engine, "4", &EVERY));
        let interrupted = kills < wanted && wait_for_searches(&mut child, &log, 40);
        if interrupted {
            signal(-i64::from(child.id()), "KILL");
            kills += 1;
        }
        let status = wait(&mut child);
        assert!(asked(&log).iter().all(|go| !stored.contains(go)), "asked although stored");
        if !interrupted {
            assert!(status.success());
            break;
        }
    }
    assert!(kills >= wanted / 2, "killed only {kills} times");
    for ply in plies() {
        let root = ["--pgn", "game.pgn", "--ply", &ply];
        assert_eq!(json(&killed, &root), json(&undisturbed, &root), "ply {ply}");
    }
    let text = stderr(&run(&killed, "again", "4", &EVERY));
    assert!(text.contains("8 of 9 done before"), "{text}");
    assert_eq!(searches(&killed.path("again")), 0);
}

#[test]
fn part_of_a_game_can_be_chosen() {
    let place = place();
    let chosen = ["--ply", "6", "--from-ply", "2", "--side", "black"];
    let text = stderr(&run(&place, "log", "0", &[&EVERY[..], &chosen].concat()));
    assert!(text.contains("2 positions of game 1 of game.pgn"), "{text}");
    assert!(text.contains("1/2 3. Ng1:") && text.contains("2/2 2. Nh3:"), "{text}");
    let output = run(&place, "log", "0", &[&EVERY[..], &["--from-ply", "9"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("the game has no ply 9: the last is 8"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn file_positions_grow_in_turn_with_names() {
    let place = place();
    let output = run(&place, "log", "2", &["--epd", "suite.epd"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    for name in ["1/3 king and pawn: ", "2/3 line 4: ", "3/3 line 5: "] {
        let line = text.lines().find(|line| line.starts_with(name)).expect(&text);
        assert!(line.contains(" (depth 2, "), "{line}");
    }
    let root = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1";
    assert!(json(&place, &["--root", root]).contains("\"settled\":2"));
}

#[test]
fn positions_can_come_from_standard_input() {
    let place = place();
    let engine = engine(&place.path("log"), &[]);
    let mut command = place.command(&args(&engine, "1", &["--epd", "-"]));
    command.stdin(std::fs::File::open(place.path("suite.epd")).unwrap());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("3 positions of standard input"), "{}", stderr(&output));
}

#[test]
fn all_bad_lines_are_named_before_any_engine_starts() {
    let place = place();
    let text = format!("{EPD}nonsense\n4k3/4Q3/8/8/8/8/8/4K3 w - - id \"takes the king\";\n");
    std::fs::write(place.path("bad.epd"), text).unwrap();
    let starts = place.path("starts");
    let engine = engine(&place.path("log"), &["--starts", starts.to_str().unwrap()]);
    let output = place.run(&args(&engine, "1", &["--epd", "bad.epd"]));
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("error: bad.epd:6: FEN \"nonsense\" has 1 field"), "{text}");
    assert!(text.contains("error: bad.epd:7: ") && text.contains("take the king"), "{text}");
    assert!(!starts.exists() && !place.db().exists(), "something was begun");
}

#[test]
fn limits_hold_for_the_whole_batch() {
    let place = place();
    let more = ["--max-searches", "25", "--engines", "1"];
    let output = run(&place, "log", "3", &[&EVERY[..], &more].concat());
    assert_eq!(output.status.code(), Some(0));
    let text = stderr(&output);
    assert_eq!(searches(&place.path("log")), 25, "{text}");
    assert!(text.contains("limit reached:") && text.contains("goes on from here"), "{text}");
    let table = String::from_utf8(output.stdout).unwrap();
    let is_unknown = |line: &str| line.trim_start() == "1  1. f3";
    assert!(table.lines().any(is_unknown), "nothing is known of it: {table}");
}

#[test]
fn a_limit_of_each_root_goes_on_with_the_next() {
    let place = place();
    let more = ["--searches-each", "5", "--engines", "1", "--no-look-ahead"];
    let output = run(&place, "log", "3", &[&["--epd", "suite.epd"][..], &more].concat());
    assert_eq!(output.status.code(), Some(0));
    let text = stderr(&output);
    assert_eq!(searches(&place.path("log")), 15, "{text}");
    assert!(text.contains("done: 0 of 3 complete, 3 unfinished"), "{text}");
    let log = place.path("slow");
    let engine = engine(&log, &["--delay-ms", "600000"]);
    let began = Instant::now();
    let output = place.run(&args(&engine, "4", &["--epd", "suite.epd", "--for-each", "50ms"]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(began.elapsed() < LONG, "a search takes ten minutes");
}

#[test]
fn failed_position_is_reported_others_grow() {
    let place = place();
    let log = place.path("log");
    let fault = "illegal:epd=6k1/5ppp/8/8/8/8/5PPP/R5K1 b - -";
    let engine = engine(&log, &["--fault", fault]);
    let output = place.run(&args(&engine, "1", &["--epd", "suite.epd", "--quiet"]));
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.starts_with("error: line 4 (6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1): "), "{text}");
    assert!(text.contains("failed 3 times") && text.contains("hint:"), "{text}");
    assert!(json(&place, &["--root", "8/8/4k3/8/8/4K3/4P3/8 w - -"]).contains("\"settled\":1"));
    let third = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    assert!(json(&place, &["--root", third]).contains("\"settled\":1"));
}

/// A root that was settled before is written to as well: its target may be another one now.
#[test]
fn lock_between_two_roots_is_awaited() {
    use std::io::BufRead;

    let place = place();
    let second = ["--root", "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - -"];
    assert!(run(&place, "quick", "1", &second).status.success());
    assert!(
        run(&place, "quick", "2", &[&second[..], &["--max-searches", "1"]].concat())
            .status
            .success()
    );
    // The first root has no answer when its time is up, so nothing of it is written.
    let log = place.path("log");
    let engine = engine(&log, &["--delay-ms", "600000"]);
    let two = ["--epd", "suite.epd", "--for-each", "300ms", "--engines", "1"];
    let mut child = place.start(&args(&engine, "1", &two));
    assert!(wait_for_searches(&mut child, &log, 1));
    let other = rusqlite::Connection::open(place.db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let told = std::io::BufReader::new(child.stderr.take().unwrap());
    for line in told.lines().map(Result::unwrap) {
        assert!(!line.starts_with("error"), "{line}");
        if line.contains("waiting for it") {
            other.execute_batch("ROLLBACK").unwrap();
        }
    }
    assert_eq!(wait(&mut child).code(), Some(0));
}

#[test]
fn roots_that_other_runs_grow_are_left_to_them() {
    let place = place();
    let four = format!("{EPD}8/8/4k3/8/8/3QK3/8/8 w - - id \"queen\";\n");
    std::fs::write(place.path("suite.epd"), four).unwrap();
    assert!(run(&place, "log", "0", &["--epd", "suite.epd"]).status.success());
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let mut ids = db.prepare("SELECT id FROM analysis ORDER BY id LIMIT 3").unwrap();
    let ids = ids.query_map([], |row| row.get::<_, i64>(0)).unwrap().map(Result::unwrap);
    let locks: Vec<std::fs::File> = ids
        .map(|id| std::fs::File::create(place.path(&format!("tree.db-grow-{id}.lock"))).unwrap())
        .collect();
    locks.iter().for_each(|lock| lock.lock().unwrap());
    let output = run(&place, "log", "2", &["--epd", "suite.epd"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("done: 1 of 4 complete, 3 failed"), "{text}");
    assert_eq!(text.matches("is being grown by another process\n").count(), 6, "{text}");
}

#[test]
fn an_engine_that_fails_at_everything_ends_the_batch() {
    let place = place();
    let engine = engine(&place.path("log"), &["--fault", "illegal"]);
    let output = place.run(&args(&engine, "1", &EVERY));
    assert_eq!(output.status.code(), Some(1));
    assert!(searches(&place.path("log")) < 20, "it went on");
}

#[test]
fn ctrl_c_ends_a_batch_and_says_how_to_go_on() {
    let place = place();
    let log = place.path("log");
    let engine = engine(&log, &["--delay-ms", "20"]);
    let mut child = place.start(&args(&engine, "6", &EVERY));
    assert!(wait_for_searches(&mut child, &log, 5));
    signal(i64::from(child.id()), "INT");
    let status = wait(&mut child);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut text).unwrap();
    assert_eq!(status.code(), Some(130), "{text}");
    assert!(text.contains("interrupted:") && text.contains("goes on from here"), "{text}");
}
