//! A run's knowledge beside answers: tablebase results, which are kept, or looked up in files, in a
//! thread of its own, so that no engine waits for a disk; and played moves.

mod beginning;
mod prober;

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{FiftyMoves, Game, PositionKey, TableEnd, TableFiles, Tables, Wdl};
use deepanalyze_core::tree::{Growth, MoveCounts, PlayedRules};
use deepanalyze_store::{GameSetId, KeptGameSet, KnownGames, NewFact, Store, StoreError};
use deepanalyze_view::game_to;

use crate::control::{ControlReceiver, Wakers};
use crate::outcome::RunError;

use prober::Prober;

pub(super) use beginning::{begin_facts, facts_to_begin_with, facts_to_grow_again};
#[cfg(test)]
pub(super) use prober::SlowDisk;

/// Tablebases for trees.
#[derive(Debug, Clone)]
pub struct TableUse {
    /// The files.
    pub files: Arc<TableFiles>,
    /// How far trees use them.
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

    /// These files for a tree with its own table settings; `None` if they have too few men for it.
    pub fn for_tree(&self, tables: Tables) -> Option<TableUse> {
        (tables.men <= self.files.men()).then(|| TableUse { tables, ..self.clone() })
    }

    /// The root's result for its side to move, if the tables know it. Reads files.
    pub fn end_of(&self, game: &Game) -> Option<TableEnd> {
        let root = Some(game.root()).filter(|root| self.tables.may_know(root))?;
        let wdl = self.files.wdl(root)?;
        Some(TableEnd { wdl, value: self.tables.value(wdl) })
    }

    /// These files for trees in another database, where nothing was looked up again yet.
    #[must_use]
    pub fn of_another_database(&self) -> TableUse {
        TableUse { has_looked_again: Arc::default(), ..self.clone() }
    }

    /// These files with or without the fifty-move rule.
    #[must_use]
    pub fn under(&self, fifty: FiftyMoves) -> TableUse {
        TableUse { tables: Tables { fifty, ..self.tables }, ..self.clone() }
    }

    /// The prober of a run, which it wakes.
    fn prober(&self, wakers: Wakers, is_virtual: bool) -> std::io::Result<Prober> {
        let files = Arc::clone(&self.files);
        #[cfg(test)]
        if let Some(disk) = &self.slow_disk {
            disk.wakes(wakers);
            return Ok(Prober::Slow { files, disk: disk.clone() });
        }
        if is_virtual { Ok(Prober::at_once(files)) } else { Prober::in_thread(files, wakers) }
    }

    /// On a disk that answers only when told to.
    #[cfg(test)]
    pub(super) fn on_slow_disk(self, disk: prober::SlowDisk) -> TableUse {
        TableUse { slow_disk: Some(disk), ..self }
    }

    /// Looks up again what tables lacked before, and keeps what they have by now: trees on the old
    /// facts are grown again when next grown. Once is enough: later calls do nothing. It ends when
    /// the run is told to; `say` gets the number of positions looked up, if any.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
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

/// Facts kept in memory; beyond, the store is asked again.
const CAPACITY: usize = 200_000;

/// A run's tablebase knowledge.
#[derive(Debug)]
pub struct LookUp {
    files: Arc<TableFiles>,
    tables: Tables,
    /// The tree knows no fact found in a later round.
    round: u64,
    known: HashMap<PositionKey, Option<Wdl>>,
    /// Not yet in the file.
    unsaved: Vec<NewFact>,
    /// Positions being looked up; true if the run needs it.
    asked: HashMap<PositionKey, bool>,
    prober: Prober,
}

impl LookUp {
    /// Nothing known yet. Positions are looked up in a thread that wakes the run, or at once in
    /// virtual time.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
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

    /// The fact of a position; `None` while it is being found out: the run is woken then. A
    /// position that may only be needed later waits for those needed now, and is not looked up if
    /// too many of its kind wait.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn find(
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

    /// Takes in new results.
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

    /// Complaints about files left out since the last call.
    pub fn take_complaints(&self) -> Vec<String> {
        self.files.take_complaints()
    }

    /// The tree is grown again with the facts of all rounds up to one.
    pub fn begin_again(&mut self, round: u64) {
        self.round = round;
        self.known.clear();
    }

