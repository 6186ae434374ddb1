//! Whole games in `deepanalyze serve`, and a player's games beside a tree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::serving::{Answer, Server};

use super::serve::{SMALL, id_of, is_done};

/// White is mated: the last position is no analysis.
const FOOLS: &str = "[Event \"Club\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"Fool, A\"]\n\
                     [Black \"Roy, B\"]\n[Result \"0-1\"]\n\n1. f3 {weak} e5 2. g4 (2. e4) Qh4# 0-1\n";

fn send_file(server: &Server, path: &str, file: &str) -> Answer {
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-chess-pgn")];
    server.request("POST", path, &headers, Some(file))
}

fn wait_for_all(server: &Server, game: &Value) {
    for analysed in game["analyses"].as_array().unwrap() {
        server.wait_for(id_of(analysed), "its end", is_done);
    }
}

#[test]
fn whole_game_is_analysed_and_equals_show() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let asked = json!({ "pgn": FOOLS, "each": { "depth": 1, "distance": 10 } });
    let game = server.send("POST", "/api/games", &asked);
    let plies: Vec<&Value> =
        game["analyses"].as_array().unwrap().iter().map(|one| &one["ply"]).collect();
    assert_eq!(plies, [0, 1, 2, 3], "the last position is mate");
    assert_eq!((&game["title"], &game["event"]), (&json!("Fool, A – Roy, B"), &json!("Club")));
    let again = server.send("POST", "/api/games", &asked);
    assert_eq!((&again["id"], &again["analyses"]), (&game["id"], &game["analyses"]));
    wait_for_all(&server, &game);
    let root = server.get(&format!("/api/analyses/{}", game["analyses"][0]["id"]));
    assert_eq!(root["whole_game"], game["id"]);
    let path = format!("/api/games/{}", game["id"]);
    let page = server.get(&path);
    assert_eq!(page["page"]["game"]["positions"].as_array().unwrap().len(), 5);
    std::fs::write(place.path("game.pgn"), FOOLS).unwrap();
    for format in ["pgn", "html", "json"] {
        let shown = place.stdout(&[
            "show", "--pgn", "game.pgn", "--every", "--format", format, "--pov", "white",
        ]);
        let answer = server.ask("GET", &format!("{path}/export?format={format}"), None);
        assert_eq!(answer.text(), shown, "{format}");
    }
    assert_eq!(server.get("/api/games")["games"].as_array().unwrap().len(), 1);
    let own =
        server.send("POST", "/api/analyses", &json!({ "moves": "f3", "depth": 1, "distance": 30 }));
    assert_eq!(server.ask("DELETE", &path, None).status, 204);
    let left = server.get("/api/analyses");
    let left: Vec<i64> = left["analyses"].as_array().unwrap().iter().map(id_of).collect();
    assert_eq!(left, [id_of(&own)], "what was not made for the game stays");
    assert_eq!(server.ask("GET", &path, None).status, 404);
}

#[test]
fn side_and_part_of_a_game_pause_and_resume() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *";
    let each = json!({ "depth": 40, "distance": 30, "start": false });
    let asked = json!({ "pgn": moves, "from_ply": 2, "side": "black", "each": each });
    let game = server.send("POST", "/api/games", &asked);
    let plies: Vec<i64> = game["analyses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["ply"].as_i64().unwrap())
        .collect();
    assert_eq!(plies, [3, 5]);
    let state = |wanted: &str| {
        for analysed in game["analyses"].as_array().unwrap() {
            server.wait_for(id_of(analysed), wanted, |root| root["run"]["state"] == *wanted);
        }
    };
    state("paused");
    let path = format!("/api/games/{}/run", game["id"]);
    for (action, wanted) in [("start", "growing"), ("pause", "paused")] {
        server.send("POST", &path, &json!({ "action": action }));
        state(wanted);
    }
    for (asked, status, words) in [
        (json!({ "pgn": moves, "game": 2 }), 400, "there is no game 2"),
        (json!({ "pgn": moves, "from_ply": 9 }), 400, "the game has 6 plies"),
        (json!({ "pgn": moves, "each": { "fen": "startpos" } }), 400, "not which"),
        (json!({ "pgn": "no game" }), 400, "no game in PGN format"),
        (json!({ "pgn": FOOLS, "from_ply": 4 }), 422, "nothing to analyse"),
    ] {
        let refused = server.ask("POST", "/api/games", Some(&asked));
        assert_eq!(refused.status, status, "{}", refused.text());
        assert!(refused.text().contains(words), "{}", refused.text());
    }
}

