//! What a duel is about.

use crate::search::Profile;

use super::setting::Setting;
use super::suite::Suite;
use super::summary::Counting;

/// Which moves the judge is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The arms' moves where they differ.
    Arms,
    /// And, where a tree's move is not its first choice, both of them.
    FirstChoices,
    /// And for its own move, in every position.
    OwnMoves,
}

/// What a duel is a function of, besides the answers.
#[derive(Debug, Clone)]
pub struct Contest {
    /// The positions.
    pub suite: Suite,
    /// The arms' engine; the limit is that of the long search.
    pub player: Profile,
    /// Engine nodes of each arm.
    pub nodes: u64,
    /// The trees.
    pub settings: Vec<Setting>,
    /// The judge's engine, with the limit of its searches.
    pub judge: Profile,
    /// Engine nodes of each of the judge's searches.
    pub judge_nodes: u64,
    /// What the judge is asked.
    pub asked: Asked,
    /// How results are counted.
    pub counting: Counting,
}
