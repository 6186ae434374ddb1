//! `deepanalyze serve` as the page and scripts use it, with a scripted engine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::io::{BufRead, Read, Write};

use serde_json::{Value, json};

use crate::support::pool::unique_name;
use crate::support::program::Place;
use crate::support::serving::Server;
use deepanalyze_store::{AnalysisId, Store};

/// One analysis at engine depth 5, to a small depth: it is done soon.
pub(super) const SMALL: &[&str] =
    &["--engines", "2", "--engine-depth", "5", "--depth", "2", "--distance", "20"];
/// Stages that go on as long as there is time.
const LARGE: &[&str] = &["--engines", "2", "--depth", "6", "--distance", "20"];

pub(super) fn id_of(root: &Value) -> i64 {
    root["id"].as_i64().expect("a number")
}

pub(super) fn is_done(root: &Value) -> bool {
    root["run"]["state"] == "done"
}

#[test]
fn an_analysis_grows_and_tells_of_it() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    server.get("/api/server");
    let before = server.get("/api/analyses");
    let after = format!("{}-{}", before["instance"].as_str().unwrap(), before["step"]);
    let mut events = server.events(Some(&after));
    events.wait("hello", |_| true);
    let root = server.send("POST", "/api/analyses", &json!({ "moves": "e4 e5" }));
    let id = id_of(&root);
    events.wait("roots", |data| data["changed"][0]["id"] == id);
    events.wait("tree", |data| data["id"] == id);
    events.wait("message", |data| data["kind"] == "settled");
    let root = server.wait_for(id, "its end", is_done);
    assert_eq!(root["depth"], json!({ "settled": 2, "target": 2 }));
    let path = format!("/api/analyses/{id}");
    // All answers follow the contract.
    for resource in [
        "moves?line=Nf3",
        "moves?line=a3+a6+a4",
        "moves?people=white",
        "course",
        "audit?side=white",
        "stats",
        "directives",
    ] {
        server.get(&format!("{path}/{resource}"));
    }
    let trust = server.get(&format!("{path}/trust"));
    let shown: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    assert!(trust["stability"]["at_least"].is_u64());
    assert_eq!(trust["stability"], shown["stability"], "what `show` tells of the same tree");
    let words = trust["words"]["stability"]["white"].as_str().unwrap().to_owned();
    let text = place.stdout(&["show"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("holds {words}")), "{words}: {text}");
    server.get("/api/engines");
    let place_there = server.get(&format!("{path}/moves"));
    let best = &place_there["moves"][0];
    assert_eq!(best["alpha"], root["value"]);
    assert_eq!(best["uci"], root["best"][0]["uci"]);
    assert_eq!(place_there["best"]["line"][0]["uci"], best["uci"]);
    assert!(best["positions"].as_u64().unwrap() > 0 && best["in_tree"].as_u64().unwrap() > 0);
    let there = server.get(&format!("{path}/moves?line={}", best["san"].as_str().unwrap()));
    assert_eq!(there["best"]["score"], there["moves"][0]["alpha"]);
    let fen = there["fen"].as_str().unwrap().replace(' ', "%20");
    let found = server.get(&format!("{path}/line?fen={fen}"));
    assert_eq!(found["line"][0]["uci"], best["uci"]);
    assert_eq!(found["words"], format!("2. {}", best["san"].as_str().unwrap()));
    let far = "line?fen=8/8/4k3/8/8/4K3/4P3/8%20w%20-%20-%200%201";
    assert_eq!(server.ask("GET", &format!("{path}/{far}"), None).status, 404);
    assert_eq!(server.ask("GET", &format!("{path}/line?fen=none"), None).status, 400);
    let left = server.get(&format!("{path}/moves?line=a3+a6+a4"));
    assert_eq!((&left["analysed"], &left["moves"]), (&json!(false), &json!([])));
}

