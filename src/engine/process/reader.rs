//! A thread that reads one pipe of an engine.

use std::convert::Infallible;
use std::io::{BufReader, Read};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::uci::for_each_line;

/// How long to wait for a reader whose pipe was inherited by a process outside the group.
const READER_END: Duration = Duration::from_secs(1);

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
