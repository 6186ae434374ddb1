//! The subjects of the broker, and its two streams.
//!
//! | subject | from | what |
//! |---|---|---|
//! | `deepanalyze.required.ENGINE.GROWER` | growers | searches that are waited for; stream `deepanalyze-required` |
//! | `deepanalyze.guess.ENGINE.GROWER` | growers | searches that will probably be wanted; stream `deepanalyze-guess` |
//! | `deepanalyze.check.WORKER` | growers | searches for one worker alone: to compare answers, and long ones |
//! | `deepanalyze.order` | growers | orders about jobs |
//! | `deepanalyze.grower` | growers | signs of life |
//! | `deepanalyze.answer.GROWER.WORKER` | workers | results of searches; the grower confirms each |
//! | `deepanalyze.worker.WORKER` | workers | signs of life |
//! | `_INBOX.worker.WORKER.…`, `_INBOX.grower.…` | broker, growers | replies to a client |

use super::message::Token;

/// A search's queue; workers empty the first before the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The answer is waited for.
    Required,
    /// The answer will probably be wanted.
    Guess,
}

impl Lane {
    /// Both.
    pub const ALL: [Lane; 2] = [Lane::Required, Lane::Guess];

    fn word(self) -> &'static str {
        match self {
            Lane::Required => "required",
            Lane::Guess => "guess",
        }
    }

    /// The name of its stream.
    pub fn stream(self) -> String {
        format!("deepanalyze-{}", self.word())
    }

    /// All subjects of its stream.
    pub fn all_subjects(self) -> String {
        format!("deepanalyze.{}.>", self.word())
    }

    /// The subject of all growers' searches for an engine.
    pub fn of_engine(self, engine: &Token) -> String {
        format!("deepanalyze.{}.{engine}.*", self.word())
    }

    /// The subject of one grower's searches.
    pub fn of_grower(self, engine: &Token, grower: &Token) -> String {
        format!("deepanalyze.{}.{engine}.{grower}", self.word())
    }
}

/// Subject of workers' signs.
pub const WORKERS: &str = "deepanalyze.worker.*";
/// Subject of growers' signs.
pub const GROWERS: &str = "deepanalyze.grower";
/// Subject of growers' orders about jobs.
pub const ORDERS: &str = "deepanalyze.order";

/// Subject of a grower's answers.
pub fn answers_to(grower: &Token) -> String {
    format!("deepanalyze.answer.{grower}.*")
}

/// Subject of one worker's answers to a grower: a server may reserve it.
pub fn answers_of(grower: &Token, worker: &Token) -> String {
    format!("deepanalyze.answer.{grower}.{worker}")
}

/// Subject of one worker's signs.
pub fn signs_of(worker: &Token) -> String {
    format!("deepanalyze.worker.{worker}")
}

/// The worker that speaks at a subject, by its last word.
pub fn speaker(subject: &str) -> &str {
    subject.rsplit_once('.').map_or("", |(_, last)| last)
}

/// A worker's inbox.
pub fn inbox_of_worker(worker: &str) -> String {
    format!("_INBOX.worker.{worker}")
}

/// Growers' inbox.
pub const INBOX_OF_GROWERS: &str = "_INBOX.grower";

/// True for an inbox of the worker: a worker can name no other subject for a reply to it.
pub fn is_inbox_of_worker(subject: &str, worker: &str) -> bool {
    let rest = subject.strip_prefix(&inbox_of_worker(worker));
    rest.is_some_and(|rest| rest.starts_with('.'))
}

/// Subject of searches for one worker alone.
pub fn checks_of(worker: &Token) -> String {
    format!("deepanalyze.check.{worker}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_answered_in_its_own_inbox_alone() {
        assert!(is_inbox_of_worker("_INBOX.worker.w.a.1", "w"));
        for other in [
            "$JS.API.STREAM.DELETE.deepanalyze-required",
            "deepanalyze.order",
            "_INBOX.grower.a.1",
            "_INBOX.worker.ww.a.1",
            "_INBOX.worker.w",
            "_INBOX.a.1",
            "",
        ] {
            assert!(!is_inbox_of_worker(other, "w"), "{other}");
        }
    }
}
