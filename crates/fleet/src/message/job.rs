//! Searches as they stand in messages: requests, results, and orders about jobs; and the part of a
//! job that makes its search a long one: its end.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, PositionKey, Score, epd_of, parse_fen, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search, WinDrawLoss};
use deepanalyze_engine::{LongEnd, LongSearch};

use super::{Token, bounds};

/// A search that a grower wants from any worker, or, as a check, from one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Kept when the search is sent again.
    pub id: Token,
    /// The grower that asks.
    pub grower: Token,
    /// Engine, build and options.
    pub engine: Token,
    /// The request.
    pub asked: LimitedSearch,
    /// Set for a long one, which is given to one worker alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPart>,
}

/// A worker's reply to a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobReply {
    /// The job.
    pub id: Token,
    /// Engine, build and options.
    pub engine: Token,
    /// The worker that made it.
    pub worker: Token,
    /// The request as the worker understood it.
    pub asked: LimitedSearch,
    /// The result.
    pub outcome: Outcome,
}

/// How a search ended, or how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The engine has answered.
    Answered(#[serde(with = "AnswerText")] Answer),
    /// An iteration of a long search, which goes on.
    Iteration(#[serde(with = "AnswerText")] Answer),
    /// The worker cannot make the search; why.
    Failed(#[serde(deserialize_with = "bounds::text")] String),
}

/// An order about jobs that workers have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order")]
pub enum Order {
    /// They are cancelled.
    Cancel {
        /// Their grower.
        grower: Token,
        /// The jobs.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// They are long searches still wanted; one without such an order for a while is given up.
    Want {
        /// Their grower.
        grower: Token,
        /// The jobs.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// They were guesses, and are now required.
    Require {
        /// Their grower.
        grower: Token,
        /// The jobs.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// A worker is quarantined: it is to take no more of this grower's jobs for a while.
    Quarantine {
        /// The grower that rejects.
        grower: Token,
        /// The worker.
        worker: Token,
        /// Why.
        #[serde(deserialize_with = "bounds::text")]
        why: String,
    },
}

/// A search and its limit; the hash is cleared before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "SearchText", into = "SearchText")]
pub struct LimitedSearch {
    /// The position and the excluded moves.
    pub search: Search,
    /// Its limit.
    pub limit: Limit,
}

impl LimitedSearch {
    /// Equal for equal searches.
    pub fn key(&self) -> (PositionKey, Vec<UciMove>, Limit) {
        (PositionKey::of(&self.search.position), self.search.excluded.clone(), self.limit)
    }
}

impl PartialEq for LimitedSearch {
    fn eq(&self, other: &LimitedSearch) -> bool {
        self.key() == other.key()
    }
}

/// A search as written: moves with a blank between two.
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

/// True if a search can go so far.
pub(super) fn is_limit(limit: Limit) -> bool {
    !matches!(limit, Limit::Depth(0 | 256..) | Limit::Nodes(0))
}

/// An answer as written: moves with a blank between two, time in microseconds.
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

/// Margin by which a worker ends early, so that its last word is there in time.
const UNDERWAY: Duration = Duration::from_millis(250);
/// The longest search, in milliseconds: a year.
const LONGEST: u64 = 366 * 24 * 3600 * 1000;

/// The end of a long search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "LongText", into = "LongText")]
pub struct LongPart {
    end: EndText,
}

impl LongPart {
    /// Of a search that is given away now.
    pub fn of(long: &LongSearch, now: Instant) -> LongPart {
        let end = match long.end {
            LongEnd::At(limit) => EndText::At(limit),
            LongEnd::Until(at) => {
                let time = at.saturating_duration_since(now).saturating_sub(UNDERWAY);
                EndText::For(u64::try_from(time.as_millis()).unwrap_or(LONGEST).min(LONGEST))
            }
        };
        LongPart { end }
    }

    /// The search for an engine, for a job that came at this moment.
    pub fn search(&self, asked: LimitedSearch, came: Instant) -> LongSearch {
        let end = match self.end {
            EndText::At(limit) => LongEnd::At(limit),
            EndText::For(time) => LongEnd::Until(came + Duration::from_millis(time)),
        };
        LongSearch { search: asked.search, end, threads: 1 }
    }
}

/// The part as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongText {
    end: EndText,
}

/// A limit, or milliseconds from when the job comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndText {
    At(Limit),
    For(u64),
}

impl From<LongPart> for LongText {
    fn from(part: LongPart) -> LongText {
        LongText { end: part.end }
    }
}

impl TryFrom<LongText> for LongPart {
    type Error = String;

    fn try_from(LongText { end }: LongText) -> Result<LongPart, String> {
        let is_end = match end {
            EndText::At(limit) => is_limit(limit),
            EndText::For(time) => time <= LONGEST,
        };
        is_end.then_some(LongPart { end }).ok_or_else(|| format!("no search: {end:?}"))
    }
}
