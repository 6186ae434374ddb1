//! Roots: the list, new ones, and their changes.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use crate::events::Object;
use crate::roots::{CopiedObject, RootFacts};
use crate::server::App;
use deepanalyze_core::chess::{DrawValue, Game, written_game};
use deepanalyze_core::search::Limit;
use deepanalyze_runner::{Added, Amendment, Job, RootEntry, Schedule};
use deepanalyze_store::{AnalysisId, GrowsUntil, RootOrigin, Store, now};
use deepanalyze_view::{Stages, name_of_game};

use super::error::ApiError;
use super::json::{RootId, Sent, response};
use super::new_root::{self, NewRootAsked, name_of, next_name};
use super::work::{entry_of, game_of, in_own_thread, refresh, root_of, told, write};

/// All analyses, and the step of the events that they are of.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Analyses"))]
pub struct AnalysesObject<'a> {
    step: u64,
    instance: &'a str,
    #[cfg_attr(test, schemars(with = "Vec<crate::roots::RootObject>"))]
    analyses: Vec<Object>,
}

/// `GET /api/analyses`.
pub async fn list(State(app): State<Arc<App>>) -> Response {
    refresh(&app).await;
    let (step, analyses) = app.events.look(|state| (state.step(), state.roots()));
    response(&AnalysesObject { step, instance: app.events.instance(), analyses })
}

/// `GET /api/analyses/{id}`.
pub async fn one(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    refresh(&app).await;
    let root = root_of(&app, id)?;
    Ok(response(&told(&app, root.id)?))
}

/// `POST /api/analyses`.
pub async fn add(
    State(app): State<Arc<App>>,
    Sent(asked): Sent<NewRootAsked>,
) -> Result<Response, ApiError> {
    let (job, said, until) = (asked.job(&app)?, asked.amendment(), asked.until()?);
    if until.stable.is_some() && !job.schedule.has_stages() {
        return Err(ApiError::only_in_stages());
    }
    let name = asked.name.as_deref().and_then(name_of);
    let starts = asked.start.unwrap_or(true);
    let is_study = job.origin == RootOrigin::Study;
    let added = in_own_thread(&app, move |app| {
        let added = app.agenda.add(&job, &said)?;
        if is_study && !added.is_new {
            leave_games(app, added.id)?;
        }
        if let Some(name) = name {
            rename(&mut app.store()?, added.id, Some(&name))?;
        }
        if until != GrowsUntil::default() {
            app.agenda.grow_until(added.id, until)?;
        }
        if starts {
            app.agenda.grow(added.id)?;
        }
        Ok(added)
    });
    answer(&app, added.await?)
}

/// Separates an analysis that was made for a whole game from it, without its name from that game.
fn leave_games(app: &App, id: AnalysisId) -> Result<(), ApiError> {
    let Some(root) = app.roots.of(id.0).filter(|root| root.is_of_game) else { return Ok(()) };
    let mut store = app.store()?;
    let games = store.annotated_games()?.into_iter().filter(|game| root.games.contains(&game.id));
    let headings = games.filter_map(|game| written_game(game.pgn.as_bytes(), 1, None).ok());
    let mut names = headings.filter_map(|game| name_of_game(&game.heading, game_of(&root).ok()?));
    if names.any(|name| root.listed.name.as_ref() == Some(&name)) {
        rename(&mut store, id, None)?;
    }
    store.make_for_itself(id)?;
    Ok(app.agenda.take_turns(id, None)?)
}

/// Names an analysis with all of its stages, and no other of the same root.
fn rename(store: &mut Store, id: AnalysisId, name: Option<&str>) -> Result<(), ApiError> {
    let stages = stages_of(store, id)?;
    Ok(store.rename_analysis(stages.rows(), name)?)
}

fn stages_of(store: &Store, id: AnalysisId) -> Result<Stages, ApiError> {
    let row = store.analysis(id)?.ok_or_else(|| ApiError::no_root(id.0))?;
    Ok(Stages::of(store, row)?)
}

