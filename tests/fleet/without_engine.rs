//! Growers that do not have the engine: workers are compared with each other.

use super::house::{House, Running, ends_with_the_same_tree};
use crate::support::program::{Place, log_lines, stderr};

impl House {
    /// A grower on a computer without the engine.
    fn grower_without_engine(&self, place: &Place, more: &[&str]) -> Running {
        self.grower_with(place, "/no/such/engine", &[&["--engines", "0"], more].concat())
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn agreeing_workers_outvote_a_third() {
    let Some(house) = House::new() else { return };
    let log = house.place.path("liar");
    // Neither it nor the others are done before all have spoken.
    let flags = ["--seed", "7", "--log", log.to_str().unwrap(), "--fault", "held:logged=40"];
    let liar = house.worker(&flags, &["--name", "liar"]);
    let gate = house.place.path("gate");
    let held = ["--fault", "held:go=20", "--gate", gate.to_str().unwrap()];
    let _workers = [house.worker(&held, &[]), house.worker(&held, &[])];
    let place = Place::new();
    let mut grower = house.grower_without_engine(&place, &[]);
    grower.says(&["\"liar\" is in quarantine"]);
    std::fs::write(&gate, "").unwrap();
    ends_with_the_same_tree(grower, &place);
    drop(liar);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn lone_worker_counts_until_two_contradict_it() {
    let Some(house) = House::new() else { return };
    let log = house.place.path("liar");
    // It is not done before others come.
    let held = ["--fault", "held:logged=40"];
    let flags = [&["--seed", "7", "--log", log.to_str().unwrap()], &held[..]].concat();
    let _liar = house.worker(&flags, &["--name", "liar"]);
    let place = Place::new();
    let mut grower = house.grower_without_engine(&place, &[]);
    grower.says(&["cannot verify worker \"liar\""]);
    crate::support::wait_until("it searches", || log_lines(&log).len() > 10);
    let _workers = [house.worker(&[], &[]), house.worker(&[], &[])];
    let said = ends_with_the_same_tree(grower, &place);
    assert!(said.contains("\"liar\" is in quarantine"), "{said}");
    assert!(said.contains("searched again"), "{said}");
}

#[test]
fn without_workers_the_engine_is_unknown() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let url = house.url();
    let args = ["grow", "--fleet", &url, "--engine", "/no/such/engine", "--engines", "0"];
    let output = place.run(&args);
    let said = stderr(&output);
    assert!(!output.status.success() && said.contains("no worker of the fleet"), "{said}");
    let said = stderr(&place.run(&args[..5]));
    assert!(said.contains("cannot start"), "without --engines 0 it is missed here: {said}");
}
