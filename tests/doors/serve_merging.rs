//! Databases that are sent to `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::scripted;
use crate::support::serving::{Answer, Server};

use super::serve::{SMALL, id_of};

/// A database of somebody else with one analysis.
fn others() -> Vec<u8> {
    let place = Place::new();
    place.grow(&["--moves", "e4", "--depth", "1", "--distance", "20"]);
    std::fs::read(place.path("tree.db")).unwrap()
}

fn sent(server: &Server, query: &str, file: &[u8]) -> Answer {
    let bearer = format!("Bearer {}", server.token);
    let kind = ("Content-Type", "application/vnd.sqlite3");
    server.send_bytes(&format!("/api/merges?{query}"), &[("Authorization", &bearer), kind], file)
}

/// Result of the last merge, once it is over.
fn merged(server: &Server) -> Value {
    let mut last = json!(null);
    crate::support::wait_until("the end of the merge", || {
        std::thread::sleep(Duration::from_millis(50));
        last = server.get("/api/merges")["merges"][0].take();
        last["state"] != "running"
    });
    last
}

#[test]
fn uploaded_database_is_checked_and_merged() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    assert_eq!(server.get("/api/merges"), json!({ "merges": [] }));
    let file = others();
    let begun = sent(&server, "name=friend.db", &file);
    assert_eq!(begun.status, 202, "{}", begun.text());
    let told = merged(&server);
    assert_eq!((&told["name"], &told["state"]), (&json!("friend.db"), &json!("done")), "{told}");
    let lines = told["lines"].as_array().unwrap();
    let has = |words: &str| lines.iter().any(|line| line.as_str().unwrap().contains(words));
    assert!(has("friend.db: ") && has("added") && has("checked"), "{told}");
    assert!(!told.to_string().contains(&*place.path("").to_string_lossy()), "{told}");
    let all = server.get("/api/analyses");
    let [root] = &all["analyses"].as_array().unwrap()[..] else { panic!("{all}") };
    assert_eq!((&root["history"], id_of(root)), (&json!(["e2e4"]), 1));
    assert!(place.stdout(&["list", "--sources"]).contains("friend.db"));
    // Nothing is left of the file.
    let left = std::fs::read_dir(place.path("")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("merge")).count(), 0);
}

#[test]
fn upload_of_no_database_is_refused() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    assert_eq!(sent(&server, "name=notes.db", b"1. e4 e5 *").status, 202);
    let told = merged(&server);
    assert_eq!(told["state"], "failed", "{told}");
    assert!(told["error"].as_str().unwrap().contains("notes.db"), "{told}");
    for query in
        ["name=..%2Fa.db", "name=", "name=-x", "name=.x", "", "name=a&path=b", "name=a%0Ab"]
    {
        assert_eq!(sent(&server, query, b"").status, 400, "{query}");
    }
    let json = server.ask("POST", "/api/merges?name=a.db", Some(&json!({})));
    assert!(json.status == 400 && json.text().contains("vnd.sqlite3"), "{}", json.text());
    assert_eq!(server.get("/api/analyses")["analyses"], json!([]));
}

/// A scripted engine of a name, and a database that it has grown.
struct Friend {
    engine: String,
    file: Vec<u8>,
}

impl Friend {
    fn new(name: &str) -> Friend {
        let engine = scripted(&["--name", name]);
        let place = Place::new();
        let args = ["--engine-depth", "5", "--engines", "1", "--depth", "1", "--distance", "20"];
        let args = [&["grow", "--moves", "e4", "--engine", &engine], &args[..]].concat();
        assert!(place.run(&args).status.success());
        Friend { engine, file: std::fs::read(place.db()).unwrap() }
    }
}

/// Files of uploads left in a place.
fn left_of_uploads(place: &Place) -> Vec<String> {
    place.files().into_iter().filter(|name| name.contains("merge")).collect()
}

#[cfg(unix)]
#[test]
fn an_engine_named_relatively_is_the_servers_own() {
    let (place, friend) = (Place::new(), Friend::new("Relative"));
    std::fs::write(place.path("engine.sh"), format!("exec {}\n", friend.engine)).unwrap();
    let server = Server::start_with(&place, &[], &[], |command| {
        let args = ["serve", "--port", "0", "--engine", "sh engine.sh"];
        *command = place.command(&[&args, SMALL].concat());
    });
    // In the folder of the upload, this would be the file that the shell runs.
    assert_eq!(sent(&server, "name=engine.sh", &friend.file).status, 202);
    let told = merged(&server);
    assert_eq!((&told["name"], &told["state"]), (&json!("engine.sh"), &json!("done")), "{told}");
    assert!(!told.to_string().contains(&*place.path("").to_string_lossy()), "{told}");
    assert!(place.stdout(&["list", "--sources"]).contains("engine.sh"));
}

