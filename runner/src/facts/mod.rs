//! What a run knows of endgame tables: facts that are kept, and those that are looked up in files, in a thread of
//! its own, so that no engine waits for a disk.

mod beginning;
mod look_up;
mod prober;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deepanalyze_core::chess::{FiftyMoves, Game, TableEnd, TableFiles, Tables};
use deepanalyze_store::{Store, StoreError};

use super::control::ControlReceiver;
use super::control::Wakers;

pub(super) use beginning::{begin_facts, facts_to_begin_with, facts_to_grow_again};
pub(super) use look_up::LookUp;
use prober::Prober;
#[cfg(test)]
pub(super) use prober::SlowDisk;

/// Endgame tables by which trees go.
#[derive(Debug, Clone)]
pub struct TableUse {
    /// The files.
    pub files: Arc<TableFiles>,
    /// How far trees go by them.
    pub tables: Tables,
    has_looked_again: Arc<AtomicBool>,
    #[cfg(test)]
    slow_disk: Option<prober::SlowDisk>,
}

impl TableUse {
    /// All that the files have, and whether the fifty-move rule counts.
    pub fn new(files: Arc<TableFiles>, fifty: FiftyMoves) -> TableUse {
        let tables = Tables { men: files.men(), fifty };
        TableUse {
            files,
            tables,
            has_looked_again: Arc::default(),
            #[cfg(test)]
            slow_disk: None,
        }
    }

    /// The same files for a tree that goes by tables in its own way; none where they have too few men for it.
    pub fn for_tree(&self, tables: Tables) -> Option<TableUse> {
        (tables.men <= self.files.men()).then(|| TableUse { tables, ..self.clone() })
    }

    /// What the root of a game is for its side to move, where the tables know it. Reads files.
    pub fn end_of(&self, game: &Game) -> Option<TableEnd> {
        let root = Some(game.root()).filter(|root| self.tables.may_know(root))?;
        let wdl = self.files.wdl(root)?;
        Some(TableEnd { wdl, value: self.tables.value(wdl) })
    }

    /// The same files for trees in another database, in which nothing was looked up again yet.
    #[must_use]
    pub fn of_another_database(&self) -> TableUse {
        TableUse { has_looked_again: Arc::default(), ..self.clone() }
    }

    /// The same files where the fifty-move rule counts, or not.
    #[must_use]
    pub fn under(&self, fifty: FiftyMoves) -> TableUse {
        TableUse { tables: Tables { fifty, ..self.tables }, ..self.clone() }
    }

    /// What looks positions up for a run, and wakes it.
    fn prober(&self, wakers: Wakers, is_virtual: bool) -> std::io::Result<Prober> {
        let files = Arc::clone(&self.files);
        #[cfg(test)]
        if let Some(disk) = &self.slow_disk {
            disk.wakes(wakers);
            return Ok(Prober::Slow { files, disk: disk.clone() });
        }
        if is_virtual { Ok(Prober::at_once(files)) } else { Prober::in_thread(files, wakers) }
    }

    /// The same on a disk that answers only when it is told to.
    #[cfg(test)]
    pub(super) fn on_slow_disk(self, disk: prober::SlowDisk) -> TableUse {
        TableUse { slow_disk: Some(disk), ..self }
    }

    /// Looks up again what tables did not have when they were asked, and keeps what they have by now: trees that
    /// stand on the old facts are grown again when they are grown next. Once is enough: later calls do nothing. It
    /// ends where the run is told to; `say` is told of how many positions are looked up, where there are any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn look_again(
        &self,
        store: &mut Store,
        control: &ControlReceiver,
        say: &mut dyn FnMut(usize),
    ) -> Result<(), StoreError> {
        if !self.has_looked_again.load(Ordering::Relaxed) {
            let is_done = beginning::look_again(store, &self.files, control, say)?;
            self.has_looked_again.store(is_done, Ordering::Relaxed);
        }
        Ok(())
    }
}
