//! A tree of 2,500 positions (10,000 by night): loading is no replay, and its first plies show at once.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::time::Duration;

use crate::support::by_day_or_night;
use crate::support::program::Place;
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::{load, verify};

/// Ten times a debug build's time: a replay takes longer still. Processor time, since a busy
/// machine may delay anything.
const AT_ONCE: Duration = Duration::from_secs(3);

/// The sum of two fields of a `stat` file of proc(5), in hundredths of a second of the processor,
/// counted from the first behind the program's name.
fn ticks(stat: &str, first: usize) -> Duration {
    let (_, fields) = stat.rsplit_once(')').expect("a stat file");
    let fields = fields.split_whitespace().skip(first).take(2);
    Duration::from_millis(
        10 * fields.map(|field| field.parse::<u64>().expect("ticks")).sum::<u64>(),
    )
}

/// Processor time of this thread alone.
fn of_this_thread() -> Duration {
    ticks(&std::fs::read_to_string("/proc/thread-self/stat").expect("Linux"), 11)
}

/// The program's output, and its time: a shell runs it and reports its children's time.
fn shown(place: &Place) -> (String, Duration) {
    let run = "\"$@\" && cat /proc/$$/stat";
    let of_shell = ["-c", run, "sh", env!("CARGO_BIN_EXE_deepanalyze"), "show", "--plies", "3"];
    let show = place.command_of(Path::new("sh"), &of_shell).output().expect("a shell");
    assert!(show.status.success(), "{show:?}");
    let text = String::from_utf8(show.stdout).expect("UTF-8");
    let (text, stat) = text.trim_end().rsplit_once('\n').expect("lines");
    (text.to_owned(), ticks(stat, 13))
}

#[test]
fn large_tree_loads_fast_and_equals_its_replay() {
    let place = Place::new();
    let growth = crate::support::synthetic::grow(&place.db(), "startpos", 250, 1, |growth| {
        growth.analysed() >= by_day_or_night(2500, 10_000)
    });
    let store = Store::open_to_read(&place.db()).unwrap();

    let before = of_this_thread();
    let kept = load(&store, AnalysisId(1)).unwrap();
    let taken = of_this_thread() - before;
    assert!(taken < AT_ONCE, "loading took {taken:?}");
    assert_eq!(kept.growth.passes(), growth.passes());
    assert_eq!(kept.growth.searches(), growth.searches());
    assert_eq!(kept.growth.settled(), growth.settled());

    let (text, taken) = shown(&place);
    assert!(taken < AT_ONCE, "showing took {taken:?}");
    assert!(text.lines().count() > 100);

    let verdict = verify(&store, None, &mut |_| {}).unwrap();
    assert_eq!((verdict.flaws.as_slice(), verdict.trees), (&[][..], 1));
    assert_eq!(verdict.answers, growth.searches());
}
