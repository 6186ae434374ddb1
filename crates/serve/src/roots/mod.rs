//! All roots of the database and of the agenda, watched in a thread of their own, and sent as
//! events.

mod engine_time;
mod facts;
mod news;
mod object;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select};
use tokio::sync::oneshot;

use deepanalyze_engine::EngineStates;
use deepanalyze_runner::{EntryState, FeedReader, RootEntry, RunEvent, Runner};
use deepanalyze_store::{AnalysisId, AnalysisRow, GameId, StoreError, now};

use serde_json::json;

use super::events::{Events, NewsKind, NewsMessage, Object, milliseconds};
use super::trees::{TreeEvent, Trees};
use engine_time::{Adding, Speed, TreeMoment};
use facts::FactsReader;
pub use facts::RootFacts;
use news::news;
#[cfg(test)]
pub use object::RootObject;
use object::root_object;
pub use object::{CopiedObject, EnginesObject, KnownGamesObject};

/// Interval of looks at the database with listeners, and without.
const HEARD: Duration = Duration::from_millis(250);
const UNHEARD: Duration = Duration::from_secs(2);
/// Rest between looks, as a multiple of the last look's time, unless a request comes.
const REST: u32 = 9;
/// Capacity for refreshes: more come only if the database is locked.
const WAITING: usize = 256;

/// All roots, as last seen.
#[derive(Debug, Clone)]
pub struct Roots {
    asked: Sender<oneshot::Sender<()>>,
    seen: Arc<RwLock<Vec<RootMoment>>>,
}

/// A root as it is at a moment.
#[derive(Debug)]
struct RootMoment {
    /// Its facts in the database.
    facts: Arc<RootFacts>,
    /// Its entry on the agenda, if any.
    entry: Option<RootEntry>,
    /// The milliseconds that engines have spent on the tree of the stage that speaks, as far as
    /// added up.
    spent: u64,
}

impl RootMoment {
    /// True if nothing has changed since another moment. Entries on the agenda change from moment
    /// to moment.
    fn is_same(&self, other: &RootMoment) -> bool {
        Arc::ptr_eq(&self.facts, &other.facts)
            && self.spent == other.spent
            && self.entry.is_none()
            && other.entry.is_none()
    }
}

impl Roots {
    /// Watches a database from now on; the first look is done when this returns. The thread ends
    /// when all copies are gone.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database cannot be read, or the system gives no thread.
    pub fn start(
        path: &Path,
        agenda: Runner,
        (events, trees): (Arc<Events>, Arc<Trees>),
    ) -> Result<Roots, StoreError> {
        let (asked, asks) = bounded(WAITING);
        let seen = Arc::default();
        let mut watch = Watch {
            facts: FactsReader::open(path)?,
            adding: Adding::start(path).map_err(|source| no_thread(path, source))?,
            spent: HashMap::new(),
            agenda,
            events,
            trees,
            seen: Arc::clone(&seen),
            followed: HashSet::new(),
            readers: BTreeMap::new(),
            speed: Speed::default(),
            told: 0,
            begun_again: HashMap::new(),
        };
        watch.look()?;
        let thread = std::thread::Builder::new().name("roots".to_owned());
        let started = thread.spawn(move || watch.run(&asks));
        started.map_err(|source| no_thread(path, source))?;
        Ok(Roots { asked, seen })
    }

    /// Looks at once, and returns when done.
    pub async fn refresh(&self) {
        let (done, is_done) = oneshot::channel();
        if self.asked.try_send(done).is_ok() {
            // If the thread has ended, so does the server.
            let _ = is_done.await;
        }
    }

    /// The root with this analysis as a stage.
    pub fn of(&self, id: i64) -> Option<Arc<RootFacts>> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        seen.iter().map(|root| &root.facts).find(|facts| facts.has(AnalysisId(id))).cloned()
    }

    /// The analyses of the positions of a whole game.
    pub fn of_game(&self, id: GameId) -> Vec<Arc<RootFacts>> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        let of_it = seen.iter().filter(|root| root.facts.games.contains(&id));
        of_it.map(|root| Arc::clone(&root.facts)).collect()
    }
}

/// Pause after a look.
fn pause(is_heard: bool, cost: Duration) -> Duration {
    let least = if is_heard { HEARD } else { UNHEARD };
    least.max(cost * REST)
}

fn no_thread(path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source }
}

