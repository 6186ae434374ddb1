//! Alternatives: the best moves of a position with their scores, by a tree and by one search with `MultiPV`, against
//! a judge's. `docs/worth.md` defines all of it.

mod contest;
mod judging;
mod lane;
mod summary;
mod tally;

pub use contest::{AlternativesContest, AlternativesOutcome, MoveList};
pub use judging::MORE;
pub use summary::{AlternativesSummary, Beside, Figures, ListRow};
pub use tally::NEAR;
