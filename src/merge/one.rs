//! Taking over what one other database has.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use deepanalyze_core::printable::is_unprintable;
use deepanalyze_runner::{
    Regrown, RootsTaken, Survey, SurveyAsked, Taken, deciding_answers, grow_trees, survey,
    take_answers, take_roots, trees_to_grow,
};
use deepanalyze_store::{Incoming, Store};
use deepanalyze_view::grouped;

use super::MergeWork;
use super::check::{Checked, check};
use super::summary::MergeSummary;
use crate::error::CliError;

/// Seeds are short enough to be typed.
const SEEDS: u64 = 1_000_000_000;

/// How a merge ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeEnd {
    /// It was.
    Done,
    /// Somebody wanted it to end before.
    Interrupted,
}

/// Looks through a database, checks it and takes over what it has; tells what has come of it.
pub fn merge_one(
    work: &MergeWork<'_>,
    store: &mut Store,
    file: &Path,
) -> Result<(MergeEnd, Option<MergeSummary>), CliError> {
    let name = source_name(work, file)?;
    let is_known = store.knows_source(&name)?;
    let incoming = Incoming::open(file, store.path())?;
    let seed = work.args.seed.unwrap_or_else(|| RandomState::new().hash_one(()) % SEEDS);
    let Some(survey) = look_through(work, store, &incoming, seed)? else {
        return Ok((MergeEnd::Interrupted, None));
    };
    let checked = if work.args.trust {
        None
    } else {
        match check_some(work, store, &incoming, file, &survey, seed)? {
            None => return Ok((MergeEnd::Interrupted, None)),
            checked => checked,
        }
    };
    incoming.refuse_changed()?;
    let mut told = MergeSummary::new(file, &name, is_known);
    let end = take(work, store, (&incoming, &name), (survey, checked), &mut told)?;
    Ok((end, Some(told)))
}

/// Name of the source in this database.
fn source_name(work: &MergeWork<'_>, file: &Path) -> Result<String, CliError> {
    if file.is_dir() {
        let what = format!("{} is a folder, not a database", file.display());
        return Err(CliError::missing(what).hint("name the file in it"));
    }
    let own = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = work.args.name.clone().or(own).unwrap_or_default();
    if name.trim().is_empty() || name.contains(is_unprintable) {
        return Err(CliError::usage(format!("invalid database name {name:?}"))
            .hint("--as NAME gives it another"));
    }
    Ok(name)
}

fn look_through(
    work: &MergeWork<'_>,
    store: &Store,
    incoming: &Incoming,
    seed: u64,
) -> Result<Option<Survey>, CliError> {
    if work.args.trust {
        return Ok(Some(Survey::of_profiles(incoming, true)?));
    }
    let sample = work.args.check as usize;
    let asked = SurveyAsked { sample, seed, with_unrepeatable: false };
    let file = incoming.path().display().to_string();
    let mut tell = |seen, all| {
        let (seen, all) = (grouped(seen), grouped(all));
        work.printer.status(format!("{file}: read {seen} of {all} answers"));
    };
    Ok(survey(store, incoming, asked, work.shutdown.receiver(), &mut tell)?)
}

/// Searches some of its answers again; nothing where somebody wants it to end.
fn check_some(
    work: &MergeWork<'_>,
    store: &Store,
    incoming: &Incoming,
    file: &Path,
    survey: &Survey,
    seed: u64,
) -> Result<Option<Checked>, CliError> {
    let control = work.shutdown.receiver();
    work.printer.status(format!("{}: looking for what decides best moves", file.display()));
    let deciding = deciding_answers(store, incoming, work.args.check as usize, control)?;
    check(work, file, survey, &deciding, seed)
}

fn take(
    work: &MergeWork<'_>,
    store: &mut Store,
    (incoming, name): (&Incoming, &str),
    (survey, checked): (Survey, Option<Checked>),
    told: &mut MergeSummary,
) -> Result<MergeEnd, CliError> {
    let (control, all) = (work.shutdown.receiver(), grouped(incoming.count()?));
    let source = store.database_source(name)?;
    let seeded = checked.as_ref().map(|checked| (checked.drawn, checked.seed));
    let merge = store.begin_merge(source, seeded)?;
    let mut tell =
        |seen| work.printer.status(format!("{name}: {} of {all} answers done", grouped(seen)));
    let from = (merge, source, survey.profiles.as_slice());
    let mut taken: Taken = take_answers(store, incoming, from, control, &mut tell)?;
    left_before(&mut taken, &survey);
    told.take_answers(&taken, checked);
    if taken.is_interrupted {
        return Ok(MergeEnd::Interrupted);
    }
    let roots = if work.args.answers_only {
        RootsTaken::default()
    } else {
        take_roots(store, incoming, source, work.args.trust, control)?
    };
    if roots.is_interrupted {
        return Ok(MergeEnd::Interrupted);
    }
    let grown = grow(work, store, &survey, &roots)?;
    told.take_roots(&roots, grown, work.args.db.named());
    if grown.is_interrupted {
        return Ok(MergeEnd::Interrupted);
    }
    store.note_grown()?;
    store.end_merge(merge)?;
    Ok(MergeEnd::Done)
}

/// Adds the profiles that were skipped whole, without a look at their answers.
fn left_before(taken: &mut Taken, survey: &Survey) {
    use deepanalyze_store::WhyLeft::{Limit, Profile, Unrepeatable};
    let whole = survey.left.each().filter(|(why, _)| [Limit, Profile, Unrepeatable].contains(why));
    whole.for_each(|(why, count)| taken.left.add(why, count));
}

fn grow(
    work: &MergeWork<'_>,
    store: &mut Store,
    survey: &Survey,
    roots: &RootsTaken,
) -> Result<Regrown, CliError> {
    let these = roots.roots.iter().filter_map(|root| root.to_grow);
    // Even without new answers: an interrupted merge may have left trees as they were.
    let trees = trees_to_grow(store, these, survey.profiles.iter().map(|of| &of.profile))?;
    let all = trees.len();
    let mut tell = |done| work.printer.status(format!("grown {done} of {all} trees again"));
    let control = work.shutdown.receiver();
    Ok(grow_trees(store, &trees, work.tables.as_ref(), control, &mut tell)?)
}
