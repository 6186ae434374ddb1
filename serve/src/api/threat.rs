//! What the other side threatens.

use axum::response::Response;
use serde::{Deserialize, Serialize};

use deepanalyze_core::chess::{Game, Score};
use deepanalyze_report::NamedMove;
use deepanalyze_runner::{Threat, threat};

use super::error::ApiError;
use super::json::{FromQuery, response};
use super::work::failed;
use crate::verdict::LINE_PLIES;

/// Which position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionAsked {
    fen: String,
}

#[derive(Debug, Serialize)]
struct ThreatAnswer {
    /// Null where the side to move is in check, or the other one could not move.
    threat: Option<ThreatObject>,
}

#[derive(Debug, Serialize)]
struct ThreatObject {
    #[serde(flatten)]
    named: NamedMove,
    /// For the side that threatens.
    score: Score,
    line: Vec<NamedMove>,
}

/// `GET /api/threat`.
pub async fn look(FromQuery(asked): FromQuery<PositionAsked>) -> Result<Response, ApiError> {
    let position = Game::from_start(asked.fen.trim())?.root().clone();
    let found = tokio::task::spawn_blocking(move || threat(&position)).await.map_err(failed)?;
    Ok(response(&ThreatAnswer { threat: found.and_then(|found| ThreatObject::of(&found)) }))
}

impl ThreatObject {
    fn of(Threat { position, value, line }: &Threat) -> Option<ThreatObject> {
        let (named, line) = (line.first()?, line.get(..LINE_PLIES).unwrap_or(line));
        Some(ThreatObject {
            named: NamedMove::of(position, *named),
            score: Score::from(*value),
            line: NamedMove::line(position, line),
        })
    }
}
