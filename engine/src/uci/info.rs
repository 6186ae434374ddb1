//! What an `info` line says, read here and not by vampirc-uci, which loses bounds and panics at great depths.
//!
//! No two engines agree on the order of keys, and all add some of their own. So the words are taken
//! one by one: a known key with a valid value counts, anything else is stepped over.

use std::iter::Peekable;
use std::str::SplitWhitespace;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, parse_uci};

use super::EngineLine;

/// What a score is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreBound {
    /// The score itself.
    Exact,
    /// The score is at least this: no score.
    Lower,
    /// The score is at most this: no score.
    Upper,
}

/// The words of an `info` line that matter here. Numbers as they were written, clamped to their types; scores to
/// their bounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchInfo {
    /// Plies.
    pub depth: Option<u32>,
    /// Plies.
    pub seldepth: Option<u32>,
    /// The line's place, from 1.
    pub multipv: Option<u32>,
    /// For the side to move. Only an exact one is a score.
    pub score: Option<(Score, ScoreBound)>,
    /// Nodes of the search so far.
    pub nodes: Option<u64>,
    /// The moves, not yet checked against any position.
    pub pv: Vec<UciMove>,
}

impl SearchInfo {
    /// The score, where it is no bound.
    pub fn exact(&self) -> Option<Score> {
        match self.score {
            Some((score, ScoreBound::Exact)) => Some(score),
            _ => None,
        }
    }
}

/// Reads the words after `info`.
pub(super) fn read_info(rest: &str) -> EngineLine {
    let mut info = SearchInfo::default();
    let mut words = rest.split_whitespace().peekable();
    let (mut scored, mut score, mut bound) = (false, None, ScoreBound::Exact);
    let mut note = None;
    while let Some(key) = words.next() {
        match key {
            "score" => scored = true,
            "depth" => info.depth = small(&mut words).or(info.depth),
            "seldepth" => info.seldepth = small(&mut words).or(info.seldepth),
            "multipv" => info.multipv = small(&mut words).or(info.multipv),
            "nodes" => info.nodes = digits(&mut words).or(info.nodes),
            "cp" if scored => score = number(&mut words).map(Score::cp),
            "mate" if scored => score = number(&mut words).map(Score::mate),
            // They may come anywhere: Stockfish has the wdl between score and bound.
            "lowerbound" => bound = ScoreBound::Lower,
            "upperbound" => bound = ScoreBound::Upper,
            "pv" => info.pv = std::iter::from_fn(|| taken(&mut words, parse_uci)).collect(),
            "string" => note = Some(words.by_ref().collect::<Vec<_>>().join(" ")),
            _ => {}
        }
    }
    info.score = score.map(|score| (score, bound));
    match note {
        Some(note) if info.score.is_none() => EngineLine::Note(note),
        _ if info == SearchInfo::default() => EngineLine::Other,
        _ => EngineLine::Info(info),
    }
}

/// The next word's value; a word without one is left, for it may be the next key.
fn taken<T>(
    words: &mut Peekable<SplitWhitespace<'_>>,
    value: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let value = value(words.peek()?)?;
    words.next();
    Some(value)
}

/// Digits alone; more than fit mean the greatest number.
fn digits(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<u64> {
    taken(words, |word| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| word.parse().unwrap_or(u64::MAX))
    })
}

fn small(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<u32> {
    digits(words).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// A number with a sign or without. More digits than fit are no score.
fn number(words: &mut Peekable<SplitWhitespace<'_>>) -> Option<i64> {
    taken(words, |word| word.parse().ok())
}
