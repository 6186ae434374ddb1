//! The closing search of a tree: its root once more, on hashes that a rehearsal of the best lines has
//! warmed. Several engines share the root's moves out among themselves. `docs/algorithm.md` defines it,
//! `docs/measurements/worth.md` says what it gives.

mod shares;
mod telling;

use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use shakmaty::Chess;

use deepanalyze_core::chess::{Ending, playable};
use deepanalyze_core::search::{HashState, Profile, Question};
use deepanalyze_core::tree::RootShare;
use deepanalyze_report::{
    Closing, ClosingAnswer, ClosingAsked, ClosingMove, KeptTree, NamedMove, closings, load,
    rehearsed,
};
use deepanalyze_store::{AnalysisId, GrowLock, ProfileId, Store, StoreError};

use super::control::{ControlReceiver, control as control_pair};
use super::error::RunError;
use super::feed::event::RunListener;
use super::outcome::RunEnd;
use super::serial::{SerialSearcher, StartedEngine};
use shares::{ClosingJob, ClosingShare, ClosingSpeed, share_out};
use telling::{ClosingNews, ClosingSteering, listen};

pub use shares::ClosingLimit;

/// What a closing search has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingOutcome {
    /// How it ended. Where a limit was reached, it took all the time that it was given. What engines have answered of one
    /// that did not come to its end is kept, and their searches that were under way begin again from their start.
    pub ending: RunEnd,
    /// What it says, where it came to its end and there was something to search.
    pub closing: Option<Closing>,
}

/// What is to be done for a closing search.
#[derive(Debug)]
pub enum Prepared {
    /// Nothing: the memo has it.
    Known(Closing),
    /// Nothing: the root is a finished position.
    Finished,
    /// A time that cannot be told in nodes: the engines of the tree have not said how many they search.
    NoSpeed,
    /// Engines are to search.
    Wanted(Box<ClosingSearch>),
}

/// A closing search that is to be made; nobody else grows the tree meanwhile.
#[derive(Debug)]
pub struct ClosingSearch {
    /// What the tree's engine calls itself, and whoever makes this search must.
    pub profile: Profile,
    root: Chess,
    /// What is searched, with the limit of each engine's search of the root.
    pub asked: ClosingAsked,
    /// Whether it comes to its end in about the time that it was to take: the best lines leave half of it to the root.
    pub fits: bool,
    /// What each engine is to do.
    shares: Vec<ClosingShare>,
    _lock: GrowLock,
}

impl ClosingSearch {
    /// What is to be done to close a tree as it is now, with so many engines.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows the tree.
    pub fn prepare(
        store: &Store,
        analysis: AnalysisId,
        wanted: ClosingLimit,
        engines: usize,
    ) -> Result<Prepared, StoreError> {
        let lock = store.lock(analysis)?;
        let KeptTree { row, game, growth, directives, .. } = load(store, analysis)?;
        if Ending::of(game.root()).is_some() || growth.graph().known(growth.root()).is_some() {
            return Ok(Prepared::Finished);
        }
        let passes = growth.passes();
        let shares = growth.root_shares(engines.max(1));
        let (limit, fits) = match wanted {
            ClosingLimit::Search(limit) => (limit, true),
            ClosingLimit::Time(time) => {
                let Some(speed) = ClosingSpeed::of(store, analysis)? else {
                    return Ok(Prepared::NoSpeed);
                };
                speed.limit(time, longest_rehearsal(store, row.profile_id, &shares)?)
            }
        };
        let tree_limit = row.profile.limit;
        // No position has more than 218 moves.
        let engines = u32::try_from(shares.len()).unwrap_or(u32::MAX);
        let asked = ClosingAsked { tree_limit, passes, limit, engines };
        let mut known = closings(store, &row, (&game, &directives))?.into_iter();
        if let Some(known) = known.find(|known| known.asked == asked) {
            return Ok(Prepared::Known(known));
        }
        let contents = rehearsed(&row, (&game, &directives), passes);
        Ok(Prepared::Wanted(Box::new(ClosingSearch {
            root: growth.position(growth.root()),
            shares: shares.into_iter().map(|share| ClosingShare::new(share, &contents)).collect(),
            asked,
            fits,
            profile: row.profile,
            _lock: lock,
        })))
    }

    /// How many engines can search at once.
    pub fn shares(&self) -> usize {
        self.shares.len()
    }

