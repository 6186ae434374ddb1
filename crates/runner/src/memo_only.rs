//! Growing a tree from the memo, without engines; and the threat of a position: the best move of the
//! side not to move.

use std::time::Instant;

use crossbeam_channel::Receiver;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{DrawValue, Game};
use deepanalyze_core::search::{Limit, Profile, Search};
use deepanalyze_engine::{Engines, Event, Wakeup};
use deepanalyze_store::{AnalysisId, AnalysisKind, AnalysisRow, Store, StoreError};
use deepanalyze_view::Line;

use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, control};
use crate::facts::TableUse;
use crate::job::{Job, Schedule, TreePlan};
use crate::outcome::{RunError, RunOutcome};
use crate::queue::grow;
use crate::session::quick_line;

/// Engines stub for runs that may make no search.
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
                // The waker may be gone.
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

/// Outcome of growing a tree from the memo.
#[derive(Debug)]
pub enum GrownFromMemo {
    /// Grown as far as the memo answers.
    Grown(Box<RunOutcome>),
    /// Another process grows it, and takes from the memo what it needs.
    Growing,
    /// It uses tablebases of this many pieces, missing here.
    NoTables(u8),
    /// It knows a set of games missing here.
    NoGames,
    /// The moves to its root cannot be played.
    Unplayable,
}

/// Grows a kept tree on to a depth, as far as the memo answers. Unknown tablebase facts are looked
/// up.
///
/// # Errors
///
/// [`RunError`] if the database fails, or an existing table cannot be read.
pub fn grow_from_memo(
    store: &mut Store,
    row: &AnalysisRow,
    depth: u32,
    tables: Option<&TableUse>,
    control: &ControlReceiver,
) -> Result<GrownFromMemo, RunError> {
    let Some(game) = row.game() else { return Ok(GrownFromMemo::Unplayable) };
    let AnalysisRow { settings, profile, .. } = row;
    if settings.games.is_some() {
        return Ok(GrownFromMemo::NoGames);
    }
    let tables = match settings.tables {
        None => None,
        Some(wanted) => match tables.and_then(|used| used.for_tree(wanted)) {
            None => return Ok(GrownFromMemo::NoTables(wanted.men)),
            used => used,
        },
    };
    let tree = TreePlan { tables, draw: settings.draw, ..settings.breadth.clone().into() };
    match grow_alone(store, game, tree, profile, depth, control) {
        Ok(outcome) => Ok(GrownFromMemo::Grown(Box::new(outcome))),
        Err(RunError::Store(StoreError::Growing { .. })) => Ok(GrownFromMemo::Growing),
        Err(error) => Err(error),
    }
}

/// Grows a tree that differs from another one only in the value of a draw, as far as the memo
/// answers; returns its analysis, new or not. `None` if the memo knows nothing about the root, or
/// if the other tree uses tables or knows games: those would have to be here.
///
/// # Errors
///
/// [`RunError`] if the database fails, or another process grows the tree.
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
    let (_control, receiver) = control();
    Ok(grow_alone(store, game, tree, &row.profile, depth, &receiver)?.analysis)
}

/// A run that may make no search.
fn grow_alone(
    store: &mut Store,
    game: Game,
    tree: TreePlan,
    profile: &Profile,
    depth: u32,
    control: &ControlReceiver,
) -> Result<RunOutcome, RunError> {
    let job = Job {
        limits: RunLimits { searches: Some(0), ..RunLimits::default() },
        look_ahead: false,
        ..Job::new(game, tree, Schedule::Once(profile.limit), depth)
    };
    let mut engines = NoEngines { profile: profile.clone() };
    grow(&job, store, &mut engines, control, &mut |_| {})
}

/// Nodes of the built-in engine: some tenths of a second. A position's threat is the same on every
/// computer.
const NODES: u64 = 100_000;

/// The threat of a position, by the built-in engine: the other side's best line, from the position
/// with the turn passed. `None` if the side to move is in check, so that the turn cannot be passed,
/// or the other one could not move.
pub fn threat(position: &Chess) -> Option<Line> {
    let passed = position.clone().swap_turn().ok().filter(|passed| !passed.is_game_over())?;
    quick_line(Game::from_position(passed), NODES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_fen};

    fn of(fen: &str) -> Option<Line> {
        threat(&parse_fen(fen).unwrap())
    }

    #[test]
    fn threat_of_mate_and_none_in_check() {
        let scholar = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4";
        let found = of(scholar).unwrap();
        assert_eq!(found.moves[0].to_string(), "h5f7");
        assert!(found.value.is_mate() && found.value > Value::EVEN, "{:?}", found.value);
        assert_eq!(of(scholar), Some(found), "the same every time");
        assert_eq!(of("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"), None);
        // Black, who would be to move, has none.
        assert_eq!(of("7k/5Q2/8/8/8/8/8/K7 w - - 0 1"), None);
    }
}
