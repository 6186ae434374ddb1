//! Databases that are sent to `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::serving::{Answer, Server};

use super::serve::{SMALL, check, id_of};

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

/// What has become of the last one, once it is over.
fn merged(server: &Server) -> Value {
    loop {
        let all = server.get("/api/merges");
        check("Merges", &all);
        if all["merges"][0]["state"] != "running" {
            return all["merges"][0].clone();
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_database_that_is_sent_is_checked_and_taken_over() {
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
fn what_is_no_database_is_refused_and_the_server_goes_on() {
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
