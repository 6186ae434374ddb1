//! Searches as they stand in messages: what is to be searched, what came of it, and what is to become of jobs.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, PositionKey, Score, epd_of, parse_fen, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search, WinDrawLoss};

use super::bounds;
use super::long::LongPart;
use super::token::Token;

/// A search that a grower wants from any worker, or, as a check, from one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The same for each time that the search is sent again.
    pub id: Token,
    /// Who is to have the answer.
    pub grower: Token,
    /// Which engine, build and options.
    pub engine: Token,
    /// What is searched; how far each position of the rehearsal is, where the search is a long one.
    pub asked: LimitedSearch,
    /// What makes it a long one. It is given to one worker alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPart>,
}

/// What a worker says of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobReply {
    /// The job.
    pub id: Token,
    /// Which engine, build and options.
    pub engine: Token,
    /// Who has made the search.
    pub worker: Token,
    /// What was searched, as the worker has understood it.
    pub asked: LimitedSearch,
    /// What came of it.
    pub outcome: Outcome,
}

/// How a search has ended, or how far it has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The engine has answered.
    Answered(#[serde(with = "AnswerText")] Answer),
    /// It has not ended: the engine has come so far with a long search.
    Iteration(#[serde(with = "AnswerText")] Answer),
    /// The worker cannot make the search; why.
    Failed(#[serde(deserialize_with = "bounds::text")] String),
}

/// What is to become of jobs that workers have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order")]
pub enum Order {
    /// Nobody wants them any more.
    Cancel {
        /// Whose they are.
        grower: Token,
        /// Which.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// They are long searches that are wanted still: who hears nothing of his for a while gives it up.
    Want {
        /// Whose they are.
        grower: Token,
        /// Which.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// They were guesses, and are waited for now.
    Require {
        /// Whose they are.
        grower: Token,
        /// Which.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// A worker's answers are not believed: it is to take no more of this grower for a while.
    Quarantine {
        /// Who does not believe it.
        grower: Token,
        /// Which worker.
        worker: Token,
        /// Why.
        #[serde(deserialize_with = "bounds::text")]
        why: String,
    },
}

/// What is searched, and how long; the hash is cleared before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "SearchText", into = "SearchText")]
pub struct LimitedSearch {
    /// The position and the moves that are left out.
    pub search: Search,
    /// How long it goes on.
    pub limit: Limit,
}

impl LimitedSearch {
    /// What makes two of them the same.
    pub fn key(&self) -> (PositionKey, Vec<UciMove>, Limit) {
        (PositionKey::of(&self.search.position), self.search.excluded.clone(), self.limit)
    }
}

impl PartialEq for LimitedSearch {
    fn eq(&self, other: &LimitedSearch) -> bool {
        self.key() == other.key()
    }
}

/// A search as it is written: moves with a blank between two.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchText {
    position: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    excluded: String,
    limit: Limit,
}

impl From<LimitedSearch> for SearchText {
    fn from(asked: LimitedSearch) -> SearchText {
        let excluded = moves_as_text(&asked.search.excluded);
        SearchText { position: epd_of(&asked.search.position), excluded, limit: asked.limit }
    }
}

impl TryFrom<SearchText> for LimitedSearch {
    type Error = String;

    fn try_from(text: SearchText) -> Result<LimitedSearch, String> {
        let position = parse_fen(&text.position).map_err(|error| error.to_string())?;
        let search = Search { position, excluded: moves_of(&text.excluded)? };
        if let Some(illegal) = search.excluded.iter().find(|uci| search.legal(**uci).is_none()) {
            return Err(format!("excluded move {illegal} is not legal in {}", text.position));
        }
        if Ending::of(&search.position).is_some() || search.allowed().is_empty() {
            return Err(format!("there is nothing to search in {}", text.position));
        }
        if !is_limit(text.limit) {
            return Err(format!("no search goes on to {}", text.limit));
        }
        Ok(LimitedSearch { search, limit: text.limit })
    }
}

/// Whether a search can go so far.
pub(super) fn is_limit(limit: Limit) -> bool {
    !matches!(limit, Limit::Depth(0 | 256..) | Limit::Nodes(0))
}

/// An answer as it is written: moves with a blank between two, time in microseconds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerText {
    best: String,
    score: Score,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wdl: Option<WinDrawLoss>,
    depth: u32,
    seldepth: u32,
    nodes: u64,
    micros: u64,
    pv: String,
}

impl AnswerText {
    fn serialize<S: serde::Serializer>(answer: &Answer, to: S) -> Result<S::Ok, S::Error> {
        let micros = u64::try_from(answer.time.as_micros()).unwrap_or(u64::MAX);
        let &Answer { score, wdl, depth, seldepth, nodes, .. } = answer;
        let (best, pv) = (answer.best.to_string(), moves_as_text(&answer.pv));
        let text = AnswerText { best, score, wdl, depth, seldepth, nodes, micros, pv };
        Serialize::serialize(&text, to)
    }

    fn deserialize<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Answer, D::Error> {
        let text: AnswerText = Deserialize::deserialize(from)?;
        let error = |what: String| serde::de::Error::custom(what);
        let best = parse_uci(&text.best);
        let best = best.ok_or_else(|| error(format!("{:?} is no move", text.best)))?;
        let AnswerText { score, wdl, depth, seldepth, nodes, micros, pv, .. } = text;
        let (pv, time) = (moves_of(&pv).map_err(error)?, Duration::from_micros(micros));
        Ok(Answer { best, score, wdl, depth, seldepth, nodes, time, pv })
    }
}

/// Moves with a blank between two.
pub fn moves_as_text(moves: &[UciMove]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

/// Reads moves with blanks between them.
fn moves_of(text: &str) -> Result<Vec<UciMove>, String> {
    let read = |word| parse_uci(word).ok_or_else(|| format!("{word:?} is no move"));
    text.split_whitespace().map(read).collect()
}
