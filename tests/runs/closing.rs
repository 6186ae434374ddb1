//! The closing search of `grow`, with the built program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Output;

use deepanalyze::analysis::load;
use deepanalyze::chess::epd_of;
use deepanalyze::store::Store;
use deepanalyze::tree::RootShare;
use serde_json::Value;

use crate::support::program::{Place, asked, signal, stderr};
use crate::support::{scripted, wait_until};

const ROOT: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

/// Grows with a scripted engine that keeps a log and a transcript, to depth 3.
fn grow(place: &Place, log: &str, flags: &[&str], args: &[&str]) -> Output {
    place.run(&arguments(place, log, flags, args).iter().map(String::as_str).collect::<Vec<_>>())
}

fn arguments(place: &Place, log: &str, flags: &[&str], args: &[&str]) -> Vec<String> {
    let (log, transcript) = (place.path(log), place.path(&format!("{log}-transcript")));
    let files = ["--log", log.to_str().unwrap(), "--transcript", transcript.to_str().unwrap()];
    let engine = scripted(&[&files, flags].concat());
    let always = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    let depth: &[&str] = if args.contains(&"--depth") { &[] } else { &["--depth", "3"] };
    let engines: &[&str] = if args.contains(&"--engines") { &[] } else { &["--engines", "1"] };
    let all = [&always[..], &["--root", ROOT], depth, engines, args].concat();
    all.into_iter().map(Into::into).collect()
}

