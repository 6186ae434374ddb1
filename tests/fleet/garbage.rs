//! Messages that are none, and a broker whose disk is full.

use crate::house::{House, answers, ends_with_the_same_tree};
use crate::support::program::Place;
use crate::support::wait_until;

#[test]
fn garbage_another_version_and_ten_megabytes_are_refused_and_change_nothing() {
    let Some(house) = House::with("max_payload: 16MB\nmax_pending: 64MB") else { return };
    let place = Place::new();
    let worker = house.worker(&["--delay-ms", "100"], &[]);
    let grower = house.grower(&place, &[], &["--engines", "0"]);
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
        house.publish(subject, b"{\"v\":2,\"worker\":\"w\"}");
        house.publish(subject, &vec![b'['; 10_000_000]);
    }
    // Whoever may not speak for a worker does not send it away.
    let leaves = format!("{{\"v\":1,\"m\":{}}}", {
        let mut state = seen["workers"][0].clone();
        state["leaves"] = true.into();
        state
    });
    house.publish("deepanalyze.worker.w", leaves.as_bytes());
    let said = ends_with_the_same_tree(grower, &place);
    assert!(!said.contains("is gone"), "{said}");
    assert!(said.contains("a message of the fleet is refused"), "{said}");
    assert!(said.contains("version 2") && said.contains("10000000 bytes"), "{said}");
    worker.signal("INT");
    assert!(worker.ends().1.contains("refused"));
}

#[test]
fn a_broker_without_room_is_named_and_engines_here_go_on() {
    let full = "accounts { A { jetstream { max_store: 1, max_mem: 0 }, \
                users: [{ user: a, password: a }] } }\nno_auth_user: a";
    let Some(house) = House::with(full) else { return };
    let place = Place::new();
    let _worker = house.worker(&[], &[]);
    let grower = house.grower(&place, &["--delay-ms", "5"], &["--engines", "1"]);
    ends_with_the_same_tree(grower, &place);
}
