//! Steering of the roots: growing, pausing, taking turns, removing.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::control::Control;
use crate::job::Schedule;
use deepanalyze_core::search::Profile;
use deepanalyze_engine::RunKey;
use deepanalyze_store::{
    AgendaRow, AnalysisId, AnalysisRow, DirectivesChanged, GrowsUntil, RootChanges, Store,
    StoreError, now,
};

use super::root::{AtOnce, RecheckAsked, RunnerRoot, stages_of};
use super::shared::RunnerState;
use super::{Runner, check_weight};
use crate::outcome::RunnerError;

impl Runner {
    /// Lets a root grow, or go on; one that is not on the agenda is put there. One that is done begins again
    /// and finds out whether there is anything left to do, as after a change of its directives.
    ///
    /// # Errors
    ///
    /// If the root is unknown or another engine's, or the database fails.
    pub fn grow(&self, id: AnalysisId) -> Result<(), RunnerError> {
        let shared = self.shared();
        let mut store = shared.store();
        let (id, row) = self.found(&store, id)?;
        self.is_ours(&row)?;
        let stages = has_stages(&store, &row)?;
        let wish = AgendaRow::new(id, stages, true);
        let mut state = shared.state();
        if shared.crew.is_ending() {
            return Err(RunnerError::Ending);
        }
        let wish = match state.item(id) {
            Some(item) if item.is_leaving => return Err(RunnerError::Unknown(id)),
            Some(item) => {
                let mut until = item.wish.until;
                // A time in the past does not count after a new beginning.
                until.pause_at = until.pause_at.filter(|at| *at > now());
                AgendaRow { growing: true, ended: None, until, ..item.wish.clone() }
            }
            None => wish,
        };
        drop(state);
        store.put_on_agenda(&wish)?;
        let mut state = shared.state();
        if state.item(id).is_none() {
            let new = RunnerRoot::of(&row, &wish, &shared.settings);
            state.items.push(new.ok_or(RunnerError::Unknown(id))?);
        }
        let item = state.standing(id)?;
        item.wish = wish;
        item.reopen();
        shared.begin_wanted(&mut state, id)?;
        drop(state);
        shared.wakers.wake();
        Ok(())
    }

    /// Pauses a root: no search begins, and those under way are kept when they are answered.
    ///
    /// # Errors
    ///
    /// If the root is not on the agenda, or the database fails.
    pub fn pause(&self, id: AnalysisId) -> Result<(), RunnerError> {
        let id = self.change(id, |wish| wish.growing = false)?;
        let mut state = self.shared().state();
        let mut item = state.item(id).filter(|item| !item.wish.growing);
        item.iter_mut().for_each(|item| item.wanted = None);
        item.iter().filter_map(|item| item.control.as_ref()).for_each(Control::end);
        Ok(())
    }

    /// Sets the end of a root's growth. A completed one goes on if that allows it.
    ///
    /// # Errors
    ///
    /// If the root is not on the agenda, or the database fails.
    pub fn grow_until(&self, id: AnalysisId, until: GrowsUntil) -> Result<(), RunnerError> {
        self.amend(id, &Amendment { until: Some(until), ..Amendment::default() })
    }

    /// Lets few roots with the same number grow at once, the first of them first; one without a number waits for none.
    ///
    /// # Errors
    ///
    /// If the root is not on the agenda, or the database fails.
    pub fn take_turns(&self, id: AnalysisId, turn: Option<i64>) -> Result<(), RunnerError> {
        self.change(id, |wish| wish.turn = turn).map(drop)
    }

    /// Looks at the clock of the wall: runs count their time by another one, which rests while the computer sleeps.
    pub fn keep_time(&self) {
        let mut state = self.shared().state();
        let overdue = |item: &&mut RunnerRoot| item.control.is_some() && item.is_overdue(now());
        state.items.iter_mut().filter(overdue).for_each(RunnerRoot::retarget);
    }

    /// Makes a closing search of a root's present tree, for this time; then the root goes on
    /// growing, or stays paused, as before.
    ///
    /// # Errors
    ///
    /// If the root is unknown or another engine's, or the database fails.
    pub fn close(&self, id: AnalysisId, time: Duration) -> Result<(), RunnerError> {
        let (id, row) = self.found(&self.shared().store(), id)?;
        self.is_ours(&row)?;
        self.make_at_once(id, &row, AtOnce::Closing(time))
    }

    /// Searches leaves of a root's tree again with the engines here, even if it is another engine's
    /// tree or one of shallower searches; then the root goes on growing, or stays paused, as
    /// before.
    ///
    /// # Errors
    ///
    /// If the root is unknown, its tree is made of such searches, or the database fails.
    pub fn recheck(&self, asked: RecheckAsked) -> Result<(), RunnerError> {
        let store = self.shared().store();
        let (id, row) = self.found(&store, asked.analysis)?;
        let tree = store.analysis(asked.analysis)?.ok_or(RunnerError::Unknown(asked.analysis))?;
        drop(store);
        if tree.profile == (Profile { limit: asked.limit, ..self.profile().clone() }) {
            return Err(RunnerError::OwnSearches);
        }
        self.make_at_once(id, &row, AtOnce::Recheck(asked))
    }

