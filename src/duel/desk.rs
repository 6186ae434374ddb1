//! Where one engine's answers come from: the memo, or the engine, whose answer is kept first.

use std::collections::HashMap;

use crossbeam_channel::{Receiver, Sender, select_biased};
use shakmaty::Chess;

use crate::chess::epd_of;
use crate::engine::{Answer, EngineError, Event, Limit, Pool, Profile, Reason, Search, Settings};
use crate::store::{NewAnswer, ProfileId, Store, StoreError};

use super::error::DuelError;
use super::oracle::{Memory, Question, Reply};
use super::run::News;

/// How often a search on a kept hash, with all the searches before it, is begun again.
const ATTEMPTS: u32 = 3;

/// Told at its end that the run is to end.
pub type Stop = Receiver<std::convert::Infallible>;

/// A search that is part of a kept hash.
type Made = (Search, Limit);

/// One engine process with what is known of its hash.
pub struct Desk {
    settings: Settings,
    /// What the engine is, but for the limit.
    profile: Profile,
    pool: Option<Pool>,
    ids: HashMap<Profile, ProfileId>,
    ticket: u64,
    /// The searches on the kept hash so far, whoever answered them.
    made: Vec<Made>,
    /// How many of them this process has made itself since its hash was cleared.
    warm: usize,
    stop: Stop,
    news: Sender<News>,
}

impl Desk {
    /// A desk of an engine that calls itself as this profile says; started at its first search.
    pub fn new(settings: Settings, profile: Profile, stop: Stop, news: Sender<News>) -> Desk {
        let (ids, made) = (HashMap::new(), Vec::new());
        Desk { settings, profile, pool: None, ids, ticket: 0, made, warm: 0, stop, news }
    }

    /// Takes over a pool of one process that runs already.
    pub fn with_pool(self, pool: Option<Pool>) -> Desk {
        Desk { pool, ..self }
    }

    /// The next searches on a kept hash begin with an empty one.
    pub fn begin(&mut self) {
        self.made.clear();
        self.warm = 0;
    }

    /// The memo's answer, or the engine's, which is kept before it is used. Where another process has
    /// kept one meanwhile, that one counts.
    ///
    /// # Errors
    ///
    /// [`DuelError`] where the store or the engine fails, or the run is to end.
    pub fn ask(&mut self, store: &mut Store, question: Question<'_>) -> Result<Reply, DuelError> {
        if self.is_told_to_stop() {
            return Err(DuelError::Stopped);
        }
        let kept = match question.memory {
            Memory::Cleared => None,
            Memory::Kept(since) => Some(since),
        };
        let profile = self.profile_id(store, question.limit, kept)?;
        let (position, rank) = (question.position, question.excluded.len());
        let search = Search { position: position.clone(), excluded: question.excluded };
        let made = (search, question.limit);
        if let Some(reply) = known(store, profile, &position, rank)? {
            if kept.is_some() {
                self.made.push(made);
            }
            return Ok(reply);
        }
        let answer = match kept {
            None => self.search(&made, false)?.0,
            Some(_) => self.search_on(made)?,
        };
        self.keep(store, profile, NewAnswer { position: &position, rank, answer: &answer })?;
        match known(store, profile, &position, rank)? {
            Some(reply) => Ok(reply),
            None => Err(StoreError::Damaged {
                path: store.path().to_owned(),
                what: format!("the answer of rank {rank} in {} is gone", epd_of(&position)),
            }
            .into()),
        }
    }

    fn profile_id(
        &mut self,
        store: &mut Store,
        limit: Limit,
        kept: Option<&str>,
    ) -> Result<ProfileId, DuelError> {
        let profile = Profile { limit, ..self.profile.clone() };
        let profile = match kept {
            Some(since) => profile.on_kept_hash(since),
            None => profile,
        };
        if let Some(id) = self.ids.get(&profile) {
            return Ok(*id);
        }
        let id = self.patiently(|| store.profile_id(&profile))?;
        self.ids.insert(profile, id);
        Ok(id)
    }

