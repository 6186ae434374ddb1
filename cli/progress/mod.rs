//! How a run looks while it works: who follows it, and in which words.

mod following;
mod reporter;
mod told;
mod words;

pub use following::{Follower, followed};
pub use reporter::Reporter;
pub use words::{best_move, kept, nothing_kept, score_of, time};
