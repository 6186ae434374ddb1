//! One engine process for one search after the other. The memo's answer is taken if there is one; a
//! new answer is kept before it is used.

use std::collections::HashMap;
use std::time::Duration;

use shakmaty::Chess;

use crate::duel::question::{HashState, Question, Reply};
use crate::duel::run::DuelError;
use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{Answer, HashContents, KeptHash, Limit, Profile, Search};
use deepanalyze_engine::{EngineError, Engines, Event, Pool, PoolNotice, Reason, Settings, Wakeup};
use deepanalyze_runner::{ControlReceiver, RunError};
use deepanalyze_store::{NewAnswer, ProfileId, Store, StoreError};

/// The most attempts at a search on a kept hash, with all the searches before it.
const ATTEMPTS: u32 = 3;

/// A search that is part of a kept hash.
type MadeSearch = (Search, Limit);

/// An engine's settings, and its running process.
#[derive(Debug)]
pub struct StartedEngine {
    /// How to start it.
    pub settings: Settings,
    /// The first process.
    pub pool: Pool,
}

/// Events of a searcher.
#[derive(Debug)]
pub enum SearcherEvent {
    /// A search is answered, with its nodes.
    Searched(u64),
    /// The engine failed; the search is tried again.
    Fault(EngineError, u32),
    /// How the engine searches has changed.
    Notice(PoolNotice),
}

/// One engine process, with its hash's contents.
pub struct SerialSearcher<E = Pool> {
    /// Starts a process.
    start: Box<dyn Fn() -> Result<E, EngineError> + Send>,
    /// The engine, but for the limit.
    profile: Profile,
    engine: Option<E>,
    ids: HashMap<Profile, ProfileId>,
    ticket: u64,
    /// Searches on the kept hash so far, answered by any process.
    made: Vec<MadeSearch>,
    /// The number of them made by this process since its hash was cleared.
    warm: usize,
    control: ControlReceiver,
    tell: Box<dyn Fn(SearcherEvent) + Send>,
}

impl SerialSearcher<Pool> {
    /// A searcher for the engine with this profile; started at its first search.
    pub fn new(
        settings: Settings,
        profile: Profile,
        control: ControlReceiver,
        tell: impl Fn(SearcherEvent) + Send + 'static,
    ) -> SerialSearcher {
        SerialSearcher::of(move || Pool::start(&settings), profile, control, tell)
    }

    /// Takes over a pool of one running process.
    pub fn with_pool(self, pool: Option<Pool>) -> SerialSearcher {
        SerialSearcher { engine: pool, ..self }
    }
}

impl<E: Engines> SerialSearcher<E> {
    /// A searcher of any engine of this profile, and how to start it.
    pub fn of(
        start: impl Fn() -> Result<E, EngineError> + Send + 'static,
        profile: Profile,
        control: ControlReceiver,
        tell: impl Fn(SearcherEvent) + Send + 'static,
    ) -> SerialSearcher<E> {
        SerialSearcher {
            start: Box::new(start),
            profile,
            engine: None,
            ids: HashMap::new(),
            ticket: 0,
            made: Vec::new(),
            warm: 0,
            control,
            tell: Box::new(tell),
        }
    }

    /// The next searches on a kept hash begin with an empty one.
    pub fn begin(&mut self) {
        self.made.clear();
        self.warm = 0;
    }

    /// The memo's answer, or the engine's, which is kept before it is used. If another process has
    /// kept one meanwhile, that one counts.
    pub fn ask(&mut self, store: &mut Store, question: Question<'_>) -> Result<Reply, DuelError> {
        self.control.rest();
        if self.control.is_told_to_end() {
            return Err(DuelError::Stopped);
        }
        let kept = match question.memory {
            HashState::Cleared => None,
            HashState::Kept(contents) => Some(contents),
        };
        debug_assert!(
            kept.is_some() || question.elsewhere.is_empty(),
            "no profile says which moves are searched"
        );
        let profile = self.profile_id(store, question.limit, kept)?;
        let Question { position, mut excluded, elsewhere, limit, .. } = question;
        let (ranked, rank) = (excluded.clone(), excluded.len());
        excluded.extend(elsewhere);
        let made = (Search { position: position.clone(), excluded }, limit);
        if let Some(reply) = kept_reply(store, profile, &position, rank)? {
            if kept.is_some() {
                self.made.push(made);
            }
            return Ok(reply);
        }
        let answer = match kept {
            None => self.search(&made, None)?.ok_or(RunError::EnginesGone)?,
            Some(_) => self.search_on(made)?,
        };
        let new = NewAnswer { position, excluded: ranked, answer, worker: None };
        store.keep(profile, std::slice::from_ref(&new)).map_err(given_up)?;
        match kept_reply(store, profile, &new.position, rank)? {
            Some(reply) => Ok(reply),
            None => Err(StoreError::Damaged {
                path: store.path().to_owned(),
                what: format!("the answer of rank {rank} in {} is gone", epd_of(&new.position)),
            }
            .into()),
        }
    }

