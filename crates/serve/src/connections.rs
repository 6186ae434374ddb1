//! Connections: bounded in number and in patience, and ended without waiting for those who only listen. They are few:
//! one that does nothing makes room for one that comes.

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
/// How long a new connection may be without its first request.
const FIRST: Duration = Duration::from_secs(10);
/// How long one may rest between two requests.
const BETWEEN: Duration = Duration::from_secs(30);
/// A reader who takes no jobs for so long is gone; a page that slept goes on where it was.
const STALLED: Duration = Duration::from_secs(30);
/// Bytes of a request's head at most, and as many of an answer wait for its reader.
const BUFFER: usize = 64 * 1024;
/// Headers of a request at most.
const HEADERS: usize = 64;
/// How long answers that are being sent may take once the server ends.
const LAST: Duration = Duration::from_millis(500);
/// Where no connection can be taken (too many open files), a while passes before the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until somebody wants the end of the server.
pub async fn ended(end: &mut watch::Receiver<bool>) {
    // Where nobody can say so any more, it is the end, too.
    let _ = end.wait_for(|end| *end).await;
}

/// Answers requests until somebody wants the end, and then for half a second more at most.
pub async fn serve<A, F>(listener: TcpListener, answer: A, mut end: watch::Receiver<bool>)
where
    A: Fn(Request<Body>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let (mut tasks, mut connections) = (JoinSet::new(), Vec::new());
    let rests = Arc::new(Notify::new());
    // One that has come waits here for a place.
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
    // Whoever is not done by then is left alone.
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

/// A connection as it is known to whoever lets others in.
struct OpenConnection {
    usage: Arc<Usage>,
    task: AbortHandle,
}

/// Whether there is a place for one more, that of the connection which has rested longest where all are taken; none
/// where all of those are being served.
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

/// What a connection is doing, and who hears of it when it rests.
struct Usage {
    now: watch::Sender<UsageNow>,
    rests: Arc<Notify>,
}

/// What a connection is doing at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UsageNow {
    /// Requests that are being answered.
    under_way: u32,
    /// Whether there has been any.
    served: bool,
    /// Since when there is none.
    since: Instant,
}

impl Usage {
    fn new(since: Instant, rests: Arc<Notify>) -> Usage {
        Usage { now: watch::Sender::new(UsageNow { under_way: 0, served: false, since }), rests }
    }

    /// When a connection that still rests then is to be closed; none while a request is under way.
    fn ends(&self) -> Option<Instant> {
        let UsageNow { under_way, served, since } = *self.now.borrow();
        (under_way == 0).then(|| since + if served { BETWEEN } else { FIRST })
    }

    /// A request comes; until what this gives is dropped, it is being answered.
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
        // Where all were busy, this one may make room now.
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
    // Small events are to come at once.
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
        // When it may be that it has rested too long.
        let next_look = usage.ends().unwrap_or_else(|| Instant::now() + BETWEEN);
        tokio::select! {
            // What went wrong, the other side has done.
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

/// An answer is under way until the last of it is sent: it keeps something until then. Its connection knows of it, or
/// its memory is taken.
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
    async fn whoever_rests_longest_makes_room_and_whoever_is_served_does_not() {
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
    fn a_connection_that_rests_is_closed_and_a_new_one_sooner() {
        let began = Instant::now();
        let usage = usage(began);
        assert_eq!(usage.ends(), Some(began + FIRST));
        let served = usage.begin();
        assert_eq!(usage.ends(), None);
        drop(served);
        assert!(usage.ends().unwrap() >= began + BETWEEN);
    }
}
