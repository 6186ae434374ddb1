//! The words of an `info` line, sorted by what they say.
//!
//! No two engines agree on the order of keys, and all add some of their own. So the words are taken
//! one by one: a known key with a valid value counts, anything else is stepped over.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, parse_uci};

/// What a score is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The score itself.
    Exact,
    /// The score is at least this: no score.
    Lower,
    /// The score is at most this: no score.
    Upper,
}

/// The known words of one line. Numbers as they were written, clamped to their types; scores to their bounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Words {
    pub(super) depth: Option<u32>,
    pub(super) seldepth: Option<u32>,
    pub(super) multipv: Option<u32>,
    pub(super) score: Option<Score>,
    pub(super) bound: Option<Bound>,
    pub(super) nodes: Option<u64>,
    pub(super) pv: Vec<UciMove>,
    /// What follows `string`.
    pub(super) string: Option<String>,
}

/// Sorts the words after `info`.
pub(super) fn sort(rest: &str) -> Words {
    let mut words = Words::default();
    let mut tokens = rest.split_whitespace().peekable();
    let mut scored = false;
    while let Some(key) = tokens.next() {
        match key {
            "score" => scored = true,
            "depth" => take(&mut tokens, &mut words.depth),
            "seldepth" => take(&mut tokens, &mut words.seldepth),
            "multipv" => take(&mut tokens, &mut words.multipv),
            "nodes" => take(&mut tokens, &mut words.nodes),
            "cp" if scored => words.score = number(&mut tokens).map(Score::cp),
            "mate" if scored => words.score = number(&mut tokens).map(Score::mate),
            // They may come anywhere: Stockfish has the wdl between score and bound.
            "lowerbound" => words.bound = Some(Bound::Lower),
            "upperbound" => words.bound = Some(Bound::Upper),
            "pv" => {
                words.pv = std::iter::from_fn(|| {
                    let m = parse_uci(tokens.peek()?)?;
                    tokens.next();
                    Some(m)
                })
                .collect();
            }
            "string" => {
                words.string = Some(tokens.by_ref().collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    words
}

type Tokens<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

/// Takes a number that is not negative; what is no number is left, for it may be the next key.
fn take<T: TryFrom<u64> + Bounded>(tokens: &mut Tokens<'_>, into: &mut Option<T>) {
    if let Some(n) = tokens.peek().and_then(|token| digits(token)) {
        tokens.next();
        *into = Some(T::try_from(n).unwrap_or(T::GREATEST));
    }
}

/// Digits alone; more than fit mean the greatest number.
fn digits(token: &str) -> Option<u64> {
    let all_digits = !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| token.parse().unwrap_or(u64::MAX))
}

/// A number with a sign or without. More digits than fit are no score.
fn number(tokens: &mut Tokens<'_>) -> Option<i64> {
    let n = tokens.peek()?.parse().ok()?;
    tokens.next();
    Some(n)
}

trait Bounded {
    const GREATEST: Self;
}

impl Bounded for u32 {
    const GREATEST: u32 = u32::MAX;
}

impl Bounded for u64 {
    const GREATEST: u64 = u64::MAX;
}
