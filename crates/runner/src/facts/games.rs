//! Played moves that a run knows: kept counts, and those looked up in a set of games.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{MoveCounts, PlayedRules};
use deepanalyze_store::{GameSetId, KeptGameSet, KnownGames, Store, StoreError};

use crate::error::RunError;

/// An error in a set of games.
pub type CountError = Box<dyn Error + Send + Sync>;

/// A set of games to look positions up in.
pub trait CountSource: fmt::Debug + Send {
    /// The number of games in which each move was played.
    ///
    /// # Errors
    ///
    /// If the set cannot be read.
    fn counts(&mut self, position: &PositionKey) -> Result<MoveCounts, CountError>;
}

/// A set of games for trees, and how they follow it.
#[derive(Debug, Clone)]
pub struct GamesUse {
    /// The set's key.
    pub set: KeptGameSet,
    /// The rules for following played moves.
    pub rules: PlayedRules,
    source: Arc<Mutex<dyn CountSource>>,
}

impl GamesUse {
    /// A set, the rules by which it is followed, and where it is looked up.
    pub fn new(
        set: KeptGameSet,
        rules: PlayedRules,
        source: impl CountSource + 'static,
    ) -> GamesUse {
        GamesUse { set, rules, source: Arc::new(Mutex::new(source)) }
    }

    /// This set, followed by other rules.
    #[must_use]
    pub fn following(&self, rules: PlayedRules) -> GamesUse {
        GamesUse { rules, ..self.clone() }
    }

    /// The key of trees that know it; `None` if the database has no such tree.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn known(&self, store: &Store) -> Result<Option<KnownGames>, StoreError> {
        let set = store.find_game_set(&self.set.digest)?;
        Ok(set.map(|set| KnownGames { set, rules: self.rules }))
    }

    /// Keeps the set and gives its key.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn keep(&self, store: &Store) -> Result<KnownGames, StoreError> {
        Ok(KnownGames { set: store.game_set_id(&self.set)?, rules: self.rules })
    }
}

/// Looks positions up for a run, synchronously: this takes less time than a search of the memo.
#[derive(Debug)]
pub struct CountsLookUp {
    games: GamesUse,
    set: GameSetId,
    /// Not yet in the file.
    unsaved: Vec<(PositionKey, MoveCounts)>,
}

impl CountsLookUp {
    /// For trees that know a set.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn new(games: &GamesUse, store: &Store) -> Result<CountsLookUp, StoreError> {
        let KnownGames { set, .. } = games.keep(store)?;
        Ok(CountsLookUp { games: games.clone(), set, unsaved: Vec::new() })
    }

    /// The number of games in which each move was played, kept with the next
    /// [`CountsLookUp::save`].
    ///
    /// # Errors
    ///
    /// If the database fails or the set cannot be read.
    pub fn find(&mut self, store: &Store, key: &PositionKey) -> Result<MoveCounts, RunError> {
        if let Some(kept) = store.counts(self.set, &key.position())? {
            return Ok(kept);
        }
        let mut source = self.games.source.lock().unwrap_or_else(PoisonError::into_inner);
        let found = source.counts(key);
        let counts = found.map_err(|error| RunError::Games(self.games.set.name.clone(), error))?;
        self.unsaved.push((*key, counts.clone()));
        Ok(counts)
    }

    /// Writes the new counts, durable when this returns.
    ///
    /// # Errors
    ///
    /// The counts then stay unsaved.
    pub fn save(&mut self, store: &Store) -> Result<(), StoreError> {
        if !self.unsaved.is_empty() {
            store.keep_counts(self.set, &self.unsaved)?;
            self.unsaved.clear();
        }
        Ok(())
    }
}
