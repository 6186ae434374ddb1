//! Tablebases in `deepanalyze serve`: its lists and answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use super::serve::id_of;
use crate::support::program::Place;
use crate::support::serving::Server;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/core/tables");
const SMALL: &[&str] =
    &["--engines", "1", "--engine-depth", "5", "--depth", "2", "--distance", "40"];
/// Three men.
const WON: &str = "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1";
/// Four men; some captures and promotions lead to three.
const ROOT: &str = "8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1";

fn with_tables(folder: &str) -> Vec<&str> {
    [SMALL, &["--tables", folder]].concat()
}

#[test]
fn table_root_lists_its_moves_at_once() {
    let place = Place::new();
    let server = Server::start(&place, &[], &with_tables(TABLES));
    let mut events = server.events(None);
    let id = id_of(&server.send("POST", "/api/analyses", &json!({ "fen": WON })));
    let path = format!("/api/analyses/{id}/moves");
    let is_listed = |there: &Value| !there["table_moves"].as_array().unwrap().is_empty();
    // It may be looked at before the run has looked it up: an event tells then that there is more.
    let mut there = server.get(&path);
    while !is_listed(&there) {
        events.wait("tree", |data| data["id"] == id);
        there = server.get(&path);
    }
    assert_eq!((&there["known"], &there["end"]), (&json!("won (tables)"), &json!("tables")));
    let first = json!({ "uci": "e2e3", "san": "e3", "wdl": 2, "dtz": 1, "known": "won (tables)" });
    assert_eq!(there["table_moves"][0], first);
    assert_eq!(there["table_moves"].as_array().unwrap().len(), 6);
    let behind = server.get(&format!("{path}?line=e3"));
    assert_eq!(behind["table_moves"], json!([]), "they are the root's");
}

#[test]
fn a_table_that_is_left_out_is_named_on_the_page() {
    let place = Place::new();
    let folder = place.path("tables");
    std::fs::create_dir(&folder).unwrap();
    for name in ["KQvK.rtbw", "KPvK.rtbw"] {
        std::fs::copy(format!("{TABLES}/{name}"), folder.join(name)).unwrap();
    }
    let damaged = folder.join("KPvK.rtbw");
    let bytes = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &bytes[..16 + 64 * 3]).unwrap();
    let server = Server::start(&place, &[], &with_tables(folder.to_str().unwrap()));
    let mut events = server.events(None);
    server.send("POST", "/api/analyses", &json!({ "fen": ROOT }));
    let is_told = |data: &Value| data["text"].as_str().unwrap().contains("KPvK.rtbw is left out");
    let message = events.wait("message", is_told).data;
    assert_eq!(message["kind"], "fault");
}
