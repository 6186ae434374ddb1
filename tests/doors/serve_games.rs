//! Games of PGN files that come to `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::json;

use crate::support::program::Place;
use crate::support::serving::Server;

use super::serve::{SMALL, check, id_of, is_done};

#[test]
fn a_game_is_chosen_from_a_pgn_and_exports_are_those_of_show() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let pgn = "[White \"Lee, A\"]\n[Black \"Roy, B\"]\n[Site \"Chennai\"]\n[Date \"2013.11.09\"]\n\n\
               1. e4 e5 2. Nf3 *\n\n[White \"X\"]\n\n1. e4 Sf6 *\n";
    let games = server.send("POST", "/api/pgn", &json!({ "pgn": pgn }));
    check("Games", &games);
    assert_eq!(games["games"][0]["heading"], "Lee, A – Roy, B, Chennai 2013");
    assert!(games["games"][1]["error"].as_str().unwrap().contains("Sf6"));
    // The game alone is as good as the file.
    let alone = games["games"][0]["pgn"].as_str().unwrap();
    assert!(!alone.contains("Sf6") && games["games"][1]["pgn"].is_null(), "{alone}");
    let new = json!({ "pgn": alone, "ply": 2, "distance": 10, "depth": 1 });
    let root = server.send("POST", "/api/analyses", &new);
    assert_eq!(
        (&root["history"], &root["name"]),
        (&json!(["e2e4", "e7e5"]), &json!("Lee–Roy 2013, 1... e5"))
    );
    let id = id_of(&root);
    server.wait_for(id, "its end", is_done);
    for format in ["json", "csv", "epd", "pgn", "html", "dot", "svg"] {
        let shown = place.stdout(&["show", "--analysis", &id.to_string(), "--format", format]);
        let path = format!("/api/analyses/{id}/export?format={format}");
        let answer = server.ask("GET", &path, None);
        assert_eq!(answer.text(), shown, "{format}");
        assert!(answer.header("content-disposition").unwrap().starts_with("attachment"));
    }
    for format in ["text", "book"] {
        let path = format!("/api/analyses/{id}/export?format={format}");
        assert_eq!(server.ask("GET", &path, None).status, 200, "{format}");
    }
}

#[test]
fn a_tree_with_games_is_shown_and_neither_grown_nor_followed_to_the_next_move() {
    let place = Place::new();
    let games = "[White \"A\"]\n[Black \"B\"]\n[Date \"2020.01.01\"]\n\n1. e4 e5 2. Nf3 *\n\n";
    std::fs::write(place.path("club.pgn"), games).unwrap();
    place.grow(&["--depth", "1", "--distance", "20"]);
    place.grow(&["--depth", "1", "--distance", "20", "--games", "club.pgn"]);
    let server = Server::start(&place, &[], SMALL);
    let all = server.get("/api/analyses");
    check("Analyses", &all);
    let known = |id: i64| all["analyses"].as_array().unwrap().iter().find(|root| id_of(root) == id);
    assert_eq!([1, 2].map(|id| known(id).unwrap()["games"].clone()), [json!(false), json!(true)]);
    for (action, asked, words) in [
        ("run", json!({ "action": "start" }), "go on with `deepanalyze grow --games`"),
        ("next", json!({ "moves": "e4" }), "a new analysis would know none"),
    ] {
        let refused = server.ask("POST", &format!("/api/analyses/2/{action}"), Some(&asked));
        assert_eq!(refused.status, 409, "{action}");
        assert!(refused.text().contains(words), "{}", refused.text());
    }
    let audit = server.get("/api/analyses/2/audit?side=white");
    assert_eq!(
        (&audit["games"]["set"], audit["against_people"].is_object()),
        (&json!("club.pgn"), true)
    );
    for format in ["anki", "study", "conditional"] {
        let path = format!("/api/analyses/2/export?format={format}");
        assert_eq!(server.ask("GET", &path, None).status, 200, "{format}");
    }
}

/// A file of so many games, each of a White of its own, with this behind the first move.
fn many_games(count: usize, remark: &str) -> String {
    let game = |number: usize| {
        let tags = format!("[White \"Player {number}\"]\n[Black \"B\"]\n\n");
        format!("{tags}1. e4 {{{remark}}} e5 2. Nf3 Nc6 *\n\n")
    };
    (1..=count).map(game).collect()
}

#[test]
fn every_game_of_a_large_file_is_reached() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-chess-pgn")];
    let ask = |query: &str, file: &str| {
        server.request(("POST", &format!("/api/pgn{query}")), &headers, Some(file))
    };
    let file = many_games(450, "x");
    let told = |query: &str| {
        let games = ask(query, &file).json();
        check("Games", &games);
        let numbers = games["games"].as_array().unwrap().iter();
        let numbers: Vec<u64> = numbers.map(|one| one["number"].as_u64().unwrap()).collect();
        (games["total"].as_u64().unwrap(), numbers)
    };
    assert_eq!(told(""), (450, (1..=100).collect()));
    assert_eq!(told("?skip=440&count=100"), (450, (441..=450).collect()));
    assert_eq!(
        told("?find=PLAYER+44"),
        (14, [44, 144, 244, 344].into_iter().chain(440..=449).collect())
    );
    assert_eq!(told("?find=443&skip=0"), (1, vec![443]));
    assert_eq!(told("?find=nobody"), (0, vec![]));
    assert_eq!(ask("", "no game at all").status, 400);
    let large = many_games(20_000, &"good ".repeat(250));
    assert!(large.len() > 20_000_000, "{}", large.len());
    let games = ask("?skip=19999", &large).json();
    assert_eq!((&games["total"], &games["games"][0]["number"]), (&json!(20_000), &json!(20_000)));
}
