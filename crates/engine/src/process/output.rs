//! An engine's output: threads that read its pipes, its bounds, and the last words.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::uci::EngineLine;
use deepanalyze_core::printable::printable;
use deepanalyze_core::uci::for_each_line;

/// Time to wait for a reader whose pipe a process outside the group has inherited.
const READER_END: Duration = Duration::from_secs(1);

/// Bytes at which a line has no end. The longest seen from engines have some thousands.
const ENDLESS: usize = 16 << 20;
/// Lines in a row, beside a search's `info`, that are a flood.
const IDLE: u32 = 250_000;
/// Bound on a search's lines without a new depth: a week of one a second is no flood.
const OF_ONE_DEPTH: u32 = 10_000_000;
/// Lines kept of each pipe, and characters of each: Stockfish needs five to say that its network is
/// missing.
const KEPT_LINES: usize = 5;
const KEPT_CHARACTERS: usize = 300;

/// A pipe that ends at a line that has no end.
pub(super) struct EndlessLines<R> {
    pipe: R,
    /// Bytes since the last end of a line.
    length: usize,
    is_endless: Arc<AtomicBool>,
}

impl<R: Read> EndlessLines<R> {
    /// Sets `is_endless` at such a line.
    pub(super) fn new(pipe: R, is_endless: Arc<AtomicBool>) -> EndlessLines<R> {
        EndlessLines { pipe, length: 0, is_endless }
    }
}

impl<R: Read> Read for EndlessLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.length > ENDLESS {
            self.is_endless.store(true, Ordering::SeqCst);
            return Ok(0);
        }
        let read = self.pipe.read(buffer)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        self.length = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => read - end,
            None => self.length + read,
        };
        Ok(read)
    }
}

/// A thread that reads one pipe to its end.
pub(super) struct PipeReader {
    thread: JoinHandle<()>,
    /// Disconnects when the thread is done.
    done: Receiver<Infallible>,
}

impl PipeReader {
    pub(super) fn start(
        name: &str,
        pipe: impl Read + Send + 'static,
        each: impl FnMut(&str) -> bool + Send + 'static,
    ) -> std::io::Result<PipeReader> {
        let (running, done) = bounded(0);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            for_each_line(BufReader::new(pipe), each);
            drop(running);
        })?;
        Ok(PipeReader { thread, done })
    }

    /// Waits for the thread; lets it go where a process outside the group holds the pipe open.
    pub(super) fn join(self) {
        match self.done.recv_timeout(READER_END) {
            Err(RecvTimeoutError::Disconnected) => {
                let _ = self.thread.join();
            }
            _ => tracing::warn!("an engine's pipe stays open after its end"),
        }
    }
}

/// Counts lines since something was sent.
#[derive(Debug, Default)]
pub(super) struct Flood {
    /// Since the last that mattered.
    idle: u32,
    /// Of the greatest depth.
    of_depth: u32,
    depth: u32,
}

impl Flood {
    /// Takes a line, in a search or not; the bound it exceeds, if any.
    pub(super) fn hear(&mut self, line: &EngineLine, is_searching: bool) -> Option<String> {
        if let EngineLine::Info(info) = line
            && is_searching
        {
            self.idle = 0;
            if info.depth.is_some_and(|depth| depth > self.depth) {
                self.depth = info.depth.unwrap_or(0);
                self.of_depth = 0;
            }
        }
        self.idle += 1;
        self.of_depth += 1;
        if self.idle > IDLE {
            return Some(format!("more than {IDLE} lines that say nothing"));
        }
        let is_endless = self.of_depth > OF_ONE_DEPTH;
        is_endless.then(|| format!("more than {OF_ONE_DEPTH} lines without a new depth"))
    }
}

/// The last lines outside the protocol.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    /// The last line on standard output that says more than a move.
    pub(super) line: String,
    output: VecDeque<String>,
    complaints: VecDeque<String>,
}

