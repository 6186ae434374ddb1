//! The closing search of a tree: its root once more, on a hash that a rehearsal of the best lines has
//! warmed. `docs/algorithm.md` defines it, `docs/worth.md` says what it gives.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select, unbounded};
use shakmaty::Chess;

use crate::analysis::{Closing, KeptTree, closings, load, rehearsed};
use crate::chess::Ending;
use crate::search::{HashContents, HashState, Limit, Profile, Question, Reply};
use crate::store::{AnalysisId, GrowLock, Store, StoreError};
use crate::tree::rehearsal;

use super::control::ControlReceiver;
use super::error::RunError;
use super::feed::progress::Observer;
use super::serial::{SearcherError, SearcherEvent, SerialSearcher, StartedEngine};

/// How a closing search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingEnd {
    /// It is in the memo.
    Done(Closing),
    /// Somebody wanted the run to end; it begins again from its start.
    Interrupted,
}

/// What is to be done for a closing search.
#[derive(Debug)]
pub enum Prepared {
    /// Nothing: the memo has it.
    Known(Closing),
    /// Nothing: the root is a finished position.
    Finished,
    /// An engine is to search.
    Wanted(Box<ClosingSearch>),
}

/// A closing search that is to be made; nobody else grows the tree meanwhile.
#[derive(Debug)]
pub struct ClosingSearch {
    profile: Profile,
    searches: Vec<(Chess, Limit)>,
    passes: u64,
    limit: Limit,
    /// What its hash holds.
    contents: HashContents,
    _lock: GrowLock,
}

/// How often the observer hears of a long search.
const TICK: Duration = Duration::from_millis(250);

impl ClosingSearch {
    /// What is to be done to close a tree as it is now.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows the tree.
    pub fn prepare(
        store: &Store,
        analysis: AnalysisId,
        limit: Limit,
    ) -> Result<Prepared, StoreError> {
        let lock = store.lock(analysis)?;
        let KeptTree { row, game, growth, directives, .. } = load(store, analysis)?;
        let passes = growth.passes();
        let is_asked = |known: &Closing| known.passes == passes && known.limit == limit;
        if let Some(known) = closings(store, &row, (&game, &directives))?.into_iter().find(is_asked)
        {
            return Ok(Prepared::Known(known));
        }
        if Ending::of(game.root()).is_some() || growth.graph().known(growth.root()).is_some() {
            return Ok(Prepared::Finished);
        }
        let graph = growth.graph();
        let lines = rehearsal(graph, growth.values(), growth.root()).into_iter();
        let lines = lines.map(|node| (growth.position(node), row.profile.limit));
        let root = (growth.position(growth.root()), limit);
        Ok(Prepared::Wanted(Box::new(ClosingSearch {
            searches: lines.chain([root]).collect(),
            passes,
            limit,
            contents: rehearsed(&row, (&game, &directives), passes),
            profile: row.profile,
            _lock: lock,
        })))
    }

    /// Rehearses the best lines and searches the root, by one process of the tree's own engine.
    pub fn run(
        self,
        store: &mut Store,
        engine: StartedEngine,
        control: &ControlReceiver,
        observer: &mut dyn Observer,
    ) -> Result<ClosingEnd, RunError> {
        let ClosingSearch { profile, searches, passes, limit, contents, _lock } = self;
        let (sender, news) = unbounded();
        let tell = move |told| drop(sender.send(told));
        let StartedEngine { settings, pool } = engine;
        let mut searcher =
            SerialSearcher::new(settings, profile, control.clone(), tell).with_pool(Some(pool));
        let count = searches.len();
        let (reply, interrupted) = std::thread::scope(|scope| {
            let worker = std::thread::Builder::new()
                .name("closing search".to_owned())
                .spawn_scoped(scope, move || ask_all(&mut searcher, store, searches, &contents))
                .map_err(RunError::Thread)?;
            let interrupted = listen(count, &news, control, observer);
            let reply = worker.join().map_err(|_| RunError::EnginesGone)?;
            Ok::<_, RunError>((reply, interrupted))
        })?;
        match reply {
            Ok(Reply { uci, score, nodes }) => {
                Ok(ClosingEnd::Done(Closing { passes, limit, uci, score, nodes }))
            }
            // An engine that is told to start and to stop at once may fail at either.
            Err(_) if interrupted => Ok(ClosingEnd::Interrupted),
            Err(error) => Err(error.into()),
        }
    }
}

/// The last search's reply.
fn ask_all(
    searcher: &mut SerialSearcher,
    store: &mut Store,
    searches: Vec<(Chess, Limit)>,
    contents: &HashContents,
) -> Result<Reply, SearcherError> {
    searcher.begin();
    let mut last = Err(SearcherError::Stopped);
    for (position, limit) in searches {
        let (excluded, memory) = (Vec::new(), HashState::Kept(contents));
        last = Ok(searcher.ask(store, Question { position, excluded, limit, memory })?);
    }
    last
}

/// Tells the observer until the searcher is gone. Says whether somebody wanted it to end.
fn listen(
    searches: usize,
    news: &Receiver<SearcherEvent>,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> bool {
    let (began, mut done, mut told) = (Instant::now(), 0, false);
    loop {
        if !told && control.is_told_to_end() {
            told = true;
            observer.stopping("interrupted");
        }
        observer.closing(done, searches, began.elapsed());
        select! {
            recv(news) -> event => match event {
                Ok(SearcherEvent::Searched(_)) => done += 1,
                Ok(SearcherEvent::Fault(error, attempt)) => {
                    done = 0;
                    observer.fault(&error, attempt, None);
                }
                Ok(SearcherEvent::Notice(notice)) => observer.notice(&notice),
                Ok(SearcherEvent::Waiting(why)) => observer.waiting(&why),
                Err(_) => return control.is_told_to_end(),
            },
            recv(control.wake()) -> _ => {}
            default(TICK) => {}
        }
    }
}
