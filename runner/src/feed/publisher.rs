//! The writing end of a feed: what a run tells becomes snapshots and events.

use std::sync::Arc;
use std::time::Duration;

use shakmaty::Chess;

use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::{EngineError, PoolNotice};
use deepanalyze_report::BestLine;

use super::Feed;
use super::event::{RunEnd, RunEvent};
use super::progress::{Observer, Progress};
use super::snapshot::{ClosingProgress, Snapshot};
use crate::batch::{BatchObserver, Root, RootOutcome};
use crate::control::ControlReceiver;
use deepanalyze_store::Patience;

/// Publishes a run. What this costs does not depend on the tree, and next to nothing where nobody reads;
/// no reader can make it wait. Dropped without a word of how the run ended, it says [`RunEnd::Lost`].
#[derive(Debug, Default)]
pub struct Publisher {
    feed: Feed,
    tells_every_pass: bool,
    root: usize,
    /// The passes that were done when a pass was told of last.
    told: Option<u64>,
}

impl Publisher {
    /// A publisher with a feed of its own.
    pub fn new() -> Publisher {
        Publisher::default()
    }

    /// The same publisher, which makes an event of every pass: readers miss none of them, and other
    /// events may be dropped the sooner for a reader that is far behind.
    pub fn telling_every_pass(mut self, tells_every_pass: bool) -> Publisher {
        self.tells_every_pass = tells_every_pass;
        self
    }

    /// Where readers subscribe.
    pub fn feed(&self) -> Feed {
        self.feed.clone()
    }

    /// Says that the run cannot go on before somebody else lets it, and why.
    pub fn waiting(&self, why: &str) {
        self.feed.tell(RunEvent::Waiting(why.to_owned()));
    }

    /// How the run waits for a locked database: until it is told to end, and readers hear of it.
    pub fn patience(&self, control: &ControlReceiver) -> Patience {
        let (control, feed) = (control.clone(), self.feed());
        let tell = move |why: &str| feed.tell(RunEvent::Waiting(why.to_owned()));
        Patience::new(move || control.is_told_to_end(), tell)
    }

    /// Says how it all ended; the newest snapshot is the last.
    pub fn end(self, end: RunEnd) {
        self.feed.end(end);
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.feed.end(RunEnd::Lost);
    }
}

impl Observer for Publisher {
    fn progress(&mut self, progress: Progress) {
        let root = self.root;
        let is_over = progress.ending.is_some();
        let snapshot = self.feed.publish(|_| Snapshot { step: 0, root, progress, closing: None });
        if self.tells_every_pass && !is_over {
            let passes = snapshot.progress.passes;
            if self.told.replace(passes) != Some(passes) {
                self.feed.tell(RunEvent::Pass(snapshot));
            }
        }
    }

    fn stage_begins(&mut self, limit: Limit) {
        self.feed.tell(RunEvent::StageBegins(limit));
    }

    fn settled(&mut self, settled: &Settled, best: Option<&Arc<BestLine>>, elapsed: Duration) {
        let (settled, best) = (*settled, best.cloned());
        self.feed.tell(RunEvent::Settled { settled, best, elapsed });
    }

    fn fault(&mut self, error: &EngineError, attempt: u32, position: Option<&Chess>) {
        let (error, position) = (error.clone(), position.cloned());
        self.feed.tell(RunEvent::Fault { error, attempt, position });
    }

    fn notice(&mut self, notice: &PoolNotice) {
        self.feed.tell(RunEvent::Notice(notice.clone()));
    }

    fn copied(&mut self, count: usize, plies: usize) {
        self.feed.tell(RunEvent::Copied { directives: count, plies });
    }

    fn directed(&mut self, directives: &Directives, verdict: Option<&Arc<BestLine>>) {
        let (directives, verdict) = (directives.clone(), verdict.cloned());
        self.feed.tell(RunEvent::Directed { directives, verdict });
    }

