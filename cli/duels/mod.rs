//! Duels: does the tree choose better moves than one search of as many nodes? A judge decides where
//! the two differ. `docs/worth.md` defines all of it.
//!
//! Everything is a function of the answers in the memo: a duel that was stopped goes on where it was,
//! a finished one repeats without a search.
#![deny(clippy::indexing_slicing)]

mod allowance;
mod alternatives;
mod arm;
mod choice;
mod equal_nodes;
mod error;
mod fleet;
mod judging;
mod lane;
mod oracle;
mod random;
mod run;
mod setting;
mod side_by_side;
mod statistics;
mod suite;
mod summary;

pub use alternatives::{
    AlternativesContest, AlternativesOutcome, AlternativesSummary, Beside, Figures, ListRow, MORE,
    MoveList, NEAR,
};
pub use arm::{SearchArm, TreeArm, search_arm, tree_arm};
pub use choice::ChoiceRule;
pub use equal_nodes::{Asked, NodesContest};
pub use error::DuelError;
pub use fleet::{
    Answers, Arm, ArmCost, EqualSpeed, Fleet, FleetArm, FleetContest, FleetOutcome, FleetRow,
    FleetSummary, Measure, Other, Shares, Speed, fleet_arm,
};
pub use judging::{CLAMP, Judged, Verdict, centipawns, verdict};
pub use oracle::{HashState, Oracle, Question, Reply};
pub use run::{Contest, Duel, DuelEngines, run};
pub use setting::{Hash, Setting, Share};
pub use side_by_side::{Ended, Watcher};
pub use statistics::{Estimate, RESAMPLES};
pub use suite::{BadLine, Entry, Skipped, Suite};
pub use summary::{Counting, Departures, PositionOutcome, Summary};
