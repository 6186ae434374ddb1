//! The engine that the workers of a fleet have, where this computer does not have it.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::CliError;
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{EngineError, Reason, Settings};
use deepanalyze_fleet::{FleetSnapshot, Token, WorkerState, decode};

/// True if an engine does not start because its program is not installed here.
pub fn is_not_here(error: &EngineError) -> bool {
    match &error.reason {
        Reason::NotFound => true,
        Reason::NoneStarts(errors) => errors.iter().all(is_not_here),
        _ => false,
    }
}

/// The workers' engine, if it can be only one.
///
/// # Errors
///
/// Where no worker has one with these options, or several have different ones.
pub fn workers_engine(
    seen: &FleetSnapshot,
    wanted: &Settings,
) -> Result<(Profile, Token), CliError> {
    let states = seen.workers.iter().filter_map(|state| decode::<WorkerState>(state).ok());
    choose(states.filter(|state| !state.leaves), wanted)
}

fn choose(
    states: impl Iterator<Item = WorkerState>,
    wanted: &Settings,
) -> Result<(Profile, Token), CliError> {
    let states = states.filter(|state| has_options(&state.options, &wanted.options));
    let found: BTreeMap<Token, (String, BTreeMap<String, String>)> =
        states.map(|state| (state.engine, (state.engine_name, state.options))).collect();
    let command = wanted.sources.first().map_or("", |source| &source.command);
    let named = |(_, (name, _)): &(&Token, &(String, BTreeMap<String, String>))| {
        name.to_lowercase().contains(&stem(command))
    };
    let of_that_name = found.iter().filter(named).count();
    let mut one = found.iter().filter(|entry| of_that_name == 0 || named(entry));
    match (one.next(), one.next()) {
        (Some((engine, (name, options))), None) => {
            let (engine_name, options) = (name.clone(), options.clone());
            let (limit, kept_hash) = (wanted.limit, None);
            Ok((Profile { engine: engine_name, options, limit, kept_hash }, engine.clone()))
        }
        (None, _) => Err(CliError::missing(format!(
            "engine {command:?} is not installed here, and no worker of the fleet has it with these options"
        ))
        .hint("start a worker first, or name an engine that is installed here")),
        (Some(_), Some(_)) => {
            let names: BTreeSet<&str> = found.values().map(|(name, _)| name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            Err(CliError::missing(format!(
                "engine {command:?} is not installed here, and the workers have different ones: {names}"
            ))
            .hint("install the engine here, so that it is clear which one is meant"))
        }
    }
}

/// True if a worker has the options the user wants; the last of several values of one counts.
fn has_options(set: &BTreeMap<String, String>, wanted: &[(String, String)]) -> bool {
    let lower = |(name, value): (&String, &String)| (name.to_lowercase(), value.clone());
    let wanted: BTreeMap<String, String> =
        wanted.iter().map(|(name, value)| lower((name, value))).collect();
    wanted == set.iter().map(lower).collect()
}

/// Name of a program, without its folder and extension.
fn stem(command: &str) -> String {
    let program = command.split_whitespace().next().unwrap_or_default();
    let name = std::path::Path::new(program).file_stem();
    name.map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::search::Limit;

    fn state(engine: &str, name: &str, options: &[(&str, &str)]) -> WorkerState {
        let token = |text: &str| Token::try_from(text.to_owned()).unwrap();
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        WorkerState {
            worker: token("w"),
            name: "w".to_owned(),
            engine: token(engine),
            engine_name: name.to_owned(),
            options: options.iter().map(own).collect(),
            engines: 1,
            takes: 2,
            busy: 0,
            jobs: Vec::new(),
            answered: 0,
            failed: 0,
            faults: 0,
            nodes: 0,
            seconds: 0,
            rests: None,
            leaves: false,
        }
    }

    fn wanted(command: &str, options: &[(&str, &str)]) -> Settings {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options = options.iter().map(own).collect();
        Settings { options, ..Settings::new(command, Limit::Depth(9)) }
    }

    #[test]
    fn only_possible_engine_of_workers_is_taken() {
        let states = [state("a", "Stockfish 17", &[("Hash", "64")]), state("b", "Berserk 13", &[])];
        let chosen = |wanted: &Settings| choose(states.iter().cloned(), wanted);
        let (profile, engine) = chosen(&wanted("/usr/games/stockfish", &[("hash", "64")])).unwrap();
        assert_eq!((profile.engine.as_str(), engine.as_str()), ("Stockfish 17", "a"));
        assert_eq!(profile.options.get("Hash").map(String::as_str), Some("64"));
        let (profile, _) = chosen(&wanted("whatever", &[])).unwrap();
        assert_eq!(profile.engine, "Berserk 13");
        assert!(chosen(&wanted("stockfish", &[("hash", "32")])).is_err());
        let two = [state("a", "Stockfish 17", &[]), state("b", "Stockfish 16", &[])];
        assert!(choose(two.into_iter(), &wanted("stockfish", &[])).is_err());
    }
}
