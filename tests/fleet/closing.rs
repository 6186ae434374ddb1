//! Closing searches whose shares workers have.

use serde_json::Value;

use super::house::House;
use crate::support::program::{Place, searches};
use crate::support::wait_until;

const ROOT: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const CLOSING: [&str; 2] = ["--closing-nodes", "70000"];

fn closing(place: &Place) -> Value {
    let shown: Value = serde_json::from_str(&place.stdout(&["show", "--format", "json"])).unwrap();
    shown["closing"].clone()
}

/// Result of a closing search shared by this many engines of one computer.
fn closed_here(engines: &str) -> Value {
    let place = Place::new();
    let tree = ["--depth", "3", "--distance", "20", "--engines", engines];
    let args =
        [&["grow", "--engine", &crate::support::scripted(&[]), "--engine-depth", "5"], &tree[..]];
    let grown = place.run(&[&args.concat()[..], &CLOSING].concat());
    assert!(grown.status.success());
    closing(&place)
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn workers_close_as_local_engines_do() {
    let Some(house) = House::new() else { return };
    let (place, gate) = (Place::new(), house.place.path("gate"));
    let [struck, here, there] = ["struck", "here", "there"].map(|file| house.place.path(file));
    // The tree is not done before both take part.
    let held = ["--fault", "held:logged=20", "--gate", gate.to_str().unwrap()];
    // The shares without all moves leave out 13 or 14 of them.
    let [one, other] = [13, 14].map(|rank| format!("lost:rank={rank},epd={ROOT}"));
    let lost = ["--fault", &one, "--fault", &other];
    let files = ["--struck", struck.to_str().unwrap(), "--log", here.to_str().unwrap()];
    let dies = house.worker(&[&lost[..], &held, &files].concat(), &["--name", "dies"]);
    let steady = [&held[..], &["--log", there.to_str().unwrap()]].concat();
    let _steady = house.worker(&steady, &[]);
    let alone = ["--engines", "0", "--fleet-compare", "0"];
    let grower = house.grower(&place, &[], &[&alone[..], &CLOSING].concat());
    // More than what they are compared by.
    wait_until("both search", || [&here, &there].iter().all(|log| searches(log) > 3));
    std::fs::write(&gate, "").unwrap();
    let is_struck = || std::fs::read_to_string(&struck).unwrap_or_default().contains("Lost");
    wait_until("a share is begun with", is_struck);
    dies.kill();
    let (success, said) = grower.ends();
    assert!(success && said.contains("worker \"dies\" is gone"), "{said}");
    assert_eq!(closing(&place)["engines"], 4, "{said}");
    assert_eq!(closing(&place), closed_here("4"), "{said}");
}
