//! Game counts of positions, before they become part of the tree.

use crate::chess::PositionKey;
use crate::tree::move_counts::MoveCounts;
use crate::tree::played::CountFacts;
use crate::tree::visit::service::Service;

use super::Growth;

impl Growth {
    /// Game counts of positions, as far as they are known.
    pub fn counts(&self) -> &CountFacts {
        self.told.as_ref().unwrap_or(&self.selection.counts)
    }

    /// Takes the counts of looked-up positions.
    pub fn learn_counts(&mut self, found: impl IntoIterator<Item = (PositionKey, MoveCounts)>) {
        for (key, counts) in found {
            self.selection.counts.learn(key, counts);
        }
    }

    /// Forgets the counts of positions that are not in the tree.
    pub(in crate::tree) fn forget_counts(&mut self, of: &[PositionKey]) {
        of.iter().for_each(|key| self.selection.counts.forget(key));
    }

    /// Reports other counts than those that it was grown with. No followed move changes.
    pub fn tell_counts(&mut self, counts: CountFacts) {
        self.told = Some(counts);
    }

    /// The positions of a pass whose counts are to be looked up before their first answers are
    /// admitted.
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
