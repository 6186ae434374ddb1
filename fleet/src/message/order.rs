//! What growers tell all workers of jobs.

use serde::{Deserialize, Serialize};

use super::bounds;
use super::token::Token;

/// What is to become of jobs that workers have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "order")]
pub enum Order {
    /// Nobody wants them any more.
    Cancel {
        /// Whose they are.
        grower: Token,
        /// Which.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// They were guesses, and are waited for now.
    Require {
        /// Whose they are.
        grower: Token,
        /// Which.
        #[serde(deserialize_with = "bounds::names")]
        jobs: Vec<Token>,
    },
    /// A worker's answers are not believed: it is to take no more of this grower for a while.
    Quarantine {
        /// Who does not believe it.
        grower: Token,
        /// Which worker.
        worker: Token,
        /// Why.
        #[serde(deserialize_with = "bounds::text")]
        why: String,
    },
}
