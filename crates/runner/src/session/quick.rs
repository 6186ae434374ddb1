//! A move within milliseconds: a short search by the built-in engine in this process.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};
use shakmaty::Chess;

use crate::Wakers;
use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::moves::Move;
use deepanalyze_builtin::options::Options;
use deepanalyze_builtin::search::{Listener, Memory, Task, think};
use deepanalyze_builtin::time::{Limits, Signals};
use deepanalyze_core::chess::{Game, parse_uci, playable};
use deepanalyze_core::uci::Info;
use deepanalyze_view::Line;

use super::verdict::{RootVerdict, VerdictOrigin};
use super::{SearchGoal, SessionQuestion};

/// Table size in MiB.
const HASH: usize = 4;
/// The table for first moves.
const FIRST_HASH: usize = 1;
/// Depth limit: later finds are worth less than a tree's.
const DEEPEST: u32 = 30;
/// Node limit of a first move, some milliseconds; nearly always it takes a few hundred.
const FIRST_MOVE_NODES: u64 = 16 * 1024;

/// Makes quick searches, one after the other.
pub struct QuickSearcher {
    jobs: Sender<QuickJob>,
    memory: Arc<Mutex<Memory>>,
    /// The table of first moves, which wait for nothing.
    first: Mutex<Memory>,
}

impl std::fmt::Debug for QuickSearcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuickSearcher").field("waiting", &self.jobs.len()).finish_non_exhaustive()
    }
}

/// A planned search.
struct QuickJob {
    root: Chess,
    task: Task,
    lines: u32,
    signals: Arc<Signals>,
    newest: Newest,
    /// Disconnects with the end.
    under_way: Sender<Infallible>,
    wakers: Wakers,
}

/// A search's latest result.
type Newest = Arc<Mutex<Option<RootVerdict>>>;

/// A quick search under way. Dropped, it ends.
#[derive(Debug)]
pub struct QuickSearch {
    newest: Newest,
    end: Receiver<Infallible>,
    signals: Arc<Signals>,
}

impl QuickSearcher {
    /// Starts the thread, which ends with this.
    pub fn start() -> std::io::Result<QuickSearcher> {
        let (jobs, received) = unbounded();
        let memory = Arc::new(Mutex::new(Memory::new(HASH)));
        let shared = Arc::clone(&memory);
        let thread = std::thread::Builder::new().name("quick search".to_owned());
        thread.spawn(move || serve(&received, &shared))?;
        Ok(QuickSearcher { jobs, memory, first: Mutex::new(Memory::new(FIRST_HASH)) })
    }

    /// A search of one ply, made at once, whatever other threads do, so that an answer always
    /// exists.
    pub fn first_move(&self, question: &SessionQuestion) -> Option<RootVerdict> {
        let limits = Limits { depth: Some(1), nodes: Some(FIRST_MOVE_NODES), ..Limits::default() };
        make_now(&self.first, question, limits)
    }

    /// Makes a search, and waits for it. It gives at least one line, however short the time.
    pub fn search_now(&self, question: &SessionQuestion) -> Option<RootVerdict> {
        make_now(&self.memory, question, limits_in_time(question))
    }

    /// Holds up the searching thread.
    #[cfg(test)]
    pub fn hold_up(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }

    /// Begins a search. Its end wakes these.
    pub fn search(&self, question: &SessionQuestion, wakers: Wakers) -> QuickSearch {
        let (under_way, end) = bounded(0);
        let search =
            QuickSearch { newest: Newest::default(), end, signals: Arc::new(Signals::default()) };
        let job = QuickJob {
            root: question.game.root().clone(),
            task: task(question, limits_in_time(question)),
            lines: question.lines,
            signals: Arc::clone(&search.signals),
            newest: Arc::clone(&search.newest),
            under_way,
            wakers,
        };
        // Without the thread nothing is found.
        let _ = self.jobs.send(job);
        search
    }
}

impl QuickSearch {
    /// The result of its last iteration; `None` before the first.
    pub fn newest(&self) -> Option<RootVerdict> {
        newest_of(&self.newest)
    }

