//! What gets analysed: how broad the tree is, and what the user has said of positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::chess::PositionKey;

use super::breadth::Breadth;
use super::graph::Wish;

/// What a tree is a function of beside its game and the engine's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// What the user wants of positions, whatever line leads to them.
    pub wishes: Arc<Wishes>,
}

/// What the user wants, by position.
pub type Wishes = BTreeMap<PositionKey, Wish>;

impl From<Breadth> for Selection {
    fn from(breadth: Breadth) -> Selection {
        Selection { breadth, wishes: Arc::default() }
    }
}

/// A plain distance in centipawns, and no directives.
impl From<u32> for Selection {
    fn from(distance: u32) -> Selection {
        Breadth::from(distance).into()
    }
}