    /// Ends the run of a root, if it has one, and begins another one that makes this.
    fn make_at_once(
        &self,
        id: AnalysisId,
        row: &AnalysisRow,
        what: AtOnce,
    ) -> Result<(), RunnerError> {
        let shared = self.shared();
        if shared.state().item(id).is_none() {
            self.shelve(id, row)?;
        }
        let mut state = shared.state();
        let item = state.standing(id)?;
        item.wanted = Some(what);
        item.control.iter().for_each(Control::end);
        shared.begin_wanted(&mut state, id)?;
        drop(state);
        shared.wakers.wake();
        Ok(())
    }

    /// Puts a root on the agenda, where it rests.
    fn shelve(&self, id: AnalysisId, row: &AnalysisRow) -> Result<(), RunnerError> {
        let shared = self.shared();
        let mut store = shared.store();
        let wish = AgendaRow::new(id, has_stages(&store, row)?, false);
        store.put_on_agenda(&wish)?;
        let item = RunnerRoot::of(row, &wish, &shared.settings);
        shared.state().items.push(item.ok_or(RunnerError::Unknown(id))?);
        Ok(())
    }

    /// Gives a root another depth to settle, which a run of it takes up before its next pass. One that is done
    /// goes on, where it was to grow.
    ///
    /// # Errors
    ///
    /// If the root is not on the agenda, or the database fails.
    pub fn set_depth(&self, id: AnalysisId, depth: u32) -> Result<(), RunnerError> {
        self.amend(id, &Amendment { depth: Some(depth), ..Amendment::default() })
    }

    /// Changes several things of a root: all of them, or nothing.
    ///
    /// # Errors
    ///
    /// If the root is unknown, it is not on the agenda though a change needs that, the weight is out of
    /// range, `before` is not on the agenda, or the database fails.
    pub fn amend(&self, id: AnalysisId, asked: &Amendment) -> Result<(), RunnerError> {
        asked.weight.map_or(Ok(()), check_weight)?;
        let shared = self.shared();
        let mut store = shared.store();
        let (id, row) = self.found(&store, id)?;
        let before = match asked.before {
            Some(Some(before)) => Some(Some(self.found(&store, before)?.0)),
            other => other,
        };
        let wish = if asked.is_of_agenda() {
            Some(asked.wish(shared.state().standing(id)?.wish.clone()))
        } else {
            None
        };
        let order = before.map(|before| order_with(&shared.state(), id, before)).transpose()?;
        let stages = stages_of(&store, row)?;
        store.change_root(&RootChanges {
            stages: &stages,
            name: asked.name.as_ref().map(Option::as_deref),
            archived: asked.archived,
            aim: asked.depth.map(|depth| (id, depth)),
            wish: wish.as_ref(),
            order: order.as_deref(),
        })?;
        // It is at least what is settled.
        let aimed = match asked.depth {
            Some(depth) => Some(store.analysis(id)?.map_or(depth, |row| row.target_depth)),
            None => None,
        };
        let mut state = shared.state();
        if let Some(order) = order {
            let place = |id| order.iter().position(|other| *other == id);
            state.items.sort_by_key(|item| place(item.wish.analysis));
        }
        let goes_on = state.item(id).is_some_and(|item| item.amend(asked, aimed));
        drop(state);
        drop(store);
        if let Some(weight) = asked.weight {
            shared.crew.with(|share| share.set_weight(RunKey(id.0), weight));
        }
        shared.wakers.wake();
        if goes_on { self.grow(id) } else { Ok(()) }
    }

