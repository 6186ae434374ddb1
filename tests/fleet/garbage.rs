//! Messages that are none, and a broker whose disk is full.

use super::house::{House, answers, ends_with_the_same_tree};
use crate::support::program::Place;
use crate::support::wait_until;

#[test]
fn garbage_and_other_versions_change_nothing() {
    let Some(house) = House::with("max_payload: 16MB\nmax_pending: 64MB") else { return };
    let place = Place::new();
    let (log, gate) = (house.place.path("log"), house.place.path("gate"));
    // The tree is not done before the garbage has come.
    let flags = ["--log", log.to_str().unwrap(), "--fault", "held:logged=40", "--gate"];
    let mut worker = house.worker(&[&flags[..], &[gate.to_str().unwrap()]].concat(), &[]);
    let mut grower = house.grower(&place, &[], &["--engines", "0"]);
    wait_until("answers", || answers(&place) > 10);
    let seen = place.stdout(&["fleet", "--fleet", &house.url(), "--format", "json"]);
    let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
    let name = |kind: &str, what: &str| seen[kind][0][what].as_str().unwrap().to_owned();
    let (engine, known) = (name("workers", "engine"), name("workers", "worker"));
    for subject in [
        "deepanalyze.worker.w",
        "deepanalyze.order",
        "deepanalyze.grower",
        &format!("deepanalyze.check.{known}"),
        &format!("deepanalyze.answer.{}.w", name("growers", "grower")),
        &format!("deepanalyze.required.{engine}.x"),
        &format!("deepanalyze.guess.{engine}.x"),
    ] {
        house.publish(subject, b"\xff\xfe garbage");
        house.publish(subject, b"{\"v\":1,\"worker\":\"w\"}");
        house.publish(subject, &vec![b'['; 10_000_000]);
    }
    // A sender without the right to speak for a worker cannot send it away.
    let leaves = format!("{{\"v\":4,\"m\":{}}}", {
        let mut state = seen["workers"][0].clone();
        state["leaves"] = true.into();
        state
    });
    house.publish("deepanalyze.worker.w", leaves.as_bytes());
    let words = ["a message of the fleet is refused", "version 1", "10000000 bytes"];
    let said = grower.says(&words);
    worker.says(&["refused"]);
    std::fs::write(&gate, "").unwrap();
    let said = said + &ends_with_the_same_tree(grower, &place);
    assert!(!said.contains("is gone"), "{said}");
    worker.signal("INT");
    worker.ends();
}

#[test]
fn full_broker_is_reported_and_engines_go_on() {
    let full = "accounts { A { jetstream { max_store: 1, max_mem: 0 }, \
                users: [{ user: a, password: a }] } }\nno_auth_user: a";
    let Some(house) = House::with(full) else { return };
    let place = Place::new();
    let _worker = house.worker(&[], &[]);
    let grower = house.grower(&place, &["--delay-ms", "5"], &["--engines", "1"]);
    ends_with_the_same_tree(grower, &place);
}
