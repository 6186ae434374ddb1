//! Directives given and undone in `deepanalyze serve`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::serving::Server;

use super::serve::{SMALL, id_of, is_done};

#[test]
fn excluded_move_is_undone() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let id = id_of(&server.send("POST", "/api/analyses", &json!({})));
    let root = server.wait_for(id, "its end", is_done);
    let best = root["best"][0]["san"].as_str().unwrap().to_owned();
    let path = format!("/api/analyses/{id}/directives");
    let done = server.send("POST", &path, &json!({ "line": best, "action": "exclude" }));
    assert_eq!(done["words"], format!("excluded 1. {best}"));
    let follows = |root: &Value| {
        is_done(root) && root["pending"] == false && root["best"][0]["san"].as_str() != Some(&best)
    };
    server.wait_for(id, "a tree without the move", follows);
    let refused = server.ask("POST", &path, Some(&json!({ "line": best, "action": "include" })));
    assert_eq!(refused.status, 422);
    let all = server.get(&path);
    assert_eq!(all["undo"], format!("excluded 1. {best}"));
    let one = &all["directives"][0];
    assert_eq!((&one["line"], &one["words"]), (&json!([]), &json!(format!("1. {best}"))));
    server.send("POST", &format!("{path}/undo"), &json!({}));
    assert_eq!(server.ask("POST", &format!("{path}/undo"), Some(&json!({}))).status, 409);
    server.wait_for(id, "the tree as it was", |root| {
        is_done(root) && root["best"][0]["san"].as_str() == Some(&best)
    });
    let epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let file = json!({ "note": { epd: "from a file" } });
    server.send("PUT", &path, &file);
    let all = server.get(&path);
    assert_eq!((&all["file"], &all["directives"][0]["words"]), (&file, &json!("the root")));
    // A directive of another program is not undone with it.
    place.stdout(&["direct", "exclude", "a3"]);
    server.send("POST", &format!("{path}/undo"), &json!({}));
    let all = server.get(&path);
    assert_eq!((&all["directives"][0]["san"], &all["directives"][1]), (&json!("a3"), &Value::Null));
}

#[test]
fn foreign_directive_wakes_finished_roots() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let add = |distance: u32| {
        let new = json!({ "distance": distance });
        id_of(&server.send("POST", "/api/analyses", &new))
    };
    let both = [add(10), add(20)];
    let root = both.map(|id| server.wait_for(id, "its end", is_done));
    let best = root[0]["best"][0]["san"].as_str().unwrap().to_owned();
    place.stdout(&["direct", "exclude", &best]);
    for id in both {
        server.wait_for(id, "a tree without the move", |root| {
            is_done(root)
                && root["pending"] == false
                && root["directives"] == 1
                && root["best"][0]["san"].as_str() != Some(&best)
        });
    }
}

#[test]
fn undo_by_number_undoes_nothing_else() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let add = |distance: u32| {
        let new = json!({ "distance": distance, "start": false });
        id_of(&server.send("POST", "/api/analyses", &new))
    };
    // Both are of one game, and so are their directives: as two tabs.
    let (narrow, wide) = (add(10), add(20));
    let path = |id: i64| format!("/api/analyses/{id}/directives");
    let undo = |id: i64, change: &Value| {
        let asked = if change.is_null() { json!({}) } else { json!({ "change": change }) };
        server.ask("POST", &format!("{}/undo", path(id)), Some(&asked))
    };
    let exclude = |id: i64, line: &str| {
        let done = json!({ "line": line, "action": "exclude" });
        server.send("POST", &path(id), &done)["change"].clone()
    };
    let said = || -> Vec<String> {
        let all = server.get(&path(narrow));
        let all = all["directives"].as_array().unwrap().iter();
        all.map(|one| one["san"].as_str().unwrap().to_owned()).collect()
    };
    let (a3, b3) = (exclude(narrow, "a3"), exclude(wide, "b3"));
    assert_eq!(exclude(narrow, "a3"), Value::Null, "that is said already");
    place.stdout(&["direct", "exclude", "c3"]);
    let d3 = exclude(narrow, "d3");
    let done = undo(wide, &a3).json();
    assert_eq!((&done["words"], &done["change"]), (&json!("took back: excluded 1. a3"), &a3));
    assert_eq!(said(), ["b3", "c3", "d3"]);
    let again = undo(narrow, &a3);
    assert_eq!(again.status, 409);
    assert!(again.text().contains("already undone"), "{}", again.text());
    // Somebody else takes it back, and says something else of the same move.
    place.stdout(&["direct", "undo", "b3"]);
    place.stdout(&["direct", "include", "b3"]);
    let refused = undo(narrow, &b3);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("excluded 1. b3"), "{}", refused.text());
    assert_eq!(server.get(&path(wide))["undo"], "excluded 1. d3");
    assert_eq!(undo(wide, &Value::Null).json()["change"], d3, "the newest");
    assert_eq!(said(), ["c3", "b3"]);
    assert_eq!(undo(narrow, &Value::Null).status, 409, "the others' are not undone");
    exclude(narrow, "d3");
    assert_eq!(server.ask("DELETE", &format!("/api/analyses/{wide}"), None).status, 204);
    assert_eq!(undo(narrow, &Value::Null).status, 409, "what is deleted takes its changes along");
}

#[test]
fn directives_follow_a_game_not_another_study() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let add = |more: Value| {
        let mut new = json!({ "start": false });
        new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.send("POST", "/api/analyses", &new)
    };
    let say = |root: &Value, line: &str, action: &str| {
        let path = format!("/api/analyses/{}/directives", root["id"]);
        server.send("POST", &path, &json!({ "line": line, "action": action }))
    };
    let first = add(json!({}));
    say(&first, "c4", "exclude");
    say(&first, "Nf3", "stop");
    for study in [json!({ "moves": "d4 d5" }), json!({ "pgn": "1. d4 d5 2. Nf3 *" })] {
        let root = add(study.clone());
        assert_eq!((&root["copied"], &root["directives"]), (&Value::Null, &json!(0)), "{study}");
    }
    let followed = add(json!({ "pgn": "1. e4 e5 *" }));
    say(&followed, "Nf3 Nc6", "exclude");
    let aside = add(json!({ "moves": "e4 e5 Bc4" }));
    assert_eq!((&aside["copied"], &aside["directives"]), (&Value::Null, &json!(0)));
    let reply = add(json!({ "pgn": "1. e4 e5 2. Nf3 *" }));
    assert_eq!(
        (&reply["copied"], &reply["directives"]),
        (&json!({ "count": 1, "plies": 1 }), &json!(1))
    );
    // They played this, be it the first move.
    let path = format!("/api/analyses/{}/next", first["id"]);
    let next = server.send("POST", &path, &json!({ "moves": "g1h3" }));
    assert_eq!(next["copied"], json!({ "count": 2, "plies": 1 }));
}