#[test]
fn root_line_fits_its_score_between_depths() {
    let place = Place::new();
    place.grow(&["--depth", "6", "--distance", "25", "--max-searches", "400"]);
    let store = Store::open_to_read(&place.db()).unwrap();
    let settled = store.last_verdict(AnalysisId(1)).unwrap().unwrap();
    let server = Server::start(&place, &[], SMALL);
    let root = &server.get("/api/analyses")["analyses"][0];
    let first = &server.get("/api/analyses/1/moves")["moves"][0];
    let words = |line: &Value| -> Vec<String> {
        let word = |m: &Value| m["uci"].as_str().unwrap().to_owned();
        line.as_array().unwrap().iter().map(word).collect()
    };
    let (card, mut right) = (words(&root["best"]), words(&first["line"]));
    // The engine's moves behind the tree are on no card.
    right.truncate(usize::try_from(first["in_tree"].as_u64().unwrap()).unwrap());
    assert_eq!((&root["value"], &card), (&first["alpha"], &right));
    let older = settled.moves.iter().find(|m| m.uci.to_string() == card[0]).unwrap();
    let older: Vec<String> = older.line.iter().map(ToString::to_string).collect();
    assert_ne!(card, older, "or this shows nothing");
}

#[test]
fn the_closing_search_of_a_tree_is_told() {
    let place = Place::new();
    let tree = ["--depth", "2", "--distance", "20"];
    place.grow(&tree);
    let server = Server::start(&place, &[], SMALL);
    const MOVES: &str = "/api/analyses/1/moves";
    let before = server.ask("GET", MOVES, None).header("etag").unwrap().to_owned();
    let trust = || server.get("/api/analyses/1/trust");
    assert_eq!((&trust()["closing"], &trust()["words"]["closing"]), (&Value::Null, &Value::Null));
    let mut events = server.events(None);
    place.grow(&[&tree[..], &["--closing-nodes", "500"]].concat());
    events.wait("tree", |data| data["closing"].is_string());
    // Its card hears of it, too, though none of its rows has changed; and so does who has asked for its moves.
    let is_told = |root: &Value| root["verdict"]["other"].is_object();
    let told = |data: &Value| data["changed"].as_array().is_some_and(|all| all.iter().any(is_told));
    if !is_told(&server.get("/api/analyses")["analyses"][0]) {
        events.wait("roots", told);
    }
    let (root, moves) = (&server.get("/api/analyses")["analyses"][0], server.get(MOVES));
    assert_eq!(root["verdict"], moves["verdict"]);
    for key in ["uci", "score", "wdl"] {
        assert_eq!(moves["best"][key], moves["verdict"][key]);
    }
    assert_ne!(server.ask("GET", MOVES, None).header("etag"), Some(before.as_str()));
    let trust = trust();
    let shown: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    assert!(shown["closing"]["nodes"].as_u64() > Some(0), "{shown}");
    assert_eq!(
        trust["closing"], shown["closing"],
        "what `show` tells of it, though the tree is the same"
    );
    let words = trust["words"]["closing"]["white"].as_str().unwrap();
    assert!(place.stdout(&["show"]).contains(words), "{words}");
    // Its removal is an event, too.
    place.sql("DELETE FROM closing");
    let is_alone = |root: &Value| root["verdict"]["agree"] == true && !is_told(root);
    events.wait("roots", |data| {
        data["changed"].as_array().is_some_and(|all| all.iter().any(is_alone))
    });
}

#[test]
fn a_position_that_is_known_is_not_sent_again() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let root = server.send("POST", "/api/analyses", &json!({}));
    let id = id_of(&root);
    server.wait_for(id, "its end", is_done);
    let path = format!("/api/analyses/{id}/moves");
    let tag = server.ask("GET", &path, None).header("etag").unwrap().to_owned();
    let bearer = format!("Bearer {}", server.token);
    let again = |tag: &str| {
        let headers = [("Authorization", bearer.as_str()), ("If-None-Match", tag)];
        server.request("GET", &path, &headers, None).status
    };
    assert_eq!((again(&tag), again("\"other\"")), (304, 200));
    let said = json!({ "line": "e4", "action": "note", "text": "mine" });
    server.send("POST", &format!("/api/analyses/{id}/directives"), &said);
    let mut status = 304;
    crate::support::wait_until("the note", || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        status = again(&tag);
        status == 200
    });
}

