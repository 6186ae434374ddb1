//! The closing search at the end of a run.

use std::time::Duration;

use crate::cli::error::CliError;
use crate::cli::progress::{Reporter, followed, time};
use crate::engine::{EngineError, HangPolicy, Pool, Reason, Settings, Source, kill_all};
use crate::render::count;
use crate::run::{
    ClosingEnd, ClosingSearch, End, Prepared, Publisher, RunEnd, Shutdown, StartedEngine,
};
use crate::search::Limit;
use crate::store::{AnalysisId, Cost, Store};

use super::args::GrowArgs;

/// How long each engine is to search at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClosingLimit {
    /// As far as this.
    Search(Limit),
    /// About so long: as many nodes as it searches in that time.
    Time(Duration),
}

impl ClosingLimit {
    /// The limit of the search. What an engine searches in a second is what those of the tree did on average; two
    /// digits of the product count, so that it is a number that can be named again.
    fn search(self, store: &Store, analysis: AnalysisId) -> Result<Limit, CliError> {
        let time = match self {
            ClosingLimit::Search(limit) => return Ok(limit),
            ClosingLimit::Time(time) => time,
        };
        let spent = store.cost_over_time(Some(analysis), i64::MAX)?;
        let sum = |of: fn(&Cost) -> u64| spent.iter().map(|one| u128::from(of(&one.cost))).sum();
        let nodes: u128 = sum(|cost| cost.nodes);
        if nodes == 0 {
            return Err(CliError::usage(
                "the tree's engines have not said how many nodes they search",
            )
            .hint("--closing-depth takes a depth instead of a time"));
        }
        // A time is kept in whole milliseconds, rounded down: half of one is missing.
        let half_ms = sum(|cost| cost.searches) + 2 * sum(|cost| cost.time_ms);
        Ok(Limit::Nodes(two_digits(2 * nodes.saturating_mul(time.as_millis()) / half_ms.max(1))))
    }
}

/// A number with nothing but zeros behind its first two digits; 1 at least, and no more than a database takes.
fn two_digits(number: u128) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    let most = i64::MAX.unsigned_abs();
    u64::try_from(number / unit * unit).map_or(most, |number| number.clamp(1, most))
}

/// What a time has become.
fn about(asked: Duration, nodes: u64, engines: usize) -> String {
    let each = match engines {
        1 => String::new(),
        engines => format!(" on each of {engines} engines"),
    };
    format!("closing   {}{each}, for about {}", count(nodes, "node"), time(asked))
}

/// The closing search of a tree; nothing where its root is a finished position.
pub(super) fn close(
    args: &GrowArgs,
    (analysis, wanted): (AnalysisId, ClosingLimit),
    store: &mut Store,
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<Option<ClosingEnd>, CliError> {
    let settings =
        Settings { hang: HangPolicy::for_any_length(), ..args.fleet.choose(&args.engine)?.0 };
    let processes = single_processes(&settings);
    let limit = wanted.search(store, analysis)?;
    let search = match ClosingSearch::prepare(store, analysis, (limit, processes.len()))? {
        Prepared::Known(closing) => return Ok(Some(ClosingEnd::Done(closing))),
        Prepared::Finished => return Ok(None),
        Prepared::Wanted(search) => search,
    };
    let processes: Vec<Settings> = processes.into_iter().take(search.shares()).collect();
    if let (ClosingLimit::Time(time), Limit::Nodes(nodes)) = (wanted, limit) {
        reporter.line(&about(time, nodes, processes.len()));
    }
    let say = || reporter.line("waiting for the engines to start");
    let name = search.engine().to_owned();
    let Some(started) = shutdown.unless_told(move || started(processes, &name), say)? else {
        kill_all();
        return Ok(Some(ClosingEnd::Interrupted));
    };
    let (engines, mut failed) = started;
    if engines.is_empty()
        && let Some(error) = failed.pop()
    {
        return Err(error.into());
    }
    for error in failed {
        reporter.line(&format!("warning: {error}; the other engines take its moves"));
    }
    let end = followed(reporter, Publisher::new(), |mut publisher| {
        let end = search.run(store, engines, shutdown.receiver(), &mut publisher);
        publisher.end(RunEnd::of(&end, |end| match end {
            ClosingEnd::Done(_) => End::Settled,
            ClosingEnd::Interrupted => End::Interrupted,
        }));
        end
    })?;
    Ok(Some(end?))
}

/// The settings of each single process that the settings ask for; one at least.
fn single_processes(settings: &Settings) -> Vec<Settings> {
    let single = |source: &Source| {
        let sources = vec![Source { engines: 1, ..source.clone() }];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_of_a_number_of_nodes_count() {
        for (number, expected) in [
            (0, 1),
            (7, 7),
            (99, 99),
            (104, 100),
            (62_987_654, 62_000_000),
            (u128::from(u64::MAX), i64::MAX.unsigned_abs()),
        ] {
            assert_eq!(two_digits(number), expected, "{number}");
        }
    }
}