    /// Each engine, all of the tree's name, rehearses the best lines of its moves and searches the root with them.
    /// Where there are fewer engines than shares, they take one after the other; where one fails, another takes its
    /// share. They may be given a time, after which nothing is waited for.
    ///
    /// # Errors
    ///
    /// That of an engine, where no other can take its share. All answers are kept.
    pub fn run(
        self,
        store: &Store,
        engines: Vec<StartedEngine>,
        control: &ControlReceiver,
        within: Option<Duration>,
        tell_run: &mut RunListener<'_>,
    ) -> Result<ClosingOutcome, RunError> {
        let (own, listening) = control_pair();
        let steering = ClosingSteering { outside: control, engines: own, within };
        let ClosingSearch { profile, root, asked, shares, _lock, .. } = self;
        let (all, searches) = (shares.len(), shares.iter().map(ClosingShare::searches).sum());
        let work = ClosingWork { root, asked, jobs: share_out(shares) };
        let (sender, news) = unbounded();
        let mut workers = Vec::new();
        for (number, (started, job)) in engines.into_iter().zip(work.jobs.try_iter()).enumerate() {
            let StartedEngine { settings, pool } = started;
            let ending = listening.clone();
            let store = store.open_beside(move || ending.is_told_to_end())?;
            let news = sender.clone();
            let tell = move |told| drop(news.send((number, ClosingNews::Searcher(told))));
            let searcher = SerialSearcher::new(settings, profile.clone(), listening.clone(), tell)
                .with_pool(Some(pool));
            workers.push(ClosingWorker { searcher, store, number, news: sender.clone(), job });
        }
        drop(sender);
        let count = workers.len();
        let (ends, told) = std::thread::scope(|scope| {
            let begin = |worker| {
                let name = "closing search".to_owned();
                let thread = std::thread::Builder::new().name(name);
                thread.spawn_scoped(scope, || work.all_shares(worker)).map_err(RunError::Thread)
            };
            let threads: Vec<_> = workers.into_iter().map(begin).collect();
            let told = listen(count, searches, &news, &steering, tell_run);
            let gone = || (Vec::new(), Some(RunError::EnginesGone));
            let ends = threads
                .into_iter()
                .map(|thread| thread.map(|thread| thread.join().unwrap_or_else(|_panic| gone())));
            (ends.collect::<Result<Vec<ClosingAnswers>, RunError>>(), told)
        });
        let (mut answers, mut failed) = (Vec::new(), None);
        for (of_one, error) in ends? {
            answers.extend(of_one);
            failed = failed.or(error);
        }
        answers.sort_by_key(|(number, _)| *number);
        let answers: Vec<ClosingAnswer> = answers.into_iter().map(|(_, answer)| answer).collect();
        let whole = answers.len() == all;
        match (Closing::of(asked, &answers).filter(|_| whole), failed) {
            (Some(closing), _) => {
                Ok(ClosingOutcome { ending: RunEnd::Settled, closing: Some(closing) })
            }
            // An engine that is told to start and to stop at once may fail at either.
            (None, error) => match told {
                Some(ending) => Ok(ClosingOutcome { ending, closing: None }),
                None => Err(error.unwrap_or(RunError::EnginesGone)),
            },
        }
    }
}

/// The nodes of the longest rehearsal, each search on a cleared hash as it was in the tree.
fn longest_rehearsal(
    store: &Store,
    profile: ProfileId,
    shares: &[RootShare],
) -> Result<u64, StoreError> {
    let nodes = |position: &Chess| {
        let answer = store.priced_answer(profile, position, 0)?;
        Ok(answer.map_or(0, |answer| answer.nodes))
    };
    let of_share = |share: &RootShare| share.rehearsal.iter().map(nodes).sum::<Result<u64, _>>();
    shares.iter().try_fold(0, |longest, share| Ok(of_share(share)?.max(longest)))
}

/// What one engine has answered, and why it has ended before the shares did.
type ClosingAnswers = (Vec<Answered>, Option<RunError>);

/// What came of a share, and its number.
type Answered = (u32, ClosingAnswer);

/// One engine with what it works with, and what it begins with.
struct ClosingWorker {
    searcher: SerialSearcher,
    store: Store,
    number: usize,
    news: Sender<(usize, ClosingNews)>,
    job: ClosingJob,
}

/// What is left to do, and how.
struct ClosingWork {
    root: Chess,
    /// The rehearsal's searches have the limit of the tree's.
    asked: ClosingAsked,
    jobs: Receiver<ClosingJob>,
}

impl ClosingWork {
    /// One engine's part: shares, as long as there are any.
    fn all_shares(&self, worker: ClosingWorker) -> ClosingAnswers {
        let ClosingWorker { mut searcher, mut store, number, news, job } = worker;
        let mut answers = Vec::new();
        let mut next = Some(job);
        while let Some(job) = next {
            match self.search(&mut searcher, &mut store, &job.share) {
                Ok(answer) => {
                    let _ = news.send((number, ClosingNews::Answered(job.share.searches())));
                    answers.push((job.share.root.number.0, answer));
                }
                Err(error @ (RunError::Engine(_) | RunError::HashLost { .. })) => {
                    let _ = news.send((number, ClosingNews::Failed));
                    job.give_back();
                    return (answers, Some(error));
                }
                Err(error) => return (answers, Some(error)),
            }
            drop(job);
            next = self.jobs.recv().ok();
        }
        (answers, None)
    }

    /// The rehearsal of a share's lines, and the search of the root with its moves.
    fn search(
        &self,
        searcher: &mut SerialSearcher,
        store: &mut Store,
        share: &ClosingShare,
    ) -> Result<ClosingAnswer, RunError> {
        let memory = HashState::Kept(&share.contents);
        let ClosingAsked { tree_limit, limit, .. } = self.asked;
        searcher.begin();
        for position in &share.root.rehearsal {
            searcher.ask(store, Question::new(position.clone(), tree_limit, memory))?;
        }
        let question = Question::new(self.root.clone(), limit, memory);
        let elsewhere = share.root.elsewhere.clone();
        let reply = searcher.ask(store, Question { elsewhere, ..question })?;
        let line = searcher.line(store, (&self.root, limit), &share.contents)?;
        let line = playable(&self.root, line);
        let named = NamedMove::of(&self.root, reply.uci);
        let chosen = ClosingMove { named, score: reply.score, line };
        Ok(ClosingAnswer { all: share.root.all, chosen, nodes: reply.nodes })
    }
}
