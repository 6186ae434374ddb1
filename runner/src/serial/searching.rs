//! One search after the other, on a cleared hash or a kept one.

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Answer;
use deepanalyze_engine::{EngineError, Engines, Event, Reason, Wakeup};

use super::{ATTEMPTS, Made, SearcherError, SearcherEvent, SerialSearcher};

impl<E: Engines> SerialSearcher<E> {
    /// A search on the hash that all searches before it have left. What this process has not made of
    /// them, because the memo knew it or an engine died, it makes again first, in the same order.
    pub(super) fn search_on(&mut self, made: Made) -> Result<Answer, SearcherError> {
        let epd = epd_of(&made.0.position);
        self.made.push(made);
        for attempt in 1..=ATTEMPTS {
            if let Some(answer) = self.catch_up(attempt)? {
                return Ok(answer);
            }
        }
        Err(SearcherError::HashLost { engine: self.profile.engine.clone(), epd })
    }

    /// Makes all searches that are missing on the hash; gives the answer to the last one, or nothing
    /// where the engine was lost on the way, and its hash with it.
    fn catch_up(&mut self, attempt: u32) -> Result<Option<Answer>, SearcherError> {
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

    /// One search. On a kept hash, of which this is the given attempt, there is no answer where the
    /// engine is lost: another process would search on an empty one.
    pub(super) fn search(
        &mut self,
        made: &Made,
        kept: Option<u32>,
    ) -> Result<Option<Answer>, SearcherError> {
        if kept.is_none() {
            // Whatever the process had on its hash is gone.
            self.warm = 0;
        }
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        self.ticket += 1;
        engine.submit(self.ticket, made.0.clone(), made.1, kept.is_some());
        let result = self.listen(&mut engine, kept);
        // A search that was not waited for is ended with its process.
        if !matches!(result, Ok(None) | Err(SearcherError::Stopped)) {
            self.engine = Some(engine);
        }
        result
    }

    fn start(&self) -> Result<E, SearcherError> {
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
    ) -> Result<Option<Answer>, SearcherError> {
        loop {
            if self.control.is_told_to_end() {
                return Err(SearcherError::Stopped);
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
                Event::Broken => return Err(SearcherError::EnginesGone),
                _ => {}
            }
        }
    }
}
