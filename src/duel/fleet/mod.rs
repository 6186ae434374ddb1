//! Equal time: engines on a tree, side by side, against one engine that is so many times as fast.
//!
//! Time is virtual: an engine searches one node in a unit of it. The tree's engines work as `grow` lets
//! them, on its own code; what they answer comes from the memo or a real engine, and depends on nothing but
//! the position.

mod arm;
mod equal;
mod lane;
mod regrowth;
mod summary;
#[cfg(test)]
mod tests;
mod virtual_run;

pub use arm::{FleetArm, Shares, fleet_arm};
pub use equal::{EqualSpeed, Speed};
pub use lane::{FleetContest, FleetLane, FleetOutcome, Measure};
pub use summary::{ArmCost, FleetRow, FleetSummary};
pub use virtual_run::{Answers, Fleet};

/// No tree is grown deeper: where all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;
