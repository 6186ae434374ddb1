//! The closing search of a tree: its root once more, on a hash that a rehearsal of the best lines has
//! warmed. `docs/algorithm.md` defines it, `docs/duel.md` says what it gives.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, epd_of};
use crate::engine::{Limit, Settings};
use crate::store::{AnalysisId, AnalysisRow, Store, StoreError};
use crate::tree::{Values, rehearsal};

use super::desk::{Desk, DeskError, DeskNews};
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
    /// The root has no move to search.
    NoMove,
    /// A signal came; the same call begins it again.
    Interrupted,
}

/// How often the observer hears of a long search.
const TICK: Duration = Duration::from_millis(250);

/// The closing searches of an analysis, that of the fewest passes first.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn closings(store: &Store, row: &AnalysisRow, game: &Game) -> Result<Vec<Closing>, StoreError> {
    let before = rehearsed(row, game);
    let answers = store.first_answers(&row.profile.engine, game.root())?.into_iter();
    let mut closings: Vec<Closing> = answers
        .filter_map(|(profile, priced)| {
            let (plain, since) = profile.without_kept_hash();
            let passes = since?.strip_prefix(&before)?.strip_suffix(PASSES)?.parse().ok()?;
            let (limit, answer, nodes) = (plain.limit, priced.answer, priced.nodes);
            let same = plain.options == row.profile.options;
            same.then_some(Closing { passes, limit, uci: answer.uci, score: answer.score, nodes })
        })
        .collect();
    closings.sort_by_key(|closing| (closing.passes, closing.limit));
    Ok(closings)
}

/// What stands before the number of passes in what a rehearsal's hash is kept of. It names all that the
/// rehearsal is a function of, besides the answers.
fn rehearsed(row: &AnalysisRow, game: &Game) -> String {
    let moves: String = game.moves().iter().map(|uci| format!(" {uci}")).collect();
    let start = epd_of(game.start());
    let (distance, limit) = (row.distance, row.profile.limit);
    format!("of the best lines of the tree of {start}{moves}, distance {distance}, {limit}, after ")
}

const PASSES: &str = " passes";

/// Rehearses the best lines of a tree as it stands and searches its root, by one process of the tree's
/// own engine; what is in the memo already is not searched again.
///
/// # Errors
///
/// [`SessionError`] where the store or the engine fails for good.
pub fn close(
    store: &mut Store,
    analysis: AnalysisId,
    limit: Limit,
    engine: Settings,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> Result<ClosingEnd, SessionError> {
    let tree = load(store, analysis)?;
    let passes = tree.growth.passes();
    let known = closings(store, &tree.row, &tree.game)?;
    let is_asked = |known: &Closing| known.passes == passes && known.limit == limit;
    if let Some(known) = known.into_iter().find(is_asked) {
        return Ok(ClosingEnd::Done(known));
    }
    let Some(searches) = searches(&tree, limit) else {
        return Ok(ClosingEnd::NoMove);
    };
    let since = format!("{}{passes}{PASSES}", rehearsed(&tree.row, &tree.game));
    let (stop, stopped) = bounded(0);
    let (sender, news) = unbounded();
    let tell = move |told| drop(sender.send(told));
    let mut desk = Desk::new(engine, tree.row.profile.clone(), stopped, tell);
    let count = searches.len();
    let reply = std::thread::scope(|scope| {
        let worker = scope.spawn(move || ask_all(&mut desk, store, searches, &since));
        listen(count, &news, stop, shutdown, observer);
        worker.join().map_err(|_| SessionError::EnginesGone)
    })?;
    match reply {
        Ok(Reply { uci, score, nodes }) => {
            Ok(ClosingEnd::Done(Closing { passes, limit, uci, score, nodes }))
        }
        Err(DeskError::Stopped) => Ok(ClosingEnd::Interrupted),
        Err(error) => Err(error.into()),
    }
}

/// All searches in their order, the root's last; nothing where the root has no listed move.
fn searches(tree: &KeptTree, limit: Limit) -> Option<Vec<(Chess, Limit)>> {
    let (growth, graph) = (&tree.growth, tree.growth.graph());
    if graph.list(growth.root()).is_empty() {
        return None;
    }
    let lines = rehearsal(graph, &Values::of(graph), growth.root()).into_iter();
    let lines = lines.map(|node| (growth.position(node), tree.row.profile.limit));
    Some(lines.chain([(growth.position(growth.root()), limit)]).collect())
}

/// The last search's reply.
fn ask_all(
    desk: &mut Desk,
    store: &mut Store,
    searches: Vec<(Chess, Limit)>,
    since: &str,
) -> Result<Reply, DeskError> {
    desk.begin();
    let mut last = Err(DeskError::Stopped);
    for (position, limit) in searches {
        let (excluded, memory) = (Vec::new(), Memory::Kept(since));
        last = Ok(desk.ask(store, Question { position, excluded, limit, memory })?);
    }
    last
}

/// Tells the observer until the desk is gone; a signal ends it.
fn listen(
    searches: usize,
    news: &Receiver<DeskNews>,
    stop: Sender<std::convert::Infallible>,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) {
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
                Err(_) => return,
            },
            recv(shutdown.signals()) -> _ => if stop.take().is_some() {
                observer.stopping("interrupted");
            },
            default(TICK) => {}
        }
    }
}
