//! A search to be made.

use serde::{Deserialize, Serialize};

use super::question::Asked;
use super::token::Token;

/// A search that a grower wants from any worker, or, as a check, from one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The same for each time that the search is sent again.
    pub id: Token,
    /// Who is to have the answer.
    pub grower: Token,
    /// Which engine, build and options.
    pub engine: Token,
    /// What is searched.
    pub asked: Asked,
}
