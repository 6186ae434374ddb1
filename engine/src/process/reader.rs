//! A thread that reads one pipe of an engine.

use std::convert::Infallible;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use deepanalyze_core::uci::for_each_line;

/// How long to wait for a reader whose pipe was inherited by a process outside the group.
const READER_END: Duration = Duration::from_secs(1);

/// A line of so many bytes has no end. The longest that engines were seen to print have some thousands.
const ENDLESS: usize = 16 << 20;

/// A pipe that is at its end where a line has none.
pub(super) struct Ending<R> {
    pipe: R,
    /// Bytes since the last end of a line.
    length: usize,
    is_endless: Arc<AtomicBool>,
}

impl<R: Read> Ending<R> {
    /// Says there whether a line had no end.
    pub(super) fn new(pipe: R, is_endless: Arc<AtomicBool>) -> Ending<R> {
        Ending { pipe, length: 0, is_endless }
    }
}

impl<R: Read> Read for Ending<R> {
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
pub(super) struct Reader {
    thread: JoinHandle<()>,
    /// Disconnects when the thread is done.
    done: Receiver<Infallible>,
}

impl Reader {
    pub(super) fn start(
        name: &str,
        pipe: impl Read + Send + 'static,
        each: impl FnMut(&str) -> bool + Send + 'static,
    ) -> std::io::Result<Reader> {
        let (running, done) = bounded(0);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            for_each_line(BufReader::new(pipe), each);
            drop(running);
        })?;
        Ok(Reader { thread, done })
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
