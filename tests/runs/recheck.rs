//! A recheck that is killed goes on where it was.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::program::{
    Place, log_lines, searches, signal, stderr, wait, wait_for_searches,
};
use crate::support::{by_day_or_night, scripted};

/// An engine that has an opinion of its own, with a log.
fn engine(log: &Path, flags: &[&str]) -> String {
    let own = ["--name", "Contrary 1", "--seed", "2", "--log", log.to_str().unwrap()];
    scripted(&[&own[..], flags].concat())
}

fn arguments(engine: &str) -> Vec<&str> {
    vec!["recheck", "--engine", engine, "--engines", "2", "--within", "60"]
}

fn grown() -> Place {
    let place = Place::new();
    place.grow(&["--depth", "5", "--distance", "20"]);
    place
}

/// The stored note, without its time.
fn noted(place: &Place) -> Value {
    let tree: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    tree["recheck"][0].clone()
}

/// The moves that are kept: EPD and move.
fn stored(place: &Place) -> BTreeSet<(String, String)> {
    let db = rusqlite::Connection::open(place.db()).unwrap();
    let sql =
        "SELECT epd, move FROM move_answer JOIN position ON position.id = move_answer.position";
    let mut query = db.prepare(sql).unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The moves that were asked for: EPD and move.
fn asked(log: &Path) -> Vec<(String, String)> {
    let pair = |line: String| {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(!fields[2].contains(' '), "one move alone: {line}");
        (fields[0].to_owned(), fields[2].to_owned())
    };
    log_lines(log).into_iter().map(pair).collect()
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn killed_rechecks_agree_without_repeats() {
    let undisturbed = grown();
    let line = engine(&undisturbed.path("log"), &[]);
    let output = undisturbed.run(&arguments(&line));
    assert!(output.status.success(), "{}", stderr(&output));
    let all = searches(&undisturbed.path("log"));
    assert!(all > 20, "too little to be killed often: {all}");

    let killed = grown();
    let (mut random, mut kills, wanted) = (7_u64, 0, by_day_or_night(3, 6));
    for run in 0.. {
        let log = killed.path(&format!("log-{run}"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let begun = 1 + (random >> 33) as usize % 5;
        // The engines stop soon after the kill is due: on a busy machine the run might be over before.
        let hold = format!("held:logged={}", begun + 4);
        let flags = ["--delay-ms", "1", "--jitter-ms", "2", "--fault", &hold];
        let held = if kills < wanted { flags.len() } else { 4 };
        let line = engine(&log, &flags[..held]);
        let before = stored(&killed);
        let mut child = killed.start(&arguments(&line));
        let interrupted = kills < wanted && wait_for_searches(&mut child, &log, begun);
        if interrupted {
            std::thread::sleep(Duration::from_micros(random >> 50));
            signal(-i64::from(child.id()), "KILL");
            kills += 1;
        }
        let status = wait(&mut child);
        let again: Vec<_> = asked(&log).into_iter().filter(|pair| before.contains(pair)).collect();
        assert_eq!(again, [], "asked although it is kept");
        let verdict = killed.run(&["verify", "--quiet"]);
        assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
        if !interrupted {
            assert!(status.success());
            break;
        }
    }
    assert!(kills >= wanted - 2, "killed only {kills} times");
    assert_eq!(noted(&killed), noted(&undisturbed));
}
