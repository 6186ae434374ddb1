//! Putting a root on the agenda, one's own or one that somebody else looks after.

use deepanalyze_core::chess::{Ending, Tables};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_store::{
    AgendaRow, AnalysisId, AnalysisKey, AnalysisRow, KnownGames, Store, StoreError, TreeSettings,
};

use super::root::{Added, NewRoot, RunnerRoot, stages_of};
use super::{Runner, check_weight};
use crate::error::RunnerError;
use crate::facts::GamesUse;

impl Runner {
    /// Puts a root on the agenda, where it rests until it is told to grow. Of a root that already exists, on
    /// the agenda or only in the database, the weight and the depth become what is said here; where nothing
    /// is said, they stay. A game that goes on from another one, as after the
    /// opponent's move, begins with its directives.
    ///
    /// Stages of one root are one root: where it has been analysed in stages, or less deeply than is asked
    /// here, it goes on in stages.
    ///
    /// # Errors
    ///
    /// Where the game is over there, the weight is none, or the database fails.
    pub fn add(&self, new: NewRoot) -> Result<Added, RunnerError> {
        let weight = new.weight.unwrap_or(new.begins_with.weight);
        check(&new, weight)?;
        self.shared().wait_for_leaving(&new.game);
        let (kept, listed) = self.keep_root(&new)?;
        let added @ Added { id, is_new, .. } = kept.added;
        let depth = match listed {
            Some(listed) => self.take_over(listed, kept, new.depth)?,
            None => self.list(kept, weight).map(|()| new.depth)?,
        };
        if let Some(weight) = new.weight.filter(|_| !is_new) {
            self.set_weight(id, weight)?;
        }
        if let Some(depth) = depth.filter(|_| !is_new) {
            self.set_depth(id, depth)?;
        }
        Ok(added)
    }

    /// The root that [`Runner::add`] would find in the database, to whatever engine depth it is analysed.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn known(&self, new: &NewRoot) -> Result<Option<AnalysisId>, RunnerError> {
        Ok(root_there(&self.shared().store(), &self.source(), new)?.map(|row| row.id))
    }

    fn source(&self) -> TreeSource<'_> {
        TreeSource { engine: self.profile(), tables: self.shared().tables(), games: self.games() }
    }

    /// The root in the database, made where there is none; and the number under which it stands on the agenda already,
    /// perhaps another stage's.
    fn keep_root(&self, new: &NewRoot) -> Result<(Rooted, Option<AnalysisId>), RunnerError> {
        let mut store = self.shared().store();
        if self.shared().crew.is_ending() {
            return Err(RunnerError::Ending);
        }
        let kept = keep_root(&mut store, &self.source(), new)?;
        let mut state = self.shared().state();
        let listed =
            kept.all.iter().find_map(|stage| state.item(stage.id).map(|item| item.wish.analysis));
        Ok((kept, listed))
    }

    /// Writes a root down that was not on the agenda.
    fn list(&self, kept: Rooted, weight: u32) -> Result<(), RunnerError> {
        let Rooted { row, stages, .. } = kept;
        let shared = self.shared();
        let wish = AgendaRow { weight, ..AgendaRow::new(row.id, stages, false) };
        let item =
            RunnerRoot::of(&row, &wish, &shared.settings).ok_or(RunnerError::Unknown(row.id))?;
        let mut store = shared.store();
        // Somebody else may have added the same root meanwhile.
        if shared.state().item(row.id).is_some() {
            return Ok(());
        }
        store.put_on_agenda(&wish)?;
        shared.state().items.push(item);
        shared.wakers.wake();
        Ok(())
    }

    /// Lets a root that is on the agenda begin with another stage, or go on in stages, and says which depth it
    /// is to settle then: that which is said, else that which it had.
    fn take_over(
        &self,
        listed: AnalysisId,
        kept: Rooted,
        said: Option<u32>,
    ) -> Result<Option<u32>, RunnerError> {
        let Rooted { row, stages, .. } = kept;
        let shared = self.shared();
        let is_as_wanted =
            |item: &RunnerRoot| item.wish.analysis == row.id && (item.wish.stages || !stages);
        if shared.state().standing(listed).is_ok_and(|item| is_as_wanted(item)) {
            return Ok(said);
        }
        shared.clear(listed)?;
        let replaced = self.replace(listed, &row, stages);
        let mut state = shared.state();
        let item = state.item(listed).ok_or(RunnerError::Unknown(listed))?;
        let depth = said.unwrap_or(item.depth);
        let (id, replaced) = match replaced {
            Ok(new) => {
                *item = new;
                item.depth = depth;
                (row.id, Ok(Some(depth)))
            }
            Err(error) => {
                item.is_leaving = false;
                (listed, Err(error))
            }
        };
        let begun = shared.begin_wanted(&mut state, id);
        drop(state);
        shared.has_left();
        begun?;
        replaced
    }

    /// Writes down that a root whose run has ended begins with another stage.
    fn replace(
        &self,
        listed: AnalysisId,
        row: &AnalysisRow,
        stages: bool,
    ) -> Result<RunnerRoot, RunnerError> {
        let shared = self.shared();
        let mut store = shared.store();
        let before = shared.state().item(listed).map(|item| item.wish.clone());
        let before = before.ok_or(RunnerError::Unknown(listed))?;
        let before = AgendaRow { stages, ended: None, ..before };
        let wish = AgendaRow { analysis: row.id, ..before.clone() };
        let new =
            RunnerRoot::of(row, &wish, &shared.settings).ok_or(RunnerError::Unknown(row.id))?;
        // Where the second fails, there is still one row of this root.
        store.put_on_agenda(&before)?;
        store.replace_on_agenda(listed, row.id)?;
        Ok(new)
    }
}

