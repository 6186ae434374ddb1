//! The closing search itself: the engines that make it, and what is told of it.

use std::time::Duration;

use crate::error::CliError;
use crate::progress::{followed, time};
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{EngineError, EngineSource, HangPolicy, Pool, Reason, Settings, kill_all};
use deepanalyze_report::{Closing, count};
use deepanalyze_runner::{
    ClosingLimit, ClosingOutcome, ClosingSearch, Prepared, RunEnd, RunError, RunFeed, StartedEngine,
};
use deepanalyze_store::AnalysisId;

use super::super::single::SingleRun;
use super::ClosingPlan;

/// What became of a closing search.
pub enum ClosingEnd {
    /// It has ended, perhaps because there was nothing to search.
    Ended(ClosingOutcome),
    /// Nobody had asked for it, and its engines have failed.
    Failed(CliError),
}

/// What a time has become.
fn about(asked: Duration, nodes: u64, engines: usize) -> String {
    let each = match engines {
        1 => String::new(),
        engines => format!(" on each of {engines} engines"),
    };
    format!("closing   {}{each}, for about {}", count(nodes, "node"), time(asked))
}

impl SingleRun<'_> {
    /// What is to be done to close a tree.
    pub fn prepared(
        &self,
        analysis: AnalysisId,
        wanted: ClosingLimit,
    ) -> Result<Prepared, CliError> {
        let engines = single_processes(&self.args.fleet.choose(&self.args.engine)?.0).len();
        Ok(ClosingSearch::prepare(self.store, analysis, wanted, engines)?)
    }

    /// Makes the closing search that is to be made.
    pub fn make_closing(
        &mut self,
        prepared: Prepared,
        wanted: ClosingLimit,
    ) -> Result<ClosingEnd, CliError> {
        let search = match prepared {
            Prepared::Known(closing) => return Ok(ended(RunEnd::Settled, Some(closing))),
            Prepared::Finished => return Ok(ended(RunEnd::Settled, None)),
            Prepared::NoSpeed => {
                let unknown = "the tree's engines have not said how many nodes they search";
                return Err(CliError::usage(unknown)
                    .hint("--closing-depth takes a depth instead of a time"));
            }
            Prepared::Wanted(search) => search,
        };
        let settings = Settings {
            hang: HangPolicy::for_any_length(),
            ..self.args.fleet.choose(&self.args.engine)?.0
        };
        let processes = single_processes(&settings).into_iter().take(search.shares());
        let processes: Vec<Settings> = processes.collect();
        if let (ClosingLimit::Time(time), Limit::Nodes(nodes)) = (wanted, search.asked.limit) {
            self.reporter.line(&about(time, nodes, processes.len()));
        }
        let say = || self.reporter.line("waiting for the engines to start");
        let name = search.profile.engine.clone();
        let Some(started) = self.shutdown.unless_told(move || started(processes, &name), say)?
        else {
            kill_all();
            return Ok(ended(RunEnd::Interrupted, None));
        };
        let (engines, mut failed) = started;
        if engines.is_empty()
            && let Some(error) = failed.pop()
        {
            return spared(self.closing, error.into());
        }
        for error in failed {
            self.reporter.line(&format!("warning: {error}; the other engines take its moves"));
        }
        let (store, control) = (&*self.store, self.shutdown.receiver());
        let within = self.closing.at_most(wanted);
        let end = followed(
            self.reporter,
            &RunFeed::default(),
            |outcome: &ClosingOutcome| outcome.ending,
            |tell| search.run(store, engines, control, within, tell),
        )?;
        match end {
            Ok(end) => Ok(ClosingEnd::Ended(end)),
            Err(error) => spared(self.closing, error),
        }
    }
}

fn ended(ending: RunEnd, closing: Option<Closing>) -> ClosingEnd {
    ClosingEnd::Ended(ClosingOutcome { ending, closing })
}

/// What an engine's failure comes to: one of a search that nobody asked for does not end the run.
fn spared(closing: ClosingPlan, error: RunError) -> Result<ClosingEnd, CliError> {
    let is_of_engine = matches!(error, RunError::Engine(_) | RunError::HashLost { .. });
    let error = CliError::from(error);
    match is_of_engine && matches!(closing, ClosingPlan::InTime(_)) {
        true => Ok(ClosingEnd::Failed(error)),
        false => Err(error),
    }
}

/// The settings of each single process that the settings ask for; one at least.
fn single_processes(settings: &Settings) -> Vec<Settings> {
    let single = |source: &EngineSource| {
        let sources = vec![EngineSource { engines: 1, ..source.clone() }];
        let one = Settings { sources, ..settings.clone() };
        std::iter::repeat_n(one, source.engines)
    };
    let all: Vec<Settings> = settings.sources.iter().flat_map(single).collect();
    match all.is_empty() {
        true => vec![settings.clone().with_engines(1)],
        false => all,
    }
}

/// All of the processes that start and are the engine of that name, and why the others are not there: a machine may
/// be down tonight, or have another engine by now.
fn started(processes: Vec<Settings>, name: &str) -> (Vec<StartedEngine>, Vec<EngineError>) {
    let start = |settings: Settings| {
        let pool = Pool::start(&settings)?;
        let engine = pool.profile().engine.clone();
        if engine == name {
            return Ok(StartedEngine { settings, pool });
        }
        let reason = Reason::OtherName { expected: name.to_owned() };
        Err(EngineError { engine, command: None, reason })
    };
    let all: Vec<Result<StartedEngine, EngineError>> = std::thread::scope(|scope| {
        let (mut starting, mut started) = (Vec::new(), Vec::new());
        for settings in processes {
            let later = settings.clone();
            match std::thread::Builder::new().spawn_scoped(scope, || start(later)) {
                Ok(thread) => starting.push(thread),
                Err(_) => started.push(start(settings)),
            }
        }
        let joined = starting
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.chain(started).collect()
    });
    let (mut engines, mut failed) = (Vec::new(), Vec::new());
    for one in all {
        match one {
            Ok(engine) => engines.push(engine),
            Err(error) => failed.push(error),
        }
    }
    (engines, failed)
}