#[test]
fn long_answers_are_compressed_and_events_are_not() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let bearer = format!("Bearer {}", server.token);
    let asked = |path: &str, encoding: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Accept-Encoding", encoding)];
        server.request("GET", path, &headers, None)
    };
    let (plain, packed) = (asked("/app.js", "identity"), asked("/app.js", "gzip"));
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.header("etag"), plain.header("etag"));
    assert!(packed.body.len() < plain.body.len() / 2, "{}", packed.body.len());
    let mut read = Vec::new();
    flate2::read::GzDecoder::new(&*packed.body).read_to_end(&mut read).unwrap();
    assert_eq!(read, plain.body);
    let mut stream = server.connect();
    let head = format!(
        "GET /api/events HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\nAccept-Encoding: gzip\r\n\r\n",
        server.host()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut begins = String::new();
    let mut reader = std::io::BufReader::new(stream);
    while !begins.ends_with("event: hello\n") {
        assert!(reader.read_line(&mut begins).unwrap() > 0, "{begins}");
    }
    assert!(!begins.to_ascii_lowercase().contains("content-encoding"), "{begins}");
}

#[test]
fn killed_server_and_open_pages_resume() {
    let place = Place::new();
    let mut first = Server::start(&place, &["--delay-ms", "2"], LARGE);
    let id = id_of(&first.send("POST", "/api/analyses", &json!({ "name": "mine" })));
    let paused =
        id_of(&first.send("POST", "/api/analyses", &json!({ "moves": "d4", "start": false })));
    let before = first.wait_for(id, "some searches", |root| root["searches"].as_u64() > Some(20));
    first.kill();
    let second = Server::start(&place, &["--delay-ms", "2"], LARGE);
    assert_eq!(second.token, first.token);
    let searches = before["searches"].as_u64();
    let after = second.wait_for(id, "more searches", |root| root["searches"].as_u64() > searches);
    assert_eq!((&after["name"], &after["run"]["state"]), (&json!("mine"), &json!("growing")));
    let other = second.get(&format!("/api/analyses/{paused}"));
    assert_eq!(other["run"]["state"], "paused");
}

/// Without a lock SQLite takes the server for gone when another program closes the database, and removes its log.
#[cfg(target_os = "linux")]
#[test]
fn a_server_has_the_database_locked_while_it_is_open() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    let server = Server::start(&place, &["--delay-ms", "2"], LARGE);
    // It is opened for another analysis while the first one writes: that must not give up the lock.
    for moves in ["e4", "d4"] {
        let id = id_of(&server.send("POST", "/api/analyses", &json!({ "moves": moves })));
        server.wait_for(id, "searches", |root| root["searches"].as_u64() > Some(20));
    }
    let file = format!(":{}", std::fs::metadata(place.db()).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let pid = server.pid().to_string();
    let is_its = |line: &&str| {
        let mut words = line.split_whitespace();
        words.clone().any(|word| word == pid) && words.any(|word| word.ends_with(&file))
    };
    // The list has a line twice where it changes while it is read: a process has a lock of a range once.
    let its = locks.lines().filter(is_its).filter_map(|line| line.split_once(": "));
    let its: BTreeSet<&str> = its.map(|(_, lock)| lock).collect();
    assert_eq!(its.len(), 1, "{pid} {file}: {locks}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_all_runs_and_no_engine_is_left() {
    let (place, name) = (Place::new(), unique_name());
    let mut server = Server::start(&place, &["--name", &name, "--delay-ms", "5"], LARGE);
    for moves in ["", "e4", "d4"] {
        server.send("POST", "/api/analyses", &json!({ "moves": moves }));
    }
    let searches = |server: &Server| server.get("/api/engines")["searches"].as_u64();
    crate::support::wait_until("some searches", || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        searches(&server) > Some(10)
    });
    assert_eq!(server.interrupt().code(), Some(130));
    assert_eq!(crate::support::left_behind(&name), Vec::<u32>::new());
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn several_analyses_grow_side_by_side_and_are_steered() {
    let place = Place::new();
    let server = Server::start(&place, &["--delay-ms", "2"], LARGE);
    let add =
        |moves: &str| id_of(&server.send("POST", "/api/analyses", &json!({ "moves": moves })));
    let (one, two) = (add("e4"), add("d4"));
    for id in [one, two] {
        server.wait_for(id, "searches of both", |root| root["searches"].as_u64() > Some(3));
    }
    let path = |id: i64| format!("/api/analyses/{id}");
    let run = |id: i64, action: &str| {
        server.send("POST", &format!("{}/run", path(id)), &json!({ "action": action }))
    };
    assert_eq!(run(one, "pause")["run"]["state"], "paused");
    assert_eq!(run(one, "start")["run"]["state"], "growing");
    let changed =
        server.send("PATCH", &path(two), &json!({ "weight": 7, "before": one, "name": "x" }));
    assert_eq!((&changed["run"]["weight"], &changed["name"]), (&json!(7), &json!("x")));
    let order: Vec<i64> =
        server.get("/api/analyses")["analyses"].as_array().unwrap().iter().map(id_of).collect();
    assert_eq!(order, [two, one]);
    let unnamed = server.send("PATCH", &path(two), &json!({ "name": null, "before": null }));
    assert_eq!((&unnamed["name"], &unnamed["run"]["place"]), (&json!(null), &json!(1)));
    assert_eq!(server.ask("PATCH", &path(two), Some(&json!({ "weight": 0 }))).status, 422);
    let next = json!({ "moves": "e5", "pause_this": true });
    let next = server.send("POST", &format!("{}/next", path(one)), &next);
    assert_eq!(next["history"], json!(["e2e4", "e7e5"]));
    assert_eq!(server.get(&path(one))["run"]["state"], "paused");
    assert_eq!(server.ask("DELETE", &path(two), None).status, 204);
    assert_eq!(server.ask("GET", &path(two), None).status, 404);
    assert_eq!(server.ask("GET", &path(999), None).status, 404);
}

#[test]
fn another_draw_value_is_another_analysis() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let new = json!({ "moves": "e4", "draw_value": 30 });
    let one = server.send("POST", "/api/analyses", &new);
    assert_eq!(one["draw_value"], 30);
    let id = id_of(&one);
    server.wait_for(id, "the first tree", |root| root["run"]["state"] == "done");
    let path = format!("/api/analyses/{id}/draw");
    let other = server.send("POST", &path, &json!({ "draw_value": -25, "pause_this": true }));
    assert_eq!((&other["draw_value"], &other["history"]), (&json!(-25), &one["history"]));
    assert_ne!(id_of(&other), id);
    server.wait_for(id_of(&other), "the other tree", |root| root["run"]["state"] == "done");
    server.get(&format!("/api/analyses/{}/trust", id_of(&other)));
    let nothing = server.send("POST", &path, &json!({ "draw_value": 0 }));
    assert!(nothing["draw_value"].is_null(), "{nothing}");
    let again = server.ask("POST", &path, Some(&json!({ "draw_value": 30 })));
    assert_eq!((again.status, id_of(&again.json())), (200, id), "it is there");
    for wrong in [json!({ "draw_value": 1001 }), json!({ "draw_value": 0.25 }), json!({})] {
        assert_eq!(server.ask("POST", &path, Some(&wrong)).status, 400, "{wrong}");
    }
}