fn succeeds(output: Output) -> String {
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

fn json(place: &Place) -> Value {
    serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap()
}

/// What each process was told between one clearing of its hash and the next, searches only.
fn since_cleared(place: &Place, log: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(place.path(&format!("{log}-transcript"))).unwrap();
    let mut told: Vec<Vec<String>> = Vec::new();
    let mut position = String::new();
    for line in text.lines().map(|line| line.trim_start_matches('>').trim()) {
        if line == "uci" || line == "ucinewgame" {
            told.push(Vec::new());
        } else if let Some(fen) = line.strip_prefix("position fen ") {
            position = fen.trim_end_matches(" 0 1").to_owned();
        } else if let Some(limit) = line.strip_prefix("go ") {
            told.last_mut().unwrap().push(format!("{position}: {limit}"));
        }
    }
    told.retain(|searches| !searches.is_empty());
    told
}

/// What a closing search of the tree in a place must ask, one search behind the other.
fn program(place: &Place, last: &str) -> Vec<String> {
    let store = Store::open(&place.db()).unwrap();
    let row = store.analyses().unwrap().remove(0);
    let tree = load(&store, row.id).unwrap();
    let lines = tree.growth.rehearsal(|_| true).into_iter();
    let lines = lines.map(|position| format!("{}: depth 5", epd_of(&position)));
    lines.chain([format!("{}: {last}", epd_of(tree.game.root()))]).collect()
}

fn searches(place: &Place, log: &str) -> usize {
    asked(&place.path(log)).len()
}

#[test]
fn the_best_lines_are_rehearsed_on_one_hash_and_the_root_is_searched_last() {
    let plain = Place::new();
    succeeds(grow(&plain, "log", &[], &["--engines", "1"]));
    let place = Place::new();
    let told = succeeds(grow(&place, "log", &[], &["--engines", "1", "--closing-nodes", "70000"]));
    let program = program(&place, "nodes 70000");
    assert!(program.len() > 6, "{program:#?}");
    let hashes = since_cleared(&place, "log");
    assert_eq!(hashes.last().unwrap(), &program);
    assert!(hashes.iter().rev().skip(1).all(|searches| searches.len() == 1));

    let mut shown = json(&place);
    let closing = shown.as_object_mut().unwrap().remove("closing").unwrap();
    assert_eq!(shown, json(&plain), "the tree is what it is without");
    let best = deepanalyze::chess::parse_fen(ROOT).unwrap();
    let (uci, san) = (closing["uci"].as_str().unwrap(), closing["san"].as_str().unwrap());
    assert_eq!(deepanalyze::chess::san_of(&best, uci.parse().unwrap()), san);
    assert_eq!(closing["limit"]["nodes"], 70_000);
    assert_eq!(closing["passes"], shown["passes"]);
    let words = format!("closing   3... {san} ");
    assert!(told.lines().any(|line| line.starts_with(&words)), "{told}");
    assert!(place.stdout(&["show"]).contains(&format!("\nclosing  3... {san} ")));

    let again = succeeds(grow(&place, "again", &[], &["--closing-nodes", "70000"]));
    assert_eq!(searches(&place, "again"), 0, "{again}");
    assert!(again.contains(&words), "{again}");
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn a_closing_search_is_the_same_however_the_tree_was_grown() {
    let one = Place::new();
    succeeds(grow(&one, "log", &[], &["--engines", "1", "--closing-depth", "9"]));
    let other = Place::new();
    let jitter = ["--jitter-ms", "2"];
    succeeds(grow(&other, "first", &jitter, &["--engines", "3", "--max-searches", "60"]));
    assert_eq!(json(&other).get("closing"), None);
    succeeds(grow(&other, "second", &jitter, &["--engines", "3"]));
    succeeds(grow(&other, "log", &jitter, &["--engines", "1", "--closing-depth", "9"]));
    assert_eq!(json(&one), json(&other));
    assert_eq!(since_cleared(&one, "log").last(), since_cleared(&other, "log").last());
}

/// What engines must ask that share the closing search of the tree in a place, each by itself.
fn shared_program(place: &Place, engines: usize, limit: &str) -> Vec<Vec<String>> {
    let store = Store::open(&place.db()).unwrap();
    let row = store.analyses().unwrap().remove(0);
    let tree = load(&store, row.id).unwrap();
    let root = epd_of(tree.game.root());
    let of_share = |share: RootShare| {
        let moves: Vec<String> = share.moves.iter().map(ToString::to_string).collect();
        let lines = share.rehearsal.iter().map(|position| format!("{}: depth 5", epd_of(position)));
        let last = match share.all {
            true => format!("{root}: {limit}"),
            false => format!("{root}: {limit} searchmoves {}", sorted(&moves.join(" "))),
        };
        lines.chain([last]).collect()
    };
    let mut all: Vec<Vec<String>> =
        tree.growth.root_shares(engines).into_iter().map(of_share).collect();
    all.sort();
    all
}

/// Words in the order of the alphabet.
fn sorted(words: &str) -> String {
    let mut words: Vec<&str> = words.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

/// What each of several engines was asked since it cleared its hash last, whoever it was: the command lines differ
/// in nothing but their transcripts.
fn each_asked(place: &Place, logs: &[String]) -> Vec<Vec<String>> {
    let last = |log: &String| since_cleared(place, log).pop().unwrap();
    let mut all: Vec<Vec<String>> = logs.iter().map(last).collect();
    for asked in all.iter_mut().flatten() {
        if let Some((before, moves)) = asked.split_once(" searchmoves ") {
            *asked = format!("{before} searchmoves {}", sorted(moves));
        }
    }
    all.sort();
    all
}

#[test]
fn several_engines_share_the_root_s_moves_and_their_lines() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let logs: Vec<String> = (1..=3).map(|number| format!("engine-{number}")).collect();
    let engines = logs.iter().map(|log| {
        let transcript = place.path(&format!("{log}-transcript"));
        format!("1*{}", scripted(&["--transcript", transcript.to_str().unwrap()]))
    });
    let engines: Vec<String> = engines.collect();
    let engines = engines.iter().flat_map(|engine| ["--engine", engine]);
    let tree = ["grow", "--engine-depth", "5", "--distance", "20", "--root", ROOT, "--depth", "3"];
    let closing = ["--closing-nodes", "70000"].into_iter();
    let three: Vec<&str> = tree.into_iter().chain(engines).chain(closing).collect();
    let told = succeeds(place.run(&three));
    let program = shared_program(&place, 3, "nodes 70000");
    assert_eq!((each_asked(&place, &logs), program.len()), (program, 3));
    let closed = json(&place)["closing"].clone();
    assert_eq!((&closed["engines"], &closed["limit"]["nodes"]), (&3.into(), &70_000.into()));
    assert!(told.contains("(70000 nodes on each of 3 engines, after pass "), "{told}");
    // The memo has it, and a fourth engine makes another.
    let closing = ["--engines", "3", "--closing-nodes", "70000"];
    let again = succeeds(grow(&place, "again", &[], &closing));
    assert_eq!(searches(&place, "again"), 0, "{again}");
    succeeds(grow(&place, "four", &[], &["--engines", "4", "--closing-nodes", "70000"]));
    assert_eq!(json(&place)["closing"]["engines"], 4, "it has more nodes");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn an_excluded_move_is_not_searched() {
    let place = Place::new();
    let close = ["--closing-depth", "9"];
    succeeds(grow(&place, "log", &[], &close));
    let first = json(&place)["closing"].clone();
    let direct = ["direct", "--root", ROOT];
    place.stdout(&[&direct[..], &["exclude", first["san"].as_str().unwrap()]].concat());
    for (log, engines) in [("alone", "1"), ("two", "2")] {
        let told =
            succeeds(grow(&place, log, &[], &[&close[..], &["--engines", engines]].concat()));
        let closing = json(&place)["closing"].clone();
        assert_eq!(closing["engines"].to_string(), engines, "{told}");
        assert_ne!(closing["uci"], first["uci"], "{told}");
    }
    let transcripts = ["alone", "two"]
        .map(|log| std::fs::read_to_string(place.path(&format!("{log}-transcript"))).unwrap());
    let closings = transcripts.iter().flat_map(|all| all.lines());
    let shares = closings.filter_map(|line| line.split_once("go depth 9 searchmoves "));
    let shares: Vec<Vec<&str>> = shares.map(|(_, moves)| moves.split(' ').collect()).collect();
    assert_eq!(shares.len(), 3);
    let excluded = first["uci"].as_str().unwrap();
    assert!(!shares.iter().any(|moves| moves.contains(&excluded)), "{shares:?}");
    let root = deepanalyze::chess::parse_fen(ROOT).unwrap();
    let allowed = deepanalyze::chess::legal_uci(&root).len() - 1;
    let mut sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [allowed - 1, allowed, allowed], "all of them, or all but the best");
    // What has been said before counts again where the move does.
    place.stdout(&[&direct[..], &["undo", "--all"]].concat());
    succeeds(grow(&place, "again", &[], &close));
    assert_eq!((json(&place)["closing"].clone(), searches(&place, "again")), (first, 0));
}

#[test]
fn where_one_of_several_engines_fails_what_the_others_said_is_kept() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    // One engine has all moves, and the other one leaves the best out.
    let closing = ["--engines", "2", "--closing-nodes", "500"];
    let output = grow(&place, "dies", &["--fault", "die:rank=1"], &closing);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("the closing search failed: engine"), "{}", stderr(&output));
    assert_eq!(json(&place).get("closing"), None, "half of it is none");
    succeeds(grow(&place, "well", &[], &closing));
    assert_eq!(json(&place)["closing"]["engines"], 2);
    let hashes = since_cleared(&place, "well");
    let roots = hashes.iter().flatten().filter(|asked| asked.contains("nodes 500"));
    assert_eq!(roots.count(), 1, "the other half was known");
}

