//! The recheck of one tree: its leaves are asked one after the other, the probable next ones beside
//! them.

use std::time::{Duration, Instant};

use hashbrown::{HashMap, HashSet};

use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Leaf, Margin, RecheckState};
use deepanalyze_engine::{EngineError, Wakeup};
use deepanalyze_store::{AnalysisId, ProfileId};
use deepanalyze_view::{NamedMove, Rechecked, TreeRecheck, load_as_grown};

use crate::closing::recheck_look;
use crate::context::{RunWork, quarantine_workers};
use crate::control::must_end;
use crate::feed::event::{RecheckProgress, RunEvent};
use crate::outcome::{RunEnd, RunError};
use crate::recheck::events::{AskedMove, take_events};

/// Pause between reports.
const TICK: Duration = Duration::from_millis(250);

/// Pause between writes of its state. In a large tree one takes as long as an answer; the answers
/// are kept anyway.
const NOTED_EVERY: Duration = Duration::from_secs(10);

/// Recheck of one tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeAsked {
    /// The tree.
    pub analysis: AnalysisId,
    /// The limit of the new searches.
    pub limit: Limit,
    /// Possible error, in centipawns, of a score not asked again; `None` to use the two profiles'
    /// errors.
    pub within: Option<u32>,
}

/// Asks the leaves of a tree again until no other leaf can change its best move; returns how that
/// ended and its result, `None` if the root has no move. Searches that it leaves running go on.
///
/// # Errors
///
/// An engine's at a leaf that is needed; earlier answers are kept.
pub fn recheck_tree(
    work: &mut RunWork<'_>,
    asked: TreeAsked,
) -> Result<(RunEnd, Option<Box<Rechecked>>), RunError> {
    let profile = Profile { limit: asked.limit, ..work.engines.profile().clone() };
    let profile_id = work.store.profile_id(&profile)?;
    quarantine_workers(work.store, work.engines)?;
    recheck_look(work, asked.analysis)?;
    loop {
        quarantine_workers(work.store, work.engines)?;
        let margin = margin_of(work, asked, profile_id)?;
        let tree = load_as_grown(work.store, asked.analysis)?;
        let Some(tree) = TreeRecheck::new(tree, (profile_id, profile.clone()), margin) else {
            return Ok((RunEnd::Settled, None));
        };
        let (noted, changed) = (work.engines.now(), true);
        let (failed, guessed, ahead) = (HashMap::new(), HashSet::new(), Vec::new());
        let run =
            TreeRun { work, tree, limit: asked.limit, failed, guessed, ahead, changed, noted };
        if let Some((end, mut rechecked)) = run.run()? {
            let row = work.store.analysis(asked.analysis)?;
            rechecked.note.own =
                row.map(|row| rechecked.note.own_word(work.store, &row)).transpose()?.flatten();
            return Ok((end, Some(rechecked)));
        }
    }
}

/// The margin that a recheck begins with. A resumed one begins as before, and takes the same way.
fn margin_of(work: &RunWork<'_>, asked: TreeAsked, profile: ProfileId) -> Result<Margin, RunError> {
    if let Some(within) = asked.within {
        return Ok(Margin::Fixed(within));
    }
    let row = work.store.analysis(asked.analysis)?;
    let tree = row.map(|row| (row.passes, row.regrown));
    let before = work.store.rechecks_of(asked.analysis)?.into_iter();
    let mut same = before.filter(|row| row.profile_id == profile && Some(row.tree) == tree);
    match same.next().map(|row| row.margin) {
        Some(margin @ Margin::Shown(_)) => Ok(margin),
        _ => Ok(Margin::Shown(work.store.errors_elsewhere(asked.analysis, profile)?)),
    }
}

/// A recheck in progress.
struct TreeRun<'a, 'w> {
    work: &'a mut RunWork<'w>,
    tree: TreeRecheck,
    limit: Limit,
    /// Leaves at which engines have failed for good.
    failed: HashMap<Leaf, EngineError>,
    /// Leaves answered but not asked yet.
    guessed: HashSet<Leaf>,
    /// The probable next leaves, and whether they are to be found anew.
    ahead: Vec<Leaf>,
    changed: bool,
    /// When its state was last written.
    noted: Instant,
}

impl TreeRun<'_, '_> {
    /// How it ended and its result; `None` if answers were invalidated, and it is to begin anew.
    fn run(mut self) -> Result<Option<(RunEnd, Box<Rechecked>)>, RunError> {
        // If killed, it goes on with this margin.
        self.note()?;
        let end = loop {
            self.tell();
            let Some(next) = self.tree.next_leaf() else { break RunEnd::Settled };
            if let Some(end) = must_end(self.work.control, self.is_late()) {
                break end;
            }
            if self.tree.follow(self.work.store)? {
                self.guessed.remove(&next);
                self.changed = true;
                continue;
            }
            if let Some(end) = self.must_end() {
                break end;
            }
            if let Some(error) = self.failed.remove(&next) {
                self.note()?;
                return Err(error.into());
            }
            self.start()?;
            self.note_if_due()?;
            if self.wait()? {
                return Ok(None);
            }
        };
        self.note()?;
        Ok(Some((end, Box::new(self.tree.told()))))
    }

