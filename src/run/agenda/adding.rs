//! Putting a root on the agenda.

use crate::chess::Ending;
use crate::search::{Limit, Profile};
use crate::store::{AgendaRow, AnalysisId, AnalysisKey, AnalysisRow, Store};

use super::entry::{Added, NewRoot};
use super::error::AgendaError;
use super::item::{Item, is_same_engine, stages_of};
use super::{Agenda, check_weight};

/// A root in the database, as it is to stand on the agenda.
struct Kept {
    row: AnalysisRow,
    /// The number under which it stands there already, perhaps another stage's.
    listed: Option<AnalysisId>,
    /// Whether the engines search deeper from stage to stage.
    stages: bool,
    copied: Option<(usize, usize)>,
}

impl Agenda {
    /// Puts a root on the agenda, where it rests until it is told to grow. Of a root that is there already
    /// the weight and the depth become those said here. A game that goes on from another one, as after the
    /// opponent's move, begins with its directives.
    ///
    /// Stages of one root are one root: where it has been analysed in stages, or less deeply than is asked
    /// here, it goes on in stages.
    ///
    /// # Errors
    ///
    /// Where the game is over there, the weight is none, or the database fails.
    pub fn add(&self, new: NewRoot) -> Result<Added, AgendaError> {
        check_weight(new.weight)?;
        if let Some(ending) = Ending::of(new.game.root()) {
            return Err(AgendaError::Over(ending));
        }
        let kept = self.keep_root(&new)?;
        let (id, copied) = (kept.row.id, kept.copied);
        let is_new = kept.listed.is_none();
        match kept.listed {
            Some(listed) => self.take_over(listed, kept, new.depth)?,
            None => self.list(kept, new.weight)?,
        }
        if !is_new {
            self.set_weight(id, new.weight)?;
            self.set_depth(id, new.depth)?;
        }
        Ok(Added { id, is_new, copied })
    }

    /// The root in the database, made where there is none.
    fn keep_root(&self, new: &NewRoot) -> Result<Kept, AgendaError> {
        let mut store = self.shared().store();
        if self.shared().state().is_ending {
            return Err(AgendaError::Ending);
        }
        let there = self.root_there(&store, new)?;
        let first = new.schedule.first();
        let (id, is_made) = match &there {
            Some(row) if is_no_deeper(row.profile.limit, first) => (row.id, false),
            _ => (self.make_root(&mut store, new)?, true),
        };
        let changed = store.change_directives(&new.game, |_| Ok::<(), AgendaError>(()))?;
        if let Some(name) = &new.name {
            store.suggest_name(&new.game, name)?;
        }
        if is_made {
            store.aim(id, new.depth)?;
        }
        let row = store.analysis(id)?.ok_or(AgendaError::Unknown(id))?;
        let rows = stages_of(&store, row.clone())?;
        let mut state = self.shared().state();
        let listed = rows.iter().find_map(|stage| state.item(stage.id).map(|item| item.id));
        let plies = new.game.moves().len();
        let copied = changed.copied.map(|(before, count)| (count, plies - before));
        let stages = new.schedule.has_stages() || rows.len() > 1 || row.profile.limit != first;
        Ok(Kept { row, listed, stages, copied })
    }

    /// The first stage of a root that the database has.
    fn root_there(&self, store: &Store, new: &NewRoot) -> Result<Option<AnalysisRow>, AgendaError> {
        let wanted = new.schedule.first();
        let fits = |row: &AnalysisRow| {
            let limits = match (row.profile.limit, wanted) {
                (Limit::Depth(_), Limit::Depth(_)) => true,
                (one, other) => one == other,
            };
            limits && row.breadth == new.breadth && is_same_engine(&row.profile, self.profile())
        };
        let Some(row) = store.analyses_of(&new.game)?.into_iter().find(fits) else {
            return Ok(None);
        };
        Ok(stages_of(store, row)?.into_iter().next())
    }

    fn make_root(&self, store: &mut Store, new: &NewRoot) -> Result<AnalysisId, AgendaError> {
        let profile = Profile { limit: new.schedule.first(), ..self.profile().clone() };
        let profile = store.profile_id(&profile)?;
        let key = AnalysisKey { game: &new.game, profile, breadth: &new.breadth };
        Ok(store.open_analysis(key)?)
    }

    /// Writes a root down that was not on the agenda.
    fn list(&self, kept: Kept, weight: u32) -> Result<(), AgendaError> {
        let Kept { row, stages, .. } = kept;
        let shared = self.shared();
        let wish = AgendaRow { analysis: row.id, stages, weight, growing: false, ended: None };
        let item = Item::of(&row, &wish, shared.settings).ok_or(AgendaError::Unknown(row.id))?;
        let mut store = shared.store();
        store.put_on_agenda(&wish)?;
        let mut state = shared.state();
        // Somebody else may have added the same root meanwhile.
        if state.item(row.id).is_none() {
            state.items.push(item);
        }
        drop(state);
        shared.wakers.wake();
        Ok(())
    }

    /// Lets a root that is on the agenda begin with another stage, or go on in stages.
    fn take_over(&self, listed: AnalysisId, kept: Kept, depth: u32) -> Result<(), AgendaError> {
        let Kept { row, stages, .. } = kept;
        let shared = self.shared();
        let is_as_wanted = |item: &Item| item.id == row.id && (item.stages || !stages);
        if shared.state().standing(listed).is_ok_and(|item| is_as_wanted(item)) {
            return Ok(());
        }
        shared.clear(listed)?;
        let mut store = shared.store();
        let mut state = shared.state();
        let Some(before) = state.item(listed).map(|item| item.row()) else {
            return Err(AgendaError::Unknown(listed));
        };
        let wish = AgendaRow { analysis: row.id, stages, ended: None, ..before };
        let new = Item::of(&row, &wish, shared.settings).ok_or(AgendaError::Unknown(row.id))?;
        drop(state);
        store.replace_on_agenda(listed, row.id)?;
        store.put_on_agenda(&wish)?;
        let mut state = shared.state();
        if let Some(item) = state.item(listed) {
            *item = new;
            item.depth = depth;
            shared.begin_wanted(item)?;
        }
        Ok(())
    }
}

/// Whether searches to one limit are no deeper than those to the other.
fn is_no_deeper(one: Limit, other: Limit) -> bool {
    match (one, other) {
        (Limit::Depth(one), Limit::Depth(other)) => one <= other,
        (one, other) => one == other,
    }
}
