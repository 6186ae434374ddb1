//! The start of a pool: the first engine of each command line, side by side, and the identity for
//! the others.

use crate::Settings;
use crate::error::{EngineError, Reason};
use crate::instance::Instance;
use crate::process::{Program, StopSignal};
use crate::uci::{Offer, Offers, OptionValue};

/// A command line's first engine, or the error of its start.
pub(super) type FirstEngine = Result<Instance, EngineError>;

/// Finds the program of each command line.
pub(super) fn programs(settings: &Settings) -> Result<Vec<Program>, EngineError> {
    let several = settings.sources.len() > 1;
    let find = |command: &str| Program::find(command, several);
    settings.sources.iter().map(|source| find(&source.command)).collect()
}

/// Starts the first engine of each program, all at once; this takes as long as the slowest.
///
/// The first that starts sets the identity of all. One that exits or hangs is excused if another
/// works: a machine may be down tonight. Any other error would come later, too.
pub(super) fn start_firsts(
    programs: &[Program],
    settings: &Settings,
    stop: &StopSignal,
) -> Result<(EngineIdentity, Vec<FirstEngine>), EngineError> {
    let firsts = start_all(programs, settings, stop);
    if let Some(error) = firsts.iter().filter_map(|first| first.as_ref().err()).find(is_lasting) {
        return Err(error.clone());
    }
    let Some(Ok(first)) = firsts.iter().find(|first| first.is_ok()) else {
        return Err(none_starts(firsts));
    };
    let identity = EngineIdentity::of(first);
    firsts.iter().flatten().try_for_each(|instance| identity.check(instance))?;
    Ok((identity, firsts))
}

fn start_all(programs: &[Program], settings: &Settings, stop: &StopSignal) -> Vec<FirstEngine> {
    let start = |program| Instance::start(program, settings, stop);
    std::thread::scope(|scope| {
        let threads: Vec<_> = programs
            .iter()
            .map(|program| {
                let thread = std::thread::Builder::new().name(format!("start {}", program.name));
                (program, thread.spawn_scoped(scope, move || start(program)))
            })
            .collect();
        let broken = |program: &Program, why: &str| {
            Err(program.error(Reason::Spawn(format!("its thread {why}"))))
        };
        let joined = threads.into_iter().map(|(program, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| broken(program, "has failed")),
            Err(error) => broken(program, &error.to_string()),
        });
        joined.collect()
    })
}

/// True if waiting will not help.
fn is_lasting(error: &&EngineError) -> bool {
    !matches!(error.reason, Reason::Exited { .. } | Reason::Hung { .. })
}

/// The error of the only command line, or of all.
fn none_starts(firsts: Vec<FirstEngine>) -> EngineError {
    let mut errors: Vec<EngineError> = firsts.into_iter().filter_map(Result::err).collect();
    match (errors.pop(), errors.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            errors.extend(last);
            EngineError::new("any", Reason::NoneStarts(errors))
        }
    }
}

/// Differences beyond these are counted, not listed.
const LISTED: usize = 5;

/// An engine's name, its options, and those that were set.
pub(super) struct EngineIdentity {
    pub(super) name: String,
    offers: Offers,
    /// The user's options, as the engine spells them.
    pub(super) set: Vec<OptionValue>,
}

impl EngineIdentity {
    /// The identity of a running engine.
    pub(super) fn of(instance: &Instance) -> EngineIdentity {
        EngineIdentity {
            name: instance.name.clone(),
            offers: instance.offers.clone(),
            set: instance.set.clone(),
        }
    }

    /// The engine's options.
    pub(super) fn offers(&self) -> &[Offer] {
        self.offers.all()
    }

    /// The lines that identify this build.
    pub(super) fn essence(&self) -> Vec<String> {
        self.offers.essence(&self.set)
    }

    /// True if it takes this many times the threads that are set.
    pub(super) fn has_threads(&self, times: usize) -> bool {
        self.offers.threads(&self.set, times).is_some()
    }

    /// Refuses an engine with another name or other options, by [`Offers::differences`].
    pub(super) fn check(&self, instance: &Instance) -> Result<(), EngineError> {
        if instance.name != self.name {
            return Err(instance.error(Reason::OtherName { expected: self.name.clone() }));
        }
        let mut differences = self.offers.differences(&instance.offers, &self.set);
        if differences.is_empty() {
            return Ok(());
        }
        let more = differences.len().saturating_sub(LISTED);
        differences.truncate(LISTED);
        if more > 0 {
            differences.push(format!("{more} more"));
        }
        Err(instance.error(Reason::OtherOptions(differences)))
    }
}
