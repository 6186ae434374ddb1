//! When a run has a closing search, for how long, and what ends it.

use std::time::{Duration, Instant};

use super::*;

/// The arguments of a run in stages, with an engine whose searches take a little.
fn timed<'a>(engine: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let always = ["grow", "--engine", engine, "--engines", "2", "--distance", "20", "--root", ROOT];
    [&always[..], rest].concat()
}

#[test]
fn a_time_is_kept_and_threads_are_lent() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let began = Instant::now();
    succeeds(grow(&place, "timed", &[], &["--engines", "4", "--closing-time", "2s"]));
    let took = began.elapsed();
    let closing = json(&place)["closing"].clone();
    let asked = [&closing["limit"], &closing["engines"], &closing["complete"]];
    assert_eq!(asked, [&Value::Null, &4.into(), &true.into()], "{closing}");
    assert!(took >= Duration::from_secs(2), "{took:?}");
    let sent = std::fs::read_to_string(place.path("timed-transcript")).unwrap();
    assert_eq!(sent.matches("> setoption name Threads value 3\n").count(), 1, "{sent}");
    assert_eq!(sent.matches("> go movetime ").count(), 2, "{sent}");
    let refused = grow(&place, "both", &[], &["--closing-time", "5s", "--closing-depth", "9"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn the_second_half_of_a_time_is_for_a_closing_search() {
    let place = Place::new();
    let engine = scripted(&["--jitter-ms", "20"]);
    // There is a tree before the time begins.
    let told = succeeds(place.run(&timed(&engine, &["--max-searches", "60"])));
    assert!(!told.contains("closing"), "{told}");
    let told = succeeds(place.run(&timed(&engine, &["--for", "4s"])));
    let begins = "time      2.0s for the tree, then 2.0s for a closing search (--closing no: none)";
    assert!(told.lines().any(|line| line == begins), "{told}");
    let shown = json(&place);
    let closing = &shown["closing"];
    assert_eq!((&closing["limit"], &closing["passes"]), (&Value::Null, &shown["passes"]), "{told}");
    let line = told.lines().find(|line| line.starts_with("closing   ")).unwrap();
    assert!(line.contains("(depth 9, ") && line.contains(", after pass "), "{line}");
    let told = succeeds(place.run(&timed(&engine, &["--for", "200ms", "--no-closing"])));
    assert!(!told.contains("closing   "), "{told}");
    let found = "from now on (found by a closing search)";
    assert!(told.contains(found), "what the run before has found is followed: {told}");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn a_machine_that_is_down_takes_no_part() {
    let place = Place::new();
    let engine = format!("1*{}", scripted(&[]));
    let args = ["grow", "--engine", "1*false", "--engine", &engine, "--engine-depth", "5"];
    let rest = ["--distance", "20", "--root", ROOT, "--depth", "2", "--closing-depth", "9"];
    let told = succeeds(place.run(&[&args[..], &rest].concat()));
    let closing = json(&place)["closing"].clone();
    assert_eq!(
        (&closing["limit"]["depth"], &closing["complete"]),
        (&9.into(), &true.into()),
        "{told}"
    );
}

#[test]
fn interrupted_closing_is_completed_by_same_command() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let before = json(&place);
    let closing = ["--closing-depth", "9"];
    let held = format!("held:logged={}", program("").len());
    let args = arguments(&place, "slow", &["--fault", &held], &closing);
    let child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    let all = program("").len();
    wait_until("the root's search", || searches(&place, "slow") == all);
    signal(i64::from(child.id()), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(no_process(&place.path("slow")));
    assert_eq!(json(&place), before, "it had found nothing yet");
    succeeds(grow(&place, "last", &[], &closing));
    assert_eq!(since_cleared(&place, "last"), [program("depth 9")]);
    assert_eq!(json(&place)["closing"]["limit"]["depth"], 9);
}

#[test]
fn a_kill_leaves_what_a_closing_search_had_found() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let args = arguments(&place, "killed", &[], &["--closing-time", "1h"]);
    let mut child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    wait_until("a kept iteration", || json(&place).get("closing").is_some());
    let running = place.stdout(&["show"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(running.contains(" so far, after pass "), "{running}");
    let closing = json(&place)["closing"].clone();
    assert_eq!((&closing["depth"], &closing["complete"]), (&4.into(), &false.into()));
    wait_until("no engine", || no_process(&place.path("killed")));
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn closing_search_with_most_nodes_is_shown() {
    let place = Place::new();
    let shown = |option: &str, limit: &str| {
        succeeds(grow(&place, "log", &[], &[option, limit]));
        json(&place)["closing"].clone()
    };
    assert_eq!(shown("--closing-nodes", "100")["limit"]["nodes"], 100);
    let deep = shown("--closing-depth", "9");
    assert_eq!(deep["limit"]["depth"], 9);
    assert!(deep["nodes"].as_u64().unwrap() > 300, "{deep}");
    assert_eq!(shown("--closing-nodes", "200"), deep, "it has more nodes");
    assert_eq!(shown("--closing-nodes", "9000000")["limit"]["nodes"], 9_000_000);
}

#[test]
fn a_deeper_stage_shows_the_closing_search_of_another() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-nodes", "70000"]));
    let first = json(&place)["closing"].clone();
    assert_eq!(first["tree_limit"]["depth"], 5);
    let engine = scripted(&[]);
    let deeper = ["grow", "--engine", &engine, "--engine-depth", "7", "--distance", "20"];
    let rest = ["--root", ROOT, "--depth", "3", "--engines", "1"];
    succeeds(place.run(&[&deeper[..], &rest].concat()));
    let shown = json(&place);
    assert_eq!((&shown["engine"]["limit"]["depth"], &shown["closing"]), (&7.into(), &first));
    let text = place.stdout(&["show"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = format!("(70,000 nodes, after pass {} with engine depth 5)", first["passes"]);
    assert!(text.contains(&words), "{text}");
    // Other distances are another question.
    let wider = ["grow", "--engine", &engine, "--engine-depth", "7", "--distance", "30"];
    succeeds(place.run(&[&wider[..], &rest].concat()));
    assert_eq!(json(&place).get("closing"), None);
}

#[test]
fn limited_run_is_closed_if_it_has_answers() {
    let place = Place::new();
    let closing = ["--engines", "1", "--closing-depth", "9"];
    let none = grow(&place, "none", &[], &[&closing[..], &["--max-searches", "0"]].concat());
    assert_eq!(none.status.code(), Some(1), "{}", stderr(&none));
    assert!(place.stdout(&["list"]).starts_with("no analyses in "), "nothing is kept");
    succeeds(grow(&place, "some", &[], &[&closing[..], &["--max-searches", "20"]].concat()));
    let shown = json(&place);
    assert_eq!(shown["closing"]["passes"], shown["passes"]);
    assert_eq!(since_cleared(&place, "some").last(), Some(&program("depth 9")));
    let place = Place::new();
    let told = grow(&place, "log", &[], &[&closing[..], &["--quiet"]].concat());
    assert_eq!(
        (succeeds(told).as_str(), &json(&place)["closing"]["limit"]["depth"]),
        ("", &9.into())
    );
}

fn no_process(log: &Path) -> bool {
    crate::support::left_behind(log.to_str().unwrap()).is_empty()
}

#[test]
fn what_a_closing_search_does_not_go_with_is_refused() {
    let place = Place::new();
    for (args, words) in [
        (vec!["--closing-depth", "0"], "'0' for '--closing-depth <N>'"),
        (vec!["--closing-nodes", "0"], "'0' for '--closing-nodes <N>'"),
        (vec!["--closing-depth", "9", "--closing-nodes", "9"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--no-closing"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--keep-hash"], "cannot be used with --keep-hash"),
        (vec!["--closing", "9d", "--keep-hash"], "cannot be used with --keep-hash"),
        (vec!["--closing", "9d", "--closing-nodes", "9"], "cannot be used with"),
    ] {
        let output = grow(&place, "log", &[], &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
    assert!(!place.db().exists());
    // A finished root has nothing to search.
    let mate = ["--root", "7k/5KQ1/8/8/8/8/8/8 b - -", "--closing-depth", "9"];
    let engine = scripted(&[]);
    let told = succeeds(place.run(&[&["grow", "--engine", &engine], &mate[..]].concat()));
    assert!(!told.contains("closing"), "{told}");
}

#[test]
fn each_of_many_positions_is_closed() {
    let place = Place::new();
    std::fs::write(place.path("game.pgn"), "1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    let engine = scripted(&[]);
    let every = ["grow", "--engine", &engine, "--engines", "1", "--pgn", "game.pgn", "--every"];
    let asked = ["--engine-depth", "5", "--depth", "1", "--closing-nodes", "7000"];
    let told = succeeds(place.run(&[&every[..], &asked].concat()));
    for name in ["1/5 2... Qh4#: checkmate", "2/5 2. g4: closing search: ", "5/5 start: closing"] {
        assert_eq!(told.contains(name), !name.ends_with("checkmate"), "{name}: {told}");
    }
    let closed = |ply| {
        let shown = ["show", "--pgn", "game.pgn", "--ply", ply, "--format", "json"];
        let tree: Value = serde_json::from_str(&place.stdout(&shown)).unwrap();
        tree["closing"]["nodes"].as_u64()
    };
    assert!(["1", "2", "3"].iter().all(|ply| closed(ply) >= Some(7000)));
    // Half of the time of each is its tree's.
    let timed = ["--from-ply", "1", "--for-each", "2s"];
    let told = succeeds(place.run(&[&every[..], &timed].concat()));
    let halves =
        "time      1.0s for each tree, later 1.0s for its closing search (--closing no: none)";
    assert!(told.contains(halves) && told.contains("3/4 1... e5: closing search: "), "{told}");
}

#[test]
fn stockfish_closing_is_reproducible() {
    if std::env::var_os("DEEPANALYZE_REAL_ENGINE").is_none_or(|value| value != "1") {
        println!("skipped: DEEPANALYZE_REAL_ENGINE is not 1");
        return;
    }
    for closing in [1, 3] {
        let shown = [2, 1].map(|growing| {
            let place = Place::new();
            let always = ["grow", "--engine", "stockfish", "--engine-depth", "6", "--depth", "2"];
            let run = |engines: u32, more: &[&str]| {
                let args = ["--root", ROOT, "--engines", &engines.to_string()];
                succeeds(place.run(&[&always[..], &args, more].concat()));
            };
            run(growing, &[]);
            run(closing, &["--closing-nodes", "20000"]);
            json(&place)
        });
        let nodes = shown[0]["closing"]["nodes"].as_u64().unwrap();
        assert!(nodes >= 20_000 * u64::from(closing), "{}", shown[0]["closing"]);
        assert_eq!(shown[0], shown[1]);
    }
}
