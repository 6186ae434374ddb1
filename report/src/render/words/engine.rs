//! Engines in words, and as JSON has them.

use std::collections::BTreeMap;

use serde::Serialize;

use deepanalyze_core::search::{Limit, Profile};

use super::count;

/// An engine with its limit and options: `Stockfish 15.1, engine depth 18, Hash=64`.
pub fn describe_profile(profile: &Profile) -> String {
    let limit = describe_limit(profile.limit);
    let options =
        profile.described_options().into_iter().map(|(name, value)| format!(", {name}={value}"));
    format!("{}, {limit}{}", profile.engine, options.collect::<String>())
}

/// What ends each search.
pub fn describe_limit(limit: Limit) -> String {
    match limit {
        Limit::Depth(depth) => format!("engine depth {depth}"),
        Limit::Nodes(nodes) => count(nodes, "node"),
    }
}

/// An engine in JSON, the same in every object.
#[derive(Debug, Serialize)]
pub struct EngineObject<'a> {
    name: &'a str,
    options: BTreeMap<&'a str, &'a str>,
    limit: Limit,
}

impl<'a> EngineObject<'a> {
    /// Of a profile.
    pub fn of(profile: &'a Profile) -> EngineObject<'a> {
        let options = profile.described_options();
        EngineObject { name: &profile.engine, options, limit: profile.limit }
    }
}
