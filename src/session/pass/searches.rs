//! What engines are given: what the pass waits for, then what later ones will probably ask.

use std::time::Instant;

use crate::engine::Search;
use crate::session::grow::SessionError;

use super::{Pass, excluded};

impl Pass<'_, '_> {
    /// Whether an engine is free and the limits let it search.
    fn may_search(&self) -> bool {
        let running = self.shop.flight.len();
        running < self.shop.pool.up() && self.shop.budget.allows(running)
    }

    /// Gives free engines what the pass waits for.
    pub(super) fn start_required(&mut self) -> Result<(), SessionError> {
        while self.may_search() {
            let Some(place) = self.waiting.pop_front() else {
                return Ok(());
            };
            let (service, position) = self.requests.get(place);
            let rank = service.next_rank();
            self.shop.known.refresh(self.shop.store, position)?;
            if self.shop.known.list(self.shop.store, position)?.len() > rank {
                self.advance(place)?;
                continue;
            }
            let search = Search {
                position: position.clone(),
                excluded: excluded(self.stand.growth, service).collect(),
            };
            self.shop.flight.start(self.shop.pool, search);
        }
        Ok(())
    }

    /// Gives engines that the pass leaves free what later ones will probably ask.
    pub(super) fn start_ahead(&mut self) {
        while self.waiting.is_empty() && self.may_search() {
            let shop = &mut *self.shop;
            let Some(foresight) = &mut shop.foresight else {
                return;
            };
            let flight = &*shop.flight;
            let Some(search) = foresight.next(shop.store, &mut shop.known, |key| flight.has(key))
            else {
                return;
            };
            shop.flight.start(shop.pool, search);
        }
    }

    /// Thinks a scenario out, where nothing else is to be done and it may show something new.
    pub(super) fn think(&mut self) -> bool {
        let shop = &mut *self.shop;
        let engines = shop.pool.up();
        let Some(foresight) = &mut shop.foresight else {
            return false;
        };
        let due = self.thoughts > 0 && shop.pool.events().is_empty() && engines > 1;
        if !due || self.waiting.len() >= engines || !foresight.has_time() {
            return false;
        }
        self.thoughts -= 1;
        let growth = self.stand.growth;
        let horizon = (shop.target, 4 * engines);
        let began = Instant::now();
        foresight.think(growth, self.requests.services(), horizon, shop.store, &mut shop.known);
        foresight.took(began.elapsed());
        true
    }
}