    /// Changes the directives of a root, and lets the analyses follow that the change affects.
    ///
    /// # Errors
    ///
    /// The errors of `change`, or if the database fails.
    pub fn direct<T, E: From<RunnerError>>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<DirectivesChanged<T>, E>,
    ) -> Result<DirectivesChanged<T>, E> {
        let changed = change(&mut self.shared().store())?;
        self.follow_directives(&changed.affected)?;
        Ok(changed)
    }

    /// Applies the present directives of their root to analyses: a run takes them up at once, and a
    /// completed one begins again. Others, on the agenda or not, take them up when they grow.
    ///
    /// # Errors
    ///
    /// If a completed one cannot begin again, or the database fails.
    pub fn follow_directives(&self, affected: &[AnalysisId]) -> Result<(), RunnerError> {
        let shared = self.shared();
        let store = shared.store();
        let roots = affected.iter().map(|id| Ok(self.found(&store, *id)?.0));
        let roots: BTreeSet<AnalysisId> = roots.collect::<Result<_, RunnerError>>()?;
        drop(store);
        for root in roots {
            let mut state = shared.state();
            let Some(item) = state.item(root) else { continue };
            item.control.iter().for_each(Control::direct);
            let is_done = item.is_done();
            drop(state);
            if is_done {
                self.grow(root)?;
            }
        }
        shared.wakers.wake();
        Ok(())
    }

    /// Ends the run of a root, takes it from the agenda and deletes its trees, on the agenda or not. The answers
    /// stay. Returns when that is done: where the run is reading a large tree, that may take a while.
    ///
    /// # Errors
    ///
    /// If the root is unknown, another process grows it, or the database fails.
    pub fn remove(&self, id: AnalysisId) -> Result<(), RunnerError> {
        let shared = self.shared();
        let (id, row) = self.found(&shared.store(), id)?;
        let is_listed = shared.state().item(id).is_some();
        if is_listed {
            shared.clear(id)?;
        }
        let delete = |store: &mut Store| -> Result<(), RunnerError> {
            let ids: Vec<AnalysisId> =
                stages_of(store, row)?.iter().map(|stage| stage.id).collect();
            Ok(store.delete_analyses(&ids).map(drop)?)
        };
        let removed = delete(&mut shared.store());
        let mut state = shared.state();
        match &removed {
            Ok(()) => state.items.retain(|item| item.wish.analysis != id),
            Err(_) if is_listed => {
                state.item(id).into_iter().for_each(|item| item.is_leaving = false);
                // Where it cannot begin, the root itself says why.
                let _ = shared.begin_wanted(&mut state, id);
            }
            Err(_) => {}
        }
        drop(state);
        shared.has_left();
        removed
    }

    /// Keeps what the user wants of a root, and then changes it; gives its number.
    fn change(
        &self,
        id: AnalysisId,
        change: impl Fn(&mut AgendaRow),
    ) -> Result<AnalysisId, RunnerError> {
        let shared = self.shared();
        let mut store = shared.store();
        let (id, _) = self.found(&store, id)?;
        let mut wish = shared.state().standing(id)?.wish.clone();
        change(&mut wish);
        store.put_on_agenda(&wish)?;
        if let Some(item) = shared.state().item(id) {
            change(&mut item.wish);
        }
        shared.wakers.wake();
        Ok(id)
    }
}

/// Changes of a root; `None` changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Amendment {
    /// Another name of its own, or that it is to have none.
    pub name: Option<Option<String>>,
    /// True to archive it.
    pub archived: Option<bool>,
    /// Its share of the engines' time beside the others', from 1 to 100.
    pub weight: Option<u32>,
    /// Before which other root it is to stand, or at the end.
    pub before: Option<Option<AnalysisId>>,
    /// The depth to settle.
    pub depth: Option<u32>,
    /// Until when it is to grow.
    pub until: Option<GrowsUntil>,
}

impl Amendment {
    /// True if a change needs a root on the agenda.
    pub fn is_of_agenda(&self) -> bool {
        let Amendment { name: _, archived: _, weight, before, depth, until } = self;
        weight.is_some() || before.is_some() || depth.is_some() || until.is_some()
    }

    fn wish(&self, before: AgendaRow) -> AgendaRow {
        let weight = self.weight.unwrap_or(before.weight);
        AgendaRow { weight, until: self.until.unwrap_or(before.until), ..before }
    }
}

impl RunnerRoot {
    /// Takes over what was written; whether it goes on growing, which was done.
    fn amend(&mut self, asked: &Amendment, depth: Option<u32>) -> bool {
        let is_deeper = depth.is_some_and(|depth| depth > self.depth);
        let is_stable = asked.until.is_some_and(|until| until.stable != self.wish.until.stable);
        self.wish = asked.wish(self.wish.clone());
        if let Some(depth) = depth {
            self.depth = depth;
        }
        if depth.is_some() || asked.until.is_some() {
            self.retarget();
        }
        if self.is_done() && self.wish.growing && (is_deeper || is_stable) {
            return true;
        }
        // A run that has begun knows nothing of another chance: another one begins behind it.
        let begins_again = is_stable && !self.is_interrupted();
        self.control.iter().filter(|_| begins_again).for_each(Control::end);
        false
    }
}

/// The order of the agenda with a root before another one, or at the end.
fn order_with(
    state: &RunnerState,
    id: AnalysisId,
    before: Option<AnalysisId>,
) -> Result<Vec<AnalysisId>, RunnerError> {
    let all = state.items.iter().map(|item| item.wish.analysis);
    let mut order: Vec<AnalysisId> = all.clone().filter(|other| *other != id).collect();
    let place = match before {
        Some(before) if before == id => all.clone().position(|other| other == id),
        Some(before) => order.iter().position(|other| *other == before),
        None => Some(order.len()),
    };
    order.insert(place.ok_or(RunnerError::Unknown(before.unwrap_or(id)))?, id);
    Ok(order)
}

/// True if a root goes deeper from stage to stage by default.
fn has_stages(store: &Store, row: &AnalysisRow) -> Result<bool, StoreError> {
    let stages = stages_of(store, row.clone())?.len();
    Ok(stages > 1 || row.profile.limit == Schedule::REFINED.first())
}
