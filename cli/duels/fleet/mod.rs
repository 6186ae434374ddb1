//! Equal time: engines on a tree, side by side, against one engine that is so many times as fast.
//!
//! Time is virtual: an engine searches one node in a unit of it. The tree's engines work as `grow` lets
//! them, on its own code; what they answer comes from the memo or a real engine, and depends on nothing but
//! the position.

mod arm;
mod closing;
mod equal;
mod lane;
mod regrowth;
mod second_look;
mod split;
mod summary;
#[cfg(test)]
mod tests;
mod virtual_run;

use deepanalyze_runner::Schedule;

pub use arm::{FleetArm, Shares, fleet_arm};
pub use equal::{EqualSpeed, Speed};
pub use lane::{FleetContest, FleetOutcome, Measure, Other};
pub use summary::{Arm, ArmCost, FleetRow, FleetSummary};
pub use virtual_run::{Answers, Fleet};

/// No tree is grown deeper: where all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;
/// Where a stage ends, and the next one begins; that of `grow` where nothing else is said.
const STAGE_DEPTH: u32 = 10;

/// The depth to settle.
fn target(schedule: Schedule) -> u32 {
    if schedule.has_stages() { STAGE_DEPTH } else { DEEPEST }
}
