//! Workers, brokers and growers that die, hang or are slow: the tree does not change, and nothing
//! hangs.

use super::house::{House, answers, ends_with_the_same_tree};
use crate::support::program::{Place, log_lines};
use crate::support::wait_until;

const AWAY: [&str; 4] = ["--engines", "0", "--fleet-compare", "0"];

#[test]
#[ignore = "slow: runs in .ci/run"]
fn killed_workers_cost_only_searches() {
    let Some(house) = House::new() else { return };
    let (place, slow) = (Place::new(), ["--delay-ms", "10"]);
    let mut first = house.worker(&slow, &[]);
    let _steady = house.worker(&slow, &[]);
    let grower = house.grower(&place, &[], &AWAY);
    for round in 1..=3 {
        wait_until("answers", || answers(&place) > 10 * round);
        std::mem::replace(&mut first, house.worker(&slow, &[])).kill();
    }
    ends_with_the_same_tree(grower, &place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_worker_that_hangs_is_given_up() {
    let Some(house) = House::new() else { return };
    let (place, log) = (Place::new(), house.place.path("hangs"));
    // Its engines stop soon after: on a busy machine it might have done all the work before.
    let flags = ["--log", log.to_str().unwrap(), "--fault", "held:logged=30"];
    let hangs = house.worker(&flags, &["--name", "hangs"]);
    let grower = house.grower(&place, &[], &AWAY);
    wait_until("answers", || answers(&place) > 10);
    hangs.signal("STOP");
    // It joins only now: else it could do all the work, and the other would not be missed.
    let _steady = house.worker(&["--delay-ms", "10"], &[]);
    let said = ends_with_the_same_tree(grower, &place);
    assert!(said.contains("worker \"hangs\" is gone"), "{said}");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn slow_worker_does_not_delay_the_others() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let log = house.place.path("slow");
    let slow = ["--delay-ms", "1000", "--log", log.to_str().unwrap()];
    let _slow = house.worker(&slow, &[]);
    let grower = house.grower(&place, &[], &AWAY);
    // Else the other could have done all before.
    wait_until("it searches", || log_lines(&log).len() > 3);
    let _fast = house.worker(&["--delay-ms", "10"], &[]);
    ends_with_the_same_tree(grower, &place);
    // A twentieth; on a busy machine the fast one is not a hundred times faster.
    let slow = log_lines(&log).len();
    assert!(slow <= answers(&place) / 3, "{slow} of {}", answers(&place));
}

#[test]
fn broker_back_with_storage_costs_nothing() {
    killed_and_restarted(false);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn broker_back_without_storage_costs_searches() {
    killed_and_restarted(true);
}

fn killed_and_restarted(is_empty: bool) {
    let Some(mut house) = House::new() else { return };
    // Slow enough that it is not done before the broker is gone.
    let (place, slow) = (Place::new(), ["--delay-ms", "50"]);
    let _workers = [house.worker(&slow, &[]), house.worker(&slow, &[])];
    let grower = house.grower(&place, &[], &AWAY);
    wait_until("answers", || answers(&place) > 20);
    house.kill_server();
    if is_empty {
        std::fs::remove_dir_all(house.storage()).unwrap();
    }
    house.start_server();
    ends_with_the_same_tree(grower, &place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_partition_is_waited_for() {
    let Some(house) = House::new() else { return };
    let (place, slow) = (Place::new(), ["--delay-ms", "10"]);
    let _worker = house.worker(&slow, &[]);
    let grower = house.grower(&place, &[], &AWAY);
    wait_until("answers", || answers(&place) > 20);
    // Longer than after which workers count as gone.
    house.server().signal("STOP");
    std::thread::sleep(std::time::Duration::from_secs(12));
    house.server().signal("CONT");
    ends_with_the_same_tree(grower, &place);
}

#[test]
fn killed_grower_resumes_with_its_answers() {
    let Some(house) = House::new() else { return };
    let (place, log) = (Place::new(), house.place.path("log"));
    let gate = house.place.path("gate");
    // Nothing is answered soon after: on a busy machine it might be done before it is killed.
    let held = ["--fault", "held:logged=40", "--gate", gate.to_str().unwrap()];
    let flags = [&["--log", log.to_str().unwrap()], &held[..]].concat();
    let _worker = house.worker(&flags, &[]);
    house.grower_until(&place, 20).kill();
    let kept = answers(&place);
    std::fs::write(&gate, "").unwrap();
    let grower = house.grower(&place, &[], &AWAY);
    ends_with_the_same_tree(grower, &place);
    assert!(kept > 20 && answers(&place) > kept);
}

impl House {
    fn grower_until(&self, place: &Place, count: usize) -> super::house::Running {
        let grower = self.grower(place, &[], &AWAY);
        wait_until("answers", || answers(place) > count);
        grower
    }
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_grower_without_workers_says_so() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let mut grower = house.grower(&place, &[], &AWAY);
    grower.says(&["no search is running: no workers found"]);
    let _worker = house.worker(&[], &[]);
    let (success, said) = grower.ends();
    assert!(success, "{said}");
}

#[test]
fn one_worker_whose_engine_fails_ends_nothing() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    // It makes what it is compared by, and fails at all that comes after.
    let log = house.place.path("fails");
    let flags = ["--log", log.to_str().unwrap(), "--fault", "die:logged=4"];
    let _fails = house.worker(&flags, &["--name", "fails"]);
    let _steady = house.worker(&["--delay-ms", "10"], &[]);
    let grower = house.grower(&place, &[], &AWAY);
    ends_with_the_same_tree(grower, &place);
}

#[test]
fn runs_and_workers_end_while_the_broker_is_away() {
    let Some(mut house) = House::new() else { return };
    let place = Place::new();
    let worker = house.worker(&["--delay-ms", "10"], &[]);
    let grower = house.grower(&place, &[], &["--engines", "1"]);
    wait_until("answers", || answers(&place) > 10);
    house.kill_server();
    ends_with_the_same_tree(grower, &place);
    worker.signal("INT");
    worker.ends();
}
