//! Searching some of another database's answers again, by the engines that are here.

use std::collections::BTreeMap;
use std::path::Path;

use shakmaty::Position;

use deepanalyze_core::chess::{Value, epd_of};
use deepanalyze_core::search::Answer;
use deepanalyze_engine::{Pool, Settings, dismiss_guard};
use deepanalyze_runner::{AnswerDrawn, CheckEnd, SearchedAgain, Survey, check_answers};
use deepanalyze_view::{PointOfView, describe_profile, grouped, numbered_move, seen};

use super::MergeWork;
use crate::args::engines::ChosenEngine;
use crate::error::CliError;
use crate::starting::started;

/// The checks that were made; all were passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// How many answers were drawn at random.
    pub drawn: u64,
    /// From how many.
    pub of: u64,
    /// With which seed.
    pub seed: u64,
    /// How many more were searched again, because best moves stand on them.
    pub deciding: u64,
}

/// An engine's name and its options.
type EngineKey = (String, BTreeMap<String, String>);

/// Searches again what was drawn and what decides best moves; nothing where somebody wants it to end.
pub fn check(
    work: &MergeWork<'_>,
    file: &Path,
    survey: &Survey,
    deciding: &[AnswerDrawn],
    seed: u64,
) -> Result<Option<Checked>, CliError> {
    let mut here = EnginesHere::new(work)?;
    for of in survey.profiles.iter().filter(|of| of.joined.new > 0) {
        if here.find(&of.profile.engine)?.is_none() {
            return if work.shutdown.receiver().is_told_to_end() {
                Ok(None)
            } else {
                Err(no_engine_here(file, &describe_profile(&of.profile), &here))
            };
        }
    }
    let mut groups: BTreeMap<EngineKey, Vec<&AnswerDrawn>> = BTreeMap::new();
    for drawn in survey.drawn.iter().chain(deciding) {
        let key = (drawn.profile.engine.clone(), drawn.profile.options.clone());
        groups.entry(key).or_default().push(drawn);
    }
    let (all, mut before) = (survey.drawn.len() + deciding.len(), 0);
    for (key, asked) in groups {
        let mut tell = |done| {
            let words = format!("{}: searched {} of {all} again", file.display(), before + done);
            work.printer.status(words);
        };
        if check_group(work, &mut here, (file, &key), &asked, &mut tell)? {
            before += asked.len()
        } else {
            return Ok(None);
        }
    }
    Ok(Some(Checked {
        drawn: survey.drawn.len() as u64,
        of: survey.joined().new,
        seed,
        deciding: deciding.len() as u64,
    }))
}

/// Searches the answers of one engine again; `false` where somebody wants it to end.
fn check_group(
    work: &MergeWork<'_>,
    here: &mut EnginesHere<'_>,
    (file, (engine, options)): (&Path, &EngineKey),
    asked: &[&AnswerDrawn],
    tell: &mut dyn FnMut(usize),
) -> Result<bool, CliError> {
    let Some(limit) = asked.first().map(|drawn| drawn.again.limit) else { return Ok(true) };
    let Some(chosen) = here.find(engine)? else { return Ok(false) };
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut settings = chosen.settings(&options, work.args.engines, limit)?;
    let most = most_processes(&options);
    settings.sources.iter_mut().for_each(|source| source.engines = source.engines.min(most));
    let Some(mut pool) = pool_of(work, settings)? else { return Ok(false) };
    let again: Vec<SearchedAgain> = asked.iter().map(|drawn| drawn.again.clone()).collect();
    let end = check_answers(&again, &mut pool, work.shutdown.receiver(), tell);
    drop(pool);
    dismiss_guard();
    match end? {
        CheckEnd::Right => Ok(true),
        CheckEnd::Interrupted => Ok(false),
        CheckEnd::Wrong(number, found) => match asked.get(number) {
            Some(drawn) => Err(refused(file, drawn, &found)),
            None => Ok(true),
        },
    }
}

/// Limit of all hash tables of an engine, in MiB: the file's author chose the size of each.
const HASHES: u64 = 16 << 10;

