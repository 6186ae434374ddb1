//! The part of a job that makes its search a long one: its end, and its rehearsal.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::Chess;

use deepanalyze_core::chess::{Ending, epd_of, parse_fen};
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{LongEnd, LongSearch};

use super::job::{LimitedSearch, is_limit};

/// The most positions rehearsed: the last ones, which have the best lines.
const MOST_POSITIONS: usize = 2000;
/// Margin by which a worker ends early, so that its last word is there in time.
const UNDERWAY: Duration = Duration::from_millis(250);
/// The longest search, in milliseconds: a year.
const LONGEST: u64 = 366 * 24 * 3600 * 1000;

/// The end of a long search, and the positions searched before it, each to the job's limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LongText", into = "LongText")]
pub struct LongPart {
    end: EndText,
    rehearsal: Vec<Chess>,
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
        let from = long.rehearsal.len().saturating_sub(MOST_POSITIONS);
        LongPart { end, rehearsal: long.rehearsal.get(from..).unwrap_or_default().to_vec() }
    }

    /// The search for an engine, for a job that came at this moment.
    pub fn search(&self, asked: LimitedSearch, came: Instant) -> LongSearch {
        let end = match self.end {
            EndText::At(limit) => LongEnd::At(limit),
            EndText::For(time) => LongEnd::Until(came + Duration::from_millis(time)),
        };
        let (rehearsal, rehearsal_limit) = (self.rehearsal.clone(), asked.limit);
        LongSearch { search: asked.search, end, rehearsal, rehearsal_limit, threads: 1 }
    }
}

/// The part as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongText {
    end: EndText,
    rehearsal: Vec<String>,
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
        LongText { end: part.end, rehearsal: part.rehearsal.iter().map(epd_of).collect() }
    }
}

impl TryFrom<LongText> for LongPart {
    type Error = String;

    fn try_from(LongText { end, rehearsal }: LongText) -> Result<LongPart, String> {
        let is_end = match end {
            EndText::At(limit) => is_limit(limit),
            EndText::For(time) => time <= LONGEST,
        };
        if !is_end || rehearsal.len() > MOST_POSITIONS {
            return Err(format!("no search: {end:?} behind {} positions", rehearsal.len()));
        }
        let read = |text: &String| {
            let position = parse_fen(text).map_err(|error| error.to_string())?;
            match Ending::of(&position) {
                None => Ok(position),
                Some(_) => Err(format!("there is nothing to search in {text}")),
            }
        };
        Ok(LongPart { end, rehearsal: rehearsal.iter().map(read).collect::<Result<_, _>>()? })
    }
}
