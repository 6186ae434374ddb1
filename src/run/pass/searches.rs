//! What engines are given: what the pass waits for, then what later ones will probably ask.

use std::time::Instant;

use crate::run::error::RunError;
use crate::search::Search;

use super::{Pass, excluded};

impl Pass<'_, '_> {
    /// Whether an engine is free and the limits let it search.
    fn may_search(&self) -> bool {
        let running = self.run.under_way.len();
        running < self.run.pool.up() && self.run.budget.allows(running)
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
            self.run.under_way.start(self.run.pool, search);
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
            let under_way = &*run.under_way;
            let Some(search) = look_ahead.next(run.store, &mut run.lists, |key| under_way.has(key))
            else {
                return;
            };
            run.under_way.start(run.pool, search);
        }
    }

    /// Runs a scenario, where nothing else is to be done and it may show something new.
    pub(super) fn try_scenario(&mut self) -> bool {
        let run = &mut *self.run;
        let engines = run.pool.up();
        let Some(look_ahead) = &mut run.look_ahead else {
            return false;
        };
        let due = self.scenarios > 0 && run.pool.events().is_empty() && engines > 1;
        if !due || self.waiting.len() >= engines || !look_ahead.has_time() {
            return false;
        }
        self.scenarios -= 1;
        let growth = &mut *self.tree.growth;
        let horizon = (run.target, 4 * engines);
        let began = Instant::now();
        look_ahead.run_scenario(
            growth,
            self.requests.services(),
            horizon,
            run.store,
            &mut run.lists,
        );
        look_ahead.took(began.elapsed());
        true
    }
}