/// A root in the database.
struct Rooted {
    /// Its first stage.
    row: AnalysisRow,
    /// All of its stages.
    all: Vec<AnalysisRow>,
    /// Whether the engines search deeper from stage to stage.
    stages: bool,
    added: Added,
}

/// What new trees are made of.
#[derive(Debug, Clone, Copy)]
pub struct TreeSource<'a> {
    /// The engine whose answers they have.
    pub engine: &'a Profile,
    /// The tablebases by which they go; none where they do not.
    pub tables: Option<Tables>,
    /// The games that they can know.
    pub games: Option<&'a GamesUse>,
}

impl TreeSource<'_> {
    /// How the tree of a root is grown; nothing where it knows a set of games that the database has not.
    fn known(&self, store: &Store, new: &NewRoot) -> Result<Option<TreeSettings>, RunnerError> {
        let Some(games) = self.games_of(new)? else { return Ok(Some(self.settings(new, None))) };
        let known = games.known(store)?;
        Ok(known.map(|known| self.settings(new, Some(known))))
    }

    /// The same for a tree that is begun: its set of games is in the database from then on.
    fn kept(&self, store: &Store, new: &NewRoot) -> Result<TreeSettings, RunnerError> {
        let games = self.games_of(new)?.map(|games| games.keep(store)).transpose()?;
        Ok(self.settings(new, games))
    }

    fn games_of(&self, new: &NewRoot) -> Result<Option<GamesUse>, RunnerError> {
        let Some(rules) = new.games else { return Ok(None) };
        let games = self.games.ok_or(RunnerError::NoGames)?;
        Ok(Some(games.following(rules)))
    }

    fn settings(&self, new: &NewRoot, games: Option<KnownGames>) -> TreeSettings {
        let (tables, draw) = (self.tables, new.draw);
        TreeSettings { tables, games, draw, ..new.breadth.clone().into() }
    }
}

/// Puts a root on the agenda of a database for whoever looks after that, so that it grows there; nothing where
/// it is on the agenda already, or a tree there has reached its position. `deepanalyze serve` takes it up soon.
///
/// # Errors
///
/// Where the game is over there, the weight is none, or the database fails.
pub fn enqueue(
    store: &mut Store,
    source: &TreeSource<'_>,
    new: &NewRoot,
) -> Result<Option<Added>, RunnerError> {
    let weight = new.weight.unwrap_or(new.begins_with.weight);
    check(new, weight)?;
    if is_reached(store, source.tables, new)? {
        return Ok(None);
    }
    let Rooted { row, stages, added, .. } = keep_root(store, source, new)?;
    let wish = AgendaRow { weight, ..AgendaRow::new(row.id, stages, true) };
    store.put_on_agenda(&wish)?;
    Ok(Some(added))
}

