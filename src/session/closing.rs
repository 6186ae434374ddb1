//! The closing search of a tree: its root once more, on a hash that a rehearsal of the best lines has
//! warmed. `docs/algorithm.md` defines it, `docs/duel.md` says what it gives.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Ending, Game, Score, epd_of};
use crate::engine::{HashContents, HashOf, KeptHash, Limit, Profile};
use crate::store::{AnalysisId, AnalysisRow, GrowLock, PricedAnswer, Store, StoreError};
use crate::tree::{Values, rehearsal};

use super::desk::{Desk, DeskError, DeskNews, Engine};
use super::grow::SessionError;
use super::kept::{KeptTree, load};
use super::progress::Observer;
use super::question::{Memory, Question, Reply};
use super::shutdown::Shutdown;

/// What a closing search said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// The passes that the tree had.
    pub passes: u64,
    /// The limit of the search.
    pub limit: Limit,
    /// The root move that it chose.
    pub uci: UciMove,
    /// Its score for its mover.
    pub score: Score,
    /// Engine nodes of the search, without the rehearsal's.
    pub nodes: u64,
}

/// How a closing search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingEnd {
    /// It is in the memo.
    Done(Closing),
    /// A signal came; it begins again from its start.
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

/// The closing searches of an analysis: that of the fewest passes first, of as many passes that of the
/// fewest nodes.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn closings(store: &Store, row: &AnalysisRow, game: &Game) -> Result<Vec<Closing>, StoreError> {
    let answers = store.answers_on_kept_hash(&row.profile.engine, game.root())?;
    let closing = |(profile, priced): (Profile, PricedAnswer)| {
        let Some(KeptHash::Of(contents)) = profile.kept_hash else { return None };
        let passes = contents.passes?;
        let (limit, answer, nodes) = (profile.limit, priced.answer, priced.nodes);
        let same =
            profile.options == row.profile.options && contents == rehearsed(row, game, passes);
        same.then_some(Closing { passes, limit, uci: answer.uci, score: answer.score, nodes })
    };
    let mut closings: Vec<Closing> = answers.into_iter().filter_map(closing).collect();
    closings.sort_by_key(|closing| (closing.passes, closing.nodes, closing.limit));
    Ok(closings)
}

/// What the hash holds behind the rehearsal of a tree after so many passes: all that it is a function of,
/// besides the answers.
fn rehearsed(row: &AnalysisRow, game: &Game, passes: u64) -> HashContents {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    HashContents {
        distance: row.distance,
        limit: Some(row.profile.limit),
        moves: moves.join(" "),
        nodes: None,
        of: HashOf::BestLines,
        passes: Some(passes),
        start: epd_of(game.start()),
    }
}

impl ClosingSearch {
    /// What is to be done to close a tree as it stands.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, or another process grows the tree.
    pub fn prepare(
        store: &Store,
        analysis: AnalysisId,
        limit: Limit,
    ) -> Result<Prepared, StoreError> {
        let lock = store.lock(analysis)?;
        let KeptTree { row, game, growth, .. } = load(store, analysis)?;
        let passes = growth.passes();
        let is_asked = |known: &Closing| known.passes == passes && known.limit == limit;
        if let Some(known) = closings(store, &row, &game)?.into_iter().find(is_asked) {
            return Ok(Prepared::Known(known));
        }
        if Ending::of(game.root()).is_some() {
            return Ok(Prepared::Finished);
        }
        let graph = growth.graph();
        let lines = rehearsal(graph, &Values::of(graph), growth.root()).into_iter();
        let lines = lines.map(|node| (growth.position(node), row.profile.limit));
        let root = (growth.position(growth.root()), limit);
        Ok(Prepared::Wanted(Box::new(ClosingSearch {
            searches: lines.chain([root]).collect(),
            passes,
            limit,
            contents: rehearsed(&row, &game, passes),
            profile: row.profile,
            _lock: lock,
        })))
    }

    /// Rehearses the best lines and searches the root, by one process of the tree's own engine.
    ///
    /// # Errors
    ///
    /// [`SessionError`] where the store or the engine fails for good.
    pub fn run(
        self,
        store: &mut Store,
        engine: Engine,
        shutdown: &Shutdown,
        observer: &mut dyn Observer,
    ) -> Result<ClosingEnd, SessionError> {
        let ClosingSearch { profile, searches, passes, limit, contents, _lock } = self;
        let (stop, stopped) = bounded(0);
        let (sender, news) = unbounded();
        let tell = move |told| drop(sender.send(told));
        let Engine { settings, pool } = engine;
        let mut desk = Desk::new(settings, profile, stopped, tell).with_pool(Some(pool));
        let count = searches.len();
        let (reply, interrupted) = std::thread::scope(|scope| {
            let worker = std::thread::Builder::new()
                .name("closing search".to_owned())
                .spawn_scoped(scope, move || ask_all(&mut desk, store, searches, &contents))
                .map_err(SessionError::Thread)?;
            let interrupted = listen(count, &news, stop, shutdown, observer);
            let reply = worker.join().map_err(|_| SessionError::EnginesGone)?;
            Ok::<_, SessionError>((reply, interrupted))
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
    desk: &mut Desk,
    store: &mut Store,
    searches: Vec<(Chess, Limit)>,
    contents: &HashContents,
) -> Result<Reply, DeskError> {
    desk.begin();
    let mut last = Err(DeskError::Stopped);
    for (position, limit) in searches {
        let (excluded, memory) = (Vec::new(), Memory::Kept(contents));
        last = Ok(desk.ask(store, Question { position, excluded, limit, memory })?);
    }
    last
}

/// Tells the observer until the desk is gone; a signal ends it. Says whether one came.
fn listen(
    searches: usize,
    news: &Receiver<DeskNews>,
    stop: Sender<std::convert::Infallible>,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> bool {
    let (mut stop, began, mut done) = (Some(stop), Instant::now(), 0);
    loop {
        observer.closing(done, searches, began.elapsed());
        select! {
            recv(news) -> told => match told {
                Ok(DeskNews::Searched(_)) => done += 1,
                Ok(DeskNews::Fault(error, attempt)) => {
                    done = 0;
                    observer.fault(&error, attempt, None);
                }
                Ok(DeskNews::Waiting(why)) => observer.waiting(&why),
                Err(_) => return stop.is_none(),
            },
            recv(shutdown.signals()) -> _ => if stop.take().is_some() {
                observer.stopping("interrupted");
            },
            default(TICK) => {}
        }
    }
}
