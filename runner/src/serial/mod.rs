//! One engine process that makes one search after the other. The memo's answer is taken where it has
//! one; a new answer is kept before it is used.

mod memo;
mod searching;

use std::collections::HashMap;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{HashState, Limit, Profile, Question, Reply, Search};
use deepanalyze_engine::{EngineError, Engines, Pool, PoolNotice, Settings};
use deepanalyze_store::{NewAnswer, ProfileId, Store, StoreError};

use super::control::ControlReceiver;
use memo::kept_reply;

/// How often a search on a kept hash, with all the searches before it, is begun again.
const ATTEMPTS: u32 = 3;

/// A search that is part of a kept hash.
type Made = (Search, Limit);

/// An engine's settings, and the process of it that runs already.
#[derive(Debug)]
pub struct StartedEngine {
    /// How to start it.
    pub settings: Settings,
    /// The first process.
    pub pool: Pool,
}

/// Why a searcher has no answer. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum SearcherError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine's threads have ended by themselves: a fault of this program.
    #[error("the engine pool has gone")]
    EnginesGone,
    /// The engine dies again and again while its hash is to be kept.
    #[error("engine {engine:?} failed again and again at {epd}, with a hash that is to be kept")]
    HashLost {
        /// The engine.
        engine: String,
        /// The position of the search.
        epd: String,
    },
    /// The run is to end: no failure, and never seen outside.
    #[error("stopped")]
    Stopped,
}

/// What a searcher tells while it works.
#[derive(Debug)]
pub enum SearcherEvent {
    /// A search is answered, with so many nodes.
    Searched(u64),
    /// The engine failed; the search is tried again.
    Fault(EngineError, u32),
    /// How the engine searches has changed.
    Notice(PoolNotice),
}

/// One engine process, with what its hash holds.
pub struct SerialSearcher<E = Pool> {
    /// Starts a process.
    start: Box<dyn Fn() -> Result<E, EngineError> + Send>,
    /// What the engine is, but for the limit.
    profile: Profile,
    engine: Option<E>,
    ids: HashMap<Profile, ProfileId>,
    ticket: u64,
    /// The searches on the kept hash so far, whoever answered them.
    made: Vec<Made>,
    /// How many of them this process has made itself since its hash was cleared.
    warm: usize,
    control: ControlReceiver,
    tell: Box<dyn Fn(SearcherEvent) + Send>,
}

impl SerialSearcher<Pool> {
    /// A searcher of an engine that calls itself as this profile says; started at its first search.
    pub fn new(
        settings: Settings,
        profile: Profile,
        control: ControlReceiver,
        tell: impl Fn(SearcherEvent) + Send + 'static,
    ) -> SerialSearcher {
        SerialSearcher::of(move || Pool::start(&settings), profile, control, tell)
    }

    /// Takes over a pool of one process that runs already.
    pub fn with_pool(self, pool: Option<Pool>) -> SerialSearcher {
        SerialSearcher { engine: pool, ..self }
    }
}

impl<E: Engines> SerialSearcher<E> {
    /// A searcher of any engine of this profile, and how to start it.
    pub(super) fn of(
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

    /// The memo's answer, or the engine's, which is kept before it is used. Where another process has
    /// kept one meanwhile, that one counts.
    pub fn ask(
        &mut self,
        store: &mut Store,
        question: Question<'_>,
    ) -> Result<Reply, SearcherError> {
        self.control.rest();
        if self.control.is_told_to_end() {
            return Err(SearcherError::Stopped);
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
            None => self.search(&made, None)?.ok_or(SearcherError::EnginesGone)?,
            Some(_) => self.search_on(made)?,
        };
        let new = NewAnswer { position, excluded: ranked, answer, worker: None };
        self.keep(store, profile, std::slice::from_ref(&new))?;
        match kept_reply(store, profile, &new.position, rank)? {
            Some(reply) => Ok(reply),
            None => Err(StoreError::Damaged {
                path: store.path().to_owned(),
                what: format!("the answer of rank {rank} in {} is gone", epd_of(&new.position)),
            }
            .into()),
        }
    }
}
