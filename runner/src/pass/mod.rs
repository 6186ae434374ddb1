//! Serving one pass: from the answers that are there, then from engines side by side. Engines that the
//! pass leaves free search ahead.

mod events;
mod requests;
mod searches;

use std::collections::VecDeque;
use std::time::Duration;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value, epd_of};
use deepanalyze_core::tree::{Growth, Served, Service};
use deepanalyze_engine::Wakeup;
use deepanalyze_report::BestLines;
use deepanalyze_store::StoreError;

use super::context::RunContext;
use super::control::must_end;
use super::error::RunError;
use super::feed::event::{Progress, RunEvent};
use super::outcome::RunEnd;
use super::passes::PassesEnd;
use requests::{Place, Requests};

/// How often a run that only waits reports progress.
const TICK: Duration = Duration::from_millis(250);

/// The tree that a pass is about, as the passes before have left it.
pub struct TreeState<'a> {
    pub growth: &'a mut Growth,
    pub lines: &'a BestLines,
}

/// One pass being served.
pub struct Pass<'a, 'w> {
    pub run: &'a mut RunContext<'w>,
    pub tree: TreeState<'a>,
    requests: Requests,
    /// Services that want a search and have none running; the longest begun come first.
    waiting: VecDeque<Place>,
    /// Services that are not done.
    open: usize,
    /// Scenarios that are worth running before another answer comes.
    scenarios: u32,
}

impl<'a, 'w> Pass<'a, 'w> {
    /// A pass, served as far as answers are known; the first searches it needs have begun.
    pub fn begin(
        run: &'a mut RunContext<'w>,
        tree: TreeState<'a>,
        services: Vec<Service>,
    ) -> Result<Pass<'a, 'w>, RunError> {
        let requests = Requests::new(tree.growth, services);
        let (open, waiting) = (requests.len(), VecDeque::new());
        let mut pass = Pass { run, tree, requests, waiting, open, scenarios: 1 };
        for place in pass.requests.places() {
            pass.advance(place)?;
        }
        pass.start_required()?;
        Ok(pass)
    }

    /// The tree is as large as it is to become.
    pub fn has_caught_up(&mut self) {
        self.run.rows.has_caught_up();
    }

    /// Whether the verdict is as stable as the run wants it.
    pub fn is_stable(&self) -> bool {
        self.run.is_stable(self.tree.lines)
    }

    /// The end of a run whose depth is settled, unless the user has just said something else.
    pub fn end_settled(self, end: RunEnd) -> Result<Served<PassesEnd>, RunError> {
        self.run.directives.look_at_once();
        let is_directed = self.run.is_directed_anew(self.tree.growth)?;
        Ok(if is_directed {
            Served::End(PassesEnd::Directed)
        } else {
            Served::End(PassesEnd::Run(end))
        })
    }

    /// Serves all requests, or as many as limits and the control let.
    ///
    /// # Errors
    ///
    /// All answers but the one that failed are kept.
    pub fn serve(mut self) -> Result<Served<PassesEnd>, RunError> {
        self.tell();
        loop {
            // A pass that the memo serves alone waits for nothing, so nothing else would look.
            if let Some(end) = self.must_end() {
                return Ok(Served::End(PassesEnd::Run(self.end(end))));
            }
            if self.open > 0 {
                self.has_caught_up();
            }
            if self.run.is_void {
                self.run.save_answers()?;
                return Ok(Served::End(PassesEnd::Overtaken));
            }
            if self.run.is_directed_anew(self.tree.growth)? {
                return Ok(Served::End(PassesEnd::Directed));
            }
            self.start_required()?;
            if self.open == 0 && !self.run.control.is_paused() && self.knows_tables()? {
                self.run.give_answers();
                return Ok(Served::Answers(self.requests.into_services()));
            }
            self.start_ahead();
            self.tell();
            if !self.run.save_if_due(self.tree.growth)? {
                return Ok(Served::End(PassesEnd::Overtaken));
            }
            if !self.try_scenario() {
                self.wait()?;
            }
        }
    }

