//! The facts of a run: in memory, in the store, or being looked up.

use std::sync::Arc;

use hashbrown::HashMap;
use shakmaty::Chess;

use crate::control::ControlReceiver;
use deepanalyze_core::chess::{PositionKey, TableFiles, Tables, Wdl};
use deepanalyze_store::{NewFact, Store, StoreError};

use super::TableUse;
use super::prober::Prober;

/// Facts that are kept in memory; beyond, the store is asked again.
const CAPACITY: usize = 200_000;

/// What a run knows of positions that tables may have.
#[derive(Debug)]
pub struct LookUp {
    files: Arc<TableFiles>,
    tables: Tables,
    /// The tree knows no fact that was found in a later round than this.
    round: u64,
    known: HashMap<PositionKey, Option<Wdl>>,
    /// What is not yet in the file.
    unsaved: Vec<NewFact>,
    /// What is being looked up, and whether the run needs it.
    asked: HashMap<PositionKey, bool>,
    prober: Prober,
}

impl LookUp {
    /// Nothing known yet. Positions are looked up in a thread that wakes the run, or at once where the time is
    /// virtual.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn new(
        tables: &TableUse,
        round: u64,
        control: &ControlReceiver,
        is_virtual: bool,
    ) -> std::io::Result<LookUp> {
        Ok(LookUp {
            files: Arc::clone(&tables.files),
            tables: tables.tables,
            round,
            known: HashMap::new(),
            unsaved: Vec::new(),
            asked: HashMap::new(),
            prober: tables.prober(control.wakers(), is_virtual)?,
        })
    }

    /// What is known of a position that the run needs; none where that is being found out: the run is woken then.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn get(
        &mut self,
        store: &Store,
        position: &Chess,
    ) -> Result<Option<Option<Wdl>>, StoreError> {
        self.find_out(store, position, true)
    }

    /// The same of a position that may be needed later. It waits for those that are needed now, and is not looked up
    /// where too many of its kind wait.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn guess(
        &mut self,
        store: &Store,
        position: &Chess,
    ) -> Result<Option<Option<Wdl>>, StoreError> {
        self.find_out(store, position, false)
    }

    fn find_out(
        &mut self,
        store: &Store,
        position: &Chess,
        is_needed: bool,
    ) -> Result<Option<Option<Wdl>>, StoreError> {
        self.take();
        let key = PositionKey::of(position);
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(*known));
        }
        if self.asked.get(&key).is_some_and(|needed| *needed || !is_needed) {
            return Ok(None);
        }
        if let Some(kept) = store.fact(position, self.round)? {
            self.learn(key, kept);
            return Ok(Some(kept));
        }
        if self.prober.ask(position, is_needed) {
            self.asked.insert(key, is_needed);
        }
        self.take();
        Ok(self.known.get(&key).copied())
    }

    /// Takes in what was found.
    fn take(&mut self) {
        for (position, result) in self.prober.take() {
            let key = PositionKey::of(&position);
            self.asked.remove(&key);
            self.learn(key, result);
            self.unsaved.push(NewFact { position, result });
        }
    }

    fn learn(&mut self, key: PositionKey, result: Option<Wdl>) {
        if self.known.len() >= CAPACITY && self.unsaved.is_empty() {
            self.known.clear();
        }
        self.known.insert(key, result);
    }

    /// What is to be said of files that were left out since this was asked last.
    pub fn take_complaints(&self) -> Vec<String> {
        self.files.take_complaints()
    }

    /// The tree is grown again with the facts of all rounds up to one.
    pub fn begin_again(&mut self, round: u64) {
        self.round = round;
        self.known.clear();
    }

    /// Writes what was found, durable when this returns. Where another run has kept other results before, those
    /// count: `false`, and all that was known is forgotten.
    ///
    /// # Errors
    ///
    /// The facts stay unsaved then.
    pub fn save(&mut self, store: &mut Store) -> Result<bool, StoreError> {
        if self.unsaved.is_empty() {
            return Ok(true);
        }
        let mine = store.keep_facts(&self.unsaved, self.tables.men, self.round)?;
        self.unsaved.clear();
        if !mine {
            self.known.clear();
        }
        Ok(mine)
    }
}