/// Answers with the added root.
fn answer(app: &App, added: Added) -> Result<Response, ApiError> {
    let root = root_of(app, RootId(added.id.0))?;
    let mut object = told(app, root.id)?;
    let copied = added.copied.map(|(count, plies)| CopiedObject { count, plies });
    object.extend(copied.map(|copied| ("copied".to_owned(), json!(copied))));
    let status = if added.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, response(&object)).into_response())
}

/// The next position of a game.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Next"))]
#[serde(deny_unknown_fields)]
pub struct NextPosition {
    /// The moves played, in SAN or UCI notation.
    moves: String,
    /// True if this analysis is paused.
    #[serde(default)]
    pause_this: bool,
}

/// `POST /api/analyses/{id}/next`.
pub async fn next(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(next): Sent<NextPosition>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let game = further(game_of(&root)?, &next.moves)?;
    // The user says that the game goes on from there, even from the first position.
    let origin = RootOrigin::Game { since: game_of(&root)?.moves().len() };
    let draw = root.listed.row.settings.draw;
    begin_like(&app, root, game, origin, draw, next.pause_this).await
}

/// Another draw value for a root's tree.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OtherDraw {
    /// The value of a draw, in centipawns for White.
    draw_value: DrawValue,
    /// True if this analysis is paused.
    #[serde(default)]
    pause_this: bool,
}

/// `POST /api/analyses/{id}/draw`.
pub async fn draw(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(other): Sent<OtherDraw>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    if root.listed.row.settings.tables != app.agenda.tables() {
        return Err(ApiError::other_tables());
    }
    let (game, origin) = (game_of(&root)?.clone(), RootOrigin::Study);
    begin_like(&app, root, game, origin, other.draw_value, other.pause_this).await
}

/// Grows a new root with the settings of another.
async fn begin_like(
    app: &Arc<App>,
    root: Arc<RootFacts>,
    game: Game,
    origin: RootOrigin,
    draw: DrawValue,
    pause_this: bool,
) -> Result<Response, ApiError> {
    let added = in_own_thread(app, move |app| {
        let entry = entry_of(app, &root);
        // Nothing is begun if it is another engine's.
        let here = app.agenda.profile();
        if !root.is_of(here) {
            let profile = root.listed.row.profile.clone();
            let (root, here) = (Box::new(profile), Box::new(here.clone()));
            return Err(deepanalyze_runner::RunnerError::OtherEngine { root, here }.into());
        }
        app.agenda.has_games(&root.listed.row)?;
        let job = Job { origin, ..like(app, &root, entry.as_ref(), game, draw)? };
        let added = app.agenda.add(&job, &Amendment::default())?;
        app.agenda.grow(added.id)?;
        if let Some(entry) = entry.filter(|entry| pause_this && entry.id != added.id) {
            app.agenda.pause(entry.id)?;
        }
        Ok(added)
    });
    answer(app, added.await?)
}

/// The game continued from a root.
fn further(game: &Game, moves: &str) -> Result<Game, ApiError> {
    let (mut further, before) = (game.clone(), game.moves().len());
    further.play_line(moves)?;
    if further.moves().len() == before {
        return Err(ApiError::malformed("\"moves\" is empty: which moves were played?"));
    }
    Ok(further)
}

/// A root with the settings of another.
fn like(
    app: &App,
    root: &RootFacts,
    entry: Option<&RootEntry>,
    game: Game,
    draw: DrawValue,
) -> Result<Job, ApiError> {
    let row = &root.listed.row;
    let first = root.stages.first().map_or(row.profile.limit, |stage| stage.row.profile.limit);
    let has_stages = entry.map_or(root.stages.len() > 1, |entry| entry.stages);
    let schedule = match first {
        Limit::Depth(first) if has_stages => Schedule::Stages { first },
        limit => Schedule::Once(limit),
    };
    let rules = row.settings.games.map(|known| known.rules);
    let tree = app.agenda.tree(row.settings.breadth.clone(), draw, rules)?;
    let depth = entry.map_or(row.target_depth, |entry| entry.depth);
    let (name, weight) = (next_name(root, &game), entry.map_or(1, |entry| entry.weight));
    Ok(Job { name, weight, ..Job::new(game, tree, schedule, depth) })
}

