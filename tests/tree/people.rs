//! Values of trees against people, by the worked answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::tree::{Growth, NodeId};
use deepanalyze_view::{People, PeopleAsked};
use shakmaty::Color;

use super::vectors::{PeopleOfSide, grow, read};

/// The answers have nine digits.
const DIGITS: f64 = 1e-8;

fn by_position(growth: &Growth, number: impl Fn(NodeId) -> Option<f64>) -> BTreeMap<String, f64> {
    let told = growth.graph().nodes().filter_map(|node| Some((node, number(node)?)));
    told.map(|(node, number)| (epd_of(&growth.position(node)), number)).collect()
}

fn assert_numbers(what: &str, right: &BTreeMap<String, f64>, found: &BTreeMap<String, f64>) {
    assert!(right.keys().eq(found.keys()), "{what}: {right:?} {found:?}");
    for (epd, right) in right {
        let found = found[epd];
        assert!((found - right).abs() < DIGITS, "{what} at {epd}: {found} and not {right}");
    }
}

fn assert_gaps(growth: &Growth, people: &People<'_>, right: &PeopleOfSide) {
    assert!((people.coverage() - right.coverage).abs() < DIGITS, "{}", people.coverage());
    let told = people.gaps(20);
    assert_eq!(told.len(), right.gaps.len());
    assert!(told.is_sorted_by(|wider, gap| wider.leaves >= gap.leaves));
    let gaps: BTreeMap<(String, String), f64> = told
        .iter()
        .map(|gap| ((epd_of(&growth.position(gap.node)), gap.uci.to_string()), gap.leaves))
        .collect();
    for (epd, uci, leaves) in &right.gaps {
        let found = gaps[&(epd.clone(), uci.clone())];
        assert!((found - leaves).abs() < DIGITS, "{uci} at {epd}: {found} and not {leaves}");
    }
}

fn check(name: &str) {
    let vector = read(name);
    let growth = grow(&vector);
    for (side, word) in [(Color::White, "white"), (Color::Black, "black")] {
        let right = &vector.people[word];
        let people = People::of(&growth, PeopleAsked::of(side));
        let expected = by_position(&growth, |node| people.expected(node));
        assert_numbers("expected", &right.expected, &expected);
        let reach = by_position(&growth, |node| Some(people.reach(node)).filter(|r| *r > 0.0));
        assert_numbers("reach", &right.reach, &reach);
        assert_gaps(&growth, &people, right);
    }
}

#[test]
fn tree_following_black_is_worth_its_answers() {
    check("played-black");
}

#[test]
fn tree_following_both_sides_is_worth_its_answers() {
    check("played-both");
}

#[test]
fn a_tree_with_circles_is_worth_what_the_answers_say() {
    check("played-circles");
}

#[test]
fn tree_with_directives_is_worth_its_answers() {
    check("played-directives");
}

#[test]
fn tree_with_cheap_draws_is_worth_its_answers() {
    check("played-draw");
}

#[test]
fn lines_behind_the_depth_are_worth_what_answers_say() {
    check("played-repertoire");
}
