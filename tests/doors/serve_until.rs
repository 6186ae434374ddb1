//! Until when an analysis of `deepanalyze serve` grows, closing searches on demand, and what is put away.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::support::program::Place;
use crate::support::serving::Server;

use super::serve::{SMALL, id_of, is_done};

/// It grows as long as it may.
fn endless(more: &Value) -> Value {
    let mut new = json!({ "depth": 200, "distance": 30 });
    new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    new
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
}

#[test]
fn analysis_is_paused_when_its_time_is_over() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let soon = || now() + 700;
    let root = server.send("POST", "/api/analyses", &endless(&json!({ "pause_at": soon() })));
    assert!(root["run"]["pause_at"].is_i64());
    let id = id_of(&root);
    let rests =
        |root: &Value| root["run"]["state"] == "paused" && root["run"]["pause_at"].is_null();
    server.wait_for(id, "its rest", rests);
    let path = format!("/api/analyses/{id}");
    let start = json!({ "action": "start" });
    assert_eq!(server.send("POST", &format!("{path}/run"), &start)["run"]["state"], "growing");
    let later = server.send("PATCH", &path, &json!({ "pause_at": now() + 3_600_000 }));
    assert_eq!(later["run"]["state"], "growing");
    server.send("PATCH", &path, &json!({ "pause_at": soon() }));
    server.wait_for(id, "its rest", rests);
    for (change, words) in [
        (json!({ "pause_at": now() - 1 }), "is past"),
        (json!({ "until_stable": 97 }), "from 1 to 96"),
        (json!({ "until_stable": 0 }), "from 1 to 96"),
    ] {
        let refused = server.ask("PATCH", &path, Some(&change));
        assert!(refused.status == 400 && refused.text().contains(words), "{}", refused.text());
    }
    let refused = server.ask("PATCH", &path, Some(&json!({ "until_stable": 80 })));
    assert!(refused.status == 400 && refused.text().contains("from stage to stage"));
}

#[test]
fn chance_to_stay_needs_stages() {
    let place = Place::new();
    let server = Server::start(&place, &[], &["--engines", "2", "--distance", "20"]);
    let new = json!({ "start": false, "until_stable": 80, "pause_at": now() + 3_600_000 });
    let root = server.send("POST", "/api/analyses", &new);
    assert_eq!(root["run"]["until_stable"], 80);
    let path = format!("/api/analyses/{}", id_of(&root));
    let none = server.send("PATCH", &path, &json!({ "until_stable": null }));
    assert!(none["run"]["until_stable"].is_null() && none["run"]["pause_at"].is_i64());
    let once = json!({ "moves": "e4", "engine_depth": 5, "until_stable": 80 });
    let refused = server.ask("POST", "/api/analyses", Some(&once));
    assert!(refused.status == 400 && refused.text().contains("from stage to stage"));
}

#[test]
fn a_closing_search_is_made_when_it_is_wanted() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let id = id_of(&server.send("POST", "/api/analyses", &endless(&json!({}))));
    server.wait_for(id, "a move", |root| !root["verdict"].is_null());
    let path = format!("/api/analyses/{id}/run");
    server.send("POST", &path, &json!({ "action": "pause" }));
    server.send("POST", &path, &json!({ "action": "close", "time_ms": 1000 }));
    let closed =
        |root: &Value| root["run"]["state"] == "paused" && !root["verdict"]["other"].is_null();
    server.wait_for(id, "its closing search", closed);
    for (asked, words) in [
        (json!({ "action": "close" }), "time_ms"),
        (json!({ "action": "close", "time_ms": 1 }), "from 1000 to"),
        (json!({ "action": "start", "time_ms": 1000 }), "goes with"),
    ] {
        let refused = server.ask("POST", &path, Some(&asked));
        assert!(refused.status == 400 && refused.text().contains(words), "{}", refused.text());
    }
}