/// A server whose engines do not answer, with a merge whose check has begun; a mark of its processes.
#[cfg(target_os = "linux")]
fn endless_merge(place: &Place) -> (Server, String) {
    let mark = format!("Endless {}", place.db().display());
    let friend = Friend::new(&mark);
    let log = place.path("log");
    let flags = ["--name", &mark, "--delay-ms", "100000000", "--log", log.to_str().unwrap()];
    let server = Server::start(place, &[&flags[..], &["--stubborn"]].concat(), SMALL);
    assert_eq!(sent(&server, "name=friend.db", &friend.file).status, 202);
    crate::support::wait_until("a search", || crate::support::program::searches(&log) > 0);
    (server, mark)
}

#[cfg(target_os = "linux")]
#[test]
fn a_merge_ends_with_its_server_however_it_ends() {
    use crate::support::{left_behind, program::signal, wait_until};
    for name in ["TERM", "INT", "KILL"] {
        let place = Place::new();
        let (mut server, mark) = endless_merge(&place);
        signal(i64::from(server.pid()), name);
        server.wait();
        assert_eq!(left_behind(&mark), [0_u32; 0], "{name}: an engine is left");
        let merge = format!("merge --quiet --db {}", place.db().display()).replace(' ', "\0");
        assert_eq!(left_behind(&merge), [0_u32; 0], "{name}: the merge is left");
        match name {
            "KILL" => assert_eq!(left_of_uploads(&place).len(), 1),
            _ => assert_eq!(left_of_uploads(&place), [""; 0], "{name}"),
        }
        drop(Server::start(&place, &[], SMALL));
        wait_until("all is cleared", || left_of_uploads(&place).is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_running_merge_is_cancelled_and_another_begins() {
    let place = Place::new();
    let (server, _) = endless_merge(&place);
    let friend = others();
    assert_eq!(sent(&server, "name=other.db", &friend).status, 409);
    let running = server.get("/api/merges")["merges"][0].clone();
    assert_eq!((&running["id"], &running["state"]), (&json!(1), &json!("running")));
    for (path, status) in [("/api/merges/7", 404), ("/api/merges/x", 404), ("/api/merges/1", 200)] {
        assert_eq!(server.ask("DELETE", path, None).status, status, "{path}");
    }
    let told = merged(&server);
    assert_eq!((&told["state"], &told["error"]), (&json!("failed"), &json!("cancelled")), "{told}");
    assert_eq!(server.ask("DELETE", "/api/merges/1", None).status, 409);
    assert_eq!(left_of_uploads(&place), [""; 0]);
    assert_eq!(sent(&server, "name=other.db&trust=true", &friend).status, 202);
    assert_eq!(merged(&server)["state"], "done");
}

#[test]
fn a_file_that_comes_has_the_place_until_it_is_gone() {
    use std::io::Write;
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let mut slow = server.connect();
    let head = format!(
        "POST /api/merges?name=slow.db HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/vnd.sqlite3\r\nContent-Length: 60000000000\r\n\r\nSQLite",
        server.host(),
        server.token
    );
    slow.write_all(head.as_bytes()).unwrap();
    crate::support::wait_until("it comes", || left_of_uploads(&place).len() == 1);
    assert_eq!(sent(&server, "name=other.db", b"").status, 409, "one at a time");
    let large = vec![0; 16 << 20];
    assert_eq!(sent(&server, "name=other.db", &large).status, 409, "and it is told so");
    let state = || server.get("/api/merges")["merges"][0]["state"].clone();
    assert_eq!(state(), "running");
    drop(slow);
    crate::support::wait_until("it is gone", || left_of_uploads(&place).is_empty());
    crate::support::wait_until("it is in no list", || state() == Value::Null);
    assert_eq!(sent(&server, "name=notes.db", b"1. e4 e5 *").status, 202);
}

#[test]
fn a_limit_that_ends_no_check_stays_behind() {
    let other = Place::new();
    other.grow(&["--moves", "e4", "--depth", "1", "--distance", "20"]);
    for limit in ["limit_value = 200", "(limit_kind, limit_value) = ('nodes', 1000000000000000)"] {
        other.sql(&format!("UPDATE profile SET {limit}"));
        let (place, file) = (Place::new(), std::fs::read(other.db()).unwrap());
        let server = Server::start(&place, &[], SMALL);
        assert_eq!(sent(&server, "name=friend.db", &file).status, 202);
        let told = merged(&server);
        assert!(told["lines"].to_string().contains("too much to search again"), "{told}");
        assert_eq!(place.stored().len(), 0, "{limit}");
    }
}