/// State of the thread.
struct Watch {
    facts: FactsReader,
    adding: Adding,
    /// The milliseconds that engines have spent on each tree, as far as added up. Those of a
    /// removed one stay, for it may come back unchanged.
    spent: HashMap<AnalysisId, u64>,
    agenda: Runner,
    events: Arc<Events>,
    trees: Arc<Trees>,
    seen: Arc<RwLock<Vec<RootMoment>>>,
    /// The roots whose trees sent their own events then.
    followed: HashSet<AnalysisId>,
    /// Readers of each run's feed, by the number of the run.
    readers: BTreeMap<AnalysisId, (u64, FeedReader)>,
    speed: Speed,
    /// Number of engine messages sent.
    told: u64,
    /// The revision of the directives after which a finished root was last restarted.
    begun_again: HashMap<AnalysisId, u64>,
}

impl Watch {
    fn run(mut self, asks: &Receiver<oneshot::Sender<()>>) {
        let changes = self.agenda.subscribe();
        let mut is_changed = false;
        let (mut looked, mut cost) = (Instant::now(), Duration::ZERO);
        loop {
            let due = looked + pause(self.events.is_heard(), cost);
            let due = due.saturating_duration_since(Instant::now());
            // A change waits for its turn, once.
            let change = if is_changed { never() } else { changes.clone() };
            let added_up = if is_changed { never() } else { self.adding.added_up.clone() };
            let mut done = Vec::new();
            select! {
                recv(asks) -> ask => match ask {
                    Ok(ask) => done.push(ask),
                    Err(_) => return,
                },
                recv(change) -> _ => { is_changed = true; continue; }
                recv(added_up) -> added => { self.spent.extend(added); is_changed = true; continue; }
                recv(after(due)) -> _ => {}
            }
            done.extend(asks.try_iter());
            let began = Instant::now();
            let has_changed = self.facts.has_changed();
            if is_changed || !done.is_empty() || !matches!(has_changed, Ok(false)) {
                is_changed = false;
                if let Err(error) = self.look() {
                    tracing::warn!(%error, "the roots cannot be read");
                }
            }
            self.trees.tidy(began);
            (looked, cost) = (Instant::now(), began.elapsed());
            done.into_iter().for_each(|done| {
                // The asker may have left.
                let _ = done.send(());
            });
        }
    }

    /// Reads all roots, and sends the news.
    fn look(&mut self) -> Result<(), StoreError> {
        let facts = self.facts.read()?;
        let entries = self.entries_by_id()?;
        self.add_up(&facts);
        let roots: Vec<RootMoment> =
            facts.into_iter().map(|facts| self.moment(facts, &entries)).collect();
        self.agenda.keep_time();
        self.follow_directives(&roots);
        let engines = self.agenda.engines();
        let speed = self.speed.of(engines.nodes, Instant::now());
        let (mut messages, changed) = self.compare(&roots);
        messages.extend(self.of_tables(&entries));
        messages.extend(self.of_engines(&engines));
        let objects = self.objects(&roots, &changed);
        let engines = json!(EnginesObject::of(&engines, speed));
        let followed = self.trees.followed();
        self.events.change(|state| {
            state.set_roots(objects);
            state.set_engines(engines);
            // The reader of such a tree has sent it.
            let is_told = |id: &AnalysisId| {
                !followed.contains(id) && (changed.contains(id) || self.followed.contains(id))
            };
            for facts in roots.iter().map(|root| &root.facts).filter(|facts| is_told(&facts.id)) {
                let object = TreeEvent::of(facts.id, &facts.listed.row, facts.revision, None);
                state.set_tree(facts.id.0, json!(object));
            }
            messages.into_iter().for_each(|message| state.tell(message));
        });
        *self.seen.write().unwrap_or_else(PoisonError::into_inner) = roots;
        self.followed = followed;
        Ok(())
    }

    /// Restarts finished roots whose directives another program has changed, once for each
    /// revision.
    fn follow_directives(&mut self, roots: &[RootMoment]) {
        for RootMoment { facts, entry, .. } in roots {
            let is_done = entry.as_ref().is_some_and(|e| matches!(e.state, EntryState::Done(_)));
            let is_new = facts.pending && is_done;
            if !is_new || self.begun_again.insert(facts.id, facts.revision) == Some(facts.revision)
            {
                continue;
            }
            if let Err(error) = self.agenda.follow_directives(&[facts.listed.row.id]) {
                tracing::warn!(%error, analysis = facts.id.0, "not grown again under its directives");
            }
        }
    }

    /// A root now. Its number on the agenda is that of the stage that was the first when it came.
    fn moment(
        &self,
        facts: Arc<RootFacts>,
        entries: &BTreeMap<AnalysisId, RootEntry>,
    ) -> RootMoment {
        let entry = facts.stages.iter().find_map(|stage| entries.get(&stage.row.id)).cloned();
        let spent = self.spent.get(&facts.listed.row.id).copied().unwrap_or_default();
        RootMoment { facts, entry, spent }
    }

