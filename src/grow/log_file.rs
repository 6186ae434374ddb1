//! The program's own log, written by a thread of its own: no other thread waits for a full disk or
//! a stuck pipe.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::error::CliError;
use crate::lossy::LossyQueue;

/// Bytes that may wait to be written; beyond it the oldest lines are left out, as the reader is
/// stuck.
const MOST: usize = 16 << 20;

/// How long the log is waited for at the end while nothing of it is taken.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Ends the log when dropped, once all is written, unless its reader is stuck.
#[must_use]
pub struct LogFile(Arc<LossyQueue<Vec<u8>>>);

/// Sends the program's own log, conversations with engines included, to a file.
pub fn log_to(path: &Path) -> Result<LogFile, CliError> {
    let file =
        File::options().append(true).create(true).open(path).map_err(|error| {
            CliError::missing(format!("cannot write {}: {error}", path.display()))
        })?;
    let log = LogFile::start(file, MOST)?;
    let queue = Arc::clone(&log.0);
    let format = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    format.with_writer(move || LogLines(Arc::clone(&queue))).init();
    Ok(log)
}

impl LogFile {
    fn start(mut file: impl Write + Send + 'static, most: usize) -> io::Result<LogFile> {
        let left_out = |lines| format!("({lines} lines dropped: not read in time)\n").into_bytes();
        let queue = Arc::new(LossyQueue::new(most, Vec::len, left_out));
        let lines = Arc::clone(&queue);
        let write = move || {
            while let Some(line) = lines.next() {
                // A full disk cannot be reported, and the run goes on.
                let _ = file.write_all(&line);
            }
        };
        std::thread::Builder::new().name("log".to_owned()).spawn(write)?;
        Ok(LogFile(queue))
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.0.close();
        self.0.flush_patiently(LAST_WORDS);
    }
}

/// Where the lines go: each comes in one piece.
struct LogLines(Arc<LossyQueue<Vec<u8>>>);

impl Write for LogLines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};

    use super::*;

    /// Logs this many lines of 100 bytes with their numbers.
    fn log(file: &LogFile, lines: usize) {
        let mut log = LogLines(Arc::clone(&file.0));
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
    fn unread_log_blocks_nothing_and_counts_gaps() {
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
}