    /// True if the time is up.
    fn is_late(&self) -> bool {
        let now = self.work.engines.now();
        self.work.progress.budget.deadline().is_some_and(|at| at <= now)
    }

    /// How it must end now, if it must. The next leaf wants a search, if it has none.
    fn must_end(&self) -> Option<RunEnd> {
        let progress = &self.work.progress;
        let (running, now) = (progress.moves.len(), self.work.engines.now());
        must_end(self.work.control, progress.budget.ends_root(1, running, now))
    }

    fn may_search(&self) -> bool {
        let (work, running) = (&*self.work, self.work.progress.moves.len());
        running < work.engines.up()
            && !work.control.is_paused()
            && work.progress.budget.allows(running, work.engines.now())
    }

    /// Gives free engines the next leaf, and the probable ones after it.
    fn start(&mut self) -> Result<(), RunError> {
        while self.may_search() {
            if std::mem::take(&mut self.changed) {
                self.ahead = self.tree.ahead(self.work.engines.up() + self.guessed.len());
            }
            let Some(leaf) = self.free_leaf()? else { return Ok(()) };
            let asked = self.asked(leaf);
            self.work.progress.moves.start(self.work.engines, asked, self.limit);
        }
        Ok(())
    }

    /// The first leaf with neither a search nor an answer.
    fn free_leaf(&mut self) -> Result<Option<Leaf>, RunError> {
        for leaf in self.ahead.clone() {
            let asked = self.asked(leaf);
            let is_known = self.guessed.contains(&leaf)
                || self.failed.contains_key(&leaf)
                || self.work.progress.moves.has(&asked);
            if is_known {
                continue;
            }
            let AskedMove { profile, position, uci, .. } = &asked;
            if self.work.store.move_answer(*profile, position, *uci)?.is_none() {
                return Ok(Some(leaf));
            }
            self.guessed.insert(leaf);
        }
        Ok(None)
    }

    fn asked(&self, leaf: Leaf) -> AskedMove {
        let (position, uci) = self.tree.place(leaf);
        let (profile, of) = (self.tree.profile_id(), self.tree.tree().row.id);
        AskedMove { profile, position, uci, of }
    }

    /// Waits for an event, and handles it; true if answers were invalidated.
    fn wait(&mut self) -> Result<bool, RunError> {
        let tick = self.work.engines.now() + TICK;
        let until = self.work.progress.budget.deadline().into_iter().chain([tick]).min();
        match self.work.engines.wait(self.work.control.wake(), until) {
            Wakeup::Event(event) => {
                let taken = take_events(self.work, event)?;
                for (asked, error) in taken.failed {
                    let leaf = self.ahead.iter().copied().find(|leaf| self.is_at(*leaf, &asked));
                    self.failed.extend(leaf.map(|leaf| (leaf, error)));
                }
                Ok(taken.is_void)
            }
            Wakeup::Control | Wakeup::Time => Ok(false),
        }
    }

    fn is_at(&self, leaf: Leaf, asked: &AskedMove) -> bool {
        let (position, uci) = self.tree.place(leaf);
        uci == asked.uci && position == asked.position
    }

    fn note(&mut self) -> Result<(), RunError> {
        self.noted = self.work.engines.now();
        let row = self.tree.row();
        // Nothing was asked: nothing to show later.
        if row.asked == 0 && row.state == RecheckState::Open {
            return Ok(());
        }
        Ok(self.work.store.keep_recheck(&row)?)
    }

    fn note_if_due(&mut self) -> Result<(), RunError> {
        let since = self.work.engines.now().saturating_duration_since(self.noted);
        if since >= NOTED_EVERY { self.note() } else { Ok(()) }
    }

    fn tell(&mut self) {
        let (tree, budget, now) = (&self.tree, &self.work.progress.budget, self.work.engines.now());
        let root = tree.tree().game.root();
        let best = tree.best();
        let progress = RecheckProgress {
            best: best.map(|best| NamedMove::of(root, best.uci)),
            value: best.map(|best| best.value.into()),
            asked: tree.asked(),
            leaves: tree.leaves(),
            within: tree.within(),
            searches: budget.searches(),
            nodes: budget.nodes(),
            busy: self.work.progress.moves.len(),
            engines: self.work.engines.up(),
            elapsed: budget.elapsed(now),
            left: budget.deadline().map(|at| at.saturating_duration_since(now)),
        };
        (self.work.tell)(RunEvent::Recheck(progress));
    }
}