    /// The answer to a search on a cleared hash, with the line behind it; kept as
    /// [`SerialSearcher::ask`] keeps it. Its time is unset.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn answer(
        &mut self,
        store: &mut Store,
        search: Search,
        limit: Limit,
    ) -> Result<Answer, DuelError> {
        let Search { position, excluded } = search;
        let (rank, memory) = (excluded.len(), HashState::Cleared);
        let question = Question { excluded, ..Question::new(position.clone(), limit, memory) };
        let Reply { uci, score, nodes } = self.ask(store, question)?;
        let profile = self.profile_id(store, limit, None)?;
        let kept = store.kept_search(profile, &position, rank)?;
        let (depth, seldepth, pv) =
            kept.map_or((0, 0, Vec::new()), |kept| (kept.depth, kept.seldepth, kept.pv));
        Ok(Answer { best: uci, score, wdl: None, depth, seldepth, nodes, time: Duration::ZERO, pv })
    }

    /// The row of the engine's profile at a limit, on a hash that holds this; new if missing.
    fn profile_id(
        &mut self,
        store: &mut Store,
        limit: Limit,
        kept: Option<&HashContents>,
    ) -> Result<ProfileId, DuelError> {
        let mut profile = Profile { limit, ..self.profile.clone() };
        if let Some(contents) = kept {
            profile = profile.on_kept_hash(KeptHash::Of(contents.clone()));
        }
        if let Some(id) = self.ids.get(&profile) {
            return Ok(*id);
        }
        let id = store.profile_id(&profile).map_err(given_up)?;
        self.ids.insert(profile, id);
        Ok(id)
    }

    /// A search on the hash left by all searches before it. Those not made by this process, because
    /// the memo knew them or an engine died, are made again first, in the same order.
    fn search_on(&mut self, made: MadeSearch) -> Result<Answer, DuelError> {
        let epd = epd_of(&made.0.position);
        self.made.push(made);
        for attempt in 1..=ATTEMPTS {
            if let Some(answer) = self.catch_up(attempt)? {
                return Ok(answer);
            }
        }
        Err(DuelError::HashLost { engine: self.profile.engine.clone(), epd })
    }

    /// Makes all searches missing on the hash; returns the answer to the last one, or `None` if the
    /// engine was lost on the way, and its hash with it.
    fn catch_up(&mut self, attempt: u32) -> Result<Option<Answer>, DuelError> {
        let mut last = None;
        while let Some(made) = self.made.get(self.warm).cloned() {
            let kept = (self.warm > 0).then_some(attempt);
            let Some(answer) = self.search(&made, kept)? else {
                self.warm = 0;
                return Ok(None);
            };
            self.warm += 1;
            last = Some(answer);
        }
        Ok(last)
    }

    /// One search. On a kept hash, of which this is the given attempt, it has no answer if the
    /// engine is lost: another process would search on an empty one.
    fn search(
        &mut self,
        made: &MadeSearch,
        kept: Option<u32>,
    ) -> Result<Option<Answer>, DuelError> {
        if kept.is_none() {
            // The process's earlier hash is gone.
            self.warm = 0;
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        self.ticket += 1;
        engine.submit(self.ticket, made.0.clone(), made.1, kept.is_some());
        let result = self.listen(&mut engine, kept);
        // A search that was abandoned is ended with its process.
        if !matches!(result, Ok(None) | Err(DuelError::Stopped)) {
            self.engine = Some(engine);
        }
        result
    }

    fn start(&self) -> Result<E, DuelError> {
        let started = (self.start)()?;
        let engine = started.profile().engine.clone();
        if engine != self.profile.engine {
            let reason = Reason::OtherName { expected: self.profile.engine.clone() };
            return Err(EngineError { engine, command: None, reason }.into());
        }
        Ok(started)
    }

    fn listen(
        &self,
        engines: &mut dyn Engines,
        kept: Option<u32>,
    ) -> Result<Option<Answer>, DuelError> {
        loop {
            if self.control.is_told_to_end() {
                return Err(DuelError::Stopped);
            }
            let Wakeup::Event(event) = engines.wait(self.control.wake(), None) else { continue };
            match event {
                Event::Answered { ticket, answer, .. } if ticket == self.ticket => {
                    (self.tell)(SearcherEvent::Searched(answer.nodes));
                    return Ok(Some(answer));
                }
                Event::Failed { ticket, error } if ticket == self.ticket => {
                    return Err(error.into());
                }
                Event::Fault { error, attempt, .. } => {
                    (self.tell)(SearcherEvent::Fault(error, kept.unwrap_or(attempt)));
                    if kept.is_some() {
                        return Ok(None);
                    }
                }
                Event::Notice(notice) => (self.tell)(SearcherEvent::Notice(notice)),
                Event::Broken => return Err(RunError::EnginesGone.into()),
                _ => {}
            }
        }
    }
}

/// A locked database is waited for until the searcher is to end.
fn given_up(error: StoreError) -> DuelError {
    if error.is_busy() { DuelError::Stopped } else { error.into() }
}

/// The memo's answer; one that cannot be used is damage.
fn kept_reply(
    store: &Store,
    profile: ProfileId,
    position: &Chess,
    rank: usize,
) -> Result<Option<Reply>, DuelError> {
    let Some(priced) = store.priced_answer(profile, position, rank)? else {
        return Ok(None);
    };
    let (uci, score) = (priced.answer.uci, priced.answer.score);
    if uci.to_move(position).is_err() {
        let what = format!(
            "the answer of rank {rank} in {} is {uci}, which is not legal",
            epd_of(position)
        );
        return Err(StoreError::Damaged { path: store.path().to_owned(), what }.into());
    }
    Ok(Some(Reply { uci, score, nodes: priced.nodes }))
}

#[cfg(test)]
mod tests;
