//! Facts of each root in the database: read anew only if something has changed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_report::{RootNotes, RootSummary};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, GameId, PositionOfGame, RootNote, Store, StoreError,
};
use deepanalyze_view::{StageVerdict, Stages, Verdict, told_verdict};

/// A root as the database has it.
#[derive(Debug)]
pub struct RootFacts {
    /// Its number: the analysis of its first stage.
    pub id: AnalysisId,
    /// Its result.
    pub listed: RootSummary,
    /// Its stages, the shallowest engine depth first.
    pub stages: Vec<StageVerdict>,
    /// Number of directives.
    pub directives: usize,
    /// True if they differ from those that the tree was grown with.
    pub pending: bool,
    /// Number of their changes.
    pub revision: u64,
    /// True if it is archived.
    pub is_archived: bool,
    /// The whole games that contain it, the newest first.
    pub games: Vec<GameId>,
    /// True if it was made for one.
    pub is_of_game: bool,
}

/// Reads roots.
#[derive(Debug)]
pub struct FactsReader {
    store: Store,
    known: BTreeMap<AnalysisId, Arc<RootFacts>>,
    version: Option<i64>,
}

impl FactsReader {
    /// Of an existing database.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be read.
    pub fn open(path: &Path) -> Result<FactsReader, StoreError> {
        let store = Store::open_to_read(path)?;
        Ok(FactsReader { store, known: BTreeMap::new(), version: None })
    }

    /// True if the database was written since the last call.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn has_changed(&mut self) -> Result<bool, StoreError> {
        let version = Some(self.store.data_version()?);
        Ok(std::mem::replace(&mut self.version, version) != version)
    }

    /// The analyses on the agenda in the database.
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
        let (store, known) = (&self.store, &self.known);
        let facts = store.at_one_moment(|| {
            let all = Stages::all(store)?;
            let said = Said { notes: RootNotes::read(store)?, games: games_by_analysis(store)? };
            let root = |stages| read_root(store, stages, (&said, known)).transpose();
            all.iter().filter_map(root).collect()
        });
        let facts: Vec<Arc<RootFacts>> = facts?;
        self.known = facts.iter().map(|one| (one.id, Arc::clone(one))).collect();
        Ok(facts)
    }
}

/// Facts of roots besides their trees.
struct Said {
    notes: RootNotes,
    games: HashMap<AnalysisId, Vec<PositionOfGame>>,
}

/// A root as known or, if something has changed, read anew.
fn read_root(
    store: &Store,
    stages: &Stages,
    (Said { notes, games }, known): (&Said, &BTreeMap<AnalysisId, Arc<RootFacts>>),
) -> Result<Option<Arc<RootFacts>>, StoreError> {
    let Some(id) = stages.rows().first().map(|row| row.id) else {
        return Ok(None);
    };
    let RootNote { name, revision, is_archived, .. } = notes.of(stages);
    let of_games = stages.rows().iter().find_map(|row| games.get(&row.id));
    let of_games = of_games.map_or(&[][..], Vec::as_slice);
    let games: Vec<GameId> = of_games.iter().map(|position| position.game).collect();
    let is_of_game = of_games.iter().any(|position| position.made);
    let is_growing = notes.are_growing(stages);
    let known = known.get(&id);
    let is_same = known.is_some_and(|known| {
        known.stages.iter().map(|stage| &stage.row).eq(stages.rows())
            && (known.revision, &known.listed.name) == (revision, &name)
            && known.listed.is_growing == is_growing
            && (known.is_archived, known.is_of_game) == (is_archived, is_of_game)
            && known.games == games
    });
    if let Some(known) = known.filter(|_| is_same)
        && known.listed.told == told(store, known)?
    {
        return Ok(Some(Arc::clone(known)));
    }
    let Some(listed) = RootSummary::of(store, stages, notes)? else {
        return Ok(None);
    };
    let (directives, pending) = directed(store, &listed.row, listed.game.as_ref())?;
    let stages = stages.verdicts(store)?;
    let facts = RootFacts {
        id,
        listed,
        stages,
        directives,
        pending,
        revision,
        is_archived,
        games,
        is_of_game,
    };
    Ok(Some(Arc::new(facts)))
}

/// The games of each analysis that is a position of some.
fn games_by_analysis(
    store: &Store,
) -> Result<HashMap<AnalysisId, Vec<PositionOfGame>>, StoreError> {
    let mut by_analysis: HashMap<AnalysisId, Vec<PositionOfGame>> = HashMap::new();
    for position in store.positions_of_games()? {
        by_analysis.entry(position.analysis).or_default().push(position);
    }
    Ok(by_analysis)
}

/// The present verdict of a root none of whose stages has changed: a closing search changes none.
fn told(store: &Store, known: &RootFacts) -> Result<Option<Verdict>, StoreError> {
    let (row, Some(game)) = (&known.listed.row, &known.listed.game) else { return Ok(None) };
    told_verdict(store, row, game)
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
    Ok((said.len(), store.is_pending(row.id, &said)?))
}

impl RootFacts {
    /// True if an engine, whatever its limit, can go on with it.
    pub fn is_of(&self, here: &Profile) -> bool {
        let Profile { engine, options, kept_hash, limit: _ } = &self.listed.row.profile;
        (engine, options, kept_hash) == (&here.engine, &here.options, &here.kept_hash)
    }

    /// True if an analysis is one of its stages.
    pub fn has(&self, id: AnalysisId) -> bool {
        self.stages.iter().any(|stage| stage.row.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::search::Limit;
    use deepanalyze_core::tree::Breadth;
    use deepanalyze_store::AnalysisKey;

    #[test]
    fn unchanged_root_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open_for_now(&path).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(5));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let (profile, breadth) = (store.profile_id(&profile).unwrap(), Breadth::from(10));
        let mut begin = |moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            let key = AnalysisKey { game: &game, profile, settings: &breadth.clone().into() };
            (store.open_analysis(key).unwrap(), game)
        };
        let [(first, _), (second, named), (third, _)] = ["e4", "d4", "c4"].map(&mut begin);
        let mut reader = FactsReader::open(&path).unwrap();
        let mut read = move || {
            let roots = reader.read().unwrap().into_iter();
            roots.map(|root| (root.id, root)).collect::<BTreeMap<_, _>>()
        };
        let before = read();
        let lock = store.lock(first).unwrap();
        store.rename(&named, Some("mine")).unwrap();
        let after = read();
        let is_same = |id| Arc::ptr_eq(&before[id], &after[id]);
        assert_eq!([&first, &second, &third].map(is_same), [false, false, true]);
        assert!(after[&first].listed.is_growing && !before[&first].listed.is_growing);
        assert_eq!(after[&second].listed.name.as_deref(), Some("mine"));
        drop(lock);
        assert!(!read()[&first].listed.is_growing);
    }
}
