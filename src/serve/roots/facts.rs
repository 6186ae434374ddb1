//! What the database says of each root: read anew only where something has changed.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::analysis::{ListedRoot, StageVerdict, Stages};
use crate::chess::Game;
use crate::search::Profile;
use crate::store::{AnalysisId, AnalysisRow, Store, StoreError};

/// What engines have spent is added up again once so many times its own cost have passed.
const REST: u32 = 50;
const LEAST_REST: Duration = Duration::from_secs(3);

/// A root as the database has it.
#[derive(Debug)]
pub struct RootFacts {
    /// Its number: that of the analysis of its first stage.
    pub id: AnalysisId,
    /// What it has come to.
    pub listed: ListedRoot,
    /// Its stages, the shallowest engine depth first.
    pub stages: Vec<StageVerdict>,
    /// Milliseconds that engines spent on the tree of the one that speaks.
    pub engine_time_ms: u64,
    /// How many directives it has.
    pub directives: usize,
    /// Whether they are others than those that the tree was grown with.
    pub pending: bool,
    /// How often they have changed.
    pub revision: u64,
}

/// Reads roots.
#[derive(Debug)]
pub struct FactsReader {
    store: Store,
    known: BTreeMap<AnalysisId, Arc<RootFacts>>,
    spent: BTreeMap<AnalysisId, Spent>,
    version: Option<i64>,
}

/// What engines have spent, as it was added up last.
#[derive(Debug, Clone, Copy)]
struct Spent {
    milliseconds: u64,
    passes: u64,
    again: Instant,
}

impl FactsReader {
    /// Of a database that is there.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where it cannot be read.
    pub fn open(path: &Path) -> Result<FactsReader, StoreError> {
        let store = Store::open_to_read(path)?;
        Ok(FactsReader { store, known: BTreeMap::new(), spent: BTreeMap::new(), version: None })
    }

    /// Whether somebody has written since this was asked last.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn has_changed(&mut self) -> Result<bool, StoreError> {
        let version = Some(self.store.data_version()?);
        Ok(std::mem::replace(&mut self.version, version) != version)
    }

    /// What is on the agenda in the database.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn on_agenda(&self) -> Result<Vec<AnalysisId>, StoreError> {
        Ok(self.store.agenda()?.into_iter().map(|row| row.analysis).collect())
    }

    /// All roots, the last one grown first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn read(&mut self) -> Result<Vec<Arc<RootFacts>>, StoreError> {
        self.store.reopen_if_migrated()?;
        let (store, known) = (&self.store, &self.known);
        let facts = store.at_one_moment(|| {
            let all = Stages::all(store)?;
            all.iter().filter_map(|one| read_root(store, one, known).transpose()).collect()
        });
        let mut facts: Vec<Arc<RootFacts>> = facts?;
        // Each tree by itself: for as long as one moment is read, the write-ahead log cannot be begun anew.
        for new in facts.iter_mut().filter_map(Arc::get_mut) {
            new.engine_time_ms = spent_on(store, &new.listed.row, &mut self.spent)?;
        }
        self.known = facts.iter().map(|one| (one.id, Arc::clone(one))).collect();
        let speaking: HashSet<AnalysisId> = facts.iter().map(|one| one.listed.row.id).collect();
        self.spent.retain(|id, _| speaking.contains(id));
        Ok(facts)
    }
}

/// A root as it is known or, where something has changed, read anew but for what engines have spent on it.
fn read_root(
    store: &Store,
    stages: &Stages,
    known: &BTreeMap<AnalysisId, Arc<RootFacts>>,
) -> Result<Option<Arc<RootFacts>>, StoreError> {
    let Some(id) = stages.rows().first().map(|row| row.id) else {
        return Ok(None);
    };
    let game = stages.speaking().and_then(AnalysisRow::game);
    let name = store.name(stages.rows())?;
    let revision = game.as_ref().map_or(Ok(0), |game| store.revision(game))?;
    let is_growing = stages.rows().iter().any(|row| store.is_growing(row.id));
    let known = known.get(&id);
    let is_same = known.is_some_and(|known| {
        known.stages.iter().map(|stage| &stage.row).eq(stages.rows())
            && (known.revision, &known.listed.name) == (revision, &name)
            && known.listed.is_growing == is_growing
    });
    if let Some(known) = known.filter(|_| is_same) {
        return Ok(Some(Arc::clone(known)));
    }
    let Some(listed) = ListedRoot::of(store, stages)? else {
        return Ok(None);
    };
    let (directives, pending) = directed(store, &listed.row, game.as_ref())?;
    let stages = stages.verdicts(store)?;
    let engine_time_ms = 0;
    let facts = RootFacts { id, listed, stages, engine_time_ms, directives, pending, revision };
    Ok(Some(Arc::new(facts)))
}

fn directed(
    store: &Store,
    row: &AnalysisRow,
    game: Option<&Game>,
) -> Result<(usize, bool), StoreError> {
    let Some(game) = game else {
        return Ok((0, false));
    };
    let said = store.directives(game)?;
    Ok((said.len(), said.of_tree() != store.grown_with(row.id)?))
}

/// It takes a look at all answers of the tree, so it may be a while old.
fn spent_on(
    store: &Store,
    row: &AnalysisRow,
    spent: &mut BTreeMap<AnalysisId, Spent>,
) -> Result<u64, StoreError> {
    let began = Instant::now();
    let known = spent.get(&row.id);
    if let Some(known) = known.filter(|known| known.passes == row.passes || began < known.again) {
        return Ok(known.milliseconds);
    }
    let milliseconds = store.engine_time_ms(row.id)?;
    let again = Instant::now() + (began.elapsed() * REST).max(LEAST_REST);
    spent.insert(row.id, Spent { milliseconds, passes: row.passes, again });
    Ok(milliseconds)
}

impl RootFacts {
    /// Whether an engine, whatever its limit, can go on with it.
    pub fn is_of(&self, here: &Profile) -> bool {
        let Profile { engine, options, kept_hash, limit: _ } = &self.listed.row.profile;
        (engine, options, kept_hash) == (&here.engine, &here.options, &here.kept_hash)
    }

    /// Whether an analysis is one of its stages.
    pub fn has(&self, id: AnalysisId) -> bool {
        self.stages.iter().any(|stage| stage.row.id == id)
    }
}
