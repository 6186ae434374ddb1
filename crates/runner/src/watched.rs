//! Checks of a run between its passes: the directives of its root, which others may change while it
//! works, and how stable its verdict is, if that may end it.

use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::{Growth, root_moves};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{Percent, Stages, Stays, VerdictsSoFar};

/// Pause between checks for directives changed by another process.
const PAUSE: Duration = Duration::from_millis(250);

/// The directives seen by a run.
#[derive(Debug)]
pub struct DirectivesSeen {
    game: Game,
    revision: u64,
    /// Number of changes announced in its own process.
    told: u64,
    /// `None` if the look is due.
    next_look: Option<Instant>,
    /// True if those of the run's beginning hold to its end.
    are_fixed: bool,
}

impl DirectivesSeen {
    /// For a root after `revision` changes, of which `told` are known to the run.
    pub fn new(game: Game, revision: u64, told: u64, now: Instant) -> DirectivesSeen {
        DirectivesSeen { game, revision, told, next_look: Some(now + PAUSE), are_fixed: false }
    }

    /// For a root whose directives are fixed here.
    pub fn fixed(game: Game) -> DirectivesSeen {
        DirectivesSeen { game, revision: 0, told: 0, next_look: None, are_fixed: true }
    }

    /// Checks again immediately.
    pub fn look_at_once(&mut self) {
        self.next_look = None;
    }

    /// True if a tree was begun under other directives than the root's now. Notes change no tree.
    /// The run knows `told` changes.
    pub fn have_changed(
        &mut self,
        store: &Store,
        growth: &Growth,
        told: u64,
        now: Instant,
    ) -> Result<bool, StoreError> {
        if std::mem::replace(&mut self.told, told) != told {
            self.look_at_once();
        }
        if self.are_fixed || self.next_look.is_some_and(|next| now < next) {
            return Ok(false);
        }
        self.next_look = Some(now + PAUSE);
        let revision = match store.revision(&self.game) {
            // Without a write-ahead log readers wait for writers. Checked again soon.
            Err(error) if error.is_busy() => return Ok(false),
            revision => revision?,
        };
        if revision == std::mem::replace(&mut self.revision, revision) {
            return Ok(false);
        }
        Ok(store.directives(&self.game)?.wishes() != *growth.wishes())
    }
}

/// How stable the verdict of a stage is, and is to be.
#[derive(Debug)]
pub struct UntilStable {
    /// The wanted chance.
    pub least: Percent,
    so_far: VerdictsSoFar,
}

impl UntilStable {
    /// For a stage as stored under the present directives; `None` if a deeper stage of its root
    /// counts already, or if the chance is not known for its stages.
    pub fn of(
        store: &Store,
        analysis: AnalysisId,
        least: Percent,
    ) -> Result<Option<UntilStable>, StoreError> {
        store.at_one_moment(|| {
            let Some(row) = store.analysis(analysis)? else { return Ok(None) };
            let Some(game) = row.game() else { return Ok(None) };
            let directives = store.directives(&game)?.of_tree();
            let stages = Stages::of(store, row.clone())?;
            let so_far = VerdictsSoFar::of(store, &stages, &row, &directives)?;
            let is_as_said = store.grown_with(analysis)? == directives;
            let verdicts = if is_as_said { store.verdicts(analysis)? } else { Vec::new() };
            Ok(so_far.map(|so_far| UntilStable { least, so_far: so_far.with(&verdicts) }))
        })
    }

    /// As [`Self::of`] for a tree grown again from its root: no settled depth counts.
    pub fn again(self) -> UntilStable {
        UntilStable { so_far: self.so_far.again(), ..self }
    }

    /// Takes the newest settled depth of a tree.
    pub fn settled(&mut self, growth: &Growth) {
        if let Some(settled) = growth.settled().last() {
            let moves = root_moves(growth.graph(), growth.values(), growth.root());
            self.so_far.settle(settled.depth, &moves);
        }
    }

    /// The chance that the best move stays.
    pub fn stays(&self) -> Option<Stays> {
        self.so_far.stays()
    }

    /// True if the verdict is as stable as wanted, and this move still the best, or nothing else
    /// can be best.
    pub fn is_reached(&self, best: Option<UciMove>) -> bool {
        let stays = self.stays().filter(|stays| Some(stays.best) == best);
        self.so_far.is_alone() || stays.is_some_and(|stays| stays.chance >= self.least)
    }
}
