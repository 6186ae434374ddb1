//! Connections: bounded in number and in patience, and ended without waiting for those who only listen.

mod counted;
mod seats;

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use super::ending::ended;
use super::guard::CameTo;
pub use counted::counted;
use seats::{BETWEEN, Seat, Seats};

/// Connections at once.
const MOST: usize = 64;
/// A reader who takes nothing for so long is gone; a page that slept goes on where it was.
const STALLED: Duration = Duration::from_secs(30);
/// Bytes of a request's head at most, and as many of an answer wait for its reader.
const BUFFER: usize = 64 * 1024;
/// Headers of a request at most.
const HEADERS: usize = 64;
/// How long answers that are being sent may take once the server ends.
const LAST: Duration = Duration::from_millis(500);
/// Where no connection can be taken (too many open files), a while passes before the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers requests until somebody wants the end, and then for half a second more at most.
pub async fn serve<A, F>(listener: TcpListener, answer: A, mut end: watch::Receiver<bool>)
where
    A: Fn(Request<Body>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let (seats, mut connections) = (Seats::new(MOST), JoinSet::new());
    // It may hold a connection that waits for a place.
    let mut next = Box::pin(accept(&listener, &seats));
    loop {
        tokio::select! {
            () = ended(&mut end) => break,
            (stream, seat) = next.as_mut() => {
                connections.spawn(connection(stream, seat, answer.clone(), end.clone()));
                next.set(accept(&listener, &seats));
            }
            Some(_) = connections.join_next() => {}
        }
    }
    drop(next);
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    // Whoever is not done by then is left alone.
    let _ = tokio::time::timeout(LAST, all).await;
}

/// The next connection that there is a place for.
async fn accept(listener: &TcpListener, seats: &Seats) -> (TcpStream, Arc<Seat>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "no connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        loop {
            if let Some(seat) = seats.take(Instant::now()) {
                return (stream, seat);
            }
            seats.freed().await;
        }
    }
}

async fn connection<A, F>(
    stream: TcpStream,
    seat: Arc<Seat>,
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
    let served = Arc::clone(&seat);
    let service = service_fn(move |mut request: Request<Incoming>| {
        if let Some(came_to) = came_to {
            request.extensions_mut().insert(came_to);
        }
        let (served, answer) = (served.serve(), answer.clone());
        async move { Ok::<_, Infallible>(counted(answer(request.map(Body::new)).await, served)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(BETWEEN)
        .max_buf_size(BUFFER)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let (mut connection, mut is_ending) = (pin!(connection), false);
    loop {
        tokio::select! {
            // What went wrong, the other side has done.
            _ = connection.as_mut() => break,
            () = seat.wanted() => break,
            () = tokio::time::sleep_until(next_look(&seat)) => {
                if seat.usage().ends().is_some_and(|ends| ends <= Instant::now()) {
                    break;
                }
            }
            () = ended(&mut end), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
    seat.free();
}

/// When it may be that a connection has rested too long.
fn next_look(seat: &Seat) -> tokio::time::Instant {
    let ends = seat.usage().ends().unwrap_or_else(|| Instant::now() + BETWEEN);
    tokio::time::Instant::from_std(ends)
}
