//! Workers that grow a tree together.

use super::house::{House, answers, ends_with_the_same_tree};
use crate::support::program::{Place, log_lines};
use crate::support::wait_until;

#[test]
fn two_workers_grow_the_tree_of_one_engine() {
    let Some(house) = House::new() else { return };
    let (own, place) = (house.place.path("own.log"), Place::new());
    let _workers = [house.worker(&[], &[]), house.worker(&[], &[])];
    let flags = ["--log", own.to_str().unwrap()];
    let grower = house.grower(&place, &flags, &["--engines", "0", "--fleet-compare", "0"]);
    ends_with_the_same_tree(grower, &place);
    assert_eq!(log_lines(&own).len(), 3, "it makes the searches that workers are compared by");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn late_worker_shares_work_with_local_engines() {
    let Some(house) = House::new() else { return };
    let (here, there, place) = (house.place.path("here"), house.place.path("there"), Place::new());
    // Alone it would take more than a minute: the worker is not too late on a busy machine.
    let flags = ["--delay-ms", "200", "--log", here.to_str().unwrap()];
    let grower = house.grower(&place, &flags, &["--engines", "1"]);
    wait_until("answers", || answers(&place) > 5);
    let flags = ["--delay-ms", "20", "--log", there.to_str().unwrap()];
    let worker = house.worker(&flags, &["--name", "late"]);
    wait_until("the worker searches", || log_lines(&there).len() > 20);
    ends_with_the_same_tree(grower, &place);
    worker.signal("INT");
    let (_, said) = worker.ends();
    assert!(said.contains("late") && said.contains("connected"), "{said}");
}

#[test]
fn two_growers_share_one_fleet() {
    let Some(house) = House::new() else { return };
    let _worker = house.worker(&["--delay-ms", "2"], &[]);
    let places = [Place::new(), Place::new()];
    let growers = places.each_ref().map(|place| house.grower(place, &[], &["--engines", "0"]));
    for (grower, place) in growers.into_iter().zip(&places) {
        ends_with_the_same_tree(grower, place);
    }
}

#[test]
fn batch_and_fleet_command_see_the_workers() {
    let Some(house) = House::new() else { return };
    let (place, log) = (Place::new(), house.place.path("log"));
    // They are there to be looked at for as long as it takes.
    let flags = ["--log", log.to_str().unwrap(), "--fault", "held:logged=20"];
    let _worker = house.worker(&flags, &["--name", "big"]);
    let grower = house.grower(&place, &[], &["--engines", "0"]);
    wait_until("answers", || answers(&place) > 5);
    let look = |format| place.stdout(&["fleet", "--fleet", &house.url(), "--format", format]);
    let text = look("text");
    assert!(text.contains("big") && text.contains("Scripted 1"), "{text}");
    assert!(text.contains("grower") && text.contains("queue"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&look("json")).unwrap();
    assert_eq!(json["workers"][0]["name"], "big");
    assert_eq!(json["workers"][0]["engines"], 2);
    grower.kill();
}

#[test]
fn different_worker_is_named_and_not_used() {
    let Some(house) = House::new() else { return };
    let (other, liar) = (house.place.path("other"), house.place.path("liar"));
    let option = "option name Extra type check default true";
    let flags = ["--option-line", option, "--log", other.to_str().unwrap()];
    let _other = house.worker(&flags, &["--name", "other"]);
    let flags = ["--seed", "7", "--log", liar.to_str().unwrap()];
    let _liar = house.worker(&flags, &["--name", "liar"]);
    let place = Place::new();
    // The grower is not done before it has heard of both.
    let gate = house.place.path("gate");
    let flags = ["--fault", "held:go=20", "--gate", gate.to_str().unwrap()];
    let mut grower = house.grower(&place, &flags, &["--engines", "1"]);
    grower.says(&["\"other\" is not used", "\"liar\" is in quarantine"]);
    std::fs::write(&gate, "").unwrap();
    ends_with_the_same_tree(grower, &place);
    assert_eq!((log_lines(&other).len(), log_lines(&liar).len()), (0, 3));
}