#[test]
fn a_tree_that_grows_on_keeps_its_closing_search_until_it_has_a_newer_one() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-depth", "9"]));
    let first = json(&place)["closing"].clone();
    succeeds(grow(&place, "log", &[], &["--depth", "5"]));
    let grown = json(&place);
    assert_eq!(grown["closing"], first);
    assert!(grown["passes"].as_u64() > first["passes"].as_u64());
    succeeds(grow(&place, "last", &[], &["--depth", "5", "--closing-depth", "9"]));
    assert_eq!(json(&place)["closing"]["passes"], grown["passes"]);
    assert_eq!(since_cleared(&place, "last"), [program(&place, "depth 9")]);
    // Another game to the same root has a tree of its own.
    let moves = ["--root", "startpos", "--moves", "e4 e5 Nf3 Nc6 Bc4"];
    let engine = scripted(&[]);
    let other = ["grow", "--engine", &engine, "--engine-depth", "5", "--distance", "20"];
    succeeds(place.run(&[&other[..], &["--depth", "3"], &moves].concat()));
    let shown = place.stdout(&[&["show", "--format", "json"], &moves[..]].concat());
    assert!(shown.contains("\"history\":[\"e2e4\"") && !shown.contains("closing"), "{shown}");
}

#[test]
fn an_engine_that_dies_in_the_rehearsal_begins_it_again() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &["--closing-depth", "9"]));
    let program = program(&place, "depth 9");
    let other = Place::new();
    succeeds(grow(&other, "log", &[], &[]));
    let starts = other.path("starts");
    // The tree is complete: its process is never asked. The second one rehearses.
    let dies = ["--starts", starts.to_str().unwrap(), "--fault", "die:go=4,start=2"];
    let closing = ["--engines", "1", "--closing-depth", "9"];
    let told = succeeds(grow(&other, "dies", &dies, &closing));
    assert_eq!(told.matches("trying again").count(), 1, "{told}");
    let hashes = since_cleared(&other, "dies");
    assert_eq!(hashes.last().unwrap(), &program, "all of it on one hash");
    assert_eq!(searches(&other, "dies"), 4 + program.len(), "nothing on an empty hash");
    assert_eq!(json(&place), json(&other));
    // One that always dies there ends the run, and what was grown is kept.
    let starts = Place::new();
    let starts = starts.path("starts");
    let dies = ["--starts", starts.to_str().unwrap(), "--fault", "die:go=4"];
    let closing = ["--engines", "1", "--closing-depth", "10"];
    let output = grow(&other, "always", &dies, &closing);
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("see it    deepanalyze show"), "{told}");
    assert!(
        told.contains("error: the tree is kept, but the closing search failed: engine"),
        "{told}"
    );
    assert_eq!(json(&place), json(&other));
}

