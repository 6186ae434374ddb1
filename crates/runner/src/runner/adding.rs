//! Adding a root to one's own agenda, or to another program's.

use deepanalyze_core::chess::{DrawValue, Ending};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Breadth, PlayedRules};
use deepanalyze_store::{AgendaRow, AnalysisId, AnalysisKey, AnalysisRow, Store, StoreError};

use super::root::{Added, RunnerRoot, stages_of};
use super::{Amendment, Runner, check_weight};
use crate::job::{Job, TreePlan};
use crate::outcome::RunnerError;

impl Runner {
    /// Adds a root to the agenda, paused until [`Runner::grow`]; a run of it has only the limits of
    /// the agenda. A root that already exists, on the agenda or only in the database, keeps its
    /// depth and weight, but for the amendment. A game that continues another one, as after the
    /// opponent's move, begins with its directives.
    ///
    /// Stages of one root are one root: if it has been analysed in stages, or less deeply than
    /// asked here, it goes on in stages.
    ///
    /// # Errors
    ///
    /// If the game is over there, the weight is invalid, or the database fails.
    pub fn add(&self, job: &Job, said: &Amendment) -> Result<Added, RunnerError> {
        let weight = said.weight.unwrap_or(job.weight);
        check(job, weight)?;
        self.shared().wait_for_leaving(&job.game);
        let (kept, listed) = self.keep_root(job, said.depth)?;
        let added @ Added { id, is_new, .. } = kept.added;
        let depth = match listed {
            Some(listed) => self.take_over(listed, kept, said.depth)?,
            None => self.list(kept, weight).map(|()| said.depth)?,
        };
        if !is_new {
            self.amend(id, &Amendment { depth, ..said.clone() })?;
        }
        Ok(added)
    }

    /// The root that [`Runner::add`] would find in the database, at any engine depth.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn known(&self, job: &Job) -> Result<Option<AnalysisId>, RunnerError> {
        Ok(root_there(&self.shared().store(), self.profile(), job)?.map(|row| row.id))
    }

    /// How a new tree is grown here: with the tablebases, and with the games, if it follows them by
    /// some rules.
    ///
    /// # Errors
    ///
    /// If it is to know games, and none are here.
    pub fn tree(
        &self,
        breadth: Breadth,
        draw: DrawValue,
        rules: Option<PlayedRules>,
    ) -> Result<TreePlan, RunnerError> {
        let follow = |rules| self.games().map(|games| games.following(rules));
        let games = rules.map(|rules| follow(rules).ok_or(RunnerError::NoGames)).transpose()?;
        let tables = self.shared().settings.tables.clone();
        Ok(TreePlan { breadth, tables, games, draw })
    }

    /// The root in the database, new if missing; and its number if already on the agenda, perhaps
    /// another stage's.
    fn keep_root(
        &self,
        job: &Job,
        depth: Option<u32>,
    ) -> Result<(Rooted, Option<AnalysisId>), RunnerError> {
        let mut store = self.shared().store();
        if self.shared().crew.is_ending() {
            return Err(RunnerError::Ending);
        }
        let kept = keep_root(&mut store, self.profile(), job, depth)?;
        let mut state = self.shared().state();
        let listed =
            kept.all.iter().find_map(|stage| state.item(stage.id).map(|item| item.wish.analysis));
        Ok((kept, listed))
    }

    /// Writes a root that was not on the agenda.
    fn list(&self, kept: Rooted, weight: u32) -> Result<(), RunnerError> {
        let Rooted { row, stages, .. } = kept;
        let shared = self.shared();
        let wish = AgendaRow { weight, ..AgendaRow::new(row.id, stages, false) };
        let item =
            RunnerRoot::of(&row, &wish, &shared.settings).ok_or(RunnerError::Unknown(row.id))?;
        let mut store = shared.store();
        // Another caller may have added it meanwhile.
        if shared.state().item(row.id).is_some() {
            return Ok(());
        }
        store.put_on_agenda(&wish)?;
        shared.state().items.push(item);
        shared.wakers.wake();
        Ok(())
    }

    /// Lets a root on the agenda begin with another stage, or go on in stages, and sets its depth
    /// to settle: the requested one, else its own.
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

    /// Replaces the row of a root whose run has ended by another stage's.
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
        // If the second fails, this root still has one row.
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
    /// True if the engines search deeper from stage to stage.
    stages: bool,
    added: Added,
}

