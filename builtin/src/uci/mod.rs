//! The UCI loop: one thread reads, one searches, both write whole lines.

mod info;
mod settings;
mod shared;
mod task;
mod worker;

use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};

use super::board::Board;
use super::options::Options;
use super::search::Task;
use deepanalyze_core::uci::{Command, Go, for_each_line, parse};
use shared::Shared;
use worker::{Job, Worker};

/// The loop's own state.
struct Server<'a, W> {
    shared: &'a Shared<W>,
    jobs: Sender<Job>,
    options: Options,
    /// The board and the keys of the positions before it; what is wrong with the position that was given.
    position: Result<(Board, Vec<u64>), String>,
}

/// Answers UCI commands until `quit` or the end of the input.
pub fn run(input: impl BufRead + Send, output: impl Write + Send) {
    let shared = Shared::new(output);
    let (jobs, received) = channel();
    std::thread::scope(|scope| {
        let shared = &shared;
        scope.spawn(move || Worker::new(shared).serve(&received));
        let mut server = Server {
            shared,
            jobs,
            options: Options::default(),
            position: Ok((Board::new(&shakmaty::Chess::default()), Vec::new())),
        };
        for_each_line(input, |line| server.obey(line));
        // Leaving the scope drops the server and its sender: the worker ends, too.
        shared.signals.stop.store(true, Ordering::Relaxed);
    });
}

impl<W: Write + Send> Server<'_, W> {
    /// Carries out one line; false where it was `quit`.
    fn obey(&mut self, line: &str) -> bool {
        match parse(line) {
            Ok(Command::Nothing) => {}
            Ok(Command::Uci) => self.introduce(),
            Ok(Command::IsReady) => self.ready(),
            Ok(Command::NewGame) => self.send(Job::Clear),
            Ok(Command::SetOption { name, value }) => self.set(&name, &value),
            Ok(Command::Position(position)) => self.set_position(task::play(&position)),
            Ok(Command::Go(go)) => self.go(&go),
            Ok(Command::Stop) => self.shared.signals.stop.store(true, Ordering::Relaxed),
            Ok(Command::PonderHit) => self.shared.signals.pondering.store(false, Ordering::Relaxed),
            Ok(Command::Quit) => return false,
            Err(reason) if line.trim_start().starts_with("position") => {
                self.set_position(Err(reason));
            }
            Err(reason) => self.shared.complain(&reason),
        }
        true
    }

    fn send(&self, job: Job) {
        // The worker lives as long as the scope.
        let _ = self.jobs.send(job);
    }

    fn introduce(&self) {
        // Answers of builds that search differently are not comparable: the name tells them apart.
        let (version, signature) = (env!("CARGO_PKG_VERSION"), crate::bench::SIGNATURE);
        self.shared.say(&format!("id name deepanalyze {version} ({signature})"));
        self.shared.say("id author the deepanalyze developers");
        for line in settings::listing() {
            self.shared.say(&line);
        }
        self.shared.say("uciok");
    }

    /// A search is no reason to be silent; other work is finished first.
    fn ready(&self) {
        if self.shared.searching.load(Ordering::Acquire) {
            self.shared.say("readyok");
        } else {
            self.send(Job::Ready);
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        match settings::set(&mut self.options, name, value) {
            Ok(Some(job)) => self.send(job),
            Ok(None) => {}
            Err(reason) => self.shared.complain(&reason),
        }
    }

    /// A position that is none takes the place of the one before: that one is not what is meant.
    fn set_position(&mut self, position: Result<(Board, Vec<u64>), String>) {
        if let Err(reason) = &position {
            self.shared.complain(reason);
        }
        self.position = position;
    }

    fn go(&mut self, go: &Go) {
        let (board, earlier) = match &self.position {
            Ok(position) => position.clone(),
            Err(reason) => {
                self.stop_and_wait();
                self.shared.complain(&format!("nothing to search: {reason}"));
                return self.shared.say("bestmove 0000");
            }
        };
        let limits = match task::limits(go, &board) {
            Ok(limits) => limits,
            Err(reason) => return self.shared.complain(&reason),
        };
        self.stop_and_wait();
        self.shared.signals.stop.store(false, Ordering::Relaxed);
        self.shared.signals.pondering.store(limits.ponder, Ordering::Relaxed);
        self.shared.searching.store(true, Ordering::Release);
        let task = Task { board, earlier, limits };
        self.send(Job::Search(Box::new((self.options.clone(), task))));
    }

    /// A second `go` ends the first.
    fn stop_and_wait(&self) {
        while self.shared.searching.load(Ordering::Acquire) {
            self.shared.signals.stop.store(true, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