#[test]
fn recheck_on_request_reports_its_result() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let root = server.send("POST", "/api/analyses", &json!({ "depth": 2, "distance": 20 }));
    let id = id_of(&root);
    server.wait_for(id, "its end", is_done);
    let told = || {
        let trust = server.get(&format!("/api/analyses/{id}/trust"));
        trust["words"]["rechecks"].as_array().unwrap().clone()
    };
    assert!(told().is_empty());
    let path = format!("/api/analyses/{id}/run");
    server.send("POST", &path, &json!({ "action": "recheck", "time_ms": 60_000 }));
    let rechecked = |root: &Value| is_done(root) && !told().is_empty();
    server.wait_for(id, "its recheck", rechecked);
    let words = told()[0]["white"].as_str().unwrap().to_owned();
    assert!(words.contains("engine depth 7"), "{words}");
    for (asked, status, words) in [
        (json!({ "action": "recheck" }), 400, "time_ms"),
        (json!({ "action": "recheck", "time_ms": 1000, "engine_depth": 5 }), 409, "already"),
        (json!({ "action": "close", "time_ms": 1000, "engine_depth": 5 }), 400, "goes with"),
        (json!({ "action": "recheck", "time_ms": 1000, "engine_depth": 0 }), 400, "from 1 to"),
    ] {
        let refused = server.ask("POST", &path, Some(&asked));
        assert_eq!(refused.status, status, "{asked}");
        assert!(refused.text().contains(words), "{}", refused.text());
    }
}

#[test]
fn what_is_put_away_stays_so_until_it_is_fetched_back() {
    let place = Place::new();
    let id = {
        let server = Server::start(&place, &[], SMALL);
        let id = id_of(&server.send("POST", "/api/analyses", &json!({ "start": false })));
        let path = format!("/api/analyses/{id}");
        assert_eq!(server.send("PATCH", &path, &json!({ "archived": true }))["archived"], true);
        id
    };
    let server = Server::start(&place, &[], SMALL);
    let path = format!("/api/analyses/{id}");
    assert_eq!(server.get(&path)["archived"], true);
    assert_eq!(server.send("PATCH", &path, &json!({ "archived": false }))["archived"], false);
}

#[test]
fn a_refused_change_changes_nothing() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let add = |moves: &str| {
        let new = json!({ "moves": moves, "start": false });
        id_of(&server.send("POST", "/api/analyses", &new))
    };
    let (first, id) = (add("e4"), add("d4"));
    let path = format!("/api/analyses/{id}");
    let before = server.get(&path);
    let good = json!({ "name": "x", "weight": 7, "depth": 9, "before": first, "archived": true });
    for (wrong, status) in [
        (json!({ "until_stable": 80 }), 400),
        (json!({ "until_stable": 0 }), 400),
        (json!({ "pause_at": 1 }), 400),
        (json!({ "depth": 0 }), 400),
        (json!({ "before": 99 }), 404),
        (json!({ "weight": 101 }), 422),
        (json!({ "weight": 0 }), 422),
    ] {
        let mut change = good.as_object().unwrap().clone();
        change.extend(wrong.as_object().unwrap().clone());
        let refused = server.ask("PATCH", &path, Some(&Value::Object(change)));
        assert_eq!(refused.status, status, "{wrong}: {}", refused.text());
        assert_eq!(server.get(&path), before, "{wrong}");
    }
    let order = |server: &Server| -> Vec<i64> {
        let all = server.get("/api/analyses");
        all["analyses"].as_array().unwrap().iter().map(id_of).collect()
    };
    assert_eq!(order(&server), [first, id]);
    let now = server.send("PATCH", &path, &good);
    let run = &now["run"];
    assert_eq!((&now["name"], &now["archived"]), (&json!("x"), &json!(true)));
    assert_eq!((&run["weight"], &run["target"], &run["place"]), (&json!(7), &json!(9), &json!(0)));
    assert_eq!(order(&server), [id, first]);
}
