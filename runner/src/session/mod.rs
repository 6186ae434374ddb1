//! A position that is analysed for somebody who waits: a GUI, a web page, another program.
//!
//! A [`Session`] has engines and a database. What is asked of it ([`Question`]) is an [`Analysing`], an iterator
//! that waits for the next thing to tell: reports, notes, and at last the move. What is known is told at once,
//! and is not forgotten while a run comes to it again; the run keeps its answers as any other does.
//!
//! What is told when, and when a search must answer, is decided in `telling.rs` and `goal.rs`, which have neither
//! a clock nor a thread.
#![deny(clippy::indexing_slicing)]

mod analysing;
mod goal;
mod memory;
mod quick;
mod runs;
mod settings;
mod telling;
#[cfg(test)]
mod tests;
mod variation;
mod verdict;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use analysing::Analysing;
pub use goal::{Goal, Time};
pub use runs::Readiness;
pub use settings::{Question, Report, ReportedLine, SessionSettings, Steering, Told};

use quick::QuickSearcher;
use runs::{EngineRoom, SessionRuns};

use deepanalyze_core::search::Profile;
use deepanalyze_engine::Offer;

/// How long runs may take to keep what they were answered, at the end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Engines and a database, ready to analyse what is asked. All copies are one session.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<SessionShared>,
}

/// What the copies share.
#[derive(Debug)]
struct SessionShared {
    current: Mutex<SessionCurrent>,
    quick: QuickSearcher,
    runs: SessionRuns,
}

/// What holds for the next question.
#[derive(Debug, Clone)]
struct SessionCurrent {
    settings: Arc<SessionSettings>,
    engines: Arc<EngineRoom>,
}

impl SessionCurrent {
    fn new(settings: SessionSettings) -> SessionCurrent {
        let engines = Arc::new(EngineRoom::new(&settings));
        SessionCurrent { settings: Arc::new(settings), engines }
    }
}

impl Session {
    /// A session that has started nothing yet.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn new(settings: SessionSettings) -> std::io::Result<Session> {
        let current = Mutex::new(SessionCurrent::new(settings));
        let (quick, runs) = (QuickSearcher::start()?, SessionRuns::default());
        Ok(Session { shared: Arc::new(SessionShared { current, quick, runs }) })
    }

    /// Has other settings hold from the next question on. Other engines are started when they are needed;
    /// those before go when what they search is done with.
    pub fn configure(&self, settings: SessionSettings) {
        let mut current = self.lock();
        if current.settings.has_same_engines(&settings) {
            current.settings = Arc::new(settings);
        } else {
            *current = SessionCurrent::new(settings);
        }
    }

    /// Starts the engines, unless they are started, and waits for nothing.
    pub fn prepare(&self) {
        self.current().engines.begin();
    }

    /// Starts the engines, unless they are started, and waits for them so long.
    pub fn ready(&self, patience: Duration) -> Readiness {
        self.current().engines.ready(patience)
    }

    /// What the engines can be set, where they are there.
    pub fn offers(&self) -> Option<Vec<Offer>> {
        self.current().engines.offers()
    }

    /// The engine's name and options, where it is up; its limit says nothing.
    pub fn profile(&self) -> Option<Profile> {
        Some(self.current().engines.engines()?.ok()?.profile().clone())
    }

    /// Begins with a question.
    pub fn analyse(&self, question: Question) -> Analysing {
        let SessionCurrent { settings, engines } = self.current();
        Analysing::begin(question, settings, engines, &self.shared.quick, &self.shared.runs)
    }

    /// Waits until the runs of questions that are answered have kept what they were answered; they do so at once,
    /// unless the database is locked. With the last copy of the session the engines end.
    pub fn end(self) {
        self.shared.runs.wait_for_all(LAST_WORDS);
    }

    fn current(&self) -> SessionCurrent {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, SessionCurrent> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