    fn warn(&mut self, why: &str) {
        self.feed.tell(RunEvent::Warning(why.to_owned()));
    }

    fn tables_have_come(&mut self) {
        self.feed.tell(RunEvent::TablesHaveCome);
    }

    fn taken_back(&mut self, answers: u64, trees: u64) {
        self.feed.tell(RunEvent::TakenBack { answers, trees });
    }

    fn closing(&mut self, done: usize, searches: usize, elapsed: Duration) {
        let closing = Some(ClosingProgress { done, searches, elapsed });
        self.feed.publish(|newest| Snapshot { closing, ..newest.cloned().unwrap_or_default() });
    }

    fn stopping(&mut self, why: &str) {
        self.feed.tell(RunEvent::Stopping(why.to_owned()));
    }
}

impl BatchObserver for Publisher {
    fn done_before(&mut self, count: usize) {
        self.feed.tell(RunEvent::DoneBefore(count));
    }

    fn root_begins(&mut self, index: usize, root: &Root) {
        (self.root, self.told) = (index, None);
        let (name, root) = (root.name.clone(), root.game().root().clone());
        self.feed.tell(RunEvent::RootBegins { index, name, root });
    }

    fn root_ends(&mut self, index: usize, outcome: &RootOutcome) {
        let outcome = match outcome {
            RootOutcome::Grown(outcome) => Ok(outcome.clone()),
            RootOutcome::Failed(error) => Err(error.to_string()),
            RootOutcome::Over(_)
            | RootOutcome::Done(_)
            | RootOutcome::Stable(_)
            | RootOutcome::Left => return,
        };
        self.feed.tell(RunEvent::RootEnds { index, outcome });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::snapshot::tests::verdict;
    use crate::grow::End;

    fn pass(passes: u64) -> Progress {
        Progress { passes, best: verdict("e2e4", 20), ..Progress::default() }
    }

    #[test]
    fn a_publisher_that_is_dropped_ends_its_feed_and_one_that_says_how_keeps_its_word() {
        let [dropped, ended] = [Publisher::new(), Publisher::new()];
        let [mut one, mut other] = [&dropped, &ended].map(|publisher| publisher.feed().subscribe());
        drop(dropped);
        ended.end(RunEnd::Ended(End::Settled));
        assert_eq!(one.look().end, Some(RunEnd::Lost));
        assert_eq!(other.look().end, Some(RunEnd::Ended(End::Settled)));
    }

    #[test]
    fn each_pass_is_told_of_once_where_every_pass_is_asked_for() {
        for (every, told) in [(true, vec![1, 3]), (false, Vec::new())] {
            let mut publisher = Publisher::new().telling_every_pass(every);
            let mut reader = publisher.feed().subscribe();
            for passes in [0, 0, 1, 1] {
                publisher.progress(pass(passes));
            }
            publisher.progress(Progress { ending: Some(End::Settled), ..pass(2) });
            let news = reader.look();
            let step = |event: RunEvent| match event {
                RunEvent::Pass(snapshot) => Some(snapshot.step),
                _ => None,
            };
            assert_eq!(news.events.into_iter().filter_map(step).collect::<Vec<_>>(), told);
            let last = news.snapshot.map(|last| (last.step, last.progress.ending));
            assert_eq!(last, Some((5, Some(End::Settled))));
        }
    }

    #[test]
    fn a_closing_search_is_seen_beside_the_run_that_it_closes() {
        let mut publisher = Publisher::new();
        let mut reader = publisher.feed().subscribe();
        publisher.progress(pass(7));
        publisher.closing(2, 5, Duration::ZERO);
        let seen = reader.look().snapshot.map(|seen| (seen.progress.clone(), seen.closing));
        let closing = ClosingProgress { done: 2, searches: 5, elapsed: Duration::ZERO };
        assert_eq!(seen, Some((pass(7), Some(closing))));
    }
}
