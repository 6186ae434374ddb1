//! The program's own log, written by a thread of its own: nobody who works waits for a full disk or a pipe
//! that nobody reads.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::CliError;

/// How many bytes may wait to be written. Beyond it the oldest lines are left out: nobody has read for long.
const MOST: usize = 16 << 20;

/// How long the log is waited for at the end while nothing of it is taken.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Ends the log when it is dropped, once all is written, unless nobody reads it.
#[must_use]
pub struct LogFile(Arc<Queue>);

/// Sends the program's own log, conversations with engines included, to a file.
pub fn log_to(path: &Path) -> Result<LogFile, CliError> {
    let file =
        File::options().append(true).create(true).open(path).map_err(|error| {
            CliError::missing(format!("cannot write {}: {error}", path.display()))
        })?;
    let log = LogFile::start(file, MOST)?;
    let queue = Arc::clone(&log.0);
    let format = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    format.with_writer(move || Lines(Arc::clone(&queue))).init();
    Ok(log)
}

impl LogFile {
    fn start(mut file: impl Write + Send + 'static, most: usize) -> io::Result<LogFile> {
        let queue = Arc::new(Queue { most, ..Queue::default() });
        let lines = Arc::clone(&queue);
        let write = move || {
            while let Some(line) = lines.next() {
                // Nobody can be told that the disk is full, and the run goes on.
                let _ = file.write_all(&line);
            }
        };
        std::thread::Builder::new().name("log".to_owned()).spawn(write)?;
        Ok(LogFile(queue))
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.0.close(LAST_WORDS);
    }
}

/// Where the lines go: each comes in one piece.
struct Lines(Arc<Queue>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Default)]
struct Queue {
    /// How many bytes may wait.
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    left_out: u64,
    /// Lines that were taken to be written.
    taken: u64,
    is_closed: bool,
    is_done: bool,
}

impl Queue {
    /// Puts a line behind those that wait, and never waits itself.
    fn push(&self, line: &[u8]) {
        let mut state = self.lock();
        while state.bytes + line.len() > self.most
            && let Some(oldest) = state.lines.pop_front()
        {
            state.bytes -= oldest.len();
            state.left_out += 1;
        }
        state.bytes += line.len();
        state.lines.push_back(line.to_vec());
        drop(state);
        self.changed.notify_all();
    }

    /// The next line, once there is one; nothing where all is written and nothing more will come.
    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if let Some(line) = state.take() {
                state.taken += 1;
                drop(state);
                self.changed.notify_all();
                return Some(line);
            }
            if state.is_closed {
                state.is_done = true;
                drop(state);
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more will come. Waits until all is written, or for so long no line was taken.
    fn close(&self, patience: Duration) {
        let mut state = self.lock();
        state.is_closed = true;
        self.changed.notify_all();
        loop {
            let taken = state.taken;
            let idle = |state: &mut State| !state.is_done && state.taken == taken;
            let waited = self.changed.wait_timeout_while(state, patience, idle);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if now.is_done || timeout.timed_out() {
                return;
            }
            state = now;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<Vec<u8>> {
        if self.left_out > 0 {
            let left_out = std::mem::take(&mut self.left_out);
            return Some(format!("({left_out} lines left out, not read in time)\n").into_bytes());
        }
        let line = self.lines.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    /// Logs so many lines of 100 bytes with their numbers.
    fn log(file: &LogFile, lines: usize) {
        let mut log = Lines(Arc::clone(&file.0));
        (0..lines).for_each(|n| log.write_all(format!("{n:099}\n").as_bytes()).unwrap());
    }

    #[test]
    fn a_log_that_is_read_at_last_has_every_line() {
        let (reader, writer) = io::pipe().unwrap();
        let file = LogFile::start(writer, MOST).unwrap();
        // Far more than a pipe holds.
        log(&file, 10_000);
        let read = std::thread::spawn(|| BufReader::new(reader).lines().collect::<Vec<_>>());
        drop(file);
        let read: Result<Vec<String>, _> = read.join().unwrap().into_iter().collect();
        assert!(read.unwrap().into_iter().eq((0..10_000).map(|number| format!("{number:099}"))));
    }

    #[test]
    fn nobody_waits_for_a_log_that_is_not_read_and_it_says_what_it_lacks() {
        let (reader, writer) = io::pipe().unwrap();
        let file = LogFile::start(writer, 100_000).unwrap();
        let lines = 10_000;
        log(&file, lines);
        let read = std::thread::spawn(|| BufReader::new(reader).lines().collect::<Vec<_>>());
        drop(file);
        let read: Result<Vec<String>, _> = read.join().unwrap().into_iter().collect();
        let (mut found, mut left_out) = (0, 0);
        for line in read.unwrap() {
            match line.strip_prefix('(').and_then(|rest| rest.split_once(' ')) {
                Some((count, _)) => left_out += count.parse::<usize>().unwrap(),
                None => found += 1,
            }
        }
        assert!(left_out > 0, "all of it was waited for");
        assert_eq!(found + left_out, lines);
    }

    #[test]
    fn a_log_that_nobody_reads_does_not_keep_the_program() {
        let queue = Queue::default();
        queue.push(b"a line\n");
        queue.close(Duration::ZERO);
        assert!(!queue.lock().is_done);
    }
}
