//! What is said where: the subjects of the broker, and its two streams.
//!
//! | subject | from | what |
//! |---|---|---|
//! | `deepanalyze.required.ENGINE.GROWER` | growers | searches that somebody waits for; stream `deepanalyze-required` |
//! | `deepanalyze.guess.ENGINE.GROWER` | growers | searches that will probably be wanted; stream `deepanalyze-guess` |
//! | `deepanalyze.check.WORKER` | growers | searches for one worker alone: to compare answers, and long ones |
//! | `deepanalyze.order` | growers | what has become of jobs |
//! | `deepanalyze.grower` | growers | signs of life |
//! | `deepanalyze.answer.GROWER.WORKER` | workers | what came of a search; the grower confirms each |
//! | `deepanalyze.worker.WORKER` | workers | signs of life |
//! | `_INBOX.worker.WORKER.…`, `_INBOX.grower.…` | broker, growers | what a client is answered |

use super::message::Token;

/// Which of two queues a search stands in; workers empty the first before the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Somebody waits for the answer.
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

/// Where all workers give signs of life.
pub const WORKERS: &str = "deepanalyze.worker.*";
/// Where growers give signs of life.
pub const GROWERS: &str = "deepanalyze.grower";
/// Where growers tell what has become of jobs.
pub const ORDERS: &str = "deepanalyze.order";

/// Where a grower gets answers.
pub fn answers_to(grower: &Token) -> String {
    format!("deepanalyze.answer.{grower}.*")
}

/// Where one worker answers a grower: a server may let nobody else speak there.
pub fn answers_of(grower: &Token, worker: &Token) -> String {
    format!("deepanalyze.answer.{grower}.{worker}")
}

/// Where one worker gives signs of life.
pub fn signs_of(worker: &Token) -> String {
    format!("deepanalyze.worker.{worker}")
}

/// Who speaks at a subject that ends with a worker's name.
pub fn speaker(subject: &str) -> &str {
    subject.rsplit_once('.').map_or("", |(_, last)| last)
}

/// Where a worker is answered.
pub fn inbox_of_worker(worker: &str) -> String {
    format!("_INBOX.worker.{worker}")
}

/// Where growers are answered.
pub const INBOX_OF_GROWERS: &str = "_INBOX.grower";

/// Whether this is an inbox of the worker: nothing is said at any other subject because a worker has named it.
pub fn is_inbox_of_worker(subject: &str, worker: &str) -> bool {
    let rest = subject.strip_prefix(&inbox_of_worker(worker));
    rest.is_some_and(|rest| rest.starts_with('.'))
}

/// Where a worker gets searches that it alone is to make.
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
