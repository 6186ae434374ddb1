//! What an engine prints, as this program understands it. The only place that knows vampirc-uci.
//!
//! vampirc's grammar loses what it does not know, and panics on numbers beyond its types. So a line
//! is never given to it as it came: its first word is matched exactly, the known words of an `info`
//! are written anew in one order, with clamped numbers, and what it made of them must write the same
//! again. Numbers that it cannot hold are taken from the words themselves.

use shakmaty::uci::UciMove;
use vampirc_uci::{Serializable, UciInfoAttribute, UciMessage};

use deepanalyze_core::chess::{Score, parse_uci};

use super::info::{Bound, Words, sort};
use super::option::Offer;

/// One line of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineLine {
    /// `id name`.
    Name(String),
    /// `option`.
    Option(Offer),
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `info` with any of the words that matter here.
    Info(Info),
    /// `info string`.
    Note(String),
    /// `bestmove`; no move where it says `(none)`, `0000` or no move at all.
    BestMove {
        /// The move, not yet checked against any position.
        best: Option<UciMove>,
        /// The word as it was written.
        said: String,
    },
    /// Anything else.
    Other,
}

/// The words of an `info` line that matter here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// Plies.
    pub depth: Option<u32>,
    /// Plies.
    pub seldepth: Option<u32>,
    /// The line's place, from 1.
    pub multipv: Option<u32>,
    /// For the side to move. Only an exact one is a score.
    pub score: Option<(Score, Bound)>,
    /// Nodes of the search so far.
    pub nodes: Option<u64>,
    /// The moves, not yet checked against any position.
    pub pv: Vec<UciMove>,
}

impl Info {
    /// The score, where it is no bound.
    pub fn exact(&self) -> Option<Score> {
        match self.score {
            Some((score, Bound::Exact)) => Some(score),
            _ => None,
        }
    }
}

/// Reads a line without its end. Never panics, whatever it says.
///
/// ```
/// use deepanalyze::chess::Score;
/// use deepanalyze::engine::{Bound, EngineLine, read_line};
///
/// let line = "info depth 12 score cp 48 wdl 77 922 1 lowerbound nodes 20024 pv e2e4";
/// let EngineLine::Info(info) = read_line(line) else { panic!() };
/// assert_eq!(info.score, Some((Score::Cp(48), Bound::Lower)));
/// assert_eq!(info.exact(), None); // a bound is no score
/// ```
pub fn read_line(line: &str) -> EngineLine {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        "uciok" if rest.is_empty() => EngineLine::UciOk,
        "readyok" if rest.is_empty() => EngineLine::ReadyOk,
        "id" => name(rest),
        "option" => Offer::read(rest).map_or(EngineLine::Other, EngineLine::Option),
        "info" => info(rest),
        "bestmove" => best_move(rest),
        _ => EngineLine::Other,
    }
}

fn name(rest: &str) -> EngineLine {
    let mut words = rest.split_whitespace();
    if words.next() != Some("name") {
        return EngineLine::Other;
    }
    let name = words.collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return EngineLine::Other;
    }
    EngineLine::Name(name)
}

fn best_move(rest: &str) -> EngineLine {
    let said = rest.split_whitespace().next().unwrap_or_default();
    let best = parse_uci(said).filter(|m| {
        let line = format!("bestmove {m}");
        parse(&line).is_some()
    });
    EngineLine::BestMove { best, said: said.to_owned() }
}

fn info(rest: &str) -> EngineLine {
    let words = sort(rest);
    if let Some(string) = words.string.as_ref().filter(|_| words.score.is_none()) {
        return EngineLine::Note(string.clone());
    }
    let normal = normalised(&words);
    if normal.is_empty() {
        return EngineLine::Other;
    }
    match parse(&format!("info{normal}")) {
        Some(UciMessage::Info(attributes)) => EngineLine::Info(understood(words, &attributes)),
        _ => {
            tracing::debug!(line = rest, "an info line that cannot be read");
            EngineLine::Other
        }
    }
}

/// The words in one order, each number within what vampirc holds.
fn normalised(words: &Words) -> String {
    let mut text = String::new();
    let mut add = |key: &str, value: String| {
        text.push(' ');
        text.push_str(key);
        text.push(' ');
        text.push_str(&value);
    };
    if let Some(depth) = words.depth {
        add("depth", depth.min(u32::from(u8::MAX)).to_string());
    }
    if let Some(seldepth) = words.seldepth {
        add("seldepth", seldepth.min(u32::from(u8::MAX)).to_string());
    }
    if let Some(multipv) = words.multipv {
        add("multipv", multipv.min(u32::from(u16::MAX)).to_string());
    }
    if let Some(score) = words.score {
        add("score", score_text(score, words.bound));
    }
    if let Some(nodes) = words.nodes {
        add("nodes", nodes.min(999_999_999_999).to_string());
    }
    if !words.pv.is_empty() {
        let pv: Vec<String> = words.pv.iter().map(ToString::to_string).collect();
        add("pv", pv.join(" "));
    }
    text
}

/// The score with its bound right behind it.
fn score_text(score: Score, bound: Option<Bound>) -> String {
    let score = match score {
        Score::Cp(cp) => format!("cp {cp}"),
        Score::Mate(n) => format!("mate {}", n.clamp(-127, 127)),
    };
    match bound {
        Some(Bound::Lower) => score + " lowerbound",
        Some(Bound::Upper) => score + " upperbound",
        _ => score,
    }
}

/// What vampirc makes of a normalised line, if it writes the same line again and knows every word.
fn parse(line: &str) -> Option<UciMessage> {
    let message = vampirc_uci::parse_one(line);
    let known = match &message {
        UciMessage::Info(attributes) => {
            !attributes.iter().any(|attribute| matches!(attribute, UciInfoAttribute::Any(..)))
        }
        UciMessage::BestMove { .. } => true,
        _ => false,
    };
    (known && message.serialize() == line).then_some(message)
}

/// The attributes, with the words' own numbers where vampirc's types are too small for them.
fn understood(words: Words, attributes: &[UciInfoAttribute]) -> Info {
    let mut info = Info::default();
    for attribute in attributes {
        match attribute {
            UciInfoAttribute::Depth(_) => info.depth = words.depth,
            UciInfoAttribute::SelDepth(_) => info.seldepth = words.seldepth,
            UciInfoAttribute::MultiPv(_) => info.multipv = words.multipv,
            UciInfoAttribute::Nodes(_) => info.nodes = words.nodes,
            UciInfoAttribute::Score { lower_bound, upper_bound, .. } => {
                let bound = match (lower_bound, upper_bound) {
                    (Some(true), _) => Bound::Lower,
                    (_, Some(true)) => Bound::Upper,
                    _ => words.bound.unwrap_or(Bound::Exact),
                };
                info.score = words.score.map(|score| (score, bound));
            }
            _ => {}
        }
    }
    info.pv = words.pv;
    info
}
