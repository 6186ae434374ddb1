//! What the store keeps of a tree: its rows, its closing searches, its stages; read whole, or on from what is
//! known of it.

mod chance;
mod closing;
mod facts;
mod following;
mod live_tree;
mod reading;
mod reading_on;
mod rows;
mod staged;
mod tree;
mod trust;

pub use chance::{Percent, Stays, VerdictsSoFar};
pub use closing::rehearsed;
pub use closing::{Closing, ClosingAnswer, ClosingAsked, ClosingMove, closings};
pub use facts::first_facts;
pub use following::{Followed, Follower};
pub use live_tree::LiveTree;
pub use reading_on::read_on;
pub use rows::KeptRows;
pub use staged::{StageVerdict, Stages, is_believed, speaks};
pub use tree::{KeptTree, load};
pub use trust::Trust;