    /// True if no result follows.
    pub fn has_ended(&self) -> bool {
        self.end.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Ends it; its result stays.
    pub fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for QuickSearch {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(jobs: &Receiver<QuickJob>, memory: &Mutex<Memory>) {
    for QuickJob { root, task, lines, signals, newest, under_way, wakers } in jobs {
        make(memory, &root, &task, lines, &signals, &newest);
        drop(under_way);
        wakers.wake();
    }
}

/// The best line of a position after `nodes` nodes, always the same: it starts from empty memory.
pub fn quick_line(game: Game, nodes: u64) -> Option<Line> {
    let limits = Limits { depth: Some(DEEPEST), nodes: Some(nodes), ..Limits::default() };
    let goal = SearchGoal::default();
    let question = SessionQuestion { game, lines: 1, only: Vec::new(), goal };
    let verdict = make_now(&Mutex::new(Memory::new(HASH)), &question, limits)?;
    verdict.lines.first().cloned()
}

/// Makes a search without a stop.
fn make_now(
    memory: &Mutex<Memory>,
    question: &SessionQuestion,
    limits: Limits,
) -> Option<RootVerdict> {
    let (newest, task) = (Newest::default(), task(question, limits));
    let root = question.game.root();
    make(memory, root, &task, question.lines, &Signals::default(), &newest);
    newest_of(&newest)
}

fn make(
    memory: &Mutex<Memory>,
    root: &Chess,
    task: &Task,
    lines: u32,
    signals: &Signals,
    newest: &Newest,
) {
    let multi_pv = usize::try_from(lines).unwrap_or(usize::MAX).max(1);
    let options = Options { multi_pv, move_overhead: 0, ..Options::default() };
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if !signals.is_stopped() {
        let mut heard = QuickHeard { root, depth: 0, lines: Vec::new(), newest };
        think(&mut memory, &options, task, signals, &mut heard);
    }
}

fn newest_of(newest: &Newest) -> Option<RootVerdict> {
    newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn limits_in_time(question: &SessionQuestion) -> Limits {
    let millis = question.goal.quick_time().as_millis();
    let millis = u64::try_from(millis).unwrap_or(u64::MAX).max(1);
    Limits { depth: Some(DEEPEST), move_time: Some(millis), ..Limits::default() }
}

fn task(SessionQuestion { game, only, .. }: &SessionQuestion, limits: Limits) -> Task {
    let board = Board::new(game.root());
    let positions = std::iter::once(game.start().clone()).chain(game.positions());
    let earlier = positions.take(game.moves().len()).map(|position| Board::new(&position).key());
    let is_wanted = |m: &Move| parse_uci(&m.to_string()).is_some_and(|uci| only.contains(&uci));
    let search_moves = board.legal_moves().into_iter().filter(is_wanted).collect();
    Task { earlier: earlier.collect(), board, limits: Limits { search_moves, ..limits } }
}

/// The lines of an iteration, and the place for its result.
struct QuickHeard<'a> {
    root: &'a Chess,
    depth: u32,
    lines: Vec<Line>,
    newest: &'a Newest,
}

impl Listener for QuickHeard<'_> {
    fn line(&mut self, line: &Info<'_, Move>) {
        if line.bound.is_some() {
            return;
        }
        self.lines.truncate(line.multipv.saturating_sub(1));
        self.depth = line.depth;
        let moves = line.pv.iter().map_while(|m| parse_uci(&m.to_string()));
        // Behind a position of Chess960, the engine castles onto the rook in those of chess, too.
        let moves = playable(self.root, moves);
        self.lines.push(Line::new(self.root.clone(), moves, line.score.into()));
    }

    fn lines_are_told(&mut self) {
        let verdict = RootVerdict::new(VerdictOrigin::Quick(self.depth), self.lines.clone());
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = verdict;
    }

    fn current_move(&mut self, _: i32, _: Move, _: usize) {}
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::session::Time;

    fn question(moves: &str) -> SessionQuestion {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let time = Some(Time::of_move(Duration::from_millis(20)));
        SessionQuestion {
            game,
            lines: 1,
            only: Vec::new(),
            goal: SearchGoal { time, ..SearchGoal::default() },
        }
    }

    #[test]
    fn it_finds_a_mate_among_the_allowed_moves() {
        let searcher = QuickSearcher::start().unwrap();
        let found = |only: &[&str], lines| {
            let only = only.iter().map(|uci| parse_uci(uci).unwrap()).collect();
            let question = SessionQuestion { only, lines, ..question("f3 e5 g4") };
            let search = searcher.search(&question, Wakers::default());
            assert!(search.end.recv().is_err() && search.has_ended());
            search.newest().unwrap()
        };
        let mate = found(&[], 1);
        assert_eq!(mate.best(), parse_uci("d8h4"));
        assert!(mate.value().is_some_and(|value| value.is_mate()));
        let other = found(&["a7a6", "h7h5"], 5);
        let firsts: Vec<String> =
            other.lines.iter().filter_map(|line| Some(line.moves.first()?.to_string())).collect();
        assert_eq!(firsts.len(), 2, "{firsts:?}");
        assert!(firsts.iter().all(|uci| ["a7a6", "h7h5"].contains(&uci.as_str())), "{firsts:?}");
    }

    #[test]
    fn castling_of_chess960_is_written_onto_the_rook() {
        let game = Game::from_start("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1").unwrap();
        let castling = parse_uci("f1h1").unwrap();
        let question = SessionQuestion { game, only: vec![castling], ..question("") };
        let found = QuickSearcher::start().unwrap().search_now(&question).unwrap();
        assert_eq!(found.best(), Some(castling));
    }

    #[test]
    fn first_move_is_found_while_the_thread_is_blocked() {
        let searcher = QuickSearcher::start().unwrap();
        let held = searcher.hold_up();
        let question = question("f3 e5 g4");
        let search = searcher.search(&question, Wakers::default());
        let first = searcher.first_move(&question).unwrap();
        assert_eq!((first.best(), first.origin), (parse_uci("d8h4"), VerdictOrigin::Quick(1)));
        assert_eq!((search.newest(), search.has_ended()), (None, false));
        drop(held);
        assert!(search.end.recv().is_err());
        assert_eq!(search.newest().unwrap().best(), parse_uci("d8h4"));
    }

    /// Each iteration counts when done: an answer falling due waits for no later one.
    #[test]
    fn every_iteration_is_kept_as_it_ends() {
        struct Gate<'a>(QuickHeard<'a>, Vec<Option<RootVerdict>>);
        impl Listener for Gate<'_> {
            fn line(&mut self, line: &Info<'_, Move>) {
                self.0.line(line);
            }
            fn lines_are_told(&mut self) {
                self.0.lines_are_told();
                self.1.push(newest_of(self.0.newest));
            }
            fn current_move(&mut self, _: i32, _: Move, _: usize) {}
        }
        let newest = Newest::default();
        let question = question("e4");
        let root = question.game.root();
        let mut gate =
            Gate(QuickHeard { root, depth: 0, lines: Vec::new(), newest: &newest }, Vec::new());
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let task = task(&question, limits);
        think(&mut Memory::new(1), &Options::default(), &task, &Signals::default(), &mut gate);
        let depths: Vec<_> = gate.1.into_iter().map(|verdict| verdict.unwrap().origin).collect();
        assert_eq!(depths, [1, 2, 3, 4].map(VerdictOrigin::Quick));
    }
}
