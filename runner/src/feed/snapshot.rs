//! What others may see of a run at one moment.

use std::sync::Arc;
use std::time::Duration;

use deepanalyze_report::BestLine;

use super::progress::Progress;

/// A run at one moment. It costs the same whatever the tree's size: nothing of the tree is in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Its number, from 1; each is greater by one than the one before.
    pub step: u64,
    /// Which root of a batch it is about, from 0.
    pub root: usize,
    /// The numbers and the verdict.
    pub progress: Progress,
    /// How far a closing search has come.
    pub closing: Option<ClosingProgress>,
}

/// How far a closing search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosingProgress {
    /// Searches that are done, the rehearsal's first.
    pub done: usize,
    /// All that are to be made.
    pub searches: usize,
    /// How long it has taken so far.
    pub elapsed: Duration,
}

/// What came between two snapshots, however many steps lie between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// Whether another root has had its turn: what changed is all that is known of it then.
    pub is_another_root: bool,
    /// Passes that were finished.
    pub passes: u64,
    /// The greatest depth that was settled.
    pub settled: Option<u32>,
    /// The best line or its value, where it is another one.
    pub verdict: Option<VerdictChange>,
}

/// Another best line, or another value of it.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictChange {
    /// The verdict before; none at the beginning.
    pub from: Option<Arc<BestLine>>,
    /// The verdict now.
    pub to: Arc<BestLine>,
}

impl Snapshot {
    /// What changed since an earlier snapshot of the same feed. A reader that has missed steps asks for
    /// the one that it saw last.
    pub fn since(&self, earlier: &Snapshot) -> Changes {
        let is_another_root = self.root != earlier.root;
        let nothing = Progress::default();
        let before = if is_another_root { &nothing } else { &earlier.progress };
        let now = &self.progress;
        Changes {
            is_another_root,
            passes: now.passes.saturating_sub(before.passes),
            settled: now.settled.filter(|_| now.settled != before.settled),
            verdict: now
                .best
                .as_ref()
                .filter(|_| now.best != before.best)
                .map(|best| VerdictChange { from: before.best.clone(), to: Arc::clone(best) }),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests")]

    use shakmaty::Chess;

    use super::*;
    use deepanalyze_core::chess::{Score, Value, parse_uci};

    /// The starting position's best move with its value.
    pub fn verdict(uci: &str, centipawns: i32) -> Option<Arc<BestLine>> {
        let (root, moves) = (Chess::default(), vec![parse_uci(uci).unwrap()]);
        Some(Arc::new(BestLine {
            root,
            moves,
            goes_on: false,
            value: Value::from(Score::Cp(centipawns)),
        }))
    }

    fn snapshot(step: u64, progress: Progress) -> Snapshot {
        Snapshot { step, progress, ..Snapshot::default() }
    }

    #[test]
    fn what_changed_is_told_over_all_steps_that_a_reader_missed() {
        let seen = snapshot(3, Progress { passes: 4, ..Progress::default() });
        let best = verdict("e2e4", 30);
        let next = Progress { passes: 9, settled: Some(2), best, ..Progress::default() };
        let later = snapshot(17, next).since(&seen);
        assert_eq!((later.passes, later.settled), (5, Some(2)));
        let change = later.verdict.unwrap();
        assert_eq!((change.from, Some(change.to)), (None, verdict("e2e4", 30)));
    }

    #[test]
    fn another_value_of_the_same_move_is_another_verdict() {
        let progress =
            |centipawns| Progress { best: verdict("e2e4", centipawns), ..Progress::default() };
        let (earlier, later) = (snapshot(1, progress(30)), snapshot(2, progress(-10)));
        let change = later.since(&earlier).verdict.unwrap();
        assert_eq!((change.from, Some(change.to)), (verdict("e2e4", 30), verdict("e2e4", -10)));
        let same = snapshot(3, progress(-10)).since(&later);
        assert_eq!(
            same,
            Changes { is_another_root: false, passes: 0, settled: None, verdict: None }
        );
    }

    #[test]
    fn all_that_is_known_of_another_root_is_new() {
        let settled = Progress {
            passes: 9,
            settled: Some(3),
            best: verdict("e2e4", 1),
            ..Progress::default()
        };
        let first = snapshot(5, settled.clone());
        let second = Snapshot { root: 1, ..snapshot(6, settled) };
        let changes = second.since(&first);
        assert!(changes.is_another_root);
        assert_eq!((changes.passes, changes.settled), (9, Some(3)));
        assert_eq!(changes.verdict.unwrap().from, None);
    }
}