impl LastWords {
    /// A line of standard error.
    pub(super) fn complain(&mut self, line: &str) {
        keep(&mut self.complaints, line);
    }

    /// A line of standard output. Words before a line of the protocol are no reason for a later
    /// end.
    pub(super) fn say(&mut self, line: &str, read: &EngineLine) {
        let is_bare = matches!(read, EngineLine::BestMove { .. } | EngineLine::ReadyOk);
        if !is_bare && !line.trim().is_empty() {
            self.line.clear();
            self.line.extend(line.trim().chars().take(KEPT_CHARACTERS));
        }
        match read {
            EngineLine::Note(note) => keep(&mut self.output, note),
            EngineLine::Other if line.split_whitespace().next() == Some("info") => {}
            EngineLine::Other => keep(&mut self.output, line),
            _ => self.output.clear(),
        }
    }

    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.output.iter().cloned().collect();
        all.extend(self.complaints.iter().filter(|line| !self.output.contains(line)).cloned());
        all
    }
}

/// Keeps a line without control characters, shortened.
fn keep(lines: &mut VecDeque<String>, line: &str) {
    let line: String = printable(line.trim()).chars().take(KEPT_CHARACTERS).collect();
    if line.trim().is_empty() {
        return;
    }
    tracing::debug!(line, "an engine says");
    if lines.len() == KEPT_LINES {
        lines.pop_front();
    }
    lines.push_back(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::read_line;

    fn lines_until_bound(lines: &[&str], is_searching: bool) -> (u32, String) {
        let lines: Vec<EngineLine> = lines.iter().map(|line| read_line(line)).collect();
        let mut flood = Flood::default();
        let mut heard = 0;
        for line in lines.iter().cycle() {
            heard += 1;
            if let Some(bound) = flood.hear(line, is_searching) {
                return (heard, bound);
            }
        }
        unreachable!("they never end");
    }

    #[test]
    fn lines_are_bounded_and_those_of_a_search_by_depth() {
        let info = "info depth 3 score cp 1 pv e2e4";
        let idle = (250_001, "more than 250000 lines that say nothing".to_owned());
        assert_eq!(lines_until_bound(&["info string x"], true), idle);
        assert_eq!(lines_until_bound(&[info, "uciok"], false), idle);
        let (heard, bound) = lines_until_bound(&[info, "info string x"], true);
        assert_eq!(bound, "more than 10000000 lines without a new depth");
        assert_eq!(heard, 10_000_001);
        let mut flood = Flood::default();
        for depth in 1..=30 {
            let line = read_line(&format!("info depth {depth} score cp 1"));
            (0..900_000).for_each(|_| assert_eq!(flood.hear(&line, true), None));
        }
    }

    fn said(lines: &[&str]) -> Vec<String> {
        let mut words = LastWords::default();
        lines.iter().for_each(|line| words.say(line, &read_line(line)));
        words.all()
    }

    #[test]
    fn notes_and_plain_lines_count_until_protocol_resumes() {
        let banner = ["Engine 1 by somebody", "id name Engine", "uciok", "info string ready"];
        assert_eq!(said(&banner), ["ready"]);
        let end = ["readyok", "info string no network", "info nps 5", "", "giving up"];
        assert_eq!(said(&end), ["no network", "giving up"]);
        assert_eq!(said(&["giving up", "info depth 1 score cp 5"]), Vec::<String>::new());
    }

    #[test]
    fn they_are_bounded_plain_and_each_is_told_once() {
        let mut words = LastWords::default();
        let long = "x".repeat(1000);
        (0..9).for_each(|n| words.complain(&format!("{n}\u{1b}[2J{long}")));
        words.say("the same", &EngineLine::Other);
        words.complain("the same");
        let all = words.all();
        assert_eq!(all.len(), 5);
        assert!(all[1].starts_with("5 [2Jxx"), "{all:?}");
        assert!(all.iter().all(|line| line.len() <= KEPT_CHARACTERS));
    }
}
