//! The searching thread, its output, and the state shared with the reading thread.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use deepanalyze_core::chess::Score;
use deepanalyze_core::uci::{Info, best_move, note};

use crate::book::Book;
use crate::moves::Move;
use crate::options::Options;
use crate::score::to_uci;
use crate::search;
use crate::search::{EndTables, Listener, Memory, Task};
use crate::time::Signals;

/// Jobs of the searching thread, in order.
pub enum SearchJob {
    /// Forget everything.
    Clear,
    /// A table of this many mebibytes.
    Resize(usize),
    /// Read a book.
    OpenBook(String),
    /// Use tablebases in folders.
    OpenTables(String),
    /// Report that all earlier jobs are done.
    Ready,
    /// Search.
    Search(Box<(Options, Task)>),
}

/// State of the searching thread.
pub struct SearchThread<'a, W> {
    shared: &'a SharedOutput<W>,
    memory: Memory,
    book: Option<Book>,
}

impl<'a, W: Write> SearchThread<'a, W> {
    /// A worker with default memory.
    pub fn new(shared: &'a SharedOutput<W>) -> SearchThread<'a, W> {
        SearchThread { shared, memory: Memory::new(Options::default().hash), book: None }
    }

    /// Works until the channel closes.
    pub fn serve(mut self, jobs: &Receiver<SearchJob>) {
        for job in jobs {
            match job {
                SearchJob::Clear => self.memory.clear(),
                SearchJob::Resize(mebibytes) => {
                    self.memory.resize(mebibytes);
                    if self.memory.table.mebibytes() < mebibytes {
                        self.shared.complain("not enough memory for this Hash: it is 1 now");
                    }
                }
                SearchJob::OpenBook(path) => self.open_book(&path),
                SearchJob::OpenTables(folders) => self.open_tables(&folders),
                SearchJob::Ready => self.shared.say("readyok"),
                SearchJob::Search(both) => self.search(&both.0, &both.1),
            }
        }
    }

    fn open_book(&mut self, path: &str) {
        self.book = None;
        if path.is_empty() {
            return;
        }
        match Book::open(path) {
            Ok(book) => self.book = Some(book),
            Err(error) => self.shared.complain(&format!("book {path:?}: {error}")),
        }
    }

    /// Opens tables and forgets results found with others.
    fn open_tables(&mut self, folders: &str) {
        self.memory.clear();
        self.memory.tables = EndTables::open(folders).unwrap_or_else(|error| {
            self.shared.complain(&error.to_string());
            EndTables::default()
        });
    }

    fn search(&mut self, options: &Options, task: &Task) {
        let booked = self.book_move(options, task);
        let (best, ponder) = match booked {
            Some(m) => (m, Move::NONE),
            None => self.think(options, task),
        };
        self.wait_for_leave(task);
        let known = |m: Move| m.is_some().then_some(m);
        self.shared.searching.store(false, Ordering::Release);
        self.shared.say(&best_move(known(best), known(ponder)));
    }

    fn think(&mut self, options: &Options, task: &Task) -> (Move, Move) {
        let mut teller = self.shared;
        let answer =
            search::think(&mut self.memory, options, task, &self.shared.signals, &mut teller);
        for complaint in self.memory.tables.take_complaints() {
            self.shared.complain(&complaint);
        }
        if !answer.best.is_some() {
            let score = match to_uci(answer.score) {
                Score::Cp(cp) => format!("cp {cp}"),
                Score::Mate(moves) => format!("mate {moves}"),
            };
            self.shared.say(&format!("info depth 0 score {score}"));
        }
        (answer.best, answer.ponder)
    }

    fn book_move(&self, options: &Options, task: &Task) -> Option<Move> {
        let limits = &task.limits;
        let asks_for_search = limits.infinite || limits.mate.is_some();
        if !options.own_book || asks_for_search || !limits.search_moves.is_empty() {
            return None;
        }
        self.book.as_ref()?.choose(&task.board, options.best_book_move)
    }

    /// UCI wants no answer to an infinite search before `stop`, nor while pondering.
    fn wait_for_leave(&self, task: &Task) {
        let signals = &self.shared.signals;
        while !signals.is_stopped() && (task.limits.infinite || signals.is_pondering()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// State shared by both threads.
pub struct SharedOutput<W> {
    output: Mutex<W>,
    pub signals: Signals,
    pub searching: AtomicBool,
}

impl<W: Write> SharedOutput<W> {
    /// No search runs yet.
    pub fn new(output: W) -> SharedOutput<W> {
        SharedOutput {
            output: Mutex::new(output),
            signals: Signals::default(),
            searching: AtomicBool::new(false),
        }
    }

    /// Writes one line. A reader that has gone away is noticed by the end of its input.
    pub fn say(&self, line: &str) {
        if let Ok(mut output) = self.output.lock() {
            let _ = writeln!(output, "{line}").and_then(|()| output.flush());
        }
    }

    pub fn complain(&self, reason: &str) {
        self.say(&note(reason));
    }
}

impl<W: Write> Listener for &SharedOutput<W> {
    fn line(&mut self, line: &Info<'_, Move>) {
        self.say(&line.to_string());
    }

    fn current_move(&mut self, depth: i32, m: Move, number: usize) {
        self.say(&format!("info depth {depth} currmove {m} currmovenumber {number}"));
    }
}