#[test]
fn another_engine_takes_the_share_that_one_has_failed_at() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    // Three processes of one engine die of it, and a fourth search of it is answered.
    let closing = ["--engines", "2", "--closing-nodes", "500"];
    let struck = place.path("struck");
    let dies = ["--struck", struck.to_str().unwrap(), "--fault", "die:rank=1,most=3"];
    let told = succeeds(grow(&place, "dies", &dies, &closing));
    assert_eq!(json(&place)["closing"]["engines"], 2, "{told}");
}

/// The nodes that the tree's searches of the longest rehearsal took, of so many.
fn longest_rehearsal(place: &Place, engines: usize) -> u64 {
    let store = Store::open(&place.db()).unwrap();
    let row = store.analyses().unwrap().remove(0);
    let nodes = |position: &_| {
        store.priced_answer(row.profile_id, position, 0).unwrap().map_or(0, |answer| answer.nodes)
    };
    let shares = load(&store, row.id).unwrap().growth.root_shares(engines);
    shares.iter().map(|share| share.rehearsal.iter().map(nodes).sum()).max().unwrap()
}

#[test]
fn a_time_is_as_many_nodes_as_the_engines_of_the_tree_search_in_it() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let stats = place.stdout(&["stats", "--analysis", "1", "--format", "json"]);
    let cost: Value = serde_json::from_str(&stats).unwrap();
    let of = |figure: &str| cost[figure].as_u64().unwrap();
    // Of each search's time half a millisecond is missing.
    let all = 2 * of("nodes") * 5_000 / (of("searches") + 2 * of("engine_time_ms"));
    // What goes through the lines is paid from it.
    let mut expected = all - longest_rehearsal(&place, 2);
    assert!(expected < all && expected > all / 2, "{expected} of {all}");
    let unit = 10_u64.pow(expected.ilog10() - 1);
    expected = expected / unit * unit;
    let closing = ["--engines", "2", "--closing-time", "5s"];
    let told = succeeds(grow(&place, "timed", &[], &closing));
    let closed = json(&place)["closing"].clone();
    assert_eq!((&closed["limit"]["nodes"], &closed["engines"]), (&expected.into(), &2.into()));
    assert!(told.contains(" on each of 2 engines, for about 5"), "{told}");
    let refused = grow(&place, "both", &[], &["--closing-time", "5s", "--closing-depth", "9"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn of_several_closing_searches_that_of_the_most_nodes_is_shown() {
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
    let words = format!("(70000 nodes, after pass {} with engine depth 5)", first["passes"]);
    assert!(text.contains(&words), "{text}");
    // Other distances are another question.
    let wider = ["grow", "--engine", &engine, "--engine-depth", "7", "--distance", "30"];
    succeeds(place.run(&[&wider[..], &rest].concat()));
    assert_eq!(json(&place).get("closing"), None);
}

/// The arguments of a run in stages, with an engine whose searches take a little.
fn timed<'a>(engine: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let always = ["grow", "--engine", engine, "--engines", "2", "--distance", "20", "--root", ROOT];
    [&always[..], rest].concat()
}

#[test]
fn the_second_half_of_a_time_is_for_a_closing_search() {
    let place = Place::new();
    let engine = scripted(&["--jitter-ms", "20"]);
    // There is a tree before the time begins.
    let told = succeeds(place.run(&timed(&engine, &["--max-searches", "60"])));
    assert!(!told.contains("closing"), "{told}");
    let told = succeeds(place.run(&timed(&engine, &["--for", "4s"])));
    let begins = "time      2.0s for the tree, then 2.0s for a closing search (--no-closing: none)";
    assert!(told.lines().any(|line| line == begins), "{told}");
    let shown = json(&place);
    let closing = &shown["closing"];
    assert_eq!((&closing["engines"], &closing["passes"]), (&2.into(), &shown["passes"]), "{told}");
    let nodes = closing["limit"]["nodes"].as_u64().unwrap();
    assert!(
        told.contains(&format!("closing   {nodes} nodes on each of 2 engines, for about 1.")),
        "{told}"
    );
    let told = succeeds(place.run(&timed(&engine, &["--for", "200ms", "--no-closing"])));
    assert!(!told.contains("closing"), "{told}");
    assert!(place.run(&["verify"]).status.success());
}

#[test]
fn where_a_closing_search_would_not_fit_the_tree_has_all_of_the_time() {
    let place = Place::new();
    let engine = scripted(&["--jitter-ms", "20"]);
    succeeds(place.run(&timed(&engine, &["--max-searches", "60"])));
    // Searches of an hour each.
    place.sql("UPDATE search SET time_ms = 3600000");
    let told = succeeds(place.run(&timed(&engine, &["--for", "4s"])));
    let note = "note: too little time for a closing search of this tree; the tree has all of it";
    assert_eq!(told.lines().filter(|line| *line == note).count(), 1, "{told}");
    assert_eq!(json(&place).get("closing"), None);
    assert_eq!(told.matches("this run").count(), 1, "{told}");
    let line = told.lines().find(|line| line.starts_with("this run  ")).unwrap();
    let seconds = line.rsplit(' ').next().unwrap().trim_end_matches('s').parse::<f64>().unwrap();
    assert!(seconds >= 4.0, "both halves: {told}");
}

#[test]
fn a_run_that_reaches_a_limit_is_closed_too_unless_it_has_no_answer() {
    let place = Place::new();
    let closing = ["--engines", "1", "--closing-depth", "9"];
    succeeds(grow(&place, "none", &[], &[&closing[..], &["--max-searches", "0"]].concat()));
    assert!(place.stdout(&["list"]).starts_with("no analysis in "), "nothing is kept");
    succeeds(grow(&place, "some", &[], &[&closing[..], &["--max-searches", "20"]].concat()));
    let shown = json(&place);
    assert_eq!(shown["closing"]["passes"], shown["passes"]);
    assert_eq!(since_cleared(&place, "some").last(), Some(&program(&place, "depth 9")));
    let place = Place::new();
    let told = grow(&place, "log", &[], &[&closing[..], &["--quiet"]].concat());
    assert_eq!(
        (succeeds(told).as_str(), &json(&place)["closing"]["limit"]["depth"]),
        ("", &9.into())
    );
}

#[test]
fn a_machine_that_is_down_is_passed_over() {
    let place = Place::new();
    let log = place.path("log");
    let engine = format!("1*{}", scripted(&["--log", log.to_str().unwrap()]));
    let args = ["grow", "--engine", "1*false", "--engine", &engine, "--engine-depth", "5"];
    let rest = ["--distance", "20", "--root", ROOT, "--depth", "2", "--closing-depth", "9"];
    let told = succeeds(place.run(&[&args[..], &rest].concat()));
    let warning = |line: &&str| line.starts_with("warning: ") && line.contains("false");
    let last = told.lines().rfind(warning).unwrap();
    assert!(last.ends_with("; the other engines take its moves"), "{told}");
    let closing = json(&place)["closing"].clone();
    assert_eq!((&closing["limit"]["depth"], &closing["engines"]), (&9.into(), &2.into()));
}

#[test]
fn a_signal_while_the_engine_starts_is_heeded() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let starts = place.path("starts");
    let mute = ["--starts", starts.to_str().unwrap(), "--fault", "mute-at-start:start=2"];
    let closing = ["--engines", "1", "--closing-depth", "9"];
    let args = arguments(&place, "mute", &mute, &closing);
    let child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    wait_until("a second start", || std::fs::metadata(&starts).is_ok_and(|file| file.len() == 2));
    signal(i64::from(child.id()), "TERM");
    let output = child.wait_with_output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "else the engine was waited for: {told}");
    assert!(no_process(&place.path("mute")));
}