#[test]
fn file_repertoire_is_included_and_games_reviewed() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let root = server.send("POST", "/api/analyses", &json!({ "depth": 2, "distance": 20 }));
    let id = id_of(&root);
    let repertoire = "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n";
    let path = format!("/api/analyses/{id}");
    let done = send_file(&server, &format!("{path}/repertoire?name=white.pgn"), repertoire);
    assert_eq!(done.status, 200, "{}", done.text());
    let done = done.json();
    assert_eq!(done["words"], "white.pgn: 5 moves, 6 positions; new: 5 moves");
    server.wait_for(id, "its end", is_done);
    assert_eq!(send_file(&server, &format!("{path}/repertoire"), "no game").status, 400);
    let games = "[White \"Lee, A\"]\n[Black \"Roy, B\"]\n\n1. e4 e5 2. Bc4 *\n\n\
                 [White \"Roy, B\"]\n[Black \"Lee, A\"]\n\n1. d4 *\n";
    let ask = |query: &str| send_file(&server, &format!("{path}/review?{query}"), games);
    let review = ask("player=Lee%2C+A&side=white").json()["review"].take();
    assert_eq!(review["counts"]["games"], 1, "{review}");
    assert_eq!(review["places"][0]["by"], "player");
    assert_eq!(review["places"][0]["played"]["san"], "Bc4");
    assert_eq!(review["places"][0]["right"][0]["san"], "Nf3");
    assert!(ask("side=white&format=pgn").text().contains("2. Bc4"));
    assert!(ask("side=white&format=html").text().contains("<title>"));
    assert!(ask("").text().contains(" is missing"));
    let nobody = ask("player=Lee");
    assert!(
        nobody.status == 422 && nobody.text().contains("near names: Lee, A (2 games)"),
        "{}",
        nobody.text()
    );
}

#[test]
fn game_leaves_existing_analysis_unchanged() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let new = json!({ "moves": "f3 e5", "depth": 7, "distance": 10, "start": false });
    let own = server.send("POST", "/api/analyses", &new);
    let asked = |depth: u32| json!({ "pgn": FOOLS, "each": { "depth": depth, "distance": 10 } });
    let game = server.send("POST", "/api/games", &asked(1));
    let plies: Vec<&Value> =
        game["analyses"].as_array().unwrap().iter().map(|one| &one["ply"]).collect();
    assert_eq!(plies, [0, 1, 2, 3]);
    let made = |one: &&Value| one["made"] == true;
    let made = || game["analyses"].as_array().unwrap().iter().filter(made);
    assert_eq!(made().count(), 3);
    made().for_each(|one| drop(server.wait_for(id_of(one), "its end", is_done)));
    let own = server.get(&format!("/api/analyses/{}", id_of(&own)));
    assert_eq!((&own["run"]["state"], &own["run"]["target"]), (&json!("paused"), &json!(7)));
    assert!(own["whole_game"].is_null());
    // The game's roots go deeper on request.
    let deeper = server.send("POST", "/api/games", &asked(2));
    assert_eq!(deeper["analyses"], game["analyses"]);
    for analysed in made() {
        let is_deep = |root: &Value| is_done(root) && root["depth"]["settled"] == 2;
        server.wait_for(id_of(analysed), "depth 2", is_deep);
    }
}

#[test]
fn games_share_and_keep_common_positions() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let add = |moves: &str| {
        let asked = json!({ "pgn": moves, "each": { "depth": 1, "distance": 10 } });
        server.send("POST", "/api/games", &asked)
    };
    let [first, second] = ["1. e4 e5 2. Nf3 *", "1. e4 e5 2. Nc3 *"].map(add);
    let ids = |game: &Value| -> Vec<i64> {
        game["analyses"].as_array().unwrap().iter().map(id_of).collect()
    };
    assert_eq!(ids(&first)[..3], ids(&second)[..3]);
    wait_for_all(&server, &second);
    assert_eq!(server.ask("DELETE", &format!("/api/games/{}", first["id"]), None).status, 204);
    let left = server.get(&format!("/api/games/{}", second["id"]));
    assert_eq!(left["analyses"], second["analyses"]);
    let all = server.get("/api/analyses");
    assert_eq!(all["analyses"].as_array().unwrap().len(), 4);
}

#[test]
fn a_games_name_stays_with_the_analyses_of_that_game() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let idle = |more: Value| {
        let mut new = json!({ "start": false });
        new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.send("POST", "/api/analyses", &new)
    };
    let study = idle(json!({ "moves": "f3", "distance": 33 }));
    let each = json!({ "depth": 1, "distance": 10, "start": false });
    let game = server.send("POST", "/api/games", &json!({ "pgn": FOOLS, "each": each }));
    let named = |root: &Value| {
        let root = server.get(&format!("/api/analyses/{}", root["id"]));
        (root["name"].clone(), root["whole_game"].clone())
    };
    assert_eq!(named(&study), (Value::Null, Value::Null), "it was there before");
    assert_eq!(named(&idle(json!({ "moves": "f3", "distance": 34 }))), (Value::Null, Value::Null));
    let of_game = &game["analyses"][1];
    assert_eq!(named(of_game), (json!("Fool–Roy, 1. f3"), game["id"].clone()));
    let pgn = idle(json!({ "pgn": FOOLS, "ply": 1, "distance": 35 }));
    assert_eq!(named(&pgn).0, "Fool–Roy, 1. f3");
    // The game's own analysis, asked for by itself.
    let same = idle(json!({ "moves": "f3", "distance": 10 }));
    assert_eq!(same["id"], of_game["id"]);
    assert_eq!(named(&same), (Value::Null, Value::Null));
    let second = &game["analyses"][2];
    assert_eq!(named(second), (json!("Fool–Roy, 1... e5"), game["id"].clone()));
    // A name that the user has given is kept.
    let path = format!("/api/analyses/{}", second["id"]);
    server.send("PATCH", &path, &json!({ "name": "mine" }));
    let own = idle(json!({ "moves": "f3 e5", "distance": 10 }));
    assert_eq!((&own["id"], named(&own)), (&second["id"], (json!("mine"), Value::Null)));
}
