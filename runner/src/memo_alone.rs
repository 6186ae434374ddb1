//! Growing a tree from what the memo knows, without engines.

use std::time::Instant;

use crossbeam_channel::Receiver;

use deepanalyze_core::chess::DrawValue;
use deepanalyze_core::search::{Limit, Profile, Search};
use deepanalyze_engine::{Engines, Event, Wakeup};
use deepanalyze_store::{AnalysisId, AnalysisKind, AnalysisRow, Store};

use crate::control::control;
use crate::control::limits::RunLimits;
use crate::error::RunError;
use crate::plan::{Plan, Schedule, TreePlan};
use crate::stages::grow;

/// Nobody who searches: a run that may make no search never asks.
#[derive(Debug)]
struct NoEngines {
    profile: Profile,
}

impl Engines for NoEngines {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn submit(&mut self, _ticket: u64, _search: Search, _limit: Limit, _keep_hash: bool) {}

    fn withdraw(&mut self) -> Vec<u64> {
        Vec::new()
    }

    fn up(&self) -> usize {
        1
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        match until.map(|until| wake.recv_deadline(until)) {
            Some(Err(_)) => Wakeup::Time,
            Some(Ok(())) => Wakeup::Control,
            None => {
                // Whoever wakes this may be gone.
                let _ = wake.recv();
                Wakeup::Control
            }
        }
    }

    fn poll(&mut self) -> Option<Event> {
        None
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

/// Grows a tree that differs from another one in nothing but what a draw is worth, as far as the memo answers; gives its
/// analysis, which may be there already. Nothing where the memo knows nothing of the root, and where the other tree goes by
/// tables or knows games: those would have to be there.
///
/// # Errors
///
/// [`RunError`] where the database fails, or another process grows the tree.
pub fn grow_with_draw(
    store: &mut Store,
    row: &AnalysisRow,
    draw: DrawValue,
) -> Result<Option<AnalysisId>, RunError> {
    let is_plain = row.settings.tables.is_none() && row.settings.games.is_none();
    let Some(game) = row.game().filter(|_| is_plain) else { return Ok(None) };
    let tree = TreePlan { draw, ..row.settings.breadth.clone().into() };
    let kind = AnalysisKind { profile: row.profile_id, settings: tree.knowing(None) };
    let there = store.analyses_of(&game)?.into_iter().find(|other| other.kind() == kind);
    if let Some(other) = there.as_ref().filter(|other| store.is_growing(other.id)) {
        return Ok(Some(other.id));
    }
    let depth = there.map_or(0, |other| other.target_depth).max(row.target_depth);
    let schedule = Schedule::Once(row.profile.limit);
    let plan = Plan {
        limits: RunLimits { searches: Some(0), ..RunLimits::default() },
        look_ahead: false,
        ..Plan::new(game, tree, schedule, depth)
    };
    let mut engines = NoEngines { profile: row.profile.clone() };
    let (_control, receiver) = control();
    Ok(grow(&plan, store, &mut engines, &receiver, &mut |_| {})?.analysis)
}