/// Whether a root can stand on an agenda at all.
fn check(new: &NewRoot, weight: u32) -> Result<(), RunnerError> {
    check_weight(weight)?;
    Ending::of(new.game.root()).map_or(Ok(()), |ending| Err(RunnerError::Over(ending)))
}

/// Whether tables know the position, or a tree that is on the agenda has analysed it.
fn is_reached(store: &Store, tables: Option<Tables>, new: &NewRoot) -> Result<bool, StoreError> {
    let root = new.game.root();
    let is_looked_up = tables.is_some_and(|tables| tables.may_know(root));
    if is_looked_up && matches!(store.fact(root, u64::MAX)?, Some(Some(_))) {
        return Ok(true);
    }
    for wish in store.agenda()? {
        let Some(row) = store.analysis(wish.analysis)? else { continue };
        if row.game().as_ref() == Some(&new.game) {
            return Ok(true);
        }
        for stage in stages_of(store, row)? {
            if store.has_node(stage.id, new.game.root())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The root in the database, made where there is none.
fn keep_root(
    store: &mut Store,
    source: &TreeSource<'_>,
    new: &NewRoot,
) -> Result<Rooted, RunnerError> {
    let there = root_there(store, source, new)?;
    let first = new.schedule.first();
    let (id, is_made) = match &there {
        Some(row) if is_no_deeper(row.profile.limit, first) => (row.id, false),
        _ => (make_root(store, source, new)?, true),
    };
    let changed = store.begin_directed(&new.game, new.origin, |_, _| Ok::<(), RunnerError>(()))?;
    if let Some(name) = &new.name {
        store.suggest_name_of(id, name)?;
    }
    if is_made {
        let before = there.as_ref().map(|row| row.target_depth).filter(|depth| *depth > 0);
        store.aim(id, new.depth.or(before).unwrap_or(new.begins_with.depth))?;
    }
    let row = store.analysis(id)?.ok_or(RunnerError::Unknown(id))?;
    let all = stages_of(store, row.clone())?;
    let plies = new.game.moves().len();
    let copied = changed.copied.map(|(before, count)| (count, plies - before));
    let stages = new.schedule.has_stages() || all.len() > 1 || row.profile.limit != first;
    Ok(Rooted { row, all, stages, added: Added { id, is_new: there.is_none(), copied } })
}

/// The first stage of a root that the database has.
fn root_there(
    store: &Store,
    source: &TreeSource<'_>,
    new: &NewRoot,
) -> Result<Option<AnalysisRow>, RunnerError> {
    let wanted = new.schedule.first();
    let Some(settings) = source.known(store, new)? else { return Ok(None) };
    let fits = |row: &AnalysisRow| {
        let limits = match (row.profile.limit, wanted) {
            (Limit::Depth(_), Limit::Depth(_)) => true,
            (one, other) => one == other,
        };
        limits && row.settings == settings && row.profile.is_same_engine(source.engine)
    };
    let Some(row) = store.analyses_of(&new.game)?.into_iter().find(fits) else {
        return Ok(None);
    };
    Ok(stages_of(store, row)?.into_iter().next())
}

fn make_root(
    store: &mut Store,
    source: &TreeSource<'_>,
    new: &NewRoot,
) -> Result<AnalysisId, RunnerError> {
    let profile = Profile { limit: new.schedule.first(), ..source.engine.clone() };
    let profile = store.profile_id(&profile)?;
    let settings = source.kept(store, new)?;
    let key = AnalysisKey { game: &new.game, profile, settings: &settings };
    Ok(store.open_analysis(key)?)
}

/// Whether searches to one limit are no deeper than those to the other.
fn is_no_deeper(one: Limit, other: Limit) -> bool {
    match (one, other) {
        (Limit::Depth(one), Limit::Depth(other)) => one <= other,
        (one, other) => one == other,
    }
}
