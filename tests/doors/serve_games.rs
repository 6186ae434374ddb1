//! Games of PGN files that come to `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use deepanalyze_human::testing::Synthetic;
use serde_json::json;

use crate::support::program::Place;
use crate::support::serving::Server;

use super::serve::{SMALL, id_of, is_done};

#[test]
fn game_chosen_from_pgn_exports_as_show() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let pgn = "[White \"Lee, A\"]\n[Black \"Roy, B\"]\n[Site \"Chennai\"]\n[Date \"2013.11.09\"]\n\n\
               1. e4 e5 2. Nf3 *\n\n[White \"X\"]\n\n1. e4 Sf6 *\n";
    let games = server.send("POST", "/api/pgn", &json!({ "pgn": pgn }));
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
    for format in ["text", "polyglot", "book"] {
        let path = format!("/api/analyses/{id}/export?format={format}");
        assert_eq!(server.ask("GET", &path, None).status, 200, "{format}");
    }
}

/// A club of two games: in the one 1... e5 was played, in the other 1... c5.
fn write_club(place: &Place) {
    let game = |moves: &str| {
        format!("[White \"A\"]\n[Black \"B\"]\n[Date \"2020.01.01\"]\n\n{moves} *\n\n")
    };
    let games = [game("1. e4 e5 2. Nf3"), game("1. e4 c5 2. Nf3")].concat();
    std::fs::write(place.path("club.pgn"), games).unwrap();
}

