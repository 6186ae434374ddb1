//! What can go wrong with an engine.

use std::time::Duration;

use deepanalyze_core::chess::{Ending, fen_of};
use deepanalyze_core::search::{Limit, Search};

use super::process::searched;

/// What went wrong, and with which engine: its `id name`, or its program where it has not said one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// The engine's name.
    pub engine: String,
    /// Its command line, where there are several.
    pub command: Option<String>,
    /// What went wrong.
    pub reason: Reason,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The command line cannot be split into words, or is empty.
    Command,
    /// There is no such program.
    NotFound,
    /// The program is there, and the system does not start it; why.
    Spawn(String),
    /// The process ended, or closed its output.
    Exited {
        /// What it was doing: `startup`, `go depth 18`.
        during: String,
        /// `signal 9`, `status 3`, `output closed`.
        how: String,
        /// Its last words: what it said on standard output outside the protocol, and on standard error.
        said: Vec<String>,
    },
    /// It says more than any engine does.
    Floods {
        /// What it was doing.
        during: String,
        /// The bound that it goes beyond: `more than 1000 options`.
        bound: String,
    },
    /// No sign of life, or no end to a search.
    Hung {
        /// What it was doing.
        during: String,
        /// How that was seen.
        silence: Box<Silence>,
    },
    /// An option that it does not have, or a value that the option does not take.
    Option(String),
    /// It calls itself differently than the engine that the run began with.
    OtherName {
        /// What that one calls itself.
        expected: String,
    },
    /// It is another build of the engine that the run began with: how its options differ.
    OtherOptions(Vec<String>),
    /// None of several command lines starts an engine.
    NoneStarts(Vec<EngineError>),
    /// An answer that is none: an illegal move, an excluded move, no score, bounds only.
    Lied {
        /// What it was doing.
        during: String,
        /// What is wrong with the answer.
        what: String,
        /// The last line that it printed before, where that may say more; else empty.
        last: Box<str>,
    },
    /// It does not keep to the limit.
    LimitIgnored {
        /// What was asked.
        limit: Limit,
        /// What was reported.
        nodes: u64,
    },
    /// It cannot leave moves out; why `MultiPV` does not help.
    NoAlternatives(String),
    /// A computer of a fleet has not made a search; which computer, and why.
    Remote {
        /// What people call it.
        worker: String,
        /// What went wrong there.
        what: String,
    },
    /// There is nothing to search: the game is over, or every move is listed.
    NothingToSearch(String),
    /// So many searches of one position failed.
    GaveUp {
        /// The position.
        fen: String,
        /// How many searches.
        attempts: u32,
        /// How the last one failed; also the error's source.
        last: Box<EngineError>,
    },
    /// The pool is being shut down.
    Stopped,
}

/// How a hang is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// What the engine did not do: `no uciok`, `nothing heard`, `no bestmove`.
    pub missing: &'static str,
    /// For how long it did not.
    pub after: Duration,
    /// The last line that it printed; empty where it has printed none.
    pub last: Box<str>,
}

impl EngineError {
    /// What went wrong with an engine.
    pub fn new(engine: &str, reason: Reason) -> EngineError {
        EngineError { engine: engine.to_owned(), command: None, reason }
    }

    /// That there is nothing to search: the game is over, or every move is listed. Asked for it, engines make up a
    /// move, hang or die.
    pub fn nothing_to_search(engine: &str, search: &Search) -> Option<EngineError> {
        let is_over = Ending::of(&search.position).is_some() || search.allowed().is_empty();
        let reason = || Reason::NothingToSearch(fen_of(&search.position));
        is_over.then(|| EngineError::new(engine, reason()))
    }

    /// Whether engines have failed at one search only: that says nothing about others.
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

/// The last line of an engine, if there is one: what is wrong with it may be seen there (colours, a word in front).
fn write_last(last: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    match last.is_empty() {
        true => Ok(()),
        false => write!(f, "; its last line: {last:?}"),
    }
}
