//! The two ends of a connection to the broker: the holder of a [`Link`] sends commands and hears
//! events, without waiting.

use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::message::Token;
use super::subjects::Lane;

/// A connection. Dropping it sends what is left, for two seconds at most, and closes, whether the
/// broker is there or not.
#[derive(Debug)]
pub struct Link<C, E> {
    commands: Option<UnboundedSender<C>>,
    events: Receiver<E>,
    /// Dropped with the link: the thread must then end soon.
    closing: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<C, E> Link<C, E> {
    /// Joins these two ends; dropping it closes and joins the thread.
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
        // The other end goes away only with the process.
        let _ = self.commands.as_ref().map(|commands| commands.send(command));
    }

    /// The events, in order.
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

/// Connection state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The broker is there, and does what is needed.
    Up,
    /// It is not, or does not; why.
    Down(String),
}

/// Command of a grower.
#[derive(Debug)]
pub enum GrowerCommand {
    /// Put a job into its queue.
    Publish {
        /// Its name.
        id: Token,
        /// Its queue.
        lane: Lane,
        /// Different for each sending.
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
    /// Tell all workers the state of jobs.
    Order(Vec<u8>),
    /// Give a sign of life.
    State(Vec<u8>),
    /// Confirm an answer.
    Confirm(String),
    /// Take all jobs of this grower out of the queues.
    Clear,
    /// Forget a queue's readers: workers begin anew.
    Renew(Lane),
}

/// A grower's event.
#[derive(Debug)]
pub enum GrowerEvent {
    /// The connection has changed.
    Connection(Connection),
    /// A sign of life, and the worker that may speak there.
    Worker(String, Vec<u8>),
    /// A search's result, and where to confirm it.
    Answer {
        /// The name of the worker that may speak there.
        worker: String,
        /// The message.
        message: Vec<u8>,
        /// Where to confirm it.
        confirm: Option<String>,
    },
    /// The broker refused a job; why.
    NotTaken(Token, String),
    /// A complaint of the broker or connection.
    Trouble(String),
    /// A message was refused; why.
    Refused(String),
}

/// Command of a worker.
#[derive(Debug)]
pub enum WorkerCommand {
    /// Take this many more jobs from a queue.
    Take(Lane, usize),
    /// A search is done: tell its grower until that has confirmed it, then take the job off the
    /// queue.
    Answer {
        /// Its grower.
        grower: Token,
        /// The message.
        payload: Vec<u8>,
        /// The delivery that it answers; `None` if it came to this worker alone.
        delivery: Option<u64>,
    },
    /// Report a search's progress to a grower; it need not arrive.
    Tell {
        /// Its grower.
        grower: Token,
        /// The message.
        payload: Vec<u8>,
    },
    /// Give a job back to the others, who may have it after this time.
    Return(u64, Duration),
    /// Drop a cancelled job.
    Forget(u64),
    /// Give a sign of life.
    State(Vec<u8>),
}

/// A worker's event.
#[derive(Debug)]
pub enum WorkerEvent {
    /// The connection has changed. Jobs are to be asked for again.
    Connection(Connection),
    /// A job, its queue, and the number of its delivery.
    Job(Vec<u8>, Lane, u64),
    /// A search for this worker alone.
    Check(Vec<u8>),
    /// This many of the jobs asked for are not there.
    NoMore(Lane, usize),
    /// An order about jobs.
    Order(Vec<u8>),
    /// A complaint of the broker or connection.
    Trouble(String),
    /// A message was refused, and why; the number of its delivery out of a queue.
    Refused(String, Option<(Lane, u64)>),
}