#[test]
fn tree_with_games_is_only_shown_without_its_set() {
    let place = Place::new();
    write_club(&place);
    place.grow(&["--depth", "1", "--distance", "20"]);
    place.grow(&["--depth", "1", "--distance", "20", "--games", "club.pgn"]);
    let server = Server::start(&place, &[], SMALL);
    assert_eq!(server.get("/api/server")["games"], json!(null));
    let all = server.get("/api/analyses");
    let known = |id: i64| all["analyses"].as_array().unwrap().iter().find(|root| id_of(root) == id);
    assert!(known(1).unwrap()["games"].is_null());
    assert_eq!(known(2).unwrap()["games"]["set"], json!("club.pgn"));
    assert_eq!(
        [1, 2].map(|id| known(id).unwrap()["own_games"].clone()),
        [json!(true), json!(false)]
    );
    let new = json!({ "moves": "d4", "games": true });
    for (path, asked, words) in [
        ("2/run", json!({ "action": "start" }), "it needs the set of games club.pgn"),
        ("2/next", json!({ "moves": "e4" }), "it needs the set of games club.pgn"),
        ("", new, "there is no set of games here"),
    ] {
        let path = format!("/api/analyses/{path}");
        let refused = server.ask("POST", path.trim_end_matches('/'), Some(&asked));
        assert_eq!(refused.status, 409, "{path}");
        let text = refused.text();
        assert!(text.contains(words) && text.contains("serve --games SET"), "{text}");
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

#[test]
fn a_server_with_games_grows_trees_that_follow_them() {
    let place = Place::new();
    write_club(&place);
    let kept = ["--depth", "1", "--distance", "0", "--games", "club.pgn", "--played", "50%/2"];
    place.grow(&kept);
    let games = ["--games", "club.pgn", "--played-black", "50%/1"];
    let server = Server::start(&place, &[], &[SMALL, &games].concat());
    let about = server.get("/api/server");
    let played = json!({ "white": null, "black": "50%/1" });
    let words = "club.pgn, 2 games";
    let games =
        json!({ "set": "club.pgn", "games": 2, "filter": "", "words": words, "played": played });
    assert_eq!(about["games"], games);
    // A kept one goes on by its own rules, and its game's next position by the same.
    server.send("POST", "/api/analyses/1/run", &json!({ "action": "start" }));
    let patched = server.send("PATCH", "/api/analyses/1", &json!({ "depth": 2 }));
    assert_eq!(patched["games"]["played"], json!({ "white": "50%/2", "black": "50%/2" }));
    assert_eq!(patched["own_games"], json!(true));
    let next = server.send("POST", "/api/analyses/1/next", &json!({ "moves": "e4" }));
    assert_eq!(next["games"], patched["games"]);
    // New roots get the server's settings by default.
    let add = |more: serde_json::Value| {
        let mut new = json!({ "moves": "e4", "distance": 0, "depth": 1 });
        new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let root = server.send("POST", "/api/analyses", &new);
        id_of(&root)
    };
    let other = json!({ "played": { "white": "1%/1", "black": "100%/1" } });
    let [usual, other, without] = [json!({}), other, json!({ "games": false })].map(add);
    let ids = [1, id_of(&next), usual, other, without];
    for id in ids {
        server.wait_for(id, "its end", is_done);
    }
    let followed = |id: i64| {
        let place = server.get(&format!("/api/analyses/{id}/moves?line="));
        let moves = place["moves"].as_array().unwrap().iter();
        let followed = moves.filter(|one| one["analysed"] == json!(true));
        let mut names: Vec<String> =
            followed.map(|one| one["san"].as_str().unwrap().to_owned()).collect();
        names.sort();
        (names, place["moves"][0]["games"].is_number())
    };
    let (names, is_known) = followed(usual);
    assert!(is_known && ["c5", "e5"].iter().all(|name| names.iter().any(|one| one == name)));
    let [(other, is_known), (without, is_unknown)] = [followed(other), followed(without)];
    assert_eq!((other.len(), is_known, without.len(), is_unknown), (1, true, 1, false));
    for (played, words) in [
        (json!({ "games": false, "played": {} }), " needs "),
        (json!({ "played": { "white": "much" } }), "white"),
        (json!({ "played": { "red": "5%" } }), "unknown field"),
    ] {
        let refused = server.ask("POST", "/api/analyses", Some(&played));
        assert_eq!(refused.status, 400, "{played}");
        assert!(refused.text().contains(words), "{}", refused.text());
    }
}

/// A file of this many games, each of a White of its own, with this remark on the first move.
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
        server.request("POST", &format!("/api/pgn{query}"), &headers, Some(file))
    };
    let file = many_games(450, "x");
    let told = |query: &str| {
        let games = ask(query, &file).json();
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

#[test]
fn a_line_without_end_is_refused_and_a_file_read() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let bearer = format!("Bearer {}", server.token);
    let kind = ("Content-Type", "application/x-chess-pgn");
    let sent =
        |file: &[u8]| server.send_bytes("/api/pgn", &[("Authorization", &bearer), kind], file);
    let endless = vec![b'a'; (16 << 20) + 1];
    // As many as are read at once, and one more.
    for _ in 0..3 {
        let answer = sent(&endless);
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert!(answer.text().contains("a line is too long"), "{}", answer.text());
    }
    assert_eq!(sent(b"1. e4 e5 *\n").json()["total"], 1);
}

#[test]
fn a_server_with_a_net_tells_shares_of_people() {
    let place = Place::new();
    std::fs::write(place.path("crowd.pb.gz"), Synthetic::new(1).file()).unwrap();
    let net = ["--human", "crowd.pb.gz", "--played", "3%/-"];
    let server = Server::start(&place, &[], &[SMALL, &net].concat());
    let games = &server.get("/api/server")["games"];
    assert_eq!((&games["words"], &games["human"]["black"]), (&json!("net crowd"), &json!("crowd")));
    assert_eq!(games["played"], json!({ "white": "3%/1", "black": null }));
    let new = json!({ "moves": "e4 e5", "distance": 0, "depth": 1 });
    let id = id_of(&server.send("POST", "/api/analyses", &new));
    server.wait_for(id, "its end", is_done);
    let moves = server.get(&format!("/api/analyses/{id}/moves"));
    let moves = moves["moves"].as_array().unwrap();
    assert!(moves.len() > 1, "likely moves are followed");
    for one in moves {
        assert!(one["games"].is_null() && one["share"].as_f64().unwrap() > 0.0, "{one}");
    }
}
