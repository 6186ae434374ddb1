//! Putting a root on the agenda.

use deepanalyze_store::{AgendaRow, AnalysisId, AnalysisRow};

use super::Agenda;
use super::entry::{Added, NewRoot};
use super::error::AgendaError;
use super::item::Item;
use super::rooting::{Rooted, check, keep_root};

/// A root in the database, as it is to stand on the agenda.
struct Kept {
    row: AnalysisRow,
    /// Whether the database did not have it.
    is_new: bool,
    /// The number under which it stands there already, perhaps another stage's.
    listed: Option<AnalysisId>,
    /// Whether the engines search deeper from stage to stage.
    stages: bool,
    copied: Option<(usize, usize)>,
}

impl Agenda {
    /// Puts a root on the agenda, where it rests until it is told to grow. Of a root that is there already, on
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
    pub fn add(&self, new: NewRoot) -> Result<Added, AgendaError> {
        let weight = new.weight.unwrap_or(new.begins_with.weight);
        check(&new, weight)?;
        self.shared().wait_for_leaving(&new.game);
        let kept = self.keep_root(&new)?;
        let (id, is_new, copied) = (kept.row.id, kept.is_new, kept.copied);
        let depth = match kept.listed {
            Some(listed) => self.take_over(listed, kept, new.depth)?,
            None => self.list(kept, weight).map(|()| new.depth)?,
        };
        if let Some(weight) = new.weight.filter(|_| !is_new) {
            self.set_weight(id, weight)?;
        }
        if let Some(depth) = depth.filter(|_| !is_new) {
            self.set_depth(id, depth)?;
        }
        Ok(Added { id, is_new, copied })
    }

    /// The root in the database, made where there is none.
    fn keep_root(&self, new: &NewRoot) -> Result<Kept, AgendaError> {
        let mut store = self.shared().store();
        if self.shared().is_ending() {
            return Err(AgendaError::Ending);
        }
        let Rooted { row, all, is_new, stages, copied } =
            keep_root(&mut store, (self.profile(), self.shared().tables()), new)?;
        let mut state = self.shared().state();
        let listed = all.iter().find_map(|stage| state.item(stage.id).map(|item| item.id));
        Ok(Kept { row, is_new, listed, stages, copied })
    }

    /// Writes a root down that was not on the agenda.
    fn list(&self, kept: Kept, weight: u32) -> Result<(), AgendaError> {
        let Kept { row, stages, .. } = kept;
        let shared = self.shared();
        let wish = AgendaRow { analysis: row.id, stages, weight, growing: false, ended: None };
        let item = Item::of(&row, &wish, &shared.settings).ok_or(AgendaError::Unknown(row.id))?;
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
        kept: Kept,
        said: Option<u32>,
    ) -> Result<Option<u32>, AgendaError> {
        let Kept { row, stages, .. } = kept;
        let shared = self.shared();
        let is_as_wanted = |item: &Item| item.id == row.id && (item.stages || !stages);
        if shared.state().standing(listed).is_ok_and(|item| is_as_wanted(item)) {
            return Ok(said);
        }
        shared.clear(listed)?;
        let replaced = self.replace(listed, &row, stages);
        let mut state = shared.state();
        let item = state.item(listed).ok_or(AgendaError::Unknown(listed))?;
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
    ) -> Result<Item, AgendaError> {
        let shared = self.shared();
        let mut store = shared.store();
        let before = shared.state().item(listed).map(|item| item.row());
        let before = before.ok_or(AgendaError::Unknown(listed))?;
        let before = AgendaRow { stages, ended: None, ..before };
        let wish = AgendaRow { analysis: row.id, ..before.clone() };
        let new = Item::of(row, &wish, &shared.settings).ok_or(AgendaError::Unknown(row.id))?;
        // Where the second fails, there is still one row of this root.
        store.put_on_agenda(&before)?;
        store.replace_on_agenda(listed, row.id)?;
        Ok(new)
    }
}
