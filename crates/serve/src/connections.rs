//! Connections: bounded in number and idle time, and ended without waiting for mere listeners. They
//! are few: an idle one makes room for a new one.

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Request;
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio_io_timeout::TimeoutStream;

use super::guard::CameTo;

/// Connections at once.
const MOST: usize = 64;
/// Time for the first request of a new connection.
const FIRST: Duration = Duration::from_secs(10);
/// Idle time between two requests.
const BETWEEN: Duration = Duration::from_secs(30);
/// A reader who reads nothing for this long is gone; a page that slept goes on where it was.
const STALLED: Duration = Duration::from_secs(30);
/// Greatest size of a request's head, and of an answer's waiting part, in bytes.
const BUFFER: usize = 64 * 1024;
/// Greatest number of headers of a request.
const HEADERS: usize = 64;
/// Time for answers being sent once the server ends.
const LAST: Duration = Duration::from_millis(500);
/// If no connection can be taken (too many open files), the time before the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for the end of the server.
pub async fn ended(end: &mut watch::Receiver<bool>) {
    // Without a sender, it is the end, too.
    let _ = end.wait_for(|end| *end).await;
}

/// Answers requests until the end is requested, and then for half a second more at most.
pub async fn serve<A, F>(listener: TcpListener, answer: A, mut end: watch::Receiver<bool>)
where
    A: Fn(Request<Body>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let (mut tasks, mut connections) = (JoinSet::new(), Vec::new());
    let rests = Arc::new(Notify::new());
    // An arrived one waits here for a place.
    let mut waiting = None;
    loop {
        if let Some(stream) = waiting.take_if(|_| has_room(&mut connections, MOST)) {
            let usage = Arc::new(Usage::new(Instant::now(), Arc::clone(&rests)));
            let connection = connection(stream, Arc::clone(&usage), answer.clone(), end.clone());
            connections.push(OpenConnection { usage, task: tasks.spawn(connection) });
        }
        tokio::select! {
            () = ended(&mut end) => break,
            stream = accept(&listener), if waiting.is_none() => waiting = Some(stream),
            () = rests.notified() => {}
            Some(_) = tasks.join_next() => {}
        }
    }
    drop((waiting, listener));
    let all = async { while tasks.join_next().await.is_some() {} };
    // Unfinished answers are left alone.
    let _ = tokio::time::timeout(LAST, all).await;
}

/// The next connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::debug!(%error, "no connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// A connection, for the accepting loop.
struct OpenConnection {
    usage: Arc<Usage>,
    task: AbortHandle,
}

/// True if there is a place for one more; if all are taken, the connection idle longest gives up
/// its own; false if all of them are being served.
fn has_room(connections: &mut Vec<OpenConnection>, most: usize) -> bool {
    connections.retain(|connection| !connection.task.is_finished());
    if connections.len() < most {
        return true;
    }
    let uses = connections.iter().map(|connection| *connection.usage.now.borrow()).enumerate();
    let resting = uses.filter(|(_, usage)| usage.under_way == 0);
    let longest = resting.min_by_key(|(_, usage)| usage.since);
    longest.map(|(place, _)| connections.remove(place).task.abort()).is_some()
}

/// State of a connection, and a notification when it is idle.
struct Usage {
    now: watch::Sender<UsageNow>,
    rests: Arc<Notify>,
}

/// State of a connection at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UsageNow {
    /// Requests that are being answered.
    under_way: u32,
    /// True if there has been any.
    served: bool,
    /// Start of its idle time.
    since: Instant,
}

impl Usage {
    fn new(since: Instant, rests: Arc<Notify>) -> Usage {
        Usage { now: watch::Sender::new(UsageNow { under_way: 0, served: false, since }), rests }
    }

    /// When an idle connection is to be closed; `None` while a request is under way.
    fn ends(&self) -> Option<Instant> {
        let UsageNow { under_way, served, since } = *self.now.borrow();
        (under_way == 0).then(|| since + if served { BETWEEN } else { FIRST })
    }

