//! Workers that begin to lie: they are found out, and what they gave before is searched again.

use super::house::{House, answers, ends_with_the_same_tree, same_tree};
use crate::support::program::{Place, log_lines};
use crate::support::wait_until;

/// A worker that lies from its search of this number on.
fn liar(house: &House, from: usize) -> super::house::Running {
    let log = house.place.path("liar");
    let fault = format!("lie:logged={from}");
    let flags = ["--log", log.to_str().unwrap(), "--fault", &fault, "--delay-ms", "5"];
    house.worker(&flags, &["--name", "liar"])
}

#[test]
fn where_all_is_compared_no_lie_is_kept() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let _workers = [liar(&house, 20), house.worker(&["--delay-ms", "10"], &[])];
    let grower = house.grower(&place, &[], &["--engines", "0", "--fleet-compare", "1"]);
    let said = ends_with_the_same_tree(grower, &place);
    assert!(said.contains("\"liar\" is in quarantine"), "{said}");
}

#[test]
fn liars_earlier_answers_are_searched_again() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let _liar = liar(&house, 8);
    let grower = house.grower(&place, &[], &["--engines", "0", "--fleet-compare", "10"]);
    // It is not contradicted before it has answered.
    wait_until("lies", || log_lines(&house.place.path("liar")).len() > 12);
    let _steady = house.worker(&["--delay-ms", "10"], &[]);
    let said = ends_with_the_same_tree(grower, &place);
    assert!(said.contains("\"liar\" is in quarantine"), "{said}");
    assert!(said.contains("searched again"), "{said}");
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn grower_learns_of_liar_from_shared_database() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let _workers = [liar(&house, 8), house.worker(&["--delay-ms", "10"], &[])];
    let more = ["--engines", "0", "--fleet-compare", "0", "--moves", "e4"];
    let trusting = house.grower(&place, &[], &more);
    wait_until("answers", || answers(&place) > 30);
    let more = ["--engines", "0", "--fleet-compare", "10"];
    let said = ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
    assert!(said.contains("\"liar\" is in quarantine"), "{said}");
    let (success, said) = trusting.ends();
    assert!(success, "{said}");
    // Where it was done before, its tree is grown again now.
    let (success, said) = house.grower_alone(&place, &["--moves", "e4"]).ends();
    assert!(success, "{said}");
    same_tree(&place, &["--moves", "e4"]);
}
