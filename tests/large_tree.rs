//! A tree of 10,000 positions: loading is no replay, and its first plies are shown at once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use std::time::{Duration, Instant};

use deepanalyze::analysis::{load, verify};
use deepanalyze::store::{AnalysisId, Store};
use support::program::Place;

/// Ten times what a debug build takes on a busy machine: a replay takes longer still.
const AT_ONCE: Duration = Duration::from_secs(3);

#[test]
fn a_large_tree_is_loaded_and_shown_at_once_and_equals_its_replay() {
    let place = Place::new();
    let growth = support::synthetic::grow(&place.db(), "startpos", 250, 1, |growth| {
        growth.analysed() >= 10_000
    });
    let store = Store::open_to_read(&place.db()).unwrap();

    let began = Instant::now();
    let kept = load(&store, AnalysisId(1)).unwrap();
    assert!(began.elapsed() < AT_ONCE, "loading took {:?}", began.elapsed());
    assert_eq!(kept.growth.passes(), growth.passes());
    assert_eq!(kept.growth.searches(), growth.searches());
    assert_eq!(kept.growth.settled(), growth.settled());

    let began = Instant::now();
    let text = place.stdout(&["show", "--plies", "3"]);
    assert!(began.elapsed() < AT_ONCE, "showing took {:?}", began.elapsed());
    assert!(text.lines().count() > 100);

    let verdict = verify(&store, &mut |_| {}).unwrap();
    assert_eq!((verdict.flaws.as_slice(), verdict.trees), (&[][..], 1));
    assert_eq!(verdict.answers, growth.searches());
}
