//! The two ends of a connection to the broker: whoever holds a [`Link`] sends commands and hears events, and
//! waits for nothing.

use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::message::Token;
use super::subjects::Lane;

/// A connection. Dropped, it sends what it was told to send, for two seconds at most, and closes, whether the
/// broker is there or not.
#[derive(Debug)]
pub struct Link<C, E> {
    commands: Option<UnboundedSender<C>>,
    events: Receiver<E>,
    /// Gone as soon as the link is: the thread has not long then.
    closing: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<C, E> Link<C, E> {
    /// Of these two ends; the thread at the other is told when to close, and waited for.
    pub fn new(
        commands: UnboundedSender<C>,
        events: Receiver<E>,
        closing: oneshot::Sender<()>,
        thread: JoinHandle<()>,
    ) -> Link<C, E> {
        let (closing, thread) = (Some(closing), Some(thread));
        Link { commands: Some(commands), events, closing, thread }
    }

    /// Sends a command.
    pub fn send(&self, command: C) {
        // The other end goes away with the process alone.
        let _ = self.commands.as_ref().map(|commands| commands.send(command));
    }

    /// What was heard, in its order.
    pub fn events(&self) -> &Receiver<E> {
        &self.events
    }
}

impl<C, E> Drop for Link<C, E> {
    fn drop(&mut self) {
        self.commands = None;
        self.closing = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How the connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The broker is there, and does what is needed.
    Up,
    /// It is not, or does not; why.
    Down(String),
}

/// What a grower tells its connection.
#[derive(Debug)]
pub enum GrowerCommand {
    /// Put a job into its queue.
    Publish {
        /// Its name.
        id: Token,
        /// Its queue.
        lane: Lane,
        /// Different for each time that it is sent.
        message_id: String,
        /// The message.
        payload: Vec<u8>,
    },
    /// Take a job out of its queue, if it is still there.
    Remove(Token),
    /// A job is done; the worker has taken it off the queue.
    Done(Token),
    /// Give a search to one worker alone.
    Check(Token, Vec<u8>),
    /// Tell all workers what has become of jobs.
    Order(Vec<u8>),
    /// Give a sign of life.
    State(Vec<u8>),
    /// Say that an answer has come.
    Confirm(String),
    /// Take all jobs of this grower out of the queues.
    Clear,
    /// Forget who reads a queue: workers begin anew.
    Renew(Lane),
}

/// What a grower hears.
#[derive(Debug)]
pub enum GrowerEvent {
    /// The connection has changed.
    Connection(Connection),
    /// The sign of life of whoever may speak as the worker of this name.
    Worker(String, Vec<u8>),
    /// What came of a search, and where that is confirmed.
    Answer {
        /// The name of the worker that may speak there.
        worker: String,
        /// The message.
        message: Vec<u8>,
        /// Where it is confirmed.
        confirm: Option<String>,
    },
    /// The broker has not taken a job; why.
    NotTaken(Token, String),
    /// The broker or the connection complains of something.
    Trouble(String),
    /// A message came that is not to be read; why.
    Refused(String),
}

/// What a worker tells its connection.
#[derive(Debug)]
pub enum WorkerCommand {
    /// Take so many more jobs out of a queue.
    Take(Lane, usize),
    /// A search is done: tell its grower until that has confirmed it, then take the job off the queue.
    Answer {
        /// Whose it is.
        grower: Token,
        /// The message.
        payload: Vec<u8>,
        /// The delivery that it answers; none where it came to this worker alone.
        delivery: Option<u64>,
    },
    /// Tell a grower how far a search has come; it need not arrive.
    Tell {
        /// Whose it is.
        grower: Token,
        /// The message.
        payload: Vec<u8>,
    },
    /// Give a job back to the others, who may have it after this time.
    Return(u64, Duration),
    /// Nobody wants a job any more.
    Forget(u64),
    /// Give a sign of life.
    State(Vec<u8>),
}

/// What a worker hears.
#[derive(Debug)]
pub enum WorkerEvent {
    /// The connection has changed. What was to be taken is to be asked for again.
    Connection(Connection),
    /// A job, its queue, and the number of its delivery.
    Job(Vec<u8>, Lane, u64),
    /// A search for this worker alone.
    Check(Vec<u8>),
    /// So many jobs that were to be taken are not there.
    NoMore(Lane, usize),
    /// What has become of jobs.
    Order(Vec<u8>),
    /// The broker or the connection complains of something.
    Trouble(String),
    /// A message came that is not to be read, and why; the number of its delivery out of a queue.
    Refused(String, Option<(Lane, u64)>),
}
