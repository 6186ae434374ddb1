//! Bounded reading: a sender may be broken, or mean harm.

use std::collections::BTreeMap;

use deepanalyze_core::printable::printable;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::Token;

/// The longest text, in letters.
const LONGEST_TEXT: usize = 500;
/// The most names in one message.
const MOST_NAMES: usize = 4096;
/// The most options of an engine.
const MOST_OPTIONS: usize = 300;
/// The most engines of a worker.
const MOST_ENGINES: usize = 1024;
/// The most jobs that a worker takes: one for each engine, and one ahead for every four.
const MOST_JOBS: usize = MOST_ENGINES + MOST_ENGINES / 4;

/// A text safe to show: without control characters, and not too long.
pub fn plain(text: &str) -> String {
    printable(text).chars().take(LONGEST_TEXT).collect()
}

/// Reads a text.
pub(super) fn text<'a, D: Deserializer<'a>>(from: D) -> Result<String, D::Error> {
    Ok(plain(&String::deserialize(from)?))
}

/// Reads a text, or none.
pub(super) fn some_text<'a, D: Deserializer<'a>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(|text| plain(&text)))
}

/// Reads a number of engines.
pub(super) fn engines<'a, D: Deserializer<'a>>(from: D) -> Result<usize, D::Error> {
    at_most(from, MOST_ENGINES)
}

/// Reads a number of jobs.
pub(super) fn jobs<'a, D: Deserializer<'a>>(from: D) -> Result<usize, D::Error> {
    at_most(from, MOST_JOBS)
}

fn at_most<'a, D: Deserializer<'a>>(from: D, most: usize) -> Result<usize, D::Error> {
    let number = usize::deserialize(from)?;
    if number <= most {
        Ok(number)
    } else {
        Err(D::Error::custom(format!("{number}; at most {most} are allowed")))
    }
}

/// Reads the options of an engine, not too many.
pub(super) fn options<'a, D: Deserializer<'a>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let options: BTreeMap<String, String> = BTreeMap::deserialize(from)?;
    if options.len() > MOST_OPTIONS {
        let (count, most) = (options.len(), MOST_OPTIONS);
        return Err(D::Error::custom(format!("{count} options; at most {most} are allowed")));
    }
    Ok(options.into_iter().map(|(name, value)| (plain(&name), plain(&value))).collect())
}

/// Reads options that may be missing.
pub(super) fn some_options<'a, D: Deserializer<'a>>(
    from: D,
) -> Result<Option<BTreeMap<String, String>>, D::Error> {
    options(from).map(Some)
}

/// Reads names, not too many.
pub(super) fn names<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Token>, D::Error> {
    few(Vec::deserialize(from)?)
}

/// Reads names with a text to each, not too many.
pub(super) fn named_texts<'a, D: Deserializer<'a>>(
    from: D,
) -> Result<Vec<(Token, String)>, D::Error> {
    let named: Vec<(Token, String)> = few(Vec::deserialize(from)?)?;
    Ok(named.into_iter().map(|(name, text)| (name, plain(&text))).collect())
}

fn few<T, E: Error>(many: Vec<T>) -> Result<Vec<T>, E> {
    if many.len() <= MOST_NAMES {
        Ok(many)
    } else {
        Err(E::custom(format!("{} names; at most {MOST_NAMES} are allowed", many.len())))
    }
}
