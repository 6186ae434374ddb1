//! Signs of life: sent by workers and growers every two seconds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Token, bounds};

/// A worker's sign of life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerState {
    /// Its name; a worker that is started again has another.
    pub worker: Token,
    /// Its name for people.
    #[serde(deserialize_with = "bounds::text")]
    pub name: String,
    /// Engine, build and options.
    pub engine: Token,
    /// The engine's `id name`.
    #[serde(deserialize_with = "bounds::text")]
    pub engine_name: String,
    /// The options that were set on it, as the engine spells them.
    #[serde(deserialize_with = "bounds::options")]
    pub options: BTreeMap<String, String>,
    /// Engines that search, or could; 0 while it rests.
    #[serde(deserialize_with = "bounds::engines")]
    pub engines: usize,
    /// Jobs that it takes: one for each engine, and some ahead.
    #[serde(deserialize_with = "bounds::jobs")]
    pub takes: usize,
    /// Engines that search now.
    #[serde(deserialize_with = "bounds::engines")]
    pub busy: usize,
    /// The jobs that it has.
    #[serde(deserialize_with = "bounds::names")]
    pub jobs: Vec<Token>,
    /// Searches answered.
    pub answered: u64,
    /// Searches it could not answer.
    pub failed: u64,
    /// Faults of its engines.
    pub faults: u64,
    /// The nodes of all its searches.
    pub nodes: u64,
    /// Seconds since it started.
    pub seconds: u64,
    /// Why it takes no jobs now, if so.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounds::some_text"
    )]
    pub rests: Option<String>,
    /// True if it is leaving.
    #[serde(default)]
    pub leaves: bool,
}

/// A grower's sign of life, for people who look at the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowerState {
    /// Its name.
    pub grower: Token,
    /// Its name for people.
    #[serde(deserialize_with = "bounds::text")]
    pub name: String,
    /// Engine, build and options it wants.
    pub engine: Token,
    /// The engine's `id name`.
    #[serde(deserialize_with = "bounds::text")]
    pub engine_name: String,
    /// The options set on it; `None` from an older program.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounds::some_options"
    )]
    pub options: Option<BTreeMap<String, String>>,
    /// Searches that wait for an engine.
    pub waiting: usize,
    /// Searches with the fleet.
    pub away: usize,
    /// Searches the fleet answered.
    pub answered: u64,
    /// Searches sent again.
    pub sent_again: u64,
    /// Answers refused.
    pub refused: u64,
    /// Searches given to two workers.
    pub doubled: u64,
    /// Workers in quarantine, and why.
    #[serde(deserialize_with = "bounds::named_texts")]
    pub quarantined: Vec<(Token, String)>,
}