    /// Whether all is known that tables may say of the positions that the answers lead to. What is not is looked
    /// up meanwhile.
    fn knows_tables(&mut self) -> Result<bool, RunError> {
        let growth = &mut *self.tree.growth;
        let Some(look_up) = &mut self.run.look_up else {
            return Ok(true);
        };
        let mut knows_all = true;
        for position in growth.to_look_up(self.requests.services())? {
            match look_up.get(self.run.store, &position)? {
                Some(fact) => growth.learn([(PositionKey::of(&position), fact)]),
                None => knows_all = false,
            }
        }
        for complaint in look_up.take_complaints() {
            (self.run.tell)(RunEvent::Warning(complaint));
        }
        Ok(knows_all)
    }

    /// How the run must end now, if it must.
    fn must_end(&self) -> Option<RunEnd> {
        let (run, wanting) = (&*self.run, self.open);
        let (running, now) = (run.under_way.len(), run.engines.now());
        must_end(run.control, run.budget.ends_root(wanting, running, now))
    }

    /// Ends the run, in this way or another that comes up meanwhile.
    fn end(&mut self, end: RunEnd) -> RunEnd {
        if end == RunEnd::Interrupted {
            (self.run.tell)(RunEvent::Stopping("interrupted".to_owned()));
        }
        self.wind_down();
        must_end(self.run.control, true).unwrap_or(end)
    }

    /// Waits for something to happen, and takes it in.
    fn wait(&mut self) -> Result<(), RunError> {
        let run = &mut *self.run;
        let tick = run.engines.now() + TICK;
        let times = [run.budget.deadline(), run.lists.due(), Some(tick)];
        let until = times.into_iter().flatten().min();
        if let Wakeup::Event(event) = run.engines.wait(run.control.wake(), until)
            && let Err(error) = self.take(event)
        {
            self.wind_down();
            return Err(error);
        }
        Ok(())
    }

    /// Serves a position as far as its list is known; where it wants an engine, it waits for one,
    /// or for the answer of the search that it has already.
    fn advance(&mut self, place: Place) -> Result<(), RunError> {
        let (service, position) = self.requests.get_mut(place);
        while service.wants_search() {
            let rank = service.next_rank();
            let list = self.run.lists.list(self.run.store, position)?;
            let Some(answer) = list.get(rank).copied() else {
                if !self.run.awaits(PositionKey::of(position)) {
                    let begun = !service.answers().is_empty();
                    if begun {
                        self.waiting.push_front(place);
                    } else {
                        self.waiting.push_back(place);
                    }
                }
                return Ok(());
            };
            let listed = excluded(self.tree.growth, service).any(|uci| uci == answer.uci);
            if listed || answer.uci.to_move(position).is_err() {
                let path = self.run.store.path().to_owned();
                let what = format!(
                    "the answer of rank {rank} in {} is {}, which {}",
                    epd_of(position),
                    answer.uci,
                    if listed { "is listed twice" } else { "is not legal" }
                );
                return Err(StoreError::Damaged { path, what }.into());
            }
            service.answer(answer.uci, Value::from(answer.score));
            if let Some(look_ahead) = &mut self.run.look_ahead {
                look_ahead.asked(position, rank);
            }
        }
        self.open -= 1;
        Ok(())
    }

    fn tell(&mut self) {
        let progress = self.run.progress(self.tree.growth, self.tree.lines);
        (self.run.tell)(RunEvent::Progress(Progress { waiting: self.open, ..progress }));
    }
}

/// The moves that a position has listed, with this pass's answers.
fn excluded<'a>(growth: &'a Growth, service: &'a Service) -> impl Iterator<Item = UciMove> + 'a {
    let list = growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
    list.chain(service.answers().iter().map(|(uci, _)| *uci))
}
