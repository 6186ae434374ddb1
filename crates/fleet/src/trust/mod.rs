//! Comparison of a worker's engine with ours: the evidence, whom to trust, and the difference as
//! text. Without a connection or a clock.

mod canaries;
mod doubles;

use std::collections::BTreeMap;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Answer;

use super::message::Token;

pub use canaries::{Canaries, CanaryVerdict, Judge};
pub use doubles::{ComparisonOutcome, Doubles, Lacking};

/// The repeatable part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Testimony {
    best: UciMove,
    score: Score,
    nodes: u64,
}

impl Testimony {
    /// Of an answer.
    pub fn of(answer: &Answer) -> Testimony {
        Testimony { best: answer.best, score: answer.score, nodes: answer.nodes }
    }
}

impl std::fmt::Display for Testimony {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.score {
            Score::Cp(cp) => write!(f, "{} ({cp} cp, {} nodes)", self.best, self.nodes),
            Score::Mate(moves) => write!(f, "{} (mate {moves}, {} nodes)", self.best, self.nodes),
        }
    }
}

/// A searcher.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// The grower's own engine: always right.
    Own,
    /// A worker.
    Worker(Token),
}

/// An engine's name and the options set on it.
#[derive(Debug, Clone, Copy)]
pub struct EngineSaid<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its options, as it spells them.
    pub options: &'a BTreeMap<String, String>,
}

/// The difference of an engine from another: `Hash is 64, not 16`. If names and options are the
/// same, it is the build, or the defaults of options not set.
pub fn difference(theirs: EngineSaid<'_>, ours: EngineSaid<'_>) -> String {
    if theirs.name != ours.name {
        return format!("its engine is {:?}, not {:?}", theirs.name, ours.name);
    }
    let value = |of: EngineSaid<'_>, name: &str| {
        let mut options = of.options.iter();
        let found = options.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    let shown = |value: Option<String>| value.unwrap_or_else(|| "its default".to_owned());
    let names: BTreeMap<String, &String> = theirs
        .options
        .keys()
        .chain(ours.options.keys())
        .map(|name| (name.to_lowercase(), name))
        .collect();
    let differ = names.values().filter_map(|name| {
        let (theirs, ours) = (value(theirs, name), value(ours, name));
        (theirs != ours).then(|| format!("{name} is {}, not {}", shown(theirs), shown(ours)))
    });
    let differ: Vec<String> = differ.collect();
    if differ.is_empty() { "its engine is another build".to_owned() } else { differ.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_with_both_values() {
        let options = |text: &str| -> BTreeMap<String, String> {
            let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
            pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let told = |theirs: (&str, &str), ours: (&str, &str)| {
            let (a, b) = (options(theirs.1), options(ours.1));
            let theirs = EngineSaid { name: theirs.0, options: &a };
            difference(theirs, EngineSaid { name: ours.0, options: &b })
        };
        let sf = "Stockfish 15.1";
        assert_eq!(told((sf, "Hash=64"), (sf, "Hash=16")), "Hash is 64, not 16");
        assert_eq!(
            told((sf, "Hash=64 Threads=2"), (sf, "Threads=1")),
            "Hash is 64, not its default, Threads is 2, not 1"
        );
        assert_eq!(told((sf, "hash=64"), (sf, "Hash=64")), "its engine is another build");
        assert_eq!(
            told(("Toga", "a=b"), (sf, "")),
            "its engine is \"Toga\", not \"Stockfish 15.1\""
        );
    }
}
