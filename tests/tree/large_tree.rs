//! A tree of 10,000 positions: loading is no replay, and its first plies are shown at once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::support::program::Place;
use deepanalyze_report::{load, verify};
use deepanalyze_store::{AnalysisId, Store};

/// Ten times what a debug build takes: a replay takes longer still. Time of the processor, since a busy
/// machine may let anything wait.
const AT_ONCE: Duration = Duration::from_secs(3);

/// What this process and its children that have ended took of the processor; where the system does not
/// tell, the time on the clock.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace());
    // The fields 14 to 17 of proc(5), in hundredths of a second.
    let ticks = fields.map(|fields| {
        fields.skip(11).take(4).map(|field| field.parse::<u64>().expect("ticks")).sum::<u64>()
    });
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let clock = BEGAN.get_or_init(Instant::now);
    ticks.map_or_else(|| clock.elapsed(), |ticks| Duration::from_millis(10 * ticks))
}

#[test]
fn a_large_tree_is_loaded_and_shown_at_once_and_equals_its_replay() {
    let place = Place::new();
    let growth = crate::support::synthetic::grow(&place.db(), "startpos", 250, 1, |growth| {
        growth.analysed() >= 10_000
    });
    let store = Store::open_to_read(&place.db()).unwrap();

    let before = processor_time();
    let kept = load(&store, AnalysisId(1)).unwrap();
    let taken = processor_time() - before;
    assert!(taken < AT_ONCE, "loading took {taken:?}");
    assert_eq!(kept.growth.passes(), growth.passes());
    assert_eq!(kept.growth.searches(), growth.searches());
    assert_eq!(kept.growth.settled(), growth.settled());

    let before = processor_time();
    let text = place.stdout(&["show", "--plies", "3"]);
    let taken = processor_time() - before;
    assert!(taken < AT_ONCE, "showing took {taken:?}");
    assert!(text.lines().count() > 100);

    let verdict = verify(&store, None, &mut |_| {}).unwrap();
    assert_eq!((verdict.flaws.as_slice(), verdict.trees), (&[][..], 1));
    assert_eq!(verdict.answers, growth.searches());
}
