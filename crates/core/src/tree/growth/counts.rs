//! What games say of positions, before it becomes part of the tree.

use crate::chess::PositionKey;
use crate::tree::played::{CountFacts, MoveCounts};
use crate::tree::visit::service::Service;

use super::Growth;

impl Growth {
    /// What games say of positions, as far as it is known.
    pub fn counts(&self) -> &CountFacts {
        self.told.as_ref().unwrap_or(&self.selection.counts)
    }

    /// Takes what looking up positions has given.
    pub fn learn_counts(&mut self, found: impl IntoIterator<Item = (PositionKey, MoveCounts)>) {
        for (key, counts) in found {
            self.selection.counts.learn(key, counts);
        }
    }

    /// Tells other counts in place of those that it was grown with. No move is followed, or left, for that.
    pub fn tell_counts(&mut self, counts: CountFacts) {
        self.told = Some(counts);
    }

    /// The positions of a pass whose first answers are to be admitted, and whose counts are to be looked up before.
    pub fn to_count(&self, services: &[Service]) -> Vec<PositionKey> {
        let counts = &self.selection.counts;
        if counts.rules.is_none() {
            return Vec::new();
        }
        let first =
            services.iter().map(Service::node).filter(|node| self.graph().list(*node).is_empty());
        let keys = first.map(|node| *self.positions.key(node));
        keys.filter(|key| counts.get(key).is_none()).collect()
    }
}
