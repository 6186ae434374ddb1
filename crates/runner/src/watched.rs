//! What a run keeps an eye on between its passes: the directives of its root, which others may change while it works,
//! and how stable its verdict is, where it is to end by that.

use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Game;
use deepanalyze_core::tree::{Growth, root_moves};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{Percent, Stages, Stays, VerdictsSoFar};

/// How often a run looks whether another process has changed the directives.
const PAUSE: Duration = Duration::from_millis(250);

/// The directives that a run has seen.
#[derive(Debug)]
pub struct DirectivesSeen {
    game: Game,
    revision: u64,
    /// How often the run was told of a change in its own process.
    told: u64,
    /// None where it is not put off.
    next_look: Option<Instant>,
    /// Whether those of the run's beginning hold to its end.
    are_fixed: bool,
}

impl DirectivesSeen {
    /// Those of a root after so many changes, of which the run was told of so many.
    pub fn new(game: Game, revision: u64, told: u64, now: Instant) -> DirectivesSeen {
        DirectivesSeen { game, revision, told, next_look: Some(now + PAUSE), are_fixed: false }
    }

    /// Those of a root, which do not change for this run.
    pub fn fixed(game: Game) -> DirectivesSeen {
        DirectivesSeen { game, revision: 0, told: 0, next_look: None, are_fixed: true }
    }

    /// The next look is not put off.
    pub fn look_at_once(&mut self) {
        self.next_look = None;
    }

    /// Whether a tree was begun under others than the root has by now. Notes change no tree. The run was told of so many
    /// changes.
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
            // Without a write-ahead log a reader waits for writers. There is another look soon.
            Err(error) if error.is_busy() => return Ok(false),
            revision => revision?,
        };
        if revision == std::mem::replace(&mut self.revision, revision) {
            return Ok(false);
        }
        Ok(store.directives(&self.game)?.wishes() != *growth.wishes())
    }
}

/// How stable the verdict of a stage is, and how stable it is to be.
#[derive(Debug)]
pub struct UntilStable {
    /// The chance that is wanted.
    pub least: Percent,
    so_far: VerdictsSoFar,
}

impl UntilStable {
    /// Of a stage as the store has it under the present directives; nothing where a deeper stage of its root speaks
    /// already, or where it is none of the stages whose chance is known.
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

    /// The same where the tree is grown again from its root: what it has settled does not count.
    pub fn again(self) -> UntilStable {
        UntilStable { so_far: self.so_far.again(), ..self }
    }

    /// Takes in the depth that a tree has settled.
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

    /// Whether the verdict is as stable as it is to be, and this move still the best, or nothing else can be best.
    pub fn is_reached(&self, best: Option<UciMove>) -> bool {
        let stays = self.stays().filter(|stays| Some(stays.best) == best);
        self.so_far.is_alone() || stays.is_some_and(|stays| stays.chance >= self.least)
    }
}
