//! A whole duel: positions side by side, progress, signals.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use crate::engine::{EngineError, PoolNotice, Settings};
use crate::run::{
    Control, ControlReceiver, SearcherError, SearcherEvent, SerialSearcher, StartedEngine,
    control as control_pair,
};
use crate::search::Profile;
use crate::store::Store;

use super::contest::Contest;
use super::error::DuelError;
use super::lane::Lane;
use super::summary::PositionOutcome;

/// A contest that is over.
#[derive(Debug)]
pub struct Duel {
    /// What it was about.
    pub contest: Contest,
    /// What came of each position.
    pub outcomes: Vec<PositionOutcome>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// All positions are done; what came of each.
    Done(Vec<PositionOutcome>),
    /// Somebody wanted it to end.
    Interrupted,
}

/// Who is told how a run goes.
pub trait Watcher {
    /// So many positions are done, with so many searches and engine nodes of this run.
    fn progress(&mut self, done: usize, searches: u64, nodes: u64);
    /// An engine failed; the search is tried again.
    fn fault(&mut self, error: &EngineError, attempt: u32);
    /// How an engine searches has changed.
    fn notice(&mut self, notice: &PoolNotice);
    /// The run cannot go on before somebody else lets it, and why.
    fn waiting(&mut self, why: &str);
}

/// What lanes tell.
#[derive(Debug)]
pub enum LaneEvent {
    /// What a lane's searcher tells.
    Searcher(SearcherEvent),
    /// A position is done.
    Done(usize, Box<PositionOutcome>),
    /// A lane cannot go on.
    Failed(DuelError),
}

/// How often the watcher hears of a run where nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// Runs a duel over the memo in `db`, with as many positions side by side as `lanes` says.
///
/// # Errors
///
/// What was answered is kept.
pub fn run(
    contest: &Contest,
    db: &Path,
    engines: (StartedEngine, StartedEngine),
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended, DuelError> {
    let (player, judge) = engines;
    // However this one leaves, by an error or a panic, too, the lanes are not to go on.
    let (lanes_control, lanes_receiver) = control_pair();
    let lanes_control = EndOnDrop(lanes_control);
    let (sender, news) = unbounded();
    let mut first = Some((player.pool, judge.pool));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..lanes.clamp(1, contest.suite.entries.len().max(1)) {
            let (own_player, own_judge) = first.take().unzip();
            let searcher = |settings: &Settings, profile: &Profile, pool| {
                let (control, news) = (lanes_receiver.clone(), sender.clone());
                let tell = move |told| drop(news.send(LaneEvent::Searcher(told)));
                SerialSearcher::new(settings.clone(), profile.clone(), control, tell)
                    .with_pool(pool)
            };
            let player = searcher(&player.settings, &contest.player, own_player);
            let judge = searcher(&judge.settings, &contest.judge, own_judge);
            let lane = LaneWork { contest, db, next: &next, control: lanes_receiver.clone() };
            let sender = sender.clone();
            std::thread::Builder::new()
                .name(format!("duel {}", number + 1))
                .spawn_scoped(scope, move || lane.work(player, judge, &sender))
                .map_err(DuelError::Thread)?;
        }
        drop(sender);
        gather(contest.suite.entries.len(), &news, lanes_control, control, watcher)
    })
}

/// Ends what it steers when it goes.
struct EndOnDrop(Control);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What a lane's thread needs.
struct LaneWork<'a> {
    contest: &'a Contest,
    db: &'a Path,
    next: &'a AtomicUsize,
    control: ControlReceiver,
}

impl LaneWork<'_> {
    fn work(&self, player: SerialSearcher, judge: SerialSearcher, news: &Sender<LaneEvent>) {
        if let Err(error) = self.play_all(player, judge, news) {
            let _ = news.send(LaneEvent::Failed(error));
        }
    }

    fn play_all(
        &self,
        player: SerialSearcher,
        judge: SerialSearcher,
        news: &Sender<LaneEvent>,
    ) -> Result<(), DuelError> {
        let mut lane = Lane { store: Store::open(self.db)?, player, judge };
        loop {
            let index = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(entry) = self.contest.suite.entries.get(index) else {
                return Ok(());
            };
            if self.control.is_told_to_end() {
                return Err(SearcherError::Stopped.into());
            }
            let outcome = lane.play(&entry.position, self.contest)?;
            let _ = news.send(LaneEvent::Done(index, Box::new(outcome)));
        }
    }
}

/// Takes in what the lanes tell until all have ended; a failure of one ends them, as the control may.
fn gather(
    positions: usize,
    news: &Receiver<LaneEvent>,
    lanes: EndOnDrop,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended, DuelError> {
    let mut outcomes = BTreeMap::new();
    let (mut searches, mut nodes, mut failure) = (0_u64, 0_u64, None);
    loop {
        if control.is_told_to_end() {
            lanes.0.end();
        }
        select! {
            recv(news) -> told => match told {
                Ok(LaneEvent::Searcher(SearcherEvent::Searched(more))) => {
                    searches += 1;
                    nodes = nodes.saturating_add(more);
                }
                Ok(LaneEvent::Searcher(SearcherEvent::Fault(error, attempt))) => watcher.fault(&error, attempt),
                Ok(LaneEvent::Searcher(SearcherEvent::Notice(notice))) => watcher.notice(&notice),
                Ok(LaneEvent::Searcher(SearcherEvent::Waiting(why))) => watcher.waiting(&why),
                Ok(LaneEvent::Done(index, outcome)) => drop(outcomes.insert(index, *outcome)),
                Ok(LaneEvent::Failed(DuelError::Searcher(SearcherError::Stopped))) => {}
                Ok(LaneEvent::Failed(error)) => {
                    lanes.0.end();
                    failure.get_or_insert(error);
                }
                Err(_) => break,
            },
            recv(control.wake()) -> _ => {}
            default(TICK) => {}
        }
        watcher.progress(outcomes.len(), searches, nodes);
    }
    match failure {
        Some(error) => Err(error),
        None if outcomes.len() < positions => Ok(Ended::Interrupted),
        None => Ok(Ended::Done(outcomes.into_values().collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hears of nothing but changes.
    #[derive(Default)]
    struct Notices(Vec<PoolNotice>);

    impl Watcher for Notices {
        fn progress(&mut self, _: usize, _: u64, _: u64) {}
        fn fault(&mut self, _: &EngineError, _: u32) {}
        fn notice(&mut self, notice: &PoolNotice) {
            self.0.push(notice.clone());
        }
        fn waiting(&mut self, _: &str) {}
    }

    #[test]
    fn who_watches_hears_that_an_engine_is_asked_in_another_way() {
        let (sender, news) = unbounded();
        let notice = PoolNotice::SearchmovesUnanswered { engine: "Some".to_owned() };
        let told = LaneEvent::Searcher(SearcherEvent::Notice(notice.clone()));
        sender.send(told).unwrap();
        drop(sender);
        let (mut watcher, lanes) = (Notices::default(), EndOnDrop(control_pair().0));
        gather(0, &news, lanes, &ControlReceiver::never(), &mut watcher).unwrap();
        assert_eq!(watcher.0, [notice]);
    }
}