    fn keep(
        &self,
        store: &mut Store,
        profile: ProfileId,
        answer: NewAnswer<'_>,
    ) -> Result<(), DuelError> {
        self.patiently(|| store.keep(profile, &[answer]))
    }

    /// Tries again for as long as another program keeps the database locked.
    fn patiently<T>(
        &self,
        mut write: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, DuelError> {
        loop {
            match write() {
                Err(error) if error.is_busy() => {
                    if self.is_told_to_stop() {
                        return Err(DuelError::Stopped);
                    }
                    let _ = self.news.send(News::Waiting(error.to_string()));
                }
                result => return Ok(result?),
            }
        }
    }

    /// A search on the hash that all searches before it have left. What this process has not made of
    /// them, because the memo knew it or an engine died, it makes again first, in the same order.
    fn search_on(&mut self, made: Made) -> Result<Answer, DuelError> {
        let epd = epd_of(&made.0.position);
        self.made.push(made);
        for _ in 0..ATTEMPTS {
            if let Some(answer) = self.catch_up()? {
                return Ok(answer);
            }
        }
        Err(DuelError::HashLost { engine: self.profile.engine.clone(), epd })
    }

    /// Makes all searches that are missing on the hash; gives the answer to the last one, or nothing
    /// where the engine was lost on the way, and its hash with it.
    fn catch_up(&mut self) -> Result<Option<Answer>, DuelError> {
        let mut last = None;
        while let Some(made) = self.made.get(self.warm).cloned() {
            let (answer, lost) = self.search(&made, self.warm > 0)?;
            if lost {
                self.warm = 0;
                return Ok(None);
            }
            self.warm += 1;
            last = Some(answer);
        }
        Ok(last)
    }

    /// One search; also says whether an engine process was lost with it.
    fn search(&mut self, made: &Made, keep_hash: bool) -> Result<(Answer, bool), DuelError> {
        if !keep_hash {
            // Whatever the process had on its hash is gone.
            self.warm = 0;
        }
        let mut pool = match self.pool.take() {
            Some(pool) => pool,
            None => self.start()?,
        };
        self.ticket += 1;
        pool.submit_as(self.ticket, made.0.clone(), made.1, keep_hash);
        let result = self.listen(&pool);
        // A search that was not waited for is ended with its process.
        if !matches!(result, Err(DuelError::Stopped)) {
            self.pool = Some(pool);
        }
        result
    }

    fn start(&self) -> Result<Pool, DuelError> {
        let pool = Pool::start(&self.settings)?;
        let engine = pool.profile().engine.clone();
        if engine != self.profile.engine {
            let reason = Reason::OtherName { expected: self.profile.engine.clone() };
            return Err(EngineError { engine, command: None, reason }.into());
        }
        Ok(pool)
    }

    fn listen(&self, pool: &Pool) -> Result<(Answer, bool), DuelError> {
        let mut lost = false;
        loop {
            let event = select_biased! {
                recv(self.stop) -> _ => return Err(DuelError::Stopped),
                recv(pool.events()) -> event => event.map_err(|_| DuelError::EnginesGone)?,
            };
            match event {
                Event::Answered { ticket, answer } if ticket == self.ticket => {
                    let _ = self.news.send(News::Searched(answer.nodes));
                    return Ok((answer, lost));
                }
                Event::Failed { ticket, error } if ticket == self.ticket => {
                    return Err(error.into());
                }
                Event::Fault { error, attempt, .. } => {
                    lost = true;
                    let _ = self.news.send(News::Fault(error, attempt));
                }
                Event::Broken => return Err(DuelError::EnginesGone),
                _ => {}
            }
        }
    }

    fn is_told_to_stop(&self) -> bool {
        self.stop.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
    }
}

/// The memo's answer; one that cannot be used is damage.
fn known(
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
