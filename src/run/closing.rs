//! The closing search of a tree: its root once more, on hashes that a rehearsal of the best lines has
//! warmed. Several engines share the root's moves out among themselves. `docs/algorithm.md` defines it,
//! `docs/worth.md` says what it gives.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use shakmaty::Chess;

use crate::analysis::{Closing, KeptTree, best_of, closings, load, rehearsed};
use crate::chess::Ending;
use crate::search::{HashContents, HashState, Limit, MoveShare, Profile, Question, Reply};
use crate::store::{AnalysisId, GrowLock, Store, StoreError};
use crate::tree::RootShare;

use super::control::ControlReceiver;
use super::error::RunError;
use super::feed::progress::Observer;
use super::serial::{SearcherError, SearcherEvent, SerialSearcher, StartedEngine};

/// How a closing search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingEnd {
    /// It is in the memo.
    Done(Closing),
    /// Somebody wanted the run to end; what engines have answered of it is kept, and their searches that were under
    /// way begin again from their start.
    Interrupted,
}

/// What is to be done for a closing search.
#[derive(Debug)]
pub enum Prepared {
    /// Nothing: the memo has it.
    Known(Closing),
    /// Nothing: the root is a finished position.
    Finished,
    /// Engines are to search.
    Wanted(Box<ClosingSearch>),
}

/// A closing search that is to be made; nobody else grows the tree meanwhile.
#[derive(Debug)]
pub struct ClosingSearch {
    profile: Profile,
    root: Chess,
    limit: Limit,
    passes: u64,
    /// What each engine is to do.
    shares: VecDeque<Share>,
    _lock: GrowLock,
}

/// What one engine is to do.
#[derive(Debug)]
struct Share {
    number: u32,
    /// What its hash holds.
    contents: HashContents,
    root: RootShare,
}

/// How often the observer hears of a long search.
const TICK: Duration = Duration::from_millis(250);

impl ClosingSearch {
    /// What is to be done to close a tree as it is now, with so many engines.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows the tree.
    pub fn prepare(
        store: &Store,
        analysis: AnalysisId,
        (limit, engines): (Limit, usize),
    ) -> Result<Prepared, StoreError> {
        let lock = store.lock(analysis)?;
        let KeptTree { row, game, growth, directives, .. } = load(store, analysis)?;
        if Ending::of(game.root()).is_some() || growth.graph().known(growth.root()).is_some() {
            return Ok(Prepared::Finished);
        }
        let passes = growth.passes();
        let shares = growth.root_shares(engines.max(1));
        let is_asked = |known: &Closing| {
            (known.passes, known.limit) == (passes, limit) && known.engines as usize == shares.len()
        };
        if let Some(known) = closings(store, &row, (&game, &directives))?.into_iter().find(is_asked)
        {
            return Ok(Prepared::Known(known));
        }
        let contents = rehearsed(&row, (&game, &directives), passes);
        Ok(Prepared::Wanted(Box::new(ClosingSearch {
            root: growth.position(growth.root()),
            shares: shares.into_iter().map(|share| Share::new(share, &contents)).collect(),
            passes,
            limit,
            profile: row.profile,
            _lock: lock,
        })))
    }

    /// How many engines can search at once.
    pub fn shares(&self) -> usize {
        self.shares.len()
    }

