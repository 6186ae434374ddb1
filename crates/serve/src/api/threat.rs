//! The threat of the other side.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use deepanalyze_core::chess::{Game, Score};
use deepanalyze_runner::threat;
use deepanalyze_view::{Line, NamedMove};

use super::error::ApiError;
use super::json::{FromQuery, response};
use super::work::failed;
use crate::verdict::LINE_PLIES;

/// Searches at once: they take a core for some tenths of a second each, and share threads with all
/// lookups.
static SEARCHING: Semaphore = Semaphore::const_new(1);
/// A waiting request is out of date after this many newer ones, like one whose asker has left.
const NEWER: u64 = 4;
/// Number of requests so far.
static ASKED: LazyLock<watch::Sender<u64>> = LazyLock::new(watch::Sender::default);

/// The position.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields)]
pub struct PositionAsked {
    fen: String,
}

/// The move of the side that is not to move, by the built-in engine.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Threat"))]
pub struct ThreatAnswer {
    /// Null if the side to move is in check, or the other one could not move.
    threat: Option<ThreatObject>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ThreatFound"))]
struct ThreatObject {
    #[serde(flatten)]
    named: NamedMove,
    /// For the threatening side.
    score: Score,
    line: Vec<NamedMove>,
}

/// `GET /api/threat`.
pub async fn look(FromQuery(asked): FromQuery<PositionAsked>) -> Result<Response, ApiError> {
    let position = Game::from_start(asked.fen.trim())?.root().clone();
    let turn = turn().await?;
    let search = move || {
        let _turn = turn;
        threat(&position)
    };
    let found = tokio::task::spawn_blocking(search).await.map_err(failed)?;
    Ok(response(&ThreatAnswer { threat: found.and_then(|found| ThreatObject::of(&found)) }))
}

/// Waits for the place to search. Requests of askers who leave are dropped.
async fn turn() -> Result<SemaphorePermit<'static>, ApiError> {
    let mut number = 0;
    ASKED.send_modify(|asked| {
        *asked += 1;
        number = *asked;
    });
    let mut asked = ASKED.subscribe();
    let newer = || {
        let words = "other positions were asked for since then";
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, words)
    };
    tokio::select! {
        biased;
        turn = SEARCHING.acquire() => turn.map_err(|_| newer()),
        _ = asked.wait_for(|asked| *asked >= number + NEWER) => Err(newer()),
    }
}

impl ThreatObject {
    fn of(found: &Line) -> Option<ThreatObject> {
        Some(ThreatObject {
            named: NamedMove::of(&found.root, found.best()?),
            score: found.score(),
            line: NamedMove::line(&found.root, found.plies(LINE_PLIES)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Turn = Pin<Box<dyn Future<Output = Result<SemaphorePermit<'static>, ApiError>>>>;

    fn poll(turn: &mut Turn) -> Poll<bool> {
        let mut context = Context::from_waker(Waker::noop());
        turn.as_mut().poll(&mut context).map(|turn| turn.is_ok())
    }

    #[test]
    fn one_searches_who_left_does_not_and_the_newest_wait() {
        let searching = SEARCHING.try_acquire().unwrap();
        let mut waiting: Vec<Turn> = (0..3).map(|_| Box::pin(turn()) as Turn).collect();
        assert!(waiting.iter_mut().all(|turn| poll(turn).is_pending()));
        // The second leaves.
        drop(waiting.remove(1));
        let mut newer: Vec<Turn> = (0..3).map(|_| Box::pin(turn()) as Turn).collect();
        assert!(newer.iter_mut().all(|turn| poll(turn).is_pending()));
        assert_eq!(poll(&mut waiting[0]), Poll::Ready(false), "it is out of date");
        assert!(poll(&mut waiting[1]).is_pending());
        drop(searching);
        assert_eq!(poll(&mut waiting[1]), Poll::Ready(true));
        assert_eq!(poll(&mut newer[0]), Poll::Ready(true), "its permit was given back at once");
        newer.clear();
        assert_eq!(SEARCHING.available_permits(), 1);
    }
}
