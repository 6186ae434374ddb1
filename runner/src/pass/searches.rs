//! What engines are given: what the pass waits for, then what later ones will probably ask.

use crate::error::RunError;
use crate::look_ahead::KnownAnswers;
use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::Search;

use super::{Pass, excluded};

/// Looking ahead waits for the end of a pass of more positions than this: they would take some 5 ms.
const LARGEST_PASS: usize = 500;

impl Pass<'_, '_> {
    /// Whether an engine is free, and neither pause nor limits keep it from a search.
    fn may_search(&self) -> bool {
        let (run, running) = (&*self.run, self.run.under_way.len());
        running < run.engines.up()
            && !run.control.is_paused()
            && run.budget.allows(running, run.engines.now())
    }

    /// Gives free engines what the pass waits for.
    pub(super) fn start_required(&mut self) -> Result<(), RunError> {
        while self.may_search() {
            let Some(place) = self.waiting.pop_front() else {
                return Ok(());
            };
            let (service, position) = self.requests.get(place);
            let rank = service.next_rank();
            self.run.lists.refresh(self.run.store, position)?;
            if self.run.lists.list(self.run.store, position)?.len() > rank {
                self.advance(place)?;
                continue;
            }
            let search = Search {
                position: position.clone(),
                excluded: excluded(self.tree.growth, service).collect(),
            };
            self.run.start(search);
        }
        Ok(())
    }

    /// Gives engines that the pass leaves free what later ones will probably ask.
    pub(super) fn start_ahead(&mut self) {
        while self.waiting.is_empty() && self.may_search() {
            let run = &mut *self.run;
            let Some(look_ahead) = &mut run.look_ahead else {
                return;
            };
            let (under_way, profile) = (&*run.under_way, run.asking.profile);
            let is_under_way = |key: &PositionKey| under_way.has(profile, *key);
            let Some(search) = look_ahead.next(run.store, &mut run.lists, is_under_way) else {
                return;
            };
            run.start_ahead(search);
        }
    }

    /// Runs a scenario, where nothing else is to be done and it may show something new.
    pub(super) fn try_scenario(&mut self) -> bool {
        // A scenario begins with the answers of the whole pass, and the run waits meanwhile.
        if self.requests.len() > LARGEST_PASS {
            return false;
        }
        let run = &mut *self.run;
        let engines = run.engines.up();
        let Some(look_ahead) = &mut run.look_ahead else {
            return false;
        };
        let due =
            self.scenarios > 0 && run.engines.is_quiet() && engines > 1 && !run.control.is_paused();
        if !due || self.waiting.len() >= engines || !look_ahead.has_time(run.engines.now()) {
            return false;
        }
        self.scenarios -= 1;
        let growth = &mut *self.tree.growth;
        let (depth, wants, began) = (run.target, 4 * engines, run.engines.now());
        let (store, lists, look_up) = (&*run.store, &mut run.lists, run.look_up.as_mut());
        let known = KnownAnswers { store, lists, look_up };
        look_ahead.run_scenario(growth, self.requests.services(), depth, wants, known);
        look_ahead.took(run.engines.now().saturating_duration_since(began));
        true
    }
}