    /// Each engine rehearses the best lines of its moves and searches the root with them. Where there are fewer
    /// engines than shares, they take one after the other.
    ///
    /// # Errors
    ///
    /// That of the first engine which fails; the others go on to the end of what there is, and all answers are kept.
    pub fn run(
        self,
        store: &Store,
        engines: Vec<StartedEngine>,
        control: &ControlReceiver,
        observer: &mut dyn Observer,
    ) -> Result<ClosingEnd, RunError> {
        let ClosingSearch { profile, root, limit, passes, shares, _lock } = self;
        let count = shares.iter().map(|share| share.root.rehearsal.len() + 1).sum();
        let of = u32::try_from(shares.len()).unwrap_or(u32::MAX);
        let work = Work { root, rehearsal: profile.limit, limit, shares: Mutex::new(shares) };
        let (sender, news) = unbounded();
        let (answers, interrupted) = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for StartedEngine { settings, pool } in engines {
                let sender: Sender<SearcherEvent> = sender.clone();
                let tell = move |told| drop(sender.send(told));
                let searcher =
                    SerialSearcher::new(settings, profile.clone(), control.clone(), tell)
                        .with_pool(Some(pool));
                let (work, path) = (&work, store.path());
                let worker = std::thread::Builder::new()
                    .name("closing search".to_owned())
                    .spawn_scoped(scope, move || work.share_after_share(searcher, path))
                    .map_err(RunError::Thread)?;
                workers.push(worker);
            }
            drop(sender);
            let interrupted = listen(count, &news, control, observer);
            let answers = workers.into_iter().map(|worker| {
                worker.join().unwrap_or((Vec::new(), Err(SearcherError::EnginesGone)))
            });
            Ok::<_, RunError>((answers.collect::<Vec<_>>(), interrupted))
        })?;
        let mut all = Vec::new();
        let mut failed = None;
        for (answers, end) in answers {
            all.extend(answers);
            failed = failed.or(end.err());
        }
        all.sort_by_key(|(number, _)| *number);
        let closing = |(_, reply): (u32, Reply)| {
            let Reply { uci, score, nodes } = reply;
            Closing { passes, limit, uci, score, nodes, engines: of }
        };
        match (all.len() == of as usize, failed) {
            (true, _) => {
                let best = best_of(all.into_iter().map(closing)).ok_or(RunError::EnginesGone)?;
                Ok(ClosingEnd::Done(best))
            }
            // An engine that is told to start and to stop at once may fail at either.
            (false, _) if interrupted => Ok(ClosingEnd::Interrupted),
            (false, Some(error)) => Err(error.into()),
            (false, None) => Err(RunError::EnginesGone),
        }
    }
}

impl Share {
    fn new(root: RootShare, contents: &HashContents) -> Share {
        let (number, engines) = root.number;
        let share = (engines > 1).then(|| Box::new(MoveShare::new(root.number, &root.moves)));
        Share { number, contents: HashContents { share, ..contents.clone() }, root }
    }
}

/// What is left to do, and how.
struct Work {
    root: Chess,
    /// The limit of the rehearsal's searches.
    rehearsal: Limit,
    limit: Limit,
    shares: Mutex<VecDeque<Share>>,
}

impl Work {
    /// One engine's part: shares, as long as there are any, each with its answer.
    fn share_after_share(
        &self,
        mut searcher: SerialSearcher,
        path: &Path,
    ) -> (Vec<(u32, Reply)>, Result<(), SearcherError>) {
        let mut answers = Vec::new();
        let end = self.all_shares(&mut searcher, path, &mut answers);
        (answers, end)
    }

    fn all_shares(
        &self,
        searcher: &mut SerialSearcher,
        path: &Path,
        answers: &mut Vec<(u32, Reply)>,
    ) -> Result<(), SearcherError> {
        let mut store = Store::open(path)?;
        while let Some(share) = self.next() {
            let number = share.number;
            answers.push((number, self.search(searcher, &mut store, share)?));
        }
        Ok(())
    }

    fn next(&self) -> Option<Share> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// The rehearsal of a share's lines, and the search of the root with its moves.
    fn search(
        &self,
        searcher: &mut SerialSearcher,
        store: &mut Store,
        share: Share,
    ) -> Result<Reply, SearcherError> {
        let memory = HashState::Kept(&share.contents);
        searcher.begin();
        for position in share.root.rehearsal {
            searcher.ask(store, Question::new(position, self.rehearsal, memory))?;
        }
        let question = Question::new(self.root.clone(), self.limit, memory);
        searcher.ask(store, Question { elsewhere: share.root.elsewhere, ..question })
    }
}

/// Tells the observer until the searchers are gone. Says whether somebody wanted them to end.
fn listen(
    searches: usize,
    news: &Receiver<SearcherEvent>,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> bool {
    let (began, mut done, mut told) = (Instant::now(), 0_usize, false);
    loop {
        if !told && control.is_told_to_end() {
            told = true;
            observer.stopping("interrupted");
        }
        observer.closing(done.min(searches), searches, began.elapsed());
        select! {
            recv(news) -> event => match event {
                Ok(SearcherEvent::Searched(_)) => done += 1,
                Ok(SearcherEvent::Fault(error, attempt)) => observer.fault(&error, attempt, None),
                Ok(SearcherEvent::Notice(notice)) => observer.notice(&notice),
                Ok(SearcherEvent::Waiting(why)) => observer.waiting(&why),
                Err(_) => return control.is_told_to_end(),
            },
            recv(control.wake()) -> _ => {}
            default(TICK) => {}
        }
    }
}
