//! A run's eye on the directives of its root, which others may change while it works.

use std::time::{Duration, Instant};

use deepanalyze_core::chess::Game;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, IllegalMove, Selection, TableFacts};
use deepanalyze_report::BestLine;
use deepanalyze_store::{Store, StoreError};

/// How often a run looks for other directives.
const PAUSE: Duration = Duration::from_millis(250);

/// The directives that a run has seen.
#[derive(Debug)]
pub struct DirectivesSeen {
    game: Game,
    revision: u64,
    /// None where it is not put off.
    next_look: Option<Instant>,
    /// Whether those of the run's beginning hold to its end.
    are_fixed: bool,
}

/// A tree under other directives: to be grown again from its root.
#[derive(Debug)]
pub struct Directed {
    /// The tree before its first pass.
    pub growth: Growth,
    /// What the tree that there is says under them.
    pub verdict: Option<BestLine>,
}

impl DirectivesSeen {
    /// Those of a root after so many changes.
    pub fn new(game: Game, revision: u64, now: Instant) -> DirectivesSeen {
        DirectivesSeen { game, revision, next_look: Some(now + PAUSE), are_fixed: false }
    }

    /// Those of a root, which do not change for this run.
    pub fn fixed(game: Game) -> DirectivesSeen {
        DirectivesSeen { game, revision: 0, next_look: None, are_fixed: true }
    }

    /// The next look is not put off.
    pub fn look_at_once(&mut self) {
        self.next_look = None;
    }

    /// Whether a tree was begun under others than the root has by now. Notes change no tree.
    pub fn have_changed(
        &mut self,
        store: &Store,
        growth: &Growth,
        now: Instant,
    ) -> Result<bool, StoreError> {
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

/// Begins a tree again under other directives, or with other facts of tables.
///
/// # Errors
///
/// Where an included move is not legal.
pub fn direct(
    game: &Game,
    growth: &Growth,
    directives: &Directives,
    facts: TableFacts,
) -> Result<Directed, IllegalMove> {
    let wishes = directives.wishes();
    let verdict = BestLine::of(&growth.under(wishes.clone())?);
    let breadth = growth.breadth().clone();
    let mut growth = Growth::new(game, Selection { breadth, wishes, facts });
    growth.note_changes();
    Ok(Directed { growth, verdict })
}
