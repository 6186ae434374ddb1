//! Positions side by side: lanes in threads, progress, signals.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use crate::duel::serial::{SearcherEvent, SerialSearcher};
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{EngineError, Pool, PoolNotice, Settings};
use deepanalyze_runner::{Control, ControlReceiver, control as control_pair};
use deepanalyze_store::Patience;

use crate::duel::lister::Lister;
use crate::duel::run::DuelError;

/// End of a run.
#[derive(Debug)]
pub enum DuelEnd<T> {
    /// All positions are done; their outcomes.
    Done(Vec<T>),
    /// On request.
    Interrupted,
}

/// Observer of a run.
pub trait Watcher {
    /// Called with the done positions, the searches and the engine nodes of this run.
    fn progress(&mut self, done: usize, searches: u64, nodes: u64);
    /// An engine failed; the search is tried again.
    fn fault(&mut self, error: &EngineError, attempt: u32);
    /// How an engine searches has changed.
    fn notice(&mut self, notice: &PoolNotice);
    /// The run waits for another program, and why.
    fn waiting(&mut self, why: &str);
}

/// Events of lanes.
#[derive(Debug)]
pub enum LaneEvent<T> {
    /// The database is locked.
    Waiting(String),
    /// A searcher's event.
    Searcher(SearcherEvent),
    /// A position is done.
    Done(usize, Box<T>),
    /// A lane cannot go on.
    Failed(DuelError),
}

/// Pause between calls of the watcher when nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// Makes the searchers of one lane.
pub struct LaneSearchers<T> {
    control: ControlReceiver,
    news: Sender<LaneEvent<T>>,
}

impl<T: Send + 'static> LaneSearchers<T> {
    /// The lane's wait for a locked database.
    pub fn patience(&self) -> Patience {
        let (control, news) = (self.control.clone(), self.news.clone());
        let tell = move |why: &str| drop(news.send(LaneEvent::Waiting(why.to_owned())));
        Patience::new(move || control.is_told_to_end(), tell)
    }

    /// A searcher of this engine; a running pool is its first process.
    pub fn searcher(
        &self,
        settings: &Settings,
        profile: &Profile,
        pool: Option<Pool>,
    ) -> SerialSearcher {
        let (control, news) = (self.control.clone(), self.news.clone());
        let tell = move |told| drop(news.send(LaneEvent::Searcher(told)));
        SerialSearcher::new(settings.clone(), profile.clone(), control, tell).with_pool(pool)
    }

    /// A lister for this engine.
    pub fn lister(&self, settings: &Settings, profile: &Profile) -> Lister {
        let (control, news) = (self.control.clone(), self.news.clone());
        let tell = move |told| drop(news.send(LaneEvent::Searcher(told)));
        Lister::new(settings.clone(), profile.clone(), control, tell)
    }
}

/// Plays positions side by side, each by its index; `None` ends a lane.
pub fn side_by_side<T, L>(
    positions: usize,
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
    mut lane: impl FnMut(&LaneSearchers<T>) -> Result<L, DuelError>,
) -> Result<DuelEnd<T>, DuelError>
where
    T: Send + 'static,
    L: FnMut(usize) -> Result<Option<T>, DuelError> + Send,
{
    // On any exit, by an error or a panic, too, the lanes must stop.
    let (lanes_control, lanes_receiver) = control_pair();
    let lanes_control = EndOnDrop(lanes_control);
    let (sender, news) = unbounded();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..lanes.clamp(1, positions.max(1)) {
            let searchers = LaneSearchers { control: lanes_receiver.clone(), news: sender.clone() };
            let play = lane(&searchers)?;
            let (control, next) = (lanes_receiver.clone(), &next);
            let sender = sender.clone();
            std::thread::Builder::new()
                .name(format!("duel {}", number + 1))
                .spawn_scoped(scope, move || work(play, next, &control, &sender))
                .map_err(DuelError::Thread)?;
        }
        drop(sender);
        gather(positions, &news, lanes_control, control, watcher)
    })
}

/// Plays positions until none is left, or the lanes are to end.
fn work<T>(
    mut play: impl FnMut(usize) -> Result<Option<T>, DuelError>,
    next: &AtomicUsize,
    control: &ControlReceiver,
    news: &Sender<LaneEvent<T>>,
) {
    loop {
        let index = next.fetch_add(1, Ordering::SeqCst);
        if control.is_told_to_end() {
            return;
        }
        let told = match play(index) {
            Ok(Some(outcome)) => LaneEvent::Done(index, Box::new(outcome)),
            Ok(None) => return,
            Err(error) => LaneEvent::Failed(error),
        };
        let has_failed = matches!(told, LaneEvent::Failed(_));
        let _ = news.send(told);
        if has_failed {
            return;
        }
    }
}

/// Ends its lanes on drop.
struct EndOnDrop(Control);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Handles lanes' events until all have ended; a failure of one ends them, as the control may.
fn gather<T>(
    positions: usize,
    news: &Receiver<LaneEvent<T>>,
    lanes: EndOnDrop,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<DuelEnd<T>, DuelError> {
    let mut outcomes = BTreeMap::new();
    let (mut searches, mut nodes, mut failure) = (0_u64, 0_u64, None);
    loop {
        if control.is_told_to_end() {
            lanes.0.end();
        }
        match news.recv_timeout(TICK) {
            Ok(LaneEvent::Searcher(SearcherEvent::Searched(more))) => {
                searches += 1;
                nodes = nodes.saturating_add(more);
            }
            Ok(LaneEvent::Searcher(SearcherEvent::Fault(error, attempt))) => {
                watcher.fault(&error, attempt);
            }
            Ok(LaneEvent::Searcher(SearcherEvent::Notice(notice))) => watcher.notice(&notice),
            Ok(LaneEvent::Waiting(why)) => watcher.waiting(&why),
            Ok(LaneEvent::Done(index, outcome)) => drop(outcomes.insert(index, *outcome)),
            Ok(LaneEvent::Failed(DuelError::Stopped)) => {}
            Ok(LaneEvent::Failed(error)) => {
                lanes.0.end();
                failure.get_or_insert(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        watcher.progress(outcomes.len(), searches, nodes);
    }
    match failure {
        Some(error) => Err(error),
        None if outcomes.len() < positions => Ok(DuelEnd::Interrupted),
        None => Ok(DuelEnd::Done(outcomes.into_values().collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects notices alone.
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
    fn watcher_gets_a_notice_of_another_way_of_asking() {
        let (sender, news) = unbounded::<LaneEvent<()>>();
        let notice = PoolNotice::SearchmovesUnanswered { engine: "Some".to_owned() };
        let told = LaneEvent::Searcher(SearcherEvent::Notice(notice.clone()));
        sender.send(told).unwrap();
        drop(sender);
        let (mut watcher, lanes) = (Notices::default(), EndOnDrop(control_pair().0));
        gather(0, &news, lanes, &ControlReceiver::never(), &mut watcher).unwrap();
        assert_eq!(watcher.0, [notice]);
    }
}
