//! Errors of engines.

use std::time::Duration;

use deepanalyze_core::chess::{Ending, fen_of};
use deepanalyze_core::search::{Limit, Search};

use super::process::searched;

/// An engine's error. The engine is named by its `id name`, or its program until it has sent one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// The engine's name.
    pub engine: String,
    /// Its command line, if there are several.
    pub command: Option<String>,
    /// The reason.
    pub reason: Reason,
}

/// The reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The command line cannot be split into words, or is empty.
    Command,
    /// No such program.
    NotFound,
    /// The program exists, but the system does not start it.
    Spawn(String),
    /// The process ended, or closed its output.
    Exited {
        /// Its activity: `startup`, `go depth 18`.
        during: String,
        /// `signal 9`, `status 3`, `output closed`.
        how: String,
        /// Its last words: standard output outside the protocol, and standard error.
        said: Vec<String>,
    },
    /// It prints more than engines do.
    Floods {
        /// Its activity.
        during: String,
        /// The bound that it exceeds: `more than 1000 options`.
        bound: String,
    },
    /// No sign of life, or no end to a search.
    Hung {
        /// Its activity.
        during: String,
        /// The evidence.
        silence: Box<Silence>,
    },
    /// An option that it does not have, or a value that the option does not take.
    Option(String),
    /// Its name differs from that of the engine the run began with.
    OtherName {
        /// The first one's name.
        expected: String,
    },
    /// It is to be a second engine, and is the first one once more.
    SameAsFirst,
    /// It is another build of the engine that the run began with: differing options.
    OtherOptions(Vec<String>),
    /// None of several command lines starts an engine.
    NoneStarts(Vec<EngineError>),
    /// An invalid answer: an illegal move, an excluded move, no score, bounds only.
    Lied {
        /// Its activity.
        during: String,
        /// The defect of the answer.
        what: String,
        /// The last line printed before, where it may say more; else empty.
        last: Box<str>,
    },
    /// It does not keep to the limit.
    LimitIgnored {
        /// The limit.
        limit: Limit,
        /// Nodes reported.
        nodes: u64,
    },
    /// It cannot leave moves out, nor does `MultiPV` help: why.
    NoAlternatives(String),
    /// A computer of a fleet has not made a search.
    Remote {
        /// The computer's name.
        worker: String,
        /// The reason.
        what: String,
    },
    /// Nothing to search: the game is over, or every move is excluded.
    NothingToSearch(String),
    /// Too many failures at one position.
    GaveUp {
        /// The position.
        fen: String,
        /// Failed searches.
        attempts: u32,
        /// The last failure; also the error's source.
        last: Box<EngineError>,
    },
    /// The pool is being shut down.
    Stopped,
}

/// Evidence of a hang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// The missing reply: `no uciok`, `nothing heard`, `no bestmove`.
    pub missing: &'static str,
    /// Duration of the wait.
    pub after: Duration,
    /// The last line printed; empty if none.
    pub last: Box<str>,
}

impl EngineError {
    /// An error of an engine.
    pub fn new(engine: &str, reason: Reason) -> EngineError {
        EngineError { engine: engine.to_owned(), command: None, reason }
    }

    /// The error if the game is over, or every move is excluded. Asked for such a search, engines
    /// make up a move, hang or die.
    pub fn nothing_to_search(engine: &str, search: &Search) -> Option<EngineError> {
        let is_over = Ending::of(&search.position).is_some() || search.allowed().is_empty();
        let reason = || Reason::NothingToSearch(fen_of(&search.position));
        is_over.then(|| EngineError::new(engine, reason()))
    }

    /// True if engines failed at one search only: that says nothing about others.
    pub fn is_given_up(&self) -> bool {
        matches!(self.reason, Reason::GaveUp { .. })
    }
}

impl std::error::Error for EngineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::GaveUp { last, .. } => Some(last),
            _ => None,
        }
    }
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let engine = match &self.command {
            Some(command) => format!("{:?} ({command:?})", self.engine),
            None => format!("{:?}", self.engine),
        };
        match &self.reason {
            Reason::Command => write!(f, "engine command {engine} is not a command line"),
            Reason::NotFound => {
                write!(f, "cannot start engine {engine}: {}", searched(&self.engine))
            }
            Reason::Spawn(why) => write!(f, "cannot start engine {engine}: {why}"),
            Reason::Exited { during, how, said } => {
                write!(f, "engine {engine} exited during {during} ({how})")?;
                if said.is_empty() {
                    return Ok(());
                }
                write!(f, "; it said: {}", said.join(" / "))
            }
            Reason::Floods { during, bound } => {
                write!(f, "engine {engine} says too much during {during}: {bound}")
            }
            Reason::Hung { during, silence } => {
                let Silence { missing, after, last } = &**silence;
                let after = after.as_secs_f64();
                write!(f, "engine {engine} hangs during {during} ({missing} for {after:.1} s)")?;
                write_last(last, f)
            }
            Reason::Option(why) => write!(f, "engine {engine} {why}"),
            Reason::SameAsFirst => {
                write!(f, "engine {engine} is the first one, too: a second engine must be another")
            }
            Reason::OtherName { expected } => {
                write!(
                    f,
                    "engine {engine} is not {expected:?}: engines of one run must be the same"
                )
            }
            Reason::OtherOptions(differences) => {
                write!(f, "engine {engine} is a different build from the first: ")?;
                f.write_str(&differences.join("; "))
            }
            Reason::NoneStarts(errors) => {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                write!(f, "no engine starts: {}", errors.join("; "))
            }
            Reason::Lied { during, what, last } => {
                write!(f, "engine {engine} answered {what} to {during}")?;
                write_last(last, f)
            }
            Reason::LimitIgnored { limit, nodes } => write!(
                f,
                "engine {engine} ignores `go {limit}`: it reports {nodes} nodes; use a depth \
                 limit with this engine"
            ),
            Reason::NoAlternatives(why) => write!(
                f,
                "engine {engine} cannot search alternatives: it ignores searchmoves, and {why}"
            ),
            Reason::Remote { worker, what } => {
                write!(f, "engine {engine} on worker {worker:?}: {what}")
            }
            Reason::NothingToSearch(fen) => {
                write!(f, "nothing for engine {engine} to search in {fen}")
            }
            Reason::GaveUp { fen, attempts, .. } => {
                write!(f, "engine {engine} failed {attempts} times on {fen}")
            }
            Reason::Stopped => write!(f, "engine {engine} is being shut down"),
        }
    }
}

/// Writes an engine's last line, if any: it may show the defect (colours, a word in front).
fn write_last(last: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    if last.is_empty() { Ok(()) } else { write!(f, "; its last line: {last:?}") }
}
