//! Search threads: one whose answer counts, and helpers that search the same position into the same table (Lazy SMP).
//!
//! With one thread, a search to a depth or a number of nodes is the same every time; with more it is not.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{
    EndTables, Listener, Memory, PathFrame, SearchResult, Searcher, Silent, Task, ThreadMemory,
};
use crate::evaluation;
use crate::history::MAX_PLY;
use crate::options::Options;
use crate::table::TranspositionTable;
use crate::time::{Clock, Limits, Signals};

/// State shared by the threads of a search.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub table: &'a TranspositionTable,
    pub tables: &'a EndTables,
    pub options: &'a Options,
    pub task: &'a Task,
    pub signals: &'a Signals,
    pub helping: &'a Helping,
}

/// Signals between the first thread and its helpers.
#[derive(Default)]
pub(super) struct Helping {
    /// The first thread has its answer.
    is_answered: AtomicBool,
    /// The helpers' nodes.
    nodes: AtomicU64,
}

/// Searches a position until a limit is reached or a signal comes.
pub fn think(
    memory: &mut Memory,
    options: &Options,
    task: &Task,
    signals: &Signals,
    listener: &mut dyn Listener,
) -> SearchResult {
    memory.table.next_generation();
    // One thread looks for mates: the shortest is to be found.
    let helpers = if task.limits.mate.is_some() { 0 } else { options.threads - 1 };
    memory.helpers.resize_with(helpers, ThreadMemory::default);
    let Memory { table, tables, first, helpers } = memory;
    let helping = &Helping::default();
    let shared = Shared { table, tables, options, task, signals, helping };
    let unlimited = &Limits {
        infinite: true,
        search_moves: task.limits.search_moves.clone(),
        ..Limits::default()
    };
    std::thread::scope(|scope| {
        for (number, own) in helpers.iter_mut().enumerate() {
            let help = move || {
                let mut silent = Silent;
                let mut search = Searcher::new(shared, own, unlimited, &mut silent);
                search.is_helper = true;
                // Not all do the same at the same time.
                search.first_depth = 2 - number as i32 % 2;
                search.run(&task.board);
            };
            // If no more threads can start, fewer help.
            if std::thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        let answer = Searcher::new(shared, first, &task.limits, listener).run(&task.board);
        helping.is_answered.store(true, Ordering::Relaxed);
        answer
    })
}

impl<'a> Searcher<'a> {
    fn new(
        shared: Shared<'a>,
        own: &'a mut ThreadMemory,
        limits: &'a Limits,
        listener: &'a mut dyn Listener,
    ) -> Searcher<'a> {
        let Shared { table, tables, options, task, signals, helping } = shared;
        own.histories.clear_killers();
        let mut keys = task.earlier.clone();
        keys.push(task.board.key());
        Searcher {
            table,
            tables,
            own,
            options,
            limits,
            signals,
            helping,
            is_helper: false,
            first_depth: 1,
            listener,
            told_phase: options.show_wdl.then(|| evaluation::phase(&task.board)),
            clock: Clock::start(limits, options.move_overhead),
            frames: vec![PathFrame::EMPTY; MAX_PLY + 4],
            root_key: task.earlier.len(),
            keys,
            barrier: 0,
            root_moves: Vec::new(),
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            stopped: false,
        }
    }

    /// The nodes of all threads, as far as they are known to the first.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + if self.is_helper { 0 } else { self.helping.nodes.load(Ordering::Relaxed) }
    }

    /// Adds a helper's nodes to the first thread's count.
    pub(super) fn tell_nodes(&self, nodes: u64) {
        if self.is_helper {
            self.helping.nodes.fetch_add(nodes, Ordering::Relaxed);
        }
    }

    /// True if the first thread has its answer and needs no more help.
    pub(super) fn is_answered(&self) -> bool {
        self.is_helper && self.helping.is_answered.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use deepanalyze_core::chess::parse_fen;

    fn search(threads: usize, fen: &str, limits: Limits) -> SearchResult {
        let board = Board::new(&parse_fen(fen).unwrap());
        let task = Task { board, earlier: Vec::new(), limits };
        let options = Options { threads, ..Options::default() };
        let mut memory = Memory::new(1);
        // The second search finds the helpers' memory of the first.
        think(&mut memory, &options, &task, &Signals::default(), &mut Silent);
        think(&mut memory, &options, &task, &Signals::default(), &mut Silent)
    }

    #[test]
    fn helpers_end_with_the_answer() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1";
        for threads in [1, 2, 5] {
            let limits = Limits { depth: Some(5), ..Limits::default() };
            let answer = search(threads, fen, limits);
            assert_eq!((answer.best.to_string().as_str(), answer.depth), ("f3f7", 5));
        }
    }

    #[test]
    fn helpers_nodes_count() {
        let board = Board::new(&shakmaty::Chess::default());
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let task = &Task { board, earlier: Vec::new(), limits };
        let mut memory = Memory::new(1);
        let helping = &Helping { nodes: 19_000.into(), ..Helping::default() };
        let shared = Shared {
            table: &memory.table,
            tables: &memory.tables,
            options: &Options::default(),
            task,
            signals: &Signals::default(),
            helping,
        };
        let mut silent = Silent;
        let mut search = Searcher::new(shared, &mut memory.first, &task.limits, &mut silent);
        assert_eq!(search.run(&task.board).nodes, 20_000);
        assert_eq!(search.nodes, 1_000);
    }
}
