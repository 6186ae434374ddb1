//! Serving one pass: from known answers, then from engines side by side. Engines that the pass
//! leaves free search ahead.

mod events;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value, epd_of};
use deepanalyze_core::search::Search;
use deepanalyze_core::tree::{Growth, Served, Service};
use deepanalyze_engine::Wakeup;
use deepanalyze_store::StoreError;
use deepanalyze_view::Line;

use super::context::RunContext;
use super::control::must_end;
use super::feed::event::{Progress, RunEvent};
use super::look_ahead::ScenarioKnowledge;
use super::outcome::{RunEnd, RunError};
use super::passes::PassesEnd;

/// Pause between progress reports of a waiting run.
const TICK: Duration = Duration::from_millis(250);

/// Larger passes look ahead only after their end: they would take some 5 ms.
const LARGEST_PASS: usize = 500;

/// The tree of a pass, as the passes before have left it.
pub struct TreeState<'a> {
    pub growth: &'a mut Growth,
    pub lines: &'a Arc<[Line]>,
}

/// One pass being served.
pub struct Pass<'a, 'w> {
    pub run: &'a mut RunContext<'w>,
    pub tree: TreeState<'a>,
    requests: PassRequests,
    /// Services that want a search and have none running; earliest begun first.
    waiting: VecDeque<RequestPlace>,
    /// Unfinished services.
    open: usize,
    /// Scenarios worth running before another answer comes.
    scenarios: u32,
}

impl<'a, 'w> Pass<'a, 'w> {
    /// Begins a pass, served as far as answers are known; its first searches have begun.
    pub fn begin(
        run: &'a mut RunContext<'w>,
        tree: TreeState<'a>,
        services: Vec<Service>,
    ) -> Result<Pass<'a, 'w>, RunError> {
        let requests = PassRequests::new(tree.growth, services);
        let (open, waiting) = (requests.services.len(), VecDeque::new());
        let mut pass = Pass { run, tree, requests, waiting, open, scenarios: 1 };
        for place in (0..open).map(RequestPlace) {
            pass.advance(place)?;
        }
        pass.start_required()?;
        Ok(pass)
    }

    /// The tree is as large as it is to become.
    pub fn has_caught_up(&mut self) {
        self.run.rows.has_caught_up();
    }

    /// True if the verdict is as stable as the run wants it.
    pub fn is_stable(&self) -> bool {
        self.run.is_stable(self.tree.lines)
    }

    /// The end of a run whose depth is settled, unless directives have just changed.
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
    /// All other answers are kept.
    pub fn serve(mut self) -> Result<Served<PassesEnd>, RunError> {
        self.tell();
        loop {
            // A pass served by the memo alone never waits, so nothing else would check.
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
            if self.open == 0 && !self.run.control.is_paused() && self.knows_facts()? {
                self.run.give_answers();
                return Ok(Served::Answers(self.requests.services));
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

    /// True if the game counts of the first positions, and the table facts of those behind the
    /// answers, are known. Missing table facts are looked up meanwhile.
    fn knows_facts(&mut self) -> Result<bool, RunError> {
        let growth = &mut *self.tree.growth;
        if let Some(counts) = &mut self.run.counts {
            for key in growth.to_count(&self.requests.services) {
                let found = counts.find(self.run.store, growth, &key)?;
                growth.learn_counts([(key, found)]);
            }
        }
        let Some(look_up) = &mut self.run.look_up else {
            return Ok(true);
        };
        let mut knows_all = true;
        for position in growth.to_look_up(&self.requests.services)? {
            match look_up.find(self.run.store, &position, true)? {
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

    /// True if an engine is free, and neither pause nor limits keep it from a search.
    fn may_search(&self) -> bool {
        let (run, running) = (&*self.run, self.run.under_way.len());
        running < run.engines.up()
            && !run.control.is_paused()
            && run.budget.allows(running, run.engines.now())
    }

    /// Gives free engines the pass's searches.
    fn start_required(&mut self) -> Result<(), RunError> {
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
            self.run.start(search, false);
        }
        Ok(())
    }

    /// Gives engines left free by the pass the probable searches of later ones.
    fn start_ahead(&mut self) {
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
            run.start(search, true);
        }
    }

    /// Runs a scenario, if nothing else is to be done and it may show something new.
    fn try_scenario(&mut self) -> bool {
        // A scenario begins with the answers of the whole pass, and the run waits meanwhile.
        if self.requests.services.len() > LARGEST_PASS {
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
        if let Some(complaint) = look_ahead.take_forecast(run.store) {
            (run.tell)(RunEvent::Warning(complaint));
        }
        let growth = &mut *self.tree.growth;
        let (depth, wants, began) = (run.target, 4 * engines, run.engines.now());
        let (store, lists, look_up) = (&*run.store, &mut run.lists, run.look_up.as_mut());
        let known = ScenarioKnowledge { store, lists, look_up, counts: run.counts.as_mut() };
        look_ahead.run_scenario(growth, &self.requests.services, depth, wants, known);
        look_ahead.took(run.engines.now().saturating_duration_since(began));
        true
    }

    /// Waits for an event, and handles it.
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

    /// Serves a position as far as its list is known; if it wants an engine, it waits for one, or
    /// for the answer of its running search.
    fn advance(&mut self, place: RequestPlace) -> Result<(), RunError> {
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

/// The listed moves of a position, with this pass's answers.
fn excluded<'a>(growth: &'a Growth, service: &'a Service) -> impl Iterator<Item = UciMove> + 'a {
    let list = growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
    list.chain(service.answers().iter().map(|(uci, _)| *uci))
}

/// One of the positions of a pass. Only [`PassRequests`] makes them and never loses one, so each
/// has a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RequestPlace(usize);

/// The requests of a pass, and their positions.
struct PassRequests {
    services: Vec<Service>,
    positions: Vec<Chess>,
    places: HashMap<PositionKey, RequestPlace>,
}

impl PassRequests {
    /// The requests of a pass of this tree.
    fn new(growth: &Growth, services: Vec<Service>) -> PassRequests {
        let positions: Vec<Chess> =
            services.iter().map(|service| growth.position(service.node())).collect();
        let keys = positions.iter().map(PositionKey::of).enumerate();
        let places = keys.map(|(index, key)| (key, RequestPlace(index))).collect();
        PassRequests { services, positions, places }
    }

    /// The place of a position, if the pass asks for it.
    fn find(&self, position: &Chess) -> Option<RequestPlace> {
        self.places.get(&PositionKey::of(position)).copied()
    }

    /// A position and its service.
    #[expect(clippy::indexing_slicing, reason = "a place is an index of both")]
    fn get(&self, place: RequestPlace) -> (&Service, &Chess) {
        (&self.services[place.0], &self.positions[place.0])
    }

    /// As `get`, for serving.
    #[expect(clippy::indexing_slicing, reason = "a place is an index of both")]
    fn get_mut(&mut self, place: RequestPlace) -> (&mut Service, &Chess) {
        (&mut self.services[place.0], &self.positions[place.0])
    }
}
