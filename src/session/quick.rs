//! A move within milliseconds: a short search by the built-in engine in this process.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};
use shakmaty::uci::UciMove;

use crate::builtin::board::Board;
use crate::builtin::moves::Move;
use crate::builtin::options::Options;
use crate::builtin::score::to_uci;
use crate::builtin::search::{Line, Listener, Memory, Task, think};
use crate::builtin::table::Bound;
use crate::builtin::time::{Limits, Signals};
use crate::chess::{Game, Value, parse_uci};
use crate::run::Wakers;

use super::verdict::{Origin, ValuedLine, Verdict};

/// Mebibytes of its table.
const HASH: usize = 4;
/// It goes no deeper: what it finds later is worth less than what a tree says.
const DEEPEST: u32 = 30;

/// Makes quick searches, one after the other.
pub struct QuickSearcher {
    jobs: Sender<Job>,
    memory: Arc<Mutex<Memory>>,
}

impl std::fmt::Debug for QuickSearcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuickSearcher").field("waiting", &self.jobs.len()).finish_non_exhaustive()
    }
}

/// A search to be made.
struct Job {
    task: Task,
    lines: usize,
    signals: Arc<Signals>,
    found: Sender<Verdict>,
    wakers: Wakers,
}

/// A quick search under way. Dropped, it ends.
#[derive(Debug)]
pub struct QuickSearch {
    found: Receiver<Verdict>,
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
        Ok(QuickSearcher { jobs, memory })
    }

    /// Makes a search, and waits for it.
    pub fn search_now(
        &self,
        game: &Game,
        only: &[UciMove],
        (lines, time): (u32, Duration),
    ) -> Option<Verdict> {
        let lines = usize::try_from(lines).unwrap_or(usize::MAX);
        make(&self.memory, &task(game, only, time), lines, &Signals::default())
    }

    /// Begins with the position of a game. What is found wakes these.
    pub fn search(
        &self,
        game: &Game,
        only: &[UciMove],
        (lines, time): (u32, Duration),
        wakers: Wakers,
    ) -> QuickSearch {
        let (found, receiver) = bounded(1);
        let signals = Arc::new(Signals::default());
        let task = task(game, only, time);
        let lines = usize::try_from(lines).unwrap_or(usize::MAX);
        let job = Job { task, lines, signals: Arc::clone(&signals), found, wakers };
        // Without the thread nothing is found.
        let _ = self.jobs.send(job);
        QuickSearch { found: receiver, signals }
    }
}

impl QuickSearch {
    /// What it has found, where it has ended; perhaps nothing.
    pub fn ended(&self) -> Option<Option<Verdict>> {
        match self.found.try_recv() {
            Ok(verdict) => Some(Some(verdict)),
            Err(TryRecvError::Disconnected) => Some(None),
            Err(TryRecvError::Empty) => None,
        }
    }

    /// Ends it: it says what it has.
    pub fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for QuickSearch {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(jobs: &Receiver<Job>, memory: &Mutex<Memory>) {
    for Job { task, lines, signals, found, wakers } in jobs {
        if let Some(verdict) = make(memory, &task, lines, &signals) {
            // Nobody waits for it where the search has been answered.
            let _ = found.send(verdict);
        }
        drop(found);
        wakers.wake();
    }
}

fn make(memory: &Mutex<Memory>, task: &Task, lines: usize, signals: &Signals) -> Option<Verdict> {
    let options = Options { multi_pv: lines.max(1), move_overhead: 0, ..Options::default() };
    let mut heard = Heard::default();
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if !signals.is_stopped() {
        think(&mut memory, &options, task, signals, &mut heard);
    }
    heard.verdict()
}

fn task(game: &Game, only: &[UciMove], time: Duration) -> Task {
    let board = Board::new(game.root());
    let positions = std::iter::once(game.start().clone()).chain(game.positions());
    let earlier = positions.take(game.moves().len()).map(|position| Board::new(&position).key());
    let is_wanted = |m: &Move| parse_uci(&m.to_string()).is_some_and(|uci| only.contains(&uci));
    let limits = Limits {
        depth: Some(DEEPEST),
        move_time: Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)),
        search_moves: board.legal_moves().into_iter().filter(is_wanted).collect(),
        ..Limits::default()
    };
    Task { earlier: earlier.collect(), board, limits }
}

/// The lines that were told last.
#[derive(Default)]
struct Heard {
    depth: u32,
    lines: Vec<ValuedLine>,
}

impl Heard {
    fn verdict(self) -> Option<Verdict> {
        Verdict::new(Origin::Quick(self.depth), self.lines)
    }
}

impl Listener for Heard {
    fn line(&mut self, line: &Line<'_>) {
        if !matches!(line.bound, Bound::Exact) {
            return;
        }
        self.lines.truncate(line.multi_pv.saturating_sub(1));
        self.depth = u32::try_from(line.depth).unwrap_or(0);
        let moves = line.line.iter().map_while(|m| parse_uci(&m.to_string())).collect();
        self.lines.push(ValuedLine { value: Value::from(to_uci(line.score)), moves });
    }

    fn current_move(&mut self, _: i32, _: Move, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(moves: &str, only: &[&str], lines: u32) -> Verdict {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let only: Vec<UciMove> = only.iter().map(|uci| parse_uci(uci).unwrap()).collect();
        let (searcher, wakers) = (QuickSearcher::start().unwrap(), Wakers::default());
        let search = searcher.search(&game, &only, (lines, Duration::from_millis(20)), wakers);
        search.found.recv().unwrap()
    }

    #[test]
    fn it_finds_a_mate_and_keeps_to_the_moves_that_are_asked_for() {
        let mate = found("f3 e5 g4", &[], 1);
        assert_eq!(mate.best(), parse_uci("d8h4"));
        assert!(mate.value().is_some_and(|value| value.is_mate()));
        let other = found("f3 e5 g4", &["a7a6", "h7h5"], 5);
        let firsts: Vec<String> =
            other.lines.iter().filter_map(|line| Some(line.moves.first()?.to_string())).collect();
        assert_eq!(firsts.len(), 2, "{firsts:?}");
        assert!(firsts.iter().all(|uci| ["a7a6", "h7h5"].contains(&uci.as_str())), "{firsts:?}");
    }
}