/// Adds a root to a database's agenda for another program, so that it grows there; `None` if it is
/// on the agenda already, or a tree there has reached its position. `deepanalyze serve` takes it up
/// soon.
///
/// # Errors
///
/// If the game is over there, the weight is invalid, or the database fails.
pub fn enqueue(
    store: &mut Store,
    engine: &Profile,
    job: &Job,
) -> Result<Option<Added>, RunnerError> {
    check(job, job.weight)?;
    if is_reached(store, job)? {
        return Ok(None);
    }
    let Rooted { row, stages, added, .. } = keep_root(store, engine, job, None)?;
    let wish = AgendaRow { weight: job.weight, ..AgendaRow::new(row.id, stages, true) };
    store.put_on_agenda(&wish)?;
    Ok(Some(added))
}

/// Checks that an agenda can have a root at all.
fn check(job: &Job, weight: u32) -> Result<(), RunnerError> {
    check_weight(weight)?;
    Ending::of(job.game.root()).map_or(Ok(()), |ending| Err(RunnerError::Over(ending)))
}

/// True if tables know the position, or a tree on the agenda has analysed it.
fn is_reached(store: &Store, job: &Job) -> Result<bool, StoreError> {
    let root = job.game.root();
    let is_looked_up = job.tree.tables.as_ref().is_some_and(|used| used.tables.may_know(root));
    if is_looked_up && matches!(store.fact(root, u64::MAX)?, Some(Some(_))) {
        return Ok(true);
    }
    for wish in store.agenda()? {
        let Some(row) = store.analysis(wish.analysis)? else { continue };
        if row.game().as_ref() == Some(&job.game) {
            return Ok(true);
        }
        for stage in stages_of(store, row)? {
            if store.has_node(stage.id, root)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The root in the database, new if missing.
fn keep_root(
    store: &mut Store,
    engine: &Profile,
    job: &Job,
    depth: Option<u32>,
) -> Result<Rooted, RunnerError> {
    let there = root_there(store, engine, job)?;
    let first = job.schedule.first();
    let (id, is_made) = match &there {
        Some(row) if is_no_deeper(row.profile.limit, first) => (row.id, false),
        _ => (make_root(store, engine, job)?, true),
    };
    let changed = store.begin_directed(&job.game, job.origin, |_, _| Ok::<(), RunnerError>(()))?;
    if let Some(name) = &job.name {
        store.suggest_name_of(id, name)?;
    }
    if is_made {
        let before = there.as_ref().map(|row| row.target_depth).filter(|depth| *depth > 0);
        store.aim(id, depth.or(before).unwrap_or(job.depth))?;
    }
    let row = store.analysis(id)?.ok_or(RunnerError::Unknown(id))?;
    let all = stages_of(store, row.clone())?;
    let plies = job.game.moves().len();
    let copied = changed.copied.map(|(before, count)| (count, plies - before));
    let stages = job.schedule.has_stages() || all.len() > 1 || row.profile.limit != first;
    Ok(Rooted { row, all, stages, added: Added { id, is_new: there.is_none(), copied } })
}

/// The first stage of a root in the database.
fn root_there(
    store: &Store,
    engine: &Profile,
    job: &Job,
) -> Result<Option<AnalysisRow>, RunnerError> {
    let wanted = job.schedule.first();
    let Some(settings) = job.tree.known(store)? else { return Ok(None) };
    let fits = |row: &AnalysisRow| {
        let limits = match (row.profile.limit, wanted) {
            (Limit::Depth(_), Limit::Depth(_)) => true,
            (one, other) => one == other,
        };
        limits && row.settings == settings && row.profile.is_same_engine(engine)
    };
    let Some(row) = store.analyses_of(&job.game)?.into_iter().find(fits) else {
        return Ok(None);
    };
    Ok(stages_of(store, row)?.into_iter().next())
}

fn make_root(store: &mut Store, engine: &Profile, job: &Job) -> Result<AnalysisId, RunnerError> {
    let profile = Profile { limit: job.schedule.first(), ..engine.clone() };
    let profile = store.profile_id(&profile)?;
    let settings = job.tree.kept(store)?;
    let key = AnalysisKey { game: &job.game, profile, settings: &settings };
    Ok(store.open_analysis(key)?)
}

/// True if searches to one limit are no deeper than to the other.
fn is_no_deeper(one: Limit, other: Limit) -> bool {
    match (one, other) {
        (Limit::Depth(one), Limit::Depth(other)) => one <= other,
        (one, other) => one == other,
    }
}