/// The changes of a root.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Change"))]
#[serde(deny_unknown_fields)]
pub struct RootChange {
    #[serde(default, deserialize_with = "some")]
    name: Option<Option<String>>,
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    weight: Option<u32>,
    /// The analysis to place it before; null: at the end.
    #[serde(default, deserialize_with = "some")]
    before: Option<Option<i64>>,
    #[cfg_attr(test, schemars(range(min = 1, max = new_root::DEEPEST)))]
    depth: Option<u32>,
    /// Moves it to the archive, or out of it.
    archived: Option<bool>,
    /// Milliseconds since 1970, UTC.
    #[serde(default, deserialize_with = "some")]
    pause_at: Option<Option<i64>>,
    #[serde(default, deserialize_with = "some")]
    #[cfg_attr(test, schemars(range(min = 1, max = 96)))]
    until_stable: Option<Option<u8>>,
}

impl RootChange {
    /// The amendment of a root, if all of it makes sense.
    fn amendment(self, app: &App, root: &RootFacts) -> Result<Amendment, ApiError> {
        let listed = |root: &RootFacts| entry_of(app, root).ok_or_else(ApiError::not_on_agenda);
        let before = match self.before {
            Some(Some(other)) => Some(Some(listed(&*root_of(app, RootId(other))?)?.id)),
            other => other.map(|_| None),
        };
        let until = if self.pause_at.is_some() || self.until_stable.is_some() {
            let entry = listed(root)?;
            let until = self.until(entry.until)?;
            if until.stable.is_some() && !entry.stages {
                return Err(ApiError::only_in_stages());
            }
            Some(until)
        } else {
            None
        };
        let amendment = Amendment {
            depth: self.depth.map(new_root::depth).transpose()?,
            name: self.name.map(|name| name.as_deref().and_then(name_of)),
            archived: self.archived,
            weight: self.weight,
            before,
            until,
        };
        if amendment.is_of_agenda() {
            listed(root)?;
        }
        Ok(amendment)
    }

    /// The new end of a root's growth, given the old one.
    fn until(&self, before: GrowsUntil) -> Result<GrowsUntil, ApiError> {
        let said = new_root::until(self.pause_at.flatten(), self.until_stable.flatten())?;
        // A past moment has no effect any more.
        let before_that = before.pause_at.filter(|at| *at > now());
        Ok(GrowsUntil {
            pause_at: self.pause_at.map_or(before_that, |_| said.pause_at),
            stable: self.until_stable.map_or(before.stable, |_| said.stable),
        })
    }
}

/// A value that is present, even null.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(from).map(Some)
}

/// `PATCH /api/analyses/{id}`.
pub async fn change(
    State(app): State<Arc<App>>,
    id: RootId,
    Sent(changed): Sent<RootChange>,
) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let number = root.id;
    write(&app, move |app| {
        let amendment = changed.amendment(app, &root)?;
        Ok(app.agenda.amend(root.id, &amendment)?)
    })
    .await?;
    Ok(response(&told(&app, number)?))
}

/// `DELETE /api/analyses/{id}`.
pub async fn delete(State(app): State<Arc<App>>, id: RootId) -> Result<Response, ApiError> {
    let root = root_of(&app, id)?;
    let number = root.id;
    in_own_thread(&app, move |app| {
        let entry = entry_of(app, &root).map(|entry| entry.id);
        app.agenda.remove(entry.unwrap_or(root.id))?;
        if let Some(game) = &root.listed.game {
            app.undo.forget(game);
        }
        Ok(())
    })
    .await?;
    app.trees.close(number);
    Ok(StatusCode::NO_CONTENT.into_response())
}
