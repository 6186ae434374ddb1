//! Why a move is not the best one, asked of `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::json;

use crate::support::program::Place;
use crate::support::serving::Server;

use super::serve::{SMALL, id_of, is_done};

#[test]
fn a_move_is_looked_up_then_searched_once() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let id = id_of(&server.send("POST", "/api/analyses", &json!({ "moves": "e4 e5" })));
    server.wait_for(id, "its end", is_done);
    let moves = server.get(&format!("/api/analyses/{id}/moves"));
    let listed: Vec<&str> =
        moves["moves"].as_array().unwrap().iter().map(|m| m["uci"].as_str().unwrap()).collect();
    let unlisted = ["a2a3", "h2h3", "a2a4", "h2h4", "b2b3"];
    let unlisted = unlisted.into_iter().find(|uci| !listed.contains(uci)).unwrap();
    let path = format!("/api/analyses/{id}/why");
    let known = server.get(&format!("{path}?line=&move={unlisted}"));
    let headline = known["headline"]["white"].as_str().unwrap();
    assert!(headline.starts_with("No answer lists 2. "), "{headline}");
    assert_eq!((&known["searched"], &known["can_be_searched"]), (&json!([]), &json!(true)));
    let positions = server.get(&format!("/api/analyses/{id}"))["positions"].clone();
    let asked = json!({ "line": "", "move": unlisted });
    let searched = server.send("POST", &path, &asked);
    let sentence = searched["searched"][0]["white"].as_str().unwrap();
    assert!(sentence.starts_with("Searched to engine depth "), "{sentence}");
    assert_eq!(server.get(&format!("{path}?line=&move={unlisted}")), searched, "it is kept");
    assert_eq!(server.send("POST", &path, &asked), searched, "and not searched again");
    let root = server.get(&format!("/api/analyses/{id}"));
    assert_eq!(root["positions"], positions, "the analysis stays as it is");
    let illegal = server.ask("GET", &format!("{path}?line=Nf3&move=Nf3"), None);
    assert!(illegal.status == 400 && illegal.text().contains("illegal"), "{}", illegal.text());
    let best = server.get(&format!("{path}?line=&move={}", listed[0]));
    assert!(best["headline"]["white"].as_str().unwrap().contains("is the best move"), "{best}");
}
