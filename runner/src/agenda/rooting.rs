//! A root in the database, and roots that are put on an agenda which somebody else looks after.

use deepanalyze_core::chess::{Ending, Tables};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_store::{AgendaRow, AnalysisId, AnalysisKey, AnalysisRow, Store, StoreError};

use super::check_weight;
use super::entry::{Added, NewRoot};
use super::error::AgendaError;
use super::item::{is_same_engine, stages_of};

/// A root in the database.
pub(super) struct Rooted {
    /// Its first stage.
    pub row: AnalysisRow,
    /// All of its stages.
    pub all: Vec<AnalysisRow>,
    /// Whether the database did not have it.
    pub is_new: bool,
    /// Whether the engines search deeper from stage to stage.
    pub stages: bool,
    /// The directives that it has begun with, as in [`Added`].
    pub copied: Option<(usize, usize)>,
}

/// The engine, and which tables, whose answers a tree is made of.
pub(super) type MadeOf<'a> = (&'a Profile, Option<Tables>);

/// Puts a root on the agenda of a database for whoever looks after that, so that it grows there; nothing where
/// it is on the agenda already, or a tree there has reached its position. `deepanalyze serve` takes it up soon.
///
/// # Errors
///
/// Where the game is over there, the weight is none, or the database fails.
pub fn enqueue(
    store: &mut Store,
    made_of: (&Profile, Option<Tables>),
    new: &NewRoot,
) -> Result<Option<Added>, AgendaError> {
    let weight = new.weight.unwrap_or(new.begins_with.weight);
    check(new, weight)?;
    if is_reached(store, made_of.1, new)? {
        return Ok(None);
    }
    let Rooted { row, is_new, stages, copied, .. } = keep_root(store, made_of, new)?;
    let id = row.id;
    store.put_on_agenda(&AgendaRow { analysis: id, stages, weight, growing: true, ended: None })?;
    Ok(Some(Added { id, is_new, copied }))
}

/// Whether a root can stand on an agenda at all.
pub(super) fn check(new: &NewRoot, weight: u32) -> Result<(), AgendaError> {
    check_weight(weight)?;
    Ending::of(new.game.root()).map_or(Ok(()), |ending| Err(AgendaError::Over(ending)))
}

/// Whether tables know the position, or a tree that is on the agenda has analysed it.
fn is_reached(store: &Store, tables: Option<Tables>, new: &NewRoot) -> Result<bool, StoreError> {
    let root = new.game.root();
    let is_looked_up = tables.is_some_and(|tables| tables.may_know(root));
    if is_looked_up && matches!(store.fact(root, u64::MAX)?, Some(Some(_))) {
        return Ok(true);
    }
    for wish in store.agenda()? {
        let Some(row) = store.analysis(wish.analysis)? else { continue };
        if row.game().as_ref() == Some(&new.game) {
            return Ok(true);
        }
        for stage in stages_of(store, row)? {
            if store.has_node(stage.id, new.game.root())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The root in the database, made where there is none.
pub(super) fn keep_root(
    store: &mut Store,
    made_of: MadeOf<'_>,
    new: &NewRoot,
) -> Result<Rooted, AgendaError> {
    let there = root_there(store, made_of, new)?;
    let first = new.schedule.first();
    let (id, is_made) = match &there {
        Some(row) if is_no_deeper(row.profile.limit, first) => (row.id, false),
        _ => (make_root(store, made_of, new)?, true),
    };
    let changed = store.change_directives(&new.game, |_| Ok::<(), AgendaError>(()))?;
    if let Some(name) = &new.name {
        store.suggest_name(&new.game, name)?;
    }
    if is_made {
        let before = there.as_ref().map(|row| row.target_depth).filter(|depth| *depth > 0);
        store.aim(id, new.depth.or(before).unwrap_or(new.begins_with.depth))?;
    }
    let row = store.analysis(id)?.ok_or(AgendaError::Unknown(id))?;
    let all = stages_of(store, row.clone())?;
    let plies = new.game.moves().len();
    let copied = changed.copied.map(|(before, count)| (count, plies - before));
    let stages = new.schedule.has_stages() || all.len() > 1 || row.profile.limit != first;
    Ok(Rooted { row, all, is_new: there.is_none(), stages, copied })
}

/// The first stage of a root that the database has.
fn root_there(
    store: &Store,
    (engine, tables): MadeOf<'_>,
    new: &NewRoot,
) -> Result<Option<AnalysisRow>, AgendaError> {
    let wanted = new.schedule.first();
    let fits = |row: &AnalysisRow| {
        let limits = match (row.profile.limit, wanted) {
            (Limit::Depth(_), Limit::Depth(_)) => true,
            (one, other) => one == other,
        };
        limits
            && row.breadth == new.breadth
            && row.tables == tables
            && is_same_engine(&row.profile, engine)
    };
    let Some(row) = store.analyses_of(&new.game)?.into_iter().find(fits) else {
        return Ok(None);
    };
    Ok(stages_of(store, row)?.into_iter().next())
}

fn make_root(
    store: &mut Store,
    (engine, tables): MadeOf<'_>,
    new: &NewRoot,
) -> Result<AnalysisId, AgendaError> {
    let profile = Profile { limit: new.schedule.first(), ..engine.clone() };
    let profile = store.profile_id(&profile)?;
    let key = AnalysisKey { game: &new.game, profile, breadth: &new.breadth, tables };
    Ok(store.open_analysis(key)?)
}

/// Whether searches to one limit are no deeper than those to the other.
fn is_no_deeper(one: Limit, other: Limit) -> bool {
    match (one, other) {
        (Limit::Depth(one), Limit::Depth(other)) => one <= other,
        (one, other) => one == other,
    }
}
