//! Signs of life: what workers and growers tell every two seconds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bounds;
use super::token::Token;

/// A worker's sign of life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerState {
    /// Who it is; a worker that is started again is another.
    pub worker: Token,
    /// What people call it.
    #[serde(deserialize_with = "bounds::text")]
    pub name: String,
    /// Which engine, build and options.
    pub engine: Token,
    /// What the engine calls itself, for people.
    #[serde(deserialize_with = "bounds::text")]
    pub engine_name: String,
    /// The options that were set on it, as the engine spells them.
    #[serde(deserialize_with = "bounds::options")]
    pub options: BTreeMap<String, String>,
    /// How many engines search, or could; 0 while it rests.
    #[serde(deserialize_with = "bounds::engines")]
    pub engines: usize,
    /// How many jobs it takes: one for each engine, and some ahead.
    #[serde(deserialize_with = "bounds::jobs")]
    pub takes: usize,
    /// How many of the engines search now.
    #[serde(deserialize_with = "bounds::engines")]
    pub busy: usize,
    /// The jobs that it has.
    #[serde(deserialize_with = "bounds::names")]
    pub jobs: Vec<Token>,
    /// How many searches it has answered.
    pub answered: u64,
    /// How many it has not been able to answer.
    pub failed: u64,
    /// How many faults its engines had.
    pub faults: u64,
    /// The nodes of all its searches.
    pub nodes: u64,
    /// For how long it has worked, in seconds.
    pub seconds: u64,
    /// Why it takes no jobs now, where that is so.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounds::some_text"
    )]
    pub rests: Option<String>,
    /// Whether it is leaving.
    #[serde(default)]
    pub leaves: bool,
}

/// A grower's sign of life, for people who look at the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowerState {
    /// Who it is.
    pub grower: Token,
    /// What people call it.
    #[serde(deserialize_with = "bounds::text")]
    pub name: String,
    /// Which engine, build and options it wants.
    pub engine: Token,
    /// What the engine calls itself, for people.
    #[serde(deserialize_with = "bounds::text")]
    pub engine_name: String,
    /// The options that are set on it; none where an older program does not tell them.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "bounds::some_options"
    )]
    pub options: Option<BTreeMap<String, String>>,
    /// How many of its searches wait for an engine.
    pub waiting: usize,
    /// How many are with the fleet.
    pub away: usize,
    /// How many the fleet has answered.
    pub answered: u64,
    /// How many were sent again.
    pub sent_again: u64,
    /// How many answers were refused.
    pub refused: u64,
    /// How many searches were given to two workers.
    pub doubled: u64,
    /// The workers that it does not believe, and why.
    #[serde(deserialize_with = "bounds::named_texts")]
    pub quarantined: Vec<(Token, String)>,
}