    /// Takes new sums of the time that engines have spent, and requests those of the present trees.
    fn add_up(&mut self, facts: &[Arc<RootFacts>]) {
        self.spent.extend(self.adding.added_up.try_iter());
        let trees: Vec<TreeMoment> = facts.iter().map(|root| tree_of(root)).collect();
        // If the thread has ended, so does the server.
        let _ = self.adding.trees.send(trees);
    }

    /// The agenda, together with additions by other programs.
    fn entries_by_id(&self) -> Result<BTreeMap<AnalysisId, RootEntry>, StoreError> {
        let by_id = || self.agenda.entries().into_iter().map(|entry| (entry.id, entry)).collect();
        let entries: BTreeMap<AnalysisId, RootEntry> = by_id();
        if self.facts.on_agenda()?.iter().all(|id| entries.contains_key(id)) {
            return Ok(entries);
        }
        if let Err(error) = self.agenda.take_up() {
            tracing::warn!(%error, "what is new on the agenda does not grow");
        }
        Ok(by_id())
    }

    /// News of the roots since the last look, and the changed ones.
    fn compare(&self, roots: &[RootMoment]) -> (Vec<NewsMessage>, HashSet<AnalysisId>) {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        let before: HashMap<AnalysisId, &RootMoment> =
            seen.iter().map(|root| (root.facts.id, root)).collect();
        let (at, mut messages, mut changed) = (now(), Vec::new(), HashSet::new());
        for root in roots {
            let was = before.get(&root.facts.id);
            messages.extend(was.into_iter().flat_map(|was| news(was, root, at)));
            if !was.is_some_and(|was| root.is_same(was)) {
                changed.insert(root.facts.id);
            }
        }
        (messages, changed)
    }

    /// The agenda in its order, then the others, the last one grown first; with an object if
    /// changed.
    fn objects(
        &self,
        roots: &[RootMoment],
        changed: &HashSet<AnalysisId>,
    ) -> Vec<(i64, Option<Object>)> {
        let mut roots: Vec<&RootMoment> = roots.iter().collect();
        roots.sort_by_key(|root| root.entry.as_ref().map_or(usize::MAX, |entry| entry.place));
        let object = |root: &RootMoment| {
            let is_told = changed.contains(&root.facts.id);
            (root.facts.id.0, is_told.then(|| root_object(root, &self.agenda).keys()))
        };
        roots.into_iter().map(object).collect()
    }

    /// News of the engines, the oldest first.
    fn of_engines(&mut self, engines: &EngineStates) -> Vec<NewsMessage> {
        let untold = usize::try_from(engines.told.saturating_sub(self.told)).unwrap_or(0);
        self.told = engines.told;
        let mut messages: Vec<NewsMessage> = engines
            .messages
            .iter()
            .take(untold)
            .map(|message| fault(milliseconds(message.at), message.text.clone()))
            .collect();
        messages.reverse();
        messages
    }

    /// Runs' errors of unusable tablebases.
    fn of_tables(&mut self, entries: &BTreeMap<AnalysisId, RootEntry>) -> Vec<NewsMessage> {
        let mut messages = Vec::new();
        self.readers.retain(|id, _| entries.contains_key(id));
        for entry in entries.values() {
            let Some(feed) = &entry.feed else { continue };
            let begin = || (entry.runs, feed.from_start());
            let (run, reader) = self.readers.entry(entry.id).or_insert_with(begin);
            if *run != entry.runs {
                (*run, *reader) = begin();
            }
            messages.extend(reader.look().events.into_iter().filter_map(|event| match event {
                RunEvent::Warning(text) => Some(fault(now(), text)),
                _ => None,
            }));
        }
        messages
    }
}

fn fault(at: i64, text: String) -> NewsMessage {
    NewsMessage { id: None, at, kind: NewsKind::Fault, text }
}

/// The tree of the stage that speaks.
fn tree_of(root: &RootFacts) -> TreeMoment {
    let AnalysisRow { id, passes, regrown, .. } = root.listed.row;
    TreeMoment { id, passes, regrown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_takes_long_is_rested_from() {
        assert_eq!(pause(true, Duration::from_millis(1)), HEARD);
        assert_eq!(pause(false, Duration::from_millis(1)), UNHEARD);
        assert_eq!(pause(true, Duration::from_secs(1)), Duration::from_secs(9));
    }
}
