//! A power cut: whatever the files hold at a moment of a run, every answer in the database is there
//! afterwards, and the run continues.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::HashSet;
use std::path::Path;
use std::process::Child;

use crate::support::program::{Place, asked, signal, wait_for_searches};
use crate::support::{by_day_or_night, scripted};

const TREE: [&str; 6] = ["--engine-depth", "5", "--distance", "20", "--depth", "3"];

/// Remains of the log's end after the power cut.
#[derive(Debug, Clone, Copy)]
enum Tail {
    Whole,
    /// The first bytes of a write that had begun.
    Torn(usize),
    /// Blocks allocated to the file and never written.
    Zeros,
    /// Such blocks with their old contents.
    Garbage,
}

/// Starts a run, stops it after some answers, and returns a reader's view of its database.
fn run_until(place: &Place, answers: usize) -> (Child, HashSet<(String, usize)>) {
    let log = place.path("log");
    // The engines stop soon after it: on a busy machine the run might end before it is read.
    let hold = format!("held:logged={}", answers + 12);
    let flags = ["--jitter-ms", "3", "--log", log.to_str().unwrap(), "--fault", &hold];
    let engine = scripted(&flags);
    let args = [&["grow", "--engine", &engine, "--engines", "4"][..], &TREE].concat();
    let mut child = place.start(&args);
    assert!(wait_for_searches(&mut child, &log, answers), "it ended before");
    signal(i64::from(child.id()), "STOP");
    (child, place.stored())
}

/// Copies database and log as a disk might hold them, without the index in shared memory.
fn cut(from: &Place, to: &Place, tail: Tail) {
    std::fs::copy(from.db(), to.db()).unwrap();
    let mut wal = std::fs::read(from.path("tree.db-wal")).unwrap();
    match tail {
        Tail::Whole => {}
        Tail::Torn(bytes) => wal.extend(wal.clone().into_iter().skip(32).take(bytes)),
        Tail::Zeros => wal.extend([0; 8192]),
        Tail::Garbage => {
            wal.extend((0..9999_u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()))
        }
    }
    std::fs::write(to.path("tree.db-wal"), wal).unwrap();
}

fn log_size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[test]
fn a_power_cut_at_any_moment_loses_no_stored_answer() {
    let undisturbed = Place::new();
    undisturbed.run_grow(&TREE[2..]);
    let tree = |place: &Place| place.stdout(&["show", "--format", "json"]);
    let tails = [Tail::Whole, Tail::Torn(24), Tail::Torn(4000), Tail::Zeros, Tail::Garbage];
    for (index, tail) in tails.into_iter().cycle().take(by_day_or_night(5, 10)).enumerate() {
        let place = Place::new();
        let (mut child, stored) = run_until(&place, 10 + 36 * index);
        assert!(log_size(&place.path("tree.db-wal")) > 0);
        let copy = Place::new();
        cut(&place, &copy, tail);
        signal(-i64::from(child.id()), "KILL");
        child.wait().unwrap();
        let case = format!("{tail:?} after {} answers", stored.len());
        let kept = copy.stored();
        assert!(stored.is_subset(&kept), "{case}: {} of {} kept", kept.len(), stored.len());
        assert!(copy.run(&["verify"]).status.success(), "{case}");
        let log = copy.path("log");
        let engine = scripted(&["--log", log.to_str().unwrap()]);
        let args = [&["grow", "--engine", &engine][..], &TREE].concat();
        assert!(copy.run(&args).status.success(), "{case}");
        assert!(asked(&log).iter().all(|go| !kept.contains(go)), "{case}: asked again");
        assert!(tree(&copy) == tree(&undisturbed), "{case}: another tree");
    }
}

/// A kill may cut a line anywhere, and another engine may write after it.
#[test]
fn a_line_that_a_kill_has_cut_is_no_search() {
    let place = Place::new();
    let log = place.path("log");
    let whole = "|4k3/8/8/8/8/8/4P3/4K3 w - -\tdepth 5\t\n";
    for cut in 0..whole.len() {
        std::fs::write(&log, format!("{whole}{}", &whole[..cut])).unwrap();
        assert_eq!(asked(&log).len(), 1, "cut at {cut}, as it is written");
        std::fs::write(&log, format!("{}{whole}", &whole[..cut])).unwrap();
        assert_eq!(asked(&log).len(), 1, "cut at {cut}, written on");
    }
}
