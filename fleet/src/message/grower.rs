//! A grower's sign of life, for people who look at the fleet.

use serde::{Deserialize, Serialize};

use super::bounds;
use super::token::Token;

/// What a grower tells every two seconds.
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