#[test]
fn a_root_of_another_engine_is_shown_and_not_grown() {
    let place = Place::new();
    place.grow(&["--depth", "1"]);
    let server = Server::start(&place, &["--name", "Other"], SMALL);
    let all = server.get("/api/analyses");
    let root = &all["analyses"][0];
    assert_eq!((&root["own_engine"], &root["run"]["state"]), (&json!(false), &json!("idle")));
    let id = id_of(root);
    let place_there = server.get(&format!("/api/analyses/{id}/moves"));
    assert!(!place_there["moves"].as_array().unwrap().is_empty());
    let start = json!({ "action": "start" });
    let refused = server.ask("POST", &format!("/api/analyses/{id}/run"), Some(&start));
    assert_eq!(refused.status, 409);
    let words = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(words.contains("Other") && words.contains("Scripted"), "{words}");
}

#[test]
fn listeners_agree_and_reconnecting_catches_up() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let mut one = server.events(None);
    let hello = one.wait("hello", |_| true);
    let mut other = server.events(None);
    other.wait("hello", |_| true);
    let id = id_of(&server.send("POST", "/api/analyses", &json!({ "start": false })));
    for events in [&mut one, &mut other] {
        events.wait("roots", |data| data["changed"][0]["id"] == id);
    }
    drop(one);
    server.send("PATCH", &format!("/api/analyses/{id}"), &json!({ "name": "while away" }));
    let mut back = server.events(Some(&hello.id));
    let seen = back.wait("roots", |_| true);
    assert_eq!(seen.data["changed"][0]["name"], "while away");
    let mut stranger = server.events(Some("other-3"));
    assert_eq!(stranger.next().unwrap().kind, "hello");
    assert_eq!(stranger.next().unwrap().kind, "reset");
}