#[test]
fn an_interrupt_ends_the_closing_search_and_the_same_command_makes_it() {
    let place = Place::new();
    succeeds(grow(&place, "log", &[], &[]));
    let before = json(&place);
    let closing = ["--closing-depth", "9"];
    let args = arguments(&place, "slow", &["--fault", "held:logged=2"], &closing);
    let child =
        place.command(&args.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    wait_until("the second search", || searches(&place, "slow") == 2);
    signal(i64::from(child.id()), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("closing   interrupted: the next run makes one at its end"), "{told}");
    assert!(no_process(&place.path("slow")));
    assert_eq!(json(&place), before);
    succeeds(grow(&place, "last", &[], &closing));
    assert_eq!(since_cleared(&place, "last"), [program(&place, "depth 9")]);
    assert_eq!(json(&place)["closing"]["limit"]["depth"], 9);
}

fn no_process(log: &Path) -> bool {
    crate::support::left_behind(log.to_str().unwrap()).is_empty()
}

#[test]
fn what_a_closing_search_does_not_go_with_is_refused() {
    let place = Place::new();
    std::fs::write(place.path("roots.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap();
    for (args, words) in [
        (vec!["--closing-depth", "0"], "'0' for '--closing-depth <N>'"),
        (vec!["--closing-nodes", "0"], "'0' for '--closing-nodes <N>'"),
        (vec!["--closing-depth", "9", "--closing-nodes", "9"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--no-closing"], "cannot be used with"),
        (vec!["--closing-depth", "9", "--keep-hash"], "cannot be used with '--keep-hash'"),
    ] {
        let output = grow(&place, "log", &[], &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
    let engine = scripted(&[]);
    let batch = ["grow", "--engine", &engine, "--epd", "roots.epd", "--closing-depth", "9"];
    let output = place.run(&batch);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("needs a single position, not a batch"),
        "{}",
        stderr(&output)
    );
    assert!(!place.db().exists());
    // A finished root has nothing to search.
    let mate = ["--root", "7k/5KQ1/8/8/8/8/8/8 b - -", "--closing-depth", "9"];
    let engine = scripted(&[]);
    let told = succeeds(place.run(&[&["grow", "--engine", &engine], &mate[..]].concat()));
    assert!(!told.contains("closing"), "{told}");
}

#[test]
fn stockfish_closes_the_same_tree_in_the_same_way_every_time() {
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
