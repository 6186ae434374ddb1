//! Deeper searches that the memo has at traps: a loss that one search saw may be none two plies later.

use std::collections::HashSet;

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Growth;
use deepanalyze_store::{ProfileId, Store, StoreError};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use super::{TrapLimits, errors};

/// Losing replies that deeper searches refute, each with its position.
pub type Refuted = HashSet<(PositionKey, UciMove)>;

/// The deepest searches of a trap's position and of the position behind the losing reply. Values are for
/// the side that sets the trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeeperLook {
    /// The value behind the losing reply.
    pub after: Value,
    /// The value of the position.
    pub best: Value,
    /// The lesser limit of the two searches.
    pub limit: Limit,
}

impl DeeperLook {
    /// True if the reply loses less than a trap's does.
    pub fn refutes(self, limits: TrapLimits) -> bool {
        i64::from(self.after.get()) - i64::from(self.best.get()) < i64::from(limits.loses)
    }
}

/// Searches of the memo by a tree's engine that are deeper than the tree's.
#[derive(Debug)]
pub struct DeeperSearches<'s> {
    store: &'s Store,
    /// The greatest limit first.
    profiles: Vec<(ProfileId, Limit)>,
}

impl<'s> DeeperSearches<'s> {
    /// Searches deeper than a profile's.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn than(profile: &Profile, store: &'s Store) -> Result<DeeperSearches<'s>, StoreError> {
        let profiles = store.profiles_from(profile)?.into_iter();
        let profiles = profiles.map(|(id, of)| (id, of.limit));
        let profiles = profiles.filter(|(_, limit)| *limit != profile.limit).collect();
        Ok(DeeperSearches { store, profiles })
    }

    /// The value of a position for its side to move by its deepest search, with its limit.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn value(&self, position: &Chess) -> Result<Option<(Value, Limit)>, StoreError> {
        for (profile, limit) in &self.profiles {
            if let Some(answer) = self.store.answer(*profile, position, 0)? {
                return Ok(Some((answer.score.into(), *limit)));
            }
        }
        Ok(None)
    }

    /// The look at a losing reply; `None` where one of both positions was not searched deeper.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn look(&self, position: &Chess, behind: &Chess) -> Result<Option<DeeperLook>, StoreError> {
        let Some((best, limit)) = self.value(position)? else { return Ok(None) };
        let Some((after, of_after)) = self.value(behind)? else { return Ok(None) };
        Ok(Some(DeeperLook { after: -after.step(), best: -best, limit: limit.min(of_after) }))
    }

    /// The likely losing replies of a tree that deeper searches refute, by the usual limits: those of traps of
    /// the sides that the tree prepares.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn refuted(&self, growth: &Growth) -> Result<Refuted, StoreError> {
        let (graph, limits, mut refuted) = (growth.graph(), TrapLimits::default(), Refuted::new());
        let Some(rules) = growth.counts().rules.filter(|_| !self.profiles.is_empty()) else {
            return Ok(refuted);
        };
        for key in growth.counts().positions() {
            let node = growth.find(key).filter(|node| rules.prepare(!graph.turn(*node)));
            let Some((node, counts)) = node.zip(growth.counts().get(key)) else { continue };
            for (edge, _) in errors(graph, growth.values(), counts, node, limits) {
                let look = self.look(&key.position(), &growth.position(edge.child))?;
                if look.is_some_and(|look| look.refutes(limits)) {
                    refuted.insert((*key, edge.uci.unpack()));
                }
            }
        }
        Ok(refuted)
    }
}