    /// Begins a request; it is being answered until the result is dropped.
    fn begin(self: &Arc<Usage>) -> Answering {
        self.now.send_modify(|now| (now.under_way, now.served) = (now.under_way + 1, true));
        Answering(Arc::clone(self))
    }
}

/// A request that is being answered.
struct Answering(Arc<Usage>);

impl Drop for Answering {
    fn drop(&mut self) {
        let now = &self.0.now;
        now.send_modify(|now| (now.under_way, now.since) = (now.under_way - 1, Instant::now()));
        // If all were busy, this one may make room now.
        self.0.rests.notify_one();
    }
}

async fn connection<A, F>(
    stream: TcpStream,
    usage: Arc<Usage>,
    answer: A,
    mut end: watch::Receiver<bool>,
) where
    A: Fn(Request<Body>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    // Small events must arrive at once.
    let _ = stream.set_nodelay(true);
    let came_to = stream.local_addr().ok().map(CameTo);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALLED));
    let service = service_fn(|mut request: Request<Incoming>| {
        if let Some(came_to) = came_to {
            request.extensions_mut().insert(came_to);
        }
        let (answering, answer) = (usage.begin(), answer.clone());
        async move {
            let answer = answer(request.map(Body::new)).await;
            Ok::<_, Infallible>(kept_until_sent(answer, answering))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(BETWEEN)
        .max_buf_size(BUFFER)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let (mut connection, mut is_ending) = (pin!(connection), false);
    loop {
        // When it may have been idle too long.
        let next_look = usage.ends().unwrap_or_else(|| Instant::now() + BETWEEN);
        tokio::select! {
            // Errors here are the other side's.
            _ = connection.as_mut() => break,
            () = tokio::time::sleep_until(next_look.into()) => {
                if usage.ends().is_some_and(|ends| ends <= Instant::now()) {
                    break;
                }
            }
            () = ended(&mut end), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Keeps a value until the last of an answer is sent: a mark of its connection, or its memory.
pub fn kept_until_sent(answer: Response, kept: impl Send + Unpin + 'static) -> Response {
    answer.map(|body| Body::new(BodyKeeping { body, _kept: kept }))
}

struct BodyKeeping<K> {
    body: Body,
    _kept: K,
}

impl<K: Unpin> HttpBody for BodyKeeping<K> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(since: Instant) -> Arc<Usage> {
        Arc::new(Usage::new(since, Arc::new(Notify::new())))
    }

    #[tokio::test]
    async fn longest_idle_connection_makes_room() {
        let (began, mut open) = (Instant::now(), Vec::new());
        let mut tasks = JoinSet::new();
        let mut come = |open: &mut Vec<OpenConnection>, seconds| {
            let room = has_room(open, 2);
            let usage = usage(began + Duration::from_secs(seconds));
            let task = tasks.spawn(std::future::pending::<()>());
            let connection = OpenConnection { usage: Arc::clone(&usage), task };
            if room {
                open.push(connection);
            }
            room.then_some(usage)
        };
        let first = come(&mut open, 0).unwrap();
        let second = come(&mut open, 1).unwrap();
        let served = first.begin();
        let third = come(&mut open, 2).unwrap();
        let has = |open: &[OpenConnection], usage: &Arc<Usage>| {
            open.iter().any(|connection| Arc::ptr_eq(&connection.usage, usage))
        };
        assert!(!has(&open, &second) && has(&open, &first), "the second has left");
        let other = third.begin();
        assert!(come(&mut open, 3).is_none(), "both are being served");
        drop(served);
        assert!(come(&mut open, 4).is_some());
        assert!(!has(&open, &first) && has(&open, &third) && open.len() == 2);
        drop(other);
        tasks.abort_all();
        while tasks.join_next().await.is_some() {}
        assert!(has_room(&mut open, 1) && open.is_empty(), "whoever is gone has no place");
    }

    #[test]
    fn idle_connection_is_closed_and_a_new_one_sooner() {
        let began = Instant::now();
        let usage = usage(began);
        assert_eq!(usage.ends(), Some(began + FIRST));
        let served = usage.begin();
        assert_eq!(usage.ends(), None);
        drop(served);
        assert!(usage.ends().unwrap() >= began + BETWEEN);
    }
}