    /// Writes the new facts, durable when this returns. If another run has kept other results
    /// before, those count: `false`, and all known facts are forgotten.
    ///
    /// # Errors
    ///
    /// The facts then stay unsaved.
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

/// An error in a set of games.
pub type CountError = Box<dyn Error + Send + Sync>;

/// A set of games, and nets of human play, to look positions up in.
pub trait CountSource: fmt::Debug + Send {
    /// How often people play each move at the root of a game. Nets see the game, too.
    ///
    /// # Errors
    ///
    /// If the set cannot be read.
    fn counts(&mut self, game: &Game) -> Result<MoveCounts, CountError>;
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

/// Guesses kept in memory; beyond, all are forgotten.
const GUESSES: usize = 20_000;

/// Looks positions up for a run, synchronously: in a set this takes less time than a search of the
/// memo, and by a net some milliseconds, once for each position.
///
/// A net sees the game up to the tree's root and then the tree's line to the position
/// ([`Growth::line_asked`]), as it is when the position is first asked for.
#[derive(Debug)]
pub struct CountsLookUp {
    games: GamesUse,
    /// The game up to the tree's root.
    game: Game,
    set: GameSetId,
    /// Not yet in the file.
    unsaved: Vec<(PositionKey, MoveCounts)>,
    /// Their places there.
    places: HashMap<PositionKey, usize>,
    /// Answers for lines that a tree may have, which are not kept.
    guesses: HashMap<PositionKey, (Vec<UciMove>, MoveCounts)>,
}

impl CountsLookUp {
    /// For trees of a root that know a set.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn new(games: &GamesUse, game: &Game, store: &Store) -> Result<CountsLookUp, StoreError> {
        let KnownGames { set, .. } = games.keep(store)?;
        Ok(CountsLookUp {
            games: games.clone(),
            game: game.clone(),
            set,
            unsaved: Vec::new(),
            places: HashMap::new(),
            guesses: HashMap::new(),
        })
    }

    /// How often people play each move of a position of the tree, kept with the next
    /// [`CountsLookUp::save`].
    ///
    /// # Errors
    ///
    /// If the database fails or the set cannot be read.
    pub fn find(
        &mut self,
        store: &Store,
        tree: &Growth,
        key: &PositionKey,
    ) -> Result<MoveCounts, RunError> {
        if let Some(kept) = self.kept(store, key)? {
            return Ok(kept);
        }
        let counts = self.ask(tree, key)?;
        self.guesses.remove(key);
        self.places.insert(*key, self.unsaved.len());
        self.unsaved.push((*key, counts.clone()));
        Ok(counts)
    }

    /// Counts in a tree that may come to be: what is not kept yet stays so, since the tree may come to
    /// the position by another line.
    ///
    /// # Errors
    ///
    /// If the database fails or the set cannot be read.
    pub fn guess(
        &mut self,
        store: &Store,
        tree: &Growth,
        key: &PositionKey,
    ) -> Result<MoveCounts, RunError> {
        if self.games.set.nets.is_empty() {
            return self.find(store, tree, key);
        }
        match self.kept(store, key)? {
            Some(kept) => Ok(kept),
            None => self.ask(tree, key),
        }
    }

    fn kept(&self, store: &Store, key: &PositionKey) -> Result<Option<MoveCounts>, StoreError> {
        let unsaved = self.places.get(key).and_then(|place| self.unsaved.get(*place));
        match unsaved {
            Some((_, counts)) => Ok(Some(counts.clone())),
            None => store.counts(self.set, &key.position()),
        }
    }

    fn ask(&mut self, tree: &Growth, key: &PositionKey) -> Result<MoveCounts, RunError> {
        let has_nets = !self.games.set.nets.is_empty();
        let line = tree.find(key).filter(|_| has_nets).map(|node| tree.line_asked(node));
        let line = line.unwrap_or_default();
        if let Some((_, guess)) = self.guesses.get(key).filter(|(guessed, _)| *guessed == line) {
            return Ok(guess.clone());
        }
        let game = game_to(&self.game, &line, key);
        let mut source = self.games.source.lock().unwrap_or_else(PoisonError::into_inner);
        let found = source.counts(&game);
        let counts = found.map_err(|error| RunError::Games(self.games.set.name.clone(), error))?;
        if has_nets {
            if self.guesses.len() >= GUESSES {
                self.guesses.clear();
            }
            self.guesses.insert(*key, (line, counts.clone()));
        }
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
            self.places.clear();
        }
        Ok(())
    }
}