/// How many processes with these options there may be.
fn most_processes(options: &[(String, String)]) -> usize {
    let hash = options.iter().find(|(name, _)| name.trim().eq_ignore_ascii_case("hash"));
    let size = hash.and_then(|(_, value)| value.parse::<u64>().ok()).unwrap_or(1).max(1);
    usize::try_from((HASHES / size).max(1)).unwrap_or(usize::MAX)
}

/// The engines that are here, started one by one to hear their names.
struct EnginesHere<'a> {
    work: &'a MergeWork<'a>,
    /// Engines whose names are not known yet.
    unknown: Vec<ChosenEngine>,
    known: Vec<(String, ChosenEngine)>,
    /// Why some do not start.
    complaints: Vec<String>,
}

impl<'a> EnginesHere<'a> {
    fn new(work: &'a MergeWork<'a>) -> Result<EnginesHere<'a>, CliError> {
        let mut unknown = ChosenEngine::all(&work.args.engine)?;
        unknown.reverse();
        Ok(EnginesHere { work, unknown, known: Vec::new(), complaints: Vec::new() })
    }

    /// The engine that calls itself so, if one does.
    fn find(&mut self, name: &str) -> Result<Option<&ChosenEngine>, CliError> {
        while self.known.iter().all(|(known, _)| known != name)
            && let Some(chosen) = self.unknown.pop()
        {
            let limit = deepanalyze_core::search::Limit::Depth(1);
            let settings = chosen.settings(&[], None, limit)?.with_engines(1);
            match started(settings, self.work.shutdown, |what| self.work.printer.line(what))? {
                None => return Ok(None),
                Some(Ok(pool)) => self.known.push((pool.profile().engine.clone(), chosen)),
                Some(Err(error)) => self.complaints.push(error.to_string()),
            }
            // Each start has a guard of its own.
            dismiss_guard();
        }
        Ok(self.known.iter().find(|(known, _)| known == name).map(|(_, chosen)| chosen))
    }
}

fn pool_of(work: &MergeWork<'_>, settings: Settings) -> Result<Option<Pool>, CliError> {
    let started = started(settings, work.shutdown, |what| work.printer.line(what))?;
    Ok(started.transpose()?)
}

fn no_engine_here(file: &Path, profile: &str, here: &EnginesHere<'_>) -> CliError {
    let names: Vec<&str> = here.known.iter().map(|(name, _)| name.as_str()).collect();
    let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let refused = CliError::missing(format!(
        "cannot check {}: its answers are by {profile}; the engines here are: {there}",
        file.display()
    ));
    let refused = here
        .complaints
        .iter()
        .fold(refused, |error, complaint| error.and(CliError::missing(complaint.clone())));
    refused.hint("--engine CMD names the engine; --trust takes the answers without a check")
}

fn refused(file: &Path, drawn: &AnswerDrawn, found: &Answer) -> CliError {
    let AnswerDrawn { profile, again } = drawn;
    let position = &again.search.position;
    let told = |answer: &Answer| {
        let score = seen(Value::from(answer.score), position.turn(), PointOfView::White);
        let nodes = grouped(answer.nodes);
        format!("{} {score} ({nodes} nodes)", numbered_move(position, answer.best))
    };
    let said = again.said.as_ref().map_or("nothing".to_owned(), told);
    let without = match again.search.excluded.len() {
        0 => String::new(),
        excluded => format!(" without the {excluded} best moves"),
    };
    CliError::missing(format!(
        "{} refused, nothing added: in {}{without} it gives {said} for {}, whose answer here is {}",
        file.display(),
        epd_of(position),
        describe_profile(profile),
        told(found)
    ))
    .hint("a different build of the engine, or a different network, gives other answers; --trust takes them anyway")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_a_stranger_are_bounded_together() {
        let of = |name: &str, value: &str| most_processes(&[(name.to_owned(), value.to_owned())]);
        assert_eq!([of("Hash", "4096"), of("hash ", "1024"), of("Hash", "99999999")], [4, 16, 1]);
        assert_eq!([of("Hash", "x"), of("Contempt", "4096"), most_processes(&[])], [16 << 10; 3]);
    }
}
