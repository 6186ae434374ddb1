//! What came of a search.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use deepanalyze_core::chess::{Score, parse_uci};
use deepanalyze_core::search::Answer;

use super::bounds;
use super::question::{Asked, moves_as_text, moves_of};
use super::token::Token;

/// What a worker says of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// The job.
    pub id: Token,
    /// Which engine, build and options.
    pub engine: Token,
    /// Who has made the search.
    pub worker: Token,
    /// What was searched, as the worker has understood it.
    pub asked: Asked,
    /// What came of it.
    pub outcome: Outcome,
}

/// How a search has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The engine has answered.
    Answered(#[serde(with = "Text")] Answer),
    /// The worker cannot make the search; why.
    Failed(#[serde(deserialize_with = "bounds::text")] String),
}

/// An answer as it is written: moves with a blank between two, time in microseconds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    best: String,
    score: Score,
    depth: u32,
    seldepth: u32,
    nodes: u64,
    micros: u64,
    pv: String,
}

impl Text {
    fn serialize<S: serde::Serializer>(answer: &Answer, to: S) -> Result<S::Ok, S::Error> {
        let micros = u64::try_from(answer.time.as_micros()).unwrap_or(u64::MAX);
        let &Answer { score, depth, seldepth, nodes, .. } = answer;
        let (best, pv) = (answer.best.to_string(), moves_as_text(&answer.pv));
        Serialize::serialize(&Text { best, score, depth, seldepth, nodes, micros, pv }, to)
    }

    fn deserialize<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Answer, D::Error> {
        let text: Text = Deserialize::deserialize(from)?;
        let error = |what: String| serde::de::Error::custom(what);
        let best = parse_uci(&text.best);
        let best = best.ok_or_else(|| error(format!("{:?} is no move", text.best)))?;
        let Text { score, depth, seldepth, nodes, micros, pv, .. } = text;
        let (pv, time) = (moves_of(&pv).map_err(error)?, Duration::from_micros(micros));
        Ok(Answer { best, score, depth, seldepth, nodes, time, pv })
    }
}
